import Bytes
import PM5Codec
import Timeline

/// Folds the notifications of one monitor into the events of its sessions.
///
/// Pure: time comes in with each call, session names from a function. What happened is appended
/// to a buffer that the caller reuses; a notification that causes no event allocates nothing.
/// Call `tick` at least once a second, also while the link is down.
///
/// `SessionStates.md` draws its states. The rules are extensions, a file each, which name the
/// parts that they change.
package struct SessionMachine: Sendable {
    /// How long the monitor's summary is waited for: it comes 1.2 to 3.5 s after the end.
    package static let summaryLimit = Duration.seconds(5)

    package private(set) var counters = NotificationCounters()
    let makeSessionID: @Sendable () -> SessionID
    /// The present or last session; `Session.Stage.absent` before the first. It is no optional, because
    /// Swift copies the whole value when a part of an optional one is read.
    var session = Session()
    /// When the monitor was last heard, and the packets that wait for its next status.
    var link = LinkPresence()
    var monitor = MonitorReadings()
    // Packets of strokes can come before the status that begins their session.
    var strokes = StrokeAssembler()
    var curves = ForceCurveAssembler()
    /// Finds the stroke that a force curve is of.
    var joiner = CurveJoiner()
    /// What the next session is held against, if it is of that workout.
    var aim: TargetAim?
    /// Equal intervals that were put on the monitor, as long as it shows them.
    var program: Workout?
    private var published: StationState?

    /// - Parameter makeSessionID: a new name, unique over all gateways.
    package init(makeSessionID: @escaping @Sendable () -> SessionID) {
        self.makeSessionID = makeSessionID
    }

    var isOpen: Bool { session.isOpen }
    var isCurrent: Bool { session.isCurrent }

    // MARK: - Input

    /// Takes a value as it came; counts it when it cannot be decoded. `bytes` is not kept.
    package mutating func receive(
        _ characteristic: CharacteristicID, _ bytes: UnsafeRawBufferPointer, at now: BootInstant,
        into events: inout [SessionEvent]
    ) {
        do throws(DecodeError) {
            let decoded = try DecodedNotification(characteristic: characteristic, bytes: bytes)
            if decoded.extraBytes > 0 { counters.extended += 1 }
            receive(decoded.value, at: now, into: &events)
        } catch {
            counters.received += 1
            switch error {
            case .truncated: counters.truncated += 1
            case .unknownCharacteristic: counters.unknown += 1
            }
        }
    }

    /// Takes a decoded value.
    package mutating func receive(
        _ notification: Notification, at now: BootInstant, into events: inout [SessionEvent]
    ) {
        counters.received += 1
        let silence = link.lastStatus.duration(to: now)
        guard monitor.isPlausible(notification, after: silence) else {
            counters.implausible += 1
            return
        }
        if isOpen, link.saidEverything {
            session.gaps.noteSilence(since: link.lastHeard, until: now)
        }
        link.hear(at: now)
        if isEarly(notification, at: now), link.hold(notification, at: now) { return }
        take(notification, at: now, into: &events)
        settle(at: now, into: &events)
    }

    mutating func take(
        _ notification: Notification, at now: BootInstant, into events: inout [SessionEvent]
    ) {
        switch notification {
        case .generalStatus(let packet):
            let isFirst = monitor.status == nil
            comeBack(packet, at: now)
            takeUnseen(before: packet, at: now, into: &events)
            takeUnheard(before: packet, at: now, into: &events)
            let before = session.head.id
            receive(packet, at: now, into: &events)
            link.hearStatus(at: now)
            guard !link.early.isEmpty else { break }
            let isNew = session.head.id != before
            if isNew || isFirst && isCurrent {
                takeEarly(before: packet, isNew: isNew, into: &events)
            } else {
                if !isOpen { takeSummaries() }
                for _ in 0..<link.expireEarly(at: now) { count(.stray) }
            }
        case .additionalStatus1(let packet): receive(packet, at: now)
        case .additionalStatus2(let packet): receive(packet)
        case .strokeData(let packet): receive(packet, at: now)
        case .additionalStrokeData(let packet): receive(packet, at: now)
        case .splitData(let packet): count(session.receive(packet, at: now))
        case .additionalSplitData(let packet):
            monitor.note(packet.ergMachineType)
            count(session.receive(packet))
        case .workoutSummary, .additionalWorkoutSummary, .workoutSummary2:
            takeSummary(notification, at: now)
        case .forceCurvePiece(let packet):
            if let curve = curves.receive(packet, at: now) { joiner.add(curve) }
        case .additionalStatus3, .sampleRate, .heartRateBelt, .loggedWorkout, .heartRateInput:
            break
        }
        counters.implausibleValues = monitor.implausibleValues
    }

    /// Whether a packet has to wait for the next status, because only that tells which piece it is of.
    ///
    /// Strokes and results can come before the status that begins or ends their piece, and so do those
    /// of a piece whose statuses were lost. *Unexplained* is what comes before the first status of a
    /// link; *unseen* is a piece of which strokes have come, and no status.
    private func isEarly(_ notification: Notification, at now: BootInstant) -> Bool {
        let isUnexplained = monitor.status == nil
        if notification.isOfSummary {
            // A result that comes after strokes of an unseen piece is the result of that piece.
            let isOfUnseen = isUnexplained && !session.hasResult(notification.logged)
            let isUnseen =
                session.head.stage != .ending && (isOfUnseen || link.early.hasBeginning)
            return (isOpen || isUnseen) && (isUnexplained || link.isStarved(at: now))
        }
        guard !isUnexplained else { return true }
        if notification.strokeCount == 0 { return false }
        switch session.head.stage {
        case .open: return link.mayHaveMissedEnd(at: now) && isOfNextPiece(notification)
        case .absent, .closed: return true
        case .ending:
            // The session has published a stroke of this number: so this one is of the next piece,
            // which counts from 1 again, and so are the force curves that follow it.
            guard let count = notification.strokeCount else { return link.early.hasBeginning }
            return strokes.isTold(count) || isBehindEnd(notification, at: now)
        }
    }

    /// Whether the piece on the monitor's screen, and the one that a packet counts in, both began after
    /// the session's end.
    ///
    /// Both have to: an interval that was given up after a single stroke and the next piece each have a
    /// stroke 1, so its number does not tell which of the two it is of.
    private func isBehindEnd(_ notification: Notification, at now: BootInstant) -> Bool {
        guard let status = monitor.status, status.workoutState.phase != .over,
            let elapsed = notification.pieceCentiseconds
        else { return false }
        let screenBegan = link.lastStatus.earlier(by: .centiseconds(status.elapsedCentiseconds))
        let packetBegan = now.earlier(by: .centiseconds(elapsed))
        return min(screenBegan, packetBegan) > session.head.endedAt
    }

    /// Whether strokes have begun anew in a piece without intervals.
    private func isOfNextPiece(_ notification: Notification) -> Bool {
        guard !session.ledger.isInterval else { return false }
        switch notification {
        case _ where link.early.hasStrokes: return true
        case .strokeData(let packet):
            return strokes.isRestart(
                count: packet.strokeCount, elapsedCentiseconds: packet.elapsedCentiseconds,
                isPower: false)
        case .additionalStrokeData(let packet):
            return strokes.isRestart(
                count: packet.strokeCount, elapsedCentiseconds: packet.elapsedCentiseconds,
                isPower: true)
        default: return false
        }
    }

    /// What came before a status that tells what it is of, each at its own time.
    ///
    /// - Parameter isNew: the status began a session, of which a piece before it is no part.
    private mutating func takeEarly(
        before status: GeneralStatus, isNew: Bool, into events: inout [SessionEvent]
    ) {
        for entry in link.takeEarly() {
            if isNew, !entry.fits(status) {
                count(.stray)
                continue
            }
            take(entry.packet, at: entry.at, into: &events)
            settle(at: entry.at, into: &events)
        }
    }

    /// Lets time pass: what was waited for and does not come.
    package mutating func tick(at now: BootInstant, into events: inout [SessionEvent]) {
        endAbsence(at: now)
        settle(at: now, into: &events)
    }

    mutating func count(_ verdict: PacketVerdict) {
        switch verdict {
        case .taken: break
        case .duplicate: counters.duplicates += 1
        case .junk: counters.junkSummaries += 1
        case .stray: counters.strayPackets += 1
        }
    }

    // MARK: - What time or any packet may have completed

    mutating func settle(at now: BootInstant, into events: inout [SessionEvent]) {
        expireCurves(at: now)
        if isCurrent, !link.isReturning {
            releaseCurves(at: now, into: &events)
            releaseStrokes(at: now, into: &events)
            session.releaseSplit(at: now, into: &events)
        }
        settleSummary(at: now, into: &events)
        settlePause(at: now, into: &events)
        publishState(into: &events)
    }

    private mutating func settlePause(at now: BootInstant, into events: inout [SessionEvent]) {
        guard isOpen, !link.isReturning, link.isOpen, let status = monitor.status,
            let edge = session.pauses.settle(status, monitor.phase, heard: link.lastStatus)
        else { return }
        publishEdge(edge, at: now, into: &events)
    }

    // MARK: - State

    /// What was last published of the station; idle before anything was.
    package var state: StationState { published ?? StationState(activity: .idle) }

    /// The activity that the present knowledge amounts to.
    var activity: ActivityState {
        if isOpen {
            if session.pauses.isPaused { return .paused }
            return monitor.phase == .resting ? .resting : .rowing
        }
        guard link.isOpen, let status = monitor.status, status.workoutType != .menu else {
            return .idle
        }
        return monitor.phase == .over ? .finished : .ready
    }

    mutating func publishState(into events: inout [SessionEvent]) {
        let present = activity
        var state = StationState(activity: present)
        switch present {
        case .rowing, .paused, .resting, .finished:
            state.session = session.id
            state.workout =
                state.session == nil
                ? monitor.status.map(workout(shownBy:)) : session.head.workout
            if present == .resting { state.interval = session.ledger.figures }
        case .ready: state.workout = monitor.status.map(workout(shownBy:))
        case .idle: break
        }
        guard state != published else { return }
        published = state
        events.append(.state(state))
    }
}
