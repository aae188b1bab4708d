import Bytes
import PM5Codec
import Timeline

/// Converts the notifications of one monitor into the events of its sessions.
///
/// A pure value: time is an argument, and a function creates session IDs. Events are appended to a buffer
/// that the caller reuses; a notification without an event allocates nothing. Call `tick` at least once a
/// second, also without a link.
///
/// See `SessionStates.md` for its states. Each part encapsulates its state, and only this file changes the
/// parts. `PieceBoundaries.swift` decides to which piece a packet belongs, `MetricsSample.swift` builds the
/// live values, and `SessionCheckpoint.swift` the stored ones; they change nothing.
package struct SessionMachine: Sendable {
    /// How long a session stays open after its link closed. No other time limit ends a session. A silent
    /// (`LinkTimeouts`) or unused link is closed first.
    package static let absenceLimit = Duration.seconds(600)
    /// How long after the last value every session has ended and has its summary.
    package static let closingLimit = absenceLimit + SummaryAssembler.mainLimit

    package private(set) var counters = NotificationCounters()
    private let makeSessionID: @Sendable () -> SessionID
    /// The current or last session; `SessionHead.Stage.absent` before the first. It is not optional,
    /// because Swift copies the whole value when code reads a part of an optional one.
    private(set) var session = Session()
    /// The times of the last values, and the packets that wait for the next status.
    private(set) var link = LinkTracker()
    private(set) var monitor = MonitorReadings()
    // Stroke packets can arrive before the status that begins their session.
    private(set) var strokes = StrokeAssembler()
    private var curves = ForceCurveMatcher()
    /// What the gateway programmed on the monitor.
    private(set) var programmed = ProgrammedPiece()
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
            session.noteSilence(since: link.lastReceived, until: now)
        }
        link.noteValue(at: now)
        if mustAwaitStatus(notification, at: now), link.buffer(notification, at: now) { return }
        process(notification, at: now, into: &events)
        appendDueEvents(at: now, into: &events)
    }

    private mutating func process(
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
        case .workoutSummary, .additionalWorkoutSummary, .workoutSummary2, .loggedWorkout:
            processSummary(notification, at: now)
        case .forceCurvePiece(let packet):
            curves.receive(packet, at: now)
        case .additionalStatus3, .sampleRate, .heartRateBelt, .heartRateInput:
            break
        }
        counters.implausibleValues = monitor.implausibleValues
    }

    /// Handles a polled force curve.
    package mutating func receive(
        _ curve: PolledForceCurve, at now: BootInstant, into events: inout [SessionEvent]
    ) {
        curves.add(curve)
        appendDueEvents(at: now, into: &events)
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
            appendDueEvents(at: entry.at, into: &events)
        }
    }

    /// Handles expired waits.
    package mutating func tick(at now: BootInstant, into events: inout [SessionEvent]) {
        endAfterAbsence(at: now)
        appendDueEvents(at: now, into: &events)
    }

    private mutating func count(_ verdict: PacketOutcome) {
        switch verdict {
        case .accepted: break
        case .duplicate: counters.duplicates += 1
        case .junk: counters.junkSummaries += 1
        case .stray: counters.strayPackets += 1
        }
    }

    // MARK: - Current values

    private mutating func receive(_ packet: AdditionalStatus1, at now: BootInstant) {
        monitor.update(with: packet)
        note(watts: packet.averagePowerWatts)
        if isOpen, monitor.phase != .waiting, let rate = packet.knownHeartRateBeatsPerMinute {
            session.note(heartRate: rate, isWorking: monitor.phase == .working, at: now)
        }
    }

    private mutating func receive(_ packet: AdditionalStatus2) {
        monitor.update(with: packet)
        guard isCounting else { return }
        note(watts: packet.averagePowerWatts)
        if isOpen || monitor.phase == .over { session.count(packet, in: monitor.phase) }
        session.note(calories: Int(packet.totalCalories))
        if monitor.phase == .over { session.noteFinal(packet) }
    }

    /// The average power of the piece: in 0x0033, or in 0x0032 when multiplexed.
    private mutating func note(watts: UInt16?) {
        guard let watts, watts > 0, isCounting else { return }
        session.note(averageWatts: Int(watts))
    }

    /// Whether the monitor's sums belong to the session.
    private var isCounting: Bool {
        isCurrent && !link.isReturning && monitor.phase != .waiting
    }

    // MARK: - Strokes

    private mutating func receive(_ packet: StrokeData, at now: BootInstant) {
        guard packet.strokeCount > 0 || strokes.highest > 0 else { return }
        let leg = leg(
            count: packet.strokeCount, elapsed: packet.elapsedCentiseconds, isPower: false, at: now)
        note(stroke: strokes.receive(packet, leg: leg, at: now), at: now)
        session.noteWork(in: packet, leg: leg)
    }

    private mutating func receive(_ packet: AdditionalStrokeData, at now: BootInstant) {
        guard packet.strokeCount > 0 || strokes.highest > 0 else { return }
        let leg = leg(
            count: packet.strokeCount, elapsed: packet.elapsedCentiseconds, isPower: true, at: now)
        let number = strokes.receive(packet, leg: leg, at: now)
        if let number {
            session.note(packet)
            curves.noteDriveEnd(of: number, at: now)
        }
        note(stroke: number, at: now)
    }

    private mutating func note(stroke number: Int?, at now: BootInstant) {
        guard let number else { return count(.duplicate) }
        session.noteStrokePacket(at: now)
        curves.noteStroke(number, at: now)
    }

    /// The leg in which a stroke packet was counted.
    private mutating func leg(
        count: UInt16, elapsed: UInt32, isPower: Bool, at now: BootInstant
    ) -> Int {
        guard count > 0, isCurrent, session.intervals.isInterval else { return strokes.leg }
        if strokes.isRestart(count: count, elapsedCentiseconds: elapsed, isPower: isPower),
            strokes.leg == session.intervals.leg.serial, !link.isReturning
        {
            session.openLegByStroke(at: now)
        }
        let present = session.intervals.leg
        let clock = present.elapsed + IntervalHistory.jitterCentiseconds
        let isAhead = Int64(elapsed) > clock && session.legOpened.duration(to: now) <= .seconds(3)
        if strokes.leg < present.serial {
            if isAhead, strokes.canContinue(count: count, elapsedCentiseconds: elapsed) {
                return strokes.leg
            }
            strokes.enter(leg: present.serial)
        } else if isAhead, strokes.belongsToPreviousLeg(count: count, elapsedCentiseconds: elapsed) {
            return strokes.previousLeg
        }
        return strokes.leg
    }

    /// Appends the strokes that are complete or overdue.
    ///
    /// - Parameter flush: appends every stroke as it is.
    private mutating func appendStrokes(
        at now: BootInstant, flush: Bool = false, into events: inout [SessionEvent]
    ) {
        var released = strokes.released
        while let stroke = strokes.next(at: now, flush: flush) {
            // An old status does not describe this stroke.
            let readings = link.isStatusStale(at: stroke.firstSeen) ? MonitorReadings() : monitor
            session.append(stroke, after: released, readings, at: now, into: &events)
            released = stroke.number
        }
    }

    // MARK: - Begin and end of a session

    private mutating func receive(
        _ packet: GeneralStatus, at now: BootInstant, into events: inout [SessionEvent]
    ) {
        let next = monitor.update(with: packet)
        programmed.receive(packet, at: now)
        let end = pieceEnd(at: now)
        switch next {
        case .working: work(packet, end: end, at: now, into: &events)
        case .resting: session.rest(packet, at: now)
        case .over: session.finish(packet, at: end, noticed: now)
        case .waiting: session.end(at: end, noticed: now, isComplete: false)
        case .unchanged: break
        }
    }

    private mutating func work(
        _ packet: GeneralStatus, end: BootInstant, at now: BootInstant,
        into events: inout [SessionEvent]
    ) {
        if isOpen, !session.continues(packet) {
            session.end(at: end, noticed: now, isComplete: false)
        }
        guard isOpen else {
            let isEvident = packet.rowingState == .active || link.early.hasStroke(of: packet)
            if isEvident { start(packet, at: now, into: &events) }
            return
        }
        session.work(packet, at: now)
    }

    private mutating func start(
        _ packet: GeneralStatus, at now: BootInstant, into events: inout [SessionEvent]
    ) {
        if isCurrent { close(at: now, into: &events) }
        let isWhole = link.early.hasBeginning(of: packet)
        session = Session(
            makeSessionID(), packet, of: programmed.workout(shownBy: packet), isWhole: isWhole, at: now)
        applyTargets(for: packet)
        appendTransition(.started, at: now, into: &events)
    }

    /// Appends all remaining events of a session that is over, including its summary.
    private mutating func close(at now: BootInstant, into events: inout [SessionEvent]) {
        processEarlySummaries()
        flush(at: now, into: &events)
        session.declareGapOfMissingStrokes(
            released: strokes.released, highest: strokes.highest, at: now, into: &events)
        session.declareGapOfMissingSplits(at: now, into: &events)
        appendTransition(.ended, at: now, into: &events)
        session.close()
        appendSummary(at: now, into: &events)
        strokes.reset()
        curves.reset()
    }

    /// Releases the current strokes and the current split as they are.
    private mutating func flush(at now: BootInstant, into events: inout [SessionEvent]) {
        appendStrokes(at: now, flush: true, into: &events)
        session.appendSplit(at: now, flush: true, into: &events)
    }

    private mutating func appendTransition(
        _ kind: SessionTransition.Kind, at now: BootInstant, into events: inout [SessionEvent]
    ) {
        session.note(monitor.machine)
        let head = session.head
        var edge = SessionTransition(
            kind: kind, session: head.id, startedAt: head.startedAt, workout: head.workout, at: now)
        edge.machine = session.machine
        if kind == .ended, strokes.highest > 0, !session.gaps.hasUncounted {
            edge.monitorStrokes = strokes.highest
        }
        events.append(.session(edge))
    }

    // MARK: - Summaries

    private mutating func processSummary(_ notification: Notification, at now: BootInstant) {
        if let logged = notification.logged { link.logEntries.note(logged, at: now) }
        switch notification {
        case .workoutSummary(let packet):
            count(SummaryAssembler.isJunk(packet) ? .junk : session.receive(packet, at: now))
            if let log = link.logEntries.takeEarly(at: now) {
                count(session.receive(log, after: packet.logged, at: now))
            }
        case .additionalWorkoutSummary(let packet): count(session.receive(packet, at: now))
        case .workoutSummary2(let packet): count(session.receive(packet, at: now))
        case .loggedWorkout(let packet):
            let outcome = session.receive(packet, after: link.logEntries.result(at: now), at: now)
            if outcome == .stray { link.logEntries.keep(packet, at: now) } else { count(outcome) }
        default: break
        }
    }

    /// Handles the summaries that arrived before the end of the piece was known.
    private mutating func processEarlySummaries() {
        for entry in link.drainEarlySummaries() { processSummary(entry.packet, at: entry.at) }
    }

    /// Closes a session whose summary is complete or overdue, and revises a closed session.
    private mutating func appendDueSummary(at now: BootInstant, into events: inout [SessionEvent]) {
        switch session.head.stage {
        case .absent, .open: return
        case .ending: if session.isSummaryDue(at: now) { close(at: now, into: &events) }
        case .closed:
            if session.summary.isReady(at: now) { appendSummary(at: now, into: &events) }
        }
    }

    private mutating func appendSummary(at now: BootInstant, into events: inout [SessionEvent]) {
        guard let summary = session.nextSummary(at: now) else { return }
        events.append(.summary(summary))
    }

    // MARK: - Programmed workout and targets

    /// Sets the targets for the next piece of a workout that was programmed on the monitor. Empty targets
    /// mean none. They apply at once if the rower has already begun the workout.
    package mutating func setTargets(
        _ targets: WorkoutTargets, for workout: Workout, into events: inout [SessionEvent]
    ) {
        guard programmed.set(targets, for: workout) else { return }
        if isOpen, let status = monitor.status, workout.admits(status) {
            session.note(workout.repetition)
            applyTargets(for: status)
        }
        let before = events.count
        appendStateChange(into: &events)
        // An event stores the checkpoint with the targets, so one is needed even without a change of state.
        if events.count == before { events.append(.state(state)) }
    }

    /// A phone has set a workout on the monitor, through a relay.
    package mutating func notePhoneWorkout(at now: BootInstant) { programmed.notePhone(at: now) }

    /// Applies the targets for the next session to this one if it has their workout.
    private mutating func applyTargets(for status: GeneralStatus) {
        if let targets = programmed.consumeTargets(for: status) { session.setTargets(targets) }
    }

    // MARK: - Absence of the monitor

    /// The subscriptions are active. `machine` is the machine type that the monitor reports, if any.
    package mutating func linkOpened(
        at now: BootInstant, machine: ErgMachineType? = nil, into events: inout [SessionEvent]
    ) {
        link.noteLinkOpened(isReturning: isOpen)
        monitor.note(machine)
        appendDueEvents(at: now, into: &events)
    }

    /// The link closed. An open session stays open for `absenceLimit`.
    package mutating func linkClosed(at now: BootInstant, into events: inout [SessionEvent]) {
        recoverUnseenPieces(before: nil, at: now, into: &events)
        if isCurrent, !link.isReturning { flush(at: now, into: &events) }
        if isOpen { session.beginOutage(since: link.lastReceived, at: now) }
        link.noteLinkClosed()
        monitor.closeLink()
        curves.discardIncomplete()
        appendDueEvents(at: now, into: &events)
    }

    /// The monitor accepted the command to end its piece. Its next statuses show the end.
    package mutating func terminationAccepted(at now: BootInstant) { session.terminate(at: now) }

    /// The monitor, which has no link, was released to another device, perhaps for hours.
    ///
    /// No summary can arrive any more, so a session that is over is closed at once. The same applies to a
    /// session that was just terminated: it ends when the monitor accepted the command. The time since the
    /// last value becomes a gap. A piece in progress stays open.
    package mutating func monitorReleased(at now: BootInstant, into events: inout [SessionEvent]) {
        guard !link.isOpen else { return }
        if isCurrent, let terminated = session.terminated, let outage = session.gaps.outage,
            terminated.duration(to: outage.waiting) <= WorkoutProcedure.readyLimit
        {
            session.abandon(at: max(outage.since, terminated), noticed: now)
        }
        guard !isOpen else { return }
        link.forgetStatus()
        programmed.forgetWorkout()
        guard isCurrent else { return }
        close(at: now, into: &events)
        appendStateChange(into: &events)
    }

    /// Ends a session whose monitor was absent for `absenceLimit`.
    private mutating func endAfterAbsence(at now: BootInstant) {
        guard isOpen, let outage = session.gaps.outage, outage.returned == nil,
            outage.waiting.duration(to: now) >= Self.absenceLimit
        else { return }
        session.abandon(at: outage.since, noticed: outage.since)
    }

    /// Decides with the first status after an absence whether the session continues.
    private mutating func handleReturn(_ packet: GeneralStatus, at now: BootInstant) {
        guard link.isReturning else { return }
        link.endReturn()
        guard isOpen, let outage = session.gaps.outage else { return }
        let away = outage.isTimed ? link.sinceLastStatus(at: now) : nil
        if !belongsToNextPiece(packet), session.isSamePiece(packet, after: away) {
            rejoin(packet, after: away?.upperBound, at: now)
        } else {
            session.abandon(at: outage.since, noticed: outage.since, returned: now)
        }
    }

    private mutating func rejoin(_ packet: GeneralStatus, after away: Duration?, at now: BootInstant) {
        let isOfLeg = strokes.leg == session.intervals.leg.serial
        let lastStroke = isOfLeg ? Int64(strokes.lastElapsedCentiseconds) : 0
        session.rejoin(packet, after: away, lastStroke: lastStroke, at: now)
    }

    // MARK: - Pieces that no status showed

    /// Creates sessions for pieces that were over before a status showed them (`UnseenPieces`).
    ///
    /// - Parameter packet: the first status since; it may show the last of these pieces in progress. Nil if the
    ///   link closed.
    private mutating func recoverUnseenPieces(
        before packet: GeneralStatus?, at now: BootInstant, into events: inout [SessionEvent]
    ) {
        guard mayHaveUnseenPieces(before: packet, at: now) else { return }
        let opening = opening(before: packet)
        let unseen = UnseenPieces(
            in: link.drainEarly(), before: packet, isInterval: opening.workoutType.isInterval,
            isFirstOfLink: monitor.status == nil)
        for (index, piece) in unseen.pieces.enumerated() {
            endUnseenPiece(at: piece.first.at)
            for entry in piece.preceding {
                if entry.packet.isSummaryPacket {
                    processSummary(entry.packet, at: entry.at)
                } else {
                    count(.stray)
                }
            }
            if index > 0 || !belongsToAbandonedSession(piece.first) {
                startUnseen(piece, with: opening, into: &events)
            }
            for entry in piece.packets {
                process(entry.packet, at: entry.at, into: &events)
                session.prolong(until: entry.at)
                appendDueEvents(at: entry.at, into: &events)
            }
        }
        if let end = unseen.end {
            endUnseenPiece(at: end)
        } else if !unseen.pieces.isEmpty, let packet, !session.intervals.canContinue(packet) {
            endUnseenPiece(at: now)
        }
        // The last session stays open: the status, or the absence of the monitor, ends it.
        link.prepend(unseen.rest)
    }

    private mutating func startUnseen(
        _ piece: UnseenPieces.Piece, with opening: GeneralStatus, into events: inout [SessionEvent]
    ) {
        var opening = opening
        let first = piece.first
        if piece.mayLackBeginning { opening.elapsedCentiseconds = first.packet.pieceCentiseconds ?? 0 }
        start(opening, at: first.at, into: &events)
        if piece.mayLackBeginning, session.intervals.isInterval {
            session.markBeginningMissed(since: first.at)
        }
    }

    private mutating func endUnseenPiece(at now: BootInstant) {
        session.end(at: pieceEnd(at: now), noticed: now, isComplete: false)
    }

    /// Recovers a piece of which only the end is known. Either the first status of a link shows an end, and
    /// the monitor was waiting or in another piece before. Or the result of the piece arrived.
    private mutating func recoverPieceFromEnd(
        before packet: GeneralStatus, at now: BootInstant, into events: inout [SessionEvent]
    ) {
        guard monitor.status == nil, !isOpen else { return }
        let result = link.early.result.flatMap { session.belongs($0.packet) ? nil : $0 }
        let isOver = packet.phase == .over && (result != nil || isAnotherEnd(packet, at: now))
        guard let end = isOver ? now : result?.at else { return }
        let elapsed = isOver ? packet.elapsedCentiseconds : result?.packet.elapsedCentiseconds ?? 0
        let begun = end.earlier(by: .centiseconds(elapsed))
        // The buffered packets belong to this piece, not to the session that is closed here.
        let early = link.drainEarly()
        start(opening(before: packet), at: begun, into: &events)
        link.prepend(early[...])
        session.beginOutage(since: begun, at: end)
        if isOver {
            rejoin(packet, after: begun.duration(to: now), at: now)
        } else {
            session.abandon(at: end, noticed: now, returned: end)
        }
    }

    // MARK: - Events that time or a packet has completed

    private mutating func appendDueEvents(at now: BootInstant, into events: inout [SessionEvent]) {
        curves.expire(at: now)
        if isCurrent, !link.isReturning {
            curves.append(of: session.head.id, at: now, into: &events)
            appendStrokes(at: now, into: &events)
            session.appendSplit(at: now, into: &events)
        }
        appendDueSummary(at: now, into: &events)
        appendPauseChange(at: now, into: &events)
        appendStateChange(into: &events)
    }

    private mutating func appendPauseChange(at now: BootInstant, into events: inout [SessionEvent]) {
        guard isOpen, !link.isReturning, link.isOpen, let status = monitor.status,
            let edge = session.updatePause(status, monitor.phase, receivedAt: link.lastStatus)
        else { return }
        appendTransition(edge, at: now, into: &events)
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

    private mutating func appendStateChange(into events: inout [SessionEvent]) {
        let present = activity
        var state = StationState(activity: present)
        switch present {
        case .rowing, .paused, .resting, .finished:
            state.session = session.id
            state.workout =
                state.session == nil
                ? monitor.status.map(programmed.workout(shownBy:)) : session.head.workout
            if present == .resting { state.interval = session.intervals.progress }
        case .ready: state.workout = monitor.status.map(programmed.workout(shownBy:))
        case .idle: break
        }
        guard state != published else { return }
        published = state
        events.append(.state(state))
    }

    // MARK: - Restart

    /// Restores the session of a gateway that stopped. Call it before the first `linkOpened`.
    ///
    /// `away` is the time since the checkpoint: by the boot clock on the same boot, by the wall clock on
    /// another one, nil if that clock is not reliable.
    package mutating func resume(
        from checkpoint: SessionCheckpoint, awayFor away: Duration?, at now: BootInstant,
        into events: inout [SessionEvent]
    ) {
        let checkpointTime = now.advanced(by: .zero - (away ?? .zero))
        func rebased(_ instant: BootInstant) -> BootInstant {
            checkpointTime.advanced(by: .zero - instant.duration(to: checkpoint.at))
        }
        let outageSince = checkpoint.outageSince.map(rebased)
        session = Session(
            from: checkpoint, at: checkpointTime, rebased: rebased,
            outage: GapTracker.Outage(
                reason: .gatewayRestart, since: outageSince ?? checkpointTime, waiting: now,
                isTimed: away != nil))
        programmed.resume(checkpoint.pendingTargets, workout: checkpoint.programmedWorkout)
        let position = checkpoint.strokes
        strokes.resume(
            leg: position.leg, base: position.base, released: position.released,
            highest: position.highest, elapsedCentiseconds: position.elapsedCentiseconds)
        monitor.resume(checkpoint.machine, checkpoint.phase)
        link.resume(lastReceived: checkpointTime, notBefore: outageSince)
        appendStateChange(into: &events)
    }

    /// Ends the session without a monitor, for a session that does not continue after a restart.
    mutating func endWithoutMonitor(at now: BootInstant, into events: inout [SessionEvent]) {
        if let outage = session.gaps.outage { session.abandon(at: outage.since, noticed: now) }
        close(at: now, into: &events)
    }
}
