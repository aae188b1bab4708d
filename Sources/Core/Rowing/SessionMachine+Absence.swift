import PM5Codec
import Timeline

extension SessionMachine {
    /// Faster than any rower; what a monitor cannot have gained in a time is another piece.
    private static let fastestMetersPerSecond: Int64 = 8
    /// Status packets are up to a second old, and so is what we last heard.
    private static let slack = Duration.seconds(5)
    private static let longestPiece = Duration.seconds(24 * 3600)

    /// Subscriptions stand. `machine` is what the monitor says it is mounted on, where it does.
    package mutating func linkOpened(
        at now: BootInstant, machine: ErgMachineType? = nil, into events: inout [SessionEvent]
    ) {
        isLinkOpen = true
        isReturning = isOpen
        if let machine { self.machine = machine }
        settle(at: now, into: &events)
    }

    /// The link is gone. A session under way stays open until the monitor is back or long gone.
    package mutating func linkClosed(at now: BootInstant, into events: inout [SessionEvent]) {
        if isCurrent, !isReturning {
            releaseStrokes(at: now, flush: true, into: &events)
            releaseSplit(at: now, flush: true, into: &events)
        }
        if isOpen {
            if outage == nil { outage = Outage(reason: .linkLost, since: lastHeard, waiting: now) }
            outage?.returned = nil
            outageOfSplits = outage?.reason
        }
        isLinkOpen = false
        isReturning = false
        (status, status1, status2) = (nil, nil, nil)
        curves.reset()
        early.drop()
        settle(at: now, into: &events)
    }

    /// What must be stored with the events so far to go on after a crash; nil without a session.
    package func checkpoint(at now: BootInstant) -> SessionCheckpoint? {
        guard let head else { return nil }
        return SessionCheckpoint(
            at: now, head: head, phase: phase, isPaused: isPaused, outageSince: outage?.since,
            ledger: ledger.kept,
            strokes: .init(
                leg: strokes.leg, base: strokes.base, released: strokes.released,
                highest: strokes.highest, elapsedCentiseconds: strokes.lastElapsedCentiseconds),
            releasedSplit: splits.released, totals: totals, machine: machine, main: summary.main,
            additional: summary.additional, second: summary.second,
            hasNews: summary.newsSince != nil)
    }

    /// Takes up the session of a gateway that died; call it before the first `linkOpened`.
    ///
    /// `away` is the time since the checkpoint was taken: by the boot clock on the same boot, by
    /// the wall clock on another one, nil where that cannot be trusted.
    package mutating func resume(
        from checkpoint: SessionCheckpoint, awayFor away: Duration?, at now: BootInstant,
        into events: inout [SessionEvent]
    ) {
        let taken = now.advanced(by: .zero - (away ?? .zero))
        func rebased(_ instant: BootInstant) -> BootInstant {
            taken.advanced(by: .zero - instant.duration(to: checkpoint.at))
        }
        var head = checkpoint.head
        head.started = rebased(head.started)
        if head.phase != .open { head.ended = rebased(head.ended) }
        self.head = head
        ledger = checkpoint.ledger
        let position = checkpoint.strokes
        strokes.resume(
            leg: position.leg, base: position.base, released: position.released,
            highest: position.highest, elapsedCentiseconds: position.elapsedCentiseconds)
        splits.reset(released: checkpoint.releasedSplit)
        totals = checkpoint.totals
        summary = SummaryAssembler(
            main: checkpoint.main, additional: checkpoint.additional, second: checkpoint.second,
            newsSince: checkpoint.hasNews ? taken : nil)
        machine = checkpoint.machine
        phase = checkpoint.phase
        isPaused = checkpoint.isPaused
        lastHeard = taken
        lastStatusHeard = taken
        if isOpen {
            outage = Outage(
                reason: .gatewayRestart, since: checkpoint.outageSince.map(rebased) ?? taken,
                waiting: now, isTimed: away != nil)
            outageOfSplits = .gatewayRestart
        }
        reportState(into: &events)
    }

    /// The first status after an absence decides whether the session goes on.
    mutating func comeBack(
        _ packet: GeneralStatus, _ next: PiecePhase, at now: BootInstant,
        into events: inout [SessionEvent]
    ) {
        guard isOpen, var absence = outage else { return }
        let away = absence.isTimed ? lastStatusHeard.duration(to: now) : Self.longestPiece
        guard isSamePiece(packet, next, after: away) else {
            outage?.returned = now
            outage?.isRecovered = false
            end(at: absence.since, isComplete: false)
            return
        }
        if !absence.isTimed {
            // The monitor's clock is the only one that ran through.
            let passed = Int64(packet.elapsedCentiseconds) - ledger.leg.elapsed
            absence.since = now.advanced(by: .zero - .centiseconds(max(0, passed)))
            absence.isTimed = true
        }
        outage = absence
        outage?.returned = now
        lastStrokeSign = now
        lastStrokeReported = now
        legOpened = now
        if ledger.rejoin(packet) { totals.calories.restart() }
    }

    /// Whether the monitor can have come from where we lost it to what it shows now.
    private func isSamePiece(
        _ packet: GeneralStatus, _ next: PiecePhase, after away: Duration
    ) -> Bool {
        guard let head, next != .waiting, head.workout.admits(packet) else { return false }
        let limit = (away + Self.slack).wholeMilliseconds / 10
        if !ledger.isInterval {
            let gained = Int64(packet.elapsedCentiseconds) - ledger.elapsed
            let rowed = Int64(packet.distanceDecimeters) - ledger.distance
            return (0...limit).contains(gained)
                && (0...limit * Self.fastestMetersPerSecond / 10).contains(rowed)
        }
        let finished = Int64(packet.totalWorkDistanceMeters) - Int64(ledger.reportedMeters)
        // An interval that is over adds to the distance; a restart without is that of a new piece.
        let hasRestarted =
            Int64(packet.elapsedCentiseconds) + IntervalHistory.jitterCentiseconds
            < ledger.leg.elapsed
        if next == .working, hasRestarted, finished == 0, !ledger.leg.isClosed { return false }
        let most = limit * Self.fastestMetersPerSecond / 100 + ledger.leg.distance / 10 + 2
        return (0...most).contains(finished)
    }
}
