import Bytes
import PM5Codec
import Timeline

/// Converts the notifications of one monitor into the events of its sessions.
///
/// A pure value: time is an argument, and a function creates session IDs. Events are appended to a buffer
/// that the caller reuses; a notification without an event allocates nothing. Call `tick` at least once a
/// second, also without a link.
///
/// See `SessionStates.md` for its states. The rules are extensions, each in its own file, which name the
/// parts that they change.
package struct SessionMachine: Sendable {
    /// How long to wait for the monitor's summary, which arrives 1.2 to 3.5 s after the end.
    package static let summaryLimit = Duration.seconds(5)

    package private(set) var counters = NotificationCounters()
    let makeSessionID: @Sendable () -> SessionID
    /// The current or last session; `SessionHead.Stage.absent` before the first. It is not optional,
    /// because Swift copies the whole value when code reads a part of an optional one.
    var session = Session()
    /// The times of the last values, and the packets that wait for the next status.
    var link = LinkTracker()
    var monitor = MonitorReadings()
    // Stroke packets can arrive before the status that begins their session.
    var strokes = StrokeAssembler()
    var curves = ForceCurveAssembler()
    /// Finds the stroke of a force curve.
    var joiner = CurveJoiner()
    /// Targets for the next session, if it has their workout.
    var pendingTargets: PendingTargets?
    /// Equal intervals that the gateway programmed, while the monitor shows them.
    var programmedWorkout: Workout?
    private var published: StationState?

    /// - Parameter makeSessionID: returns a new ID, unique over all gateways.
    package init(makeSessionID: @escaping @Sendable () -> SessionID) {
        self.makeSessionID = makeSessionID
    }

    var isOpen: Bool { session.isOpen }
    var isCurrent: Bool { session.isCurrent }

    // MARK: - Input

    /// Decodes and handles a value; counts it if it cannot be decoded. `bytes` is not stored.
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

    /// Handles a decoded value.
    package mutating func receive(
        _ notification: Notification, at now: BootInstant, into events: inout [SessionEvent]
    ) {
        counters.received += 1
        let silence = link.lastStatus.duration(to: now)
        guard monitor.isPlausible(notification, after: silence) else {
            counters.implausible += 1
            return
        }
        if isOpen, link.areStatusesRegular {
            session.gaps.noteSilence(since: link.lastReceived, until: now)
        }
        link.noteValue(at: now)
        if mustAwaitStatus(notification, at: now), link.buffer(notification, at: now) { return }
        process(notification, at: now, into: &events)
        publishDue(at: now, into: &events)
    }

    mutating func process(
        _ notification: Notification, at now: BootInstant, into events: inout [SessionEvent]
    ) {
        switch notification {
        case .generalStatus(let packet):
            let isFirst = monitor.status == nil
            handleReturn(packet, at: now)
            recoverUnseenPieces(before: packet, at: now, into: &events)
            recoverPieceFromEnd(before: packet, at: now, into: &events)
            let before = session.head.id
            receive(packet, at: now, into: &events)
            link.noteStatus(at: now)
            guard !link.early.isEmpty else { break }
            let isNew = session.head.id != before
            if isNew || isFirst && isCurrent {
                processEarly(before: packet, isNew: isNew, into: &events)
            } else {
                if !isOpen { processEarlySummaries() }
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
            processSummary(notification, at: now)
        case .forceCurvePiece(let packet):
            if let curve = curves.receive(packet, at: now) { joiner.add(curve) }
        case .additionalStatus3, .sampleRate, .heartRateBelt, .loggedWorkout, .heartRateInput:
            break
        }
        counters.implausibleValues = monitor.implausibleValues
    }

    /// Whether a packet has to wait for the next status, because only that status shows its piece.
    ///
    /// Strokes and results can arrive before the status that begins or ends their piece, or after its
    /// statuses were lost. *Unexplained* packets arrive before the first status of a link. An *unseen*
    /// piece has strokes but no status.
    private func mustAwaitStatus(_ notification: Notification, at now: BootInstant) -> Bool {
        let isUnexplained = monitor.status == nil
        if notification.isSummaryPacket {
            // A result after strokes of an unseen piece belongs to that piece.
            let isOfUnseen = isUnexplained && !session.hasResult(notification.logged)
            let isUnseen =
                session.head.stage != .ending && (isOfUnseen || link.early.hasBeginning)
            return (isOpen || isUnseen) && (isUnexplained || link.isStatusStale(at: now))
        }
        guard !isUnexplained else { return true }
        if notification.strokeCount == 0 { return false }
        switch session.head.stage {
        case .open: return link.mayHaveMissedEnd(at: now) && startsNextPiece(notification)
        case .absent, .closed: return true
        case .ending:
            // The session has already released a stroke with this number. The packet belongs to the next
            // piece, which counts from 1 again. So do the force curves after it.
            guard let count = notification.strokeCount else { return link.early.hasBeginning }
            return strokes.isReleased(count) || isAfterEnd(notification, at: now)
        }
    }

    /// Whether the piece in the last status, and the piece of the packet, both began after the end of the
    /// session.
    ///
    /// Both checks are needed. An interval that was stopped after one stroke and the next piece both have a
    /// stroke 1, so the number does not decide.
    private func isAfterEnd(_ notification: Notification, at now: BootInstant) -> Bool {
        guard let status = monitor.status, status.workoutState.phase != .over,
            let elapsed = notification.pieceCentiseconds
        else { return false }
        let screenBegan = link.lastStatus.earlier(by: .centiseconds(status.elapsedCentiseconds))
        let packetBegan = now.earlier(by: .centiseconds(elapsed))
        return min(screenBegan, packetBegan) > session.head.endedAt
    }

    /// Whether stroke numbers restarted in a piece without intervals.
    private func startsNextPiece(_ notification: Notification) -> Bool {
        guard !session.intervals.isInterval else { return false }
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

    /// Handles the packets that waited for a status, each at its own time.
    ///
    /// - Parameter isNew: whether the status began a session. Packets of earlier pieces are then dropped.
    private mutating func processEarly(
        before status: GeneralStatus, isNew: Bool, into events: inout [SessionEvent]
    ) {
        for entry in link.drainEarly() {
            if isNew, !entry.fits(status) {
                count(.stray)
                continue
            }
            process(entry.packet, at: entry.at, into: &events)
            publishDue(at: entry.at, into: &events)
        }
    }

    /// Handles expired waits.
    package mutating func tick(at now: BootInstant, into events: inout [SessionEvent]) {
        endAfterAbsence(at: now)
        publishDue(at: now, into: &events)
    }

    mutating func count(_ verdict: PacketOutcome) {
        switch verdict {
        case .accepted: break
        case .duplicate: counters.duplicates += 1
        case .junk: counters.junkSummaries += 1
        case .stray: counters.strayPackets += 1
        }
    }

    // MARK: - Publishing whatever time or a packet has completed

    mutating func publishDue(at now: BootInstant, into events: inout [SessionEvent]) {
        expireCurves(at: now)
        if isCurrent, !link.isReturning {
            releaseCurves(at: now, into: &events)
            releaseStrokes(at: now, into: &events)
            session.releaseSplit(at: now, into: &events)
        }
        publishDueSummary(at: now, into: &events)
        publishPauseChange(at: now, into: &events)
        publishState(into: &events)
    }

    private mutating func publishPauseChange(at now: BootInstant, into events: inout [SessionEvent]) {
        guard isOpen, !link.isReturning, link.isOpen, let status = monitor.status,
            let edge = session.pauses.update(status, monitor.phase, receivedAt: link.lastStatus)
        else { return }
        publishTransition(edge, at: now, into: &events)
    }

    // MARK: - State

    /// The last published state of the station; idle at first.
    package var state: StationState { published ?? StationState(activity: .idle) }

    /// The activity according to all received values.
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
            if present == .resting { state.interval = session.intervals.progress }
        case .ready: state.workout = monitor.status.map(workout(shownBy:))
        case .idle: break
        }
        guard state != published else { return }
        published = state
        events.append(.state(state))
    }
}
