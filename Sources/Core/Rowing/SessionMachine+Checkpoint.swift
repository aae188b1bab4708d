import PM5Codec
import Timeline

/// A session over a death of the gateway. `resume` changes `session`, `aim`, `program` and every other
/// part but curves and counters.
extension SessionMachine {
    /// What must be stored with the events so far to go on after a crash; nil without a session, and
    /// a target for the next one.
    package func checkpoint(at now: BootInstant) -> SessionCheckpoint? {
        guard session.id != nil || aim != nil || program != nil else { return nil }
        let summary = session.summary
        return SessionCheckpoint(
            at: now, head: session.head, phase: monitor.phase, isPaused: session.pauses.isPaused,
            outageSince: session.gaps.outage?.since, ledger: session.ledger.kept,
            strokes: .init(
                leg: strokes.leg, base: strokes.base, released: strokes.released,
                highest: strokes.highest, elapsedCentiseconds: strokes.lastElapsedCentiseconds),
            releasedSplit: session.splits.released, totals: session.totals.kept,
            machine: session.machine ?? monitor.machine, main: summary.main,
            additional: summary.additional,
            second: summary.second, hasNews: summary.newsSince != nil,
            hasUncounted: session.gaps.hasUncounted,
            isOutageUncounted: session.gaps.outage?.isUncounted ?? false,
            targets: session.targets, targetTotals: session.targetTotals, aim: aim,
            program: program)
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
        let outage = GapWatch.Outage(
            reason: .gatewayRestart, since: checkpoint.outageSince.map(rebased) ?? taken,
            waiting: now, isTimed: away != nil)
        session = Session(
            head: checkpoint.head.rebased(rebased), ledger: checkpoint.ledger,
            totals: checkpoint.totals, splits: SplitAssembler(released: checkpoint.releasedSplit),
            summary: SummaryAssembler(
                main: checkpoint.main, additional: checkpoint.additional,
                second: checkpoint.second, newsSince: checkpoint.hasNews ? taken : nil),
            gaps: GapWatch(checkpoint.isOpen ? outage : nil),
            pauses: PauseWatch(isPaused: checkpoint.isPaused), machine: checkpoint.machine)
        session.gaps.resume(
            hasUncounted: checkpoint.hasUncounted,
            isOutageUncounted: checkpoint.isOutageUncounted)
        session.loseExactness(strokes: checkpoint.strokes.released)
        (session.targets, session.targetTotals) = (checkpoint.targets, checkpoint.targetTotals)
        (aim, program) = (checkpoint.aim, checkpoint.program)
        let position = checkpoint.strokes
        strokes.resume(
            leg: position.leg, base: position.base, released: position.released,
            highest: position.highest, elapsedCentiseconds: position.elapsedCentiseconds)
        monitor.resume(checkpoint.machine, checkpoint.phase)
        link.resume(heardAt: taken)
        publishState(into: &events)
    }
}
