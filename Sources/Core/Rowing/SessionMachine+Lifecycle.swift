import PM5Codec
import Timeline

extension SessionMachine {
    mutating func receive(
        _ packet: GeneralStatus, at now: BootInstant, into events: inout [SessionEvent]
    ) {
        status = packet
        let isMenu = packet.workoutType == .menu
        let next = isMenu ? PiecePhase.waiting : packet.workoutState.phase
        if isReturning {
            isReturning = false
            comeBack(packet, next, at: now, into: &events)
        }
        if next != .unchanged { phase = next }
        switch next {
        case .working: work(packet, at: now, into: &events)
        case .resting: if isOpen { ledger.rest(packet) }
        case .over: finish(packet, at: now)
        case .waiting: if isOpen { end(at: now, isComplete: false) }
        case .unchanged: break
        }
    }

    private mutating func work(
        _ packet: GeneralStatus, at now: BootInstant, into events: inout [SessionEvent]
    ) {
        if isOpen, !continues(packet) { end(at: now, isComplete: false) }
        guard isOpen else {
            let isEvident =
                packet.rowingState == .active || strokes.hasFresh(at: now)
                || early.hasStroke(of: packet)
            if isEvident { start(packet, at: now, into: &events) }
            return
        }
        if packet.strokeState == .driving || packet.strokeState == .dwellingAfterDrive {
            lastStrokeSign = now
        }
        if ledger.work(packet) == .newLeg {
            legOpened = now
            lastStrokeSign = now
        }
    }

    /// Whether a status can follow the last one in the same piece.
    ///
    /// In intervals time and distance restart and the finished distance grows; in a single piece
    /// nothing goes back.
    private func continues(_ packet: GeneralStatus) -> Bool {
        guard let head, head.workout.admits(packet) else { return false }
        if ledger.isInterval { return packet.totalWorkDistanceMeters >= ledger.reportedMeters }
        return Int64(packet.elapsedCentiseconds) + IntervalHistory.jitterCentiseconds
            >= ledger.elapsed
    }

    private mutating func start(
        _ packet: GeneralStatus, at now: BootInstant, into events: inout [SessionEvent]
    ) {
        if isCurrent { close(at: now, into: &events) }
        let elapsed = Duration.centiseconds(packet.elapsedCentiseconds)
        let started = now.advanced(by: .zero - elapsed)
        head = Head(id: makeSessionID(), started: started, workout: Workout(packet))
        strokes.begin(at: now, elapsedCentiseconds: packet.elapsedCentiseconds)
        ledger.begin(packet)
        totals = SessionTotals()
        splits.reset()
        summary.reset()
        power = nil
        isPaused = false
        lastStrokeSign = now
        lastStrokeReported = now
        legOpened = now
        let isJoined = packet.elapsedCentiseconds >= Self.joinLimitCentiseconds
        outage =
            isJoined
            ? Outage(
                reason: .linkLost, since: started, waiting: started, returned: now,
                isRecovered: ledger.isTimeCertain) : nil
        outageOfSplits = outage?.reason
        reportEdge(.started, at: now, into: &events)
    }

    private mutating func finish(_ packet: GeneralStatus, at now: BootInstant) {
        guard isOpen, let head else { return }
        if head.workout.admits(packet) { ledger.finish(packet) }
        let reachedEnd = packet.workoutState != .terminate
        end(at: now, isComplete: reachedEnd && head.workout.type.hasEnd)
    }

    /// The piece is over; what belongs to it may still come.
    mutating func end(at now: BootInstant, isComplete: Bool) {
        guard isOpen else { return }
        head?.phase = .ending
        head?.ended = now
        head?.isComplete = isComplete
        isPaused = false
    }

    /// Tells all there is of a session that is over, its summary included.
    mutating func close(at now: BootInstant, into events: inout [SessionEvent]) {
        if isOpen { end(at: now, isComplete: false) }
        releaseStrokes(at: now, flush: true, into: &events)
        releaseSplit(at: now, flush: true, into: &events)
        if outage != nil || strokes.released < strokes.highest {
            reportGap(before: nil, since: strokes.released, at: now, into: &events)
        }
        reportGap(
            ofSplits: splits.released + 1..<max(splits.released, reportedSplits) + 1, at: now,
            into: &events)
        reportEdge(.ended, at: now, into: &events)
        head?.phase = .closed
        reportSummary(at: now, into: &events)
        strokes.reset()
        curves.reset()
        joiner.reset()
    }

    /// How many splits or intervals the monitor must have told of, at the end of a session.
    ///
    /// Of a piece that was stopped early nobody knows whether its last one was told.
    private var reportedSplits: Int {
        guard let head, head.workout.type.hasSplits else { return 0 }
        guard head.isComplete else { return ledger.finishedSplits }
        return summary.splitCount ?? ledger.finishedSplits + 1
    }

    // MARK: - State

    /// The activity that the present knowledge amounts to.
    var activity: ActivityState {
        if isOpen {
            if isPaused { return .paused }
            return phase == .resting ? .resting : .rowing
        }
        guard isLinkOpen, let status, status.workoutType != .menu else { return .idle }
        return phase == .over ? .finished : .ready
    }

    mutating func reportState(into events: inout [SessionEvent]) {
        let present = activity
        var state = StationState(activity: present)
        switch present {
        case .rowing, .paused, .resting, .finished:
            state.session = head?.id
            state.workout = head?.workout ?? status.map(Workout.init)
        case .ready: state.workout = status.map(Workout.init)
        case .idle: break
        }
        guard state != told else { return }
        told = state
        events.append(.state(state))
    }
}
