import PM5Codec
import Timeline

/// Stores and restores a session over a crash of the gateway. `resume` changes every field except curves
/// and counters.
extension SessionMachine {
    /// The state to store with the events so far; nil without a session, a programmed workout, and targets
    /// for the next session.
    package func checkpoint(at now: BootInstant) -> SessionCheckpoint? {
        guard session.id != nil || pendingTargets != nil || programmedWorkout != nil else { return nil }
        let summary = session.summary
        return SessionCheckpoint(
            at: now, head: session.head, phase: monitor.phase, isPaused: session.pauses.isPaused,
            outageSince: session.gaps.outage?.since, intervals: session.intervals.checkpointValue,
            strokes: .init(
                leg: strokes.leg, base: strokes.base, released: strokes.released,
                highest: strokes.highest, elapsedCentiseconds: strokes.lastElapsedCentiseconds),
            releasedSplit: session.splits.released, totals: session.totals.checkpointValue,
            machine: session.machine ?? monitor.machine, main: summary.main,
            additional: summary.additional,
            second: summary.second, hasUnpublishedSummary: summary.unpublishedSince != nil,
            hasUncounted: session.gaps.hasUncounted,
            isOutageUncounted: session.gaps.outage?.isUncounted ?? false,
            targets: session.targets, targetTotals: session.targetTotals, pendingTargets: pendingTargets,
            programmedWorkout: programmedWorkout)
    }

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
        let outage = GapTracker.Outage(
            reason: .gatewayRestart, since: checkpoint.outageSince.map(rebased) ?? checkpointTime,
            waiting: now, isTimed: away != nil)
        session = Session(
            head: checkpoint.head.rebased(rebased), intervals: checkpoint.intervals,
            totals: checkpoint.totals, splits: SplitAssembler(released: checkpoint.releasedSplit),
            summary: SummaryAssembler(
                main: checkpoint.main, additional: checkpoint.additional,
                second: checkpoint.second,
                unpublishedSince: checkpoint.hasUnpublishedSummary ? checkpointTime : nil),
            gaps: GapTracker(checkpoint.isOpen ? outage : nil),
            pauses: PauseDetector(isPaused: checkpoint.isPaused), machine: checkpoint.machine)
        session.gaps.resume(
            hasUncounted: checkpoint.hasUncounted,
            isOutageUncounted: checkpoint.isOutageUncounted)
        session.markInexact(strokes: checkpoint.strokes.released)
        (session.targets, session.targetTotals) = (checkpoint.targets, checkpoint.targetTotals)
        (pendingTargets, programmedWorkout) = (checkpoint.pendingTargets, checkpoint.programmedWorkout)
        let position = checkpoint.strokes
        strokes.resume(
            leg: position.leg, base: position.base, released: position.released,
            highest: position.highest, elapsedCentiseconds: position.elapsedCentiseconds)
        monitor.resume(checkpoint.machine, checkpoint.phase)
        link.resume(lastReceived: checkpointTime, notBefore: checkpoint.outageSince.map(rebased))
        publishState(into: &events)
    }
}
