import Timeline

/// Force curves: those that a monitor notifies (`ForceCurveAssembler`) and those that it is asked for
/// (`ForcePlotPoller`) meet in `joiner`, which finds their strokes. Changes `curves`, `joiner`.
extension SessionMachine {
    /// Takes the curve of a drive from a monitor that has to be asked for it.
    package mutating func receive(
        _ curve: PolledForceCurve, at now: BootInstant, into events: inout [SessionEvent]
    ) {
        joiner.add(
            AssembledCurve(
                begun: curve.ended, isComplete: curve.isComplete, poundsForce: curve.poundsForce))
        settle(at: now, into: &events)
    }

    /// Lets go of what waited for the rest of a curve, or for a stroke, in vain.
    mutating func expireCurves(at now: BootInstant) {
        if let curve = curves.expire(at: now) { joiner.add(curve) }
        joiner.expire(at: now)
    }

    /// Every curve that is published passes here.
    mutating func releaseCurves(at now: BootInstant, into events: inout [SessionEvent]) {
        while let (curve, stroke) = joiner.next() {
            events.append(
                .force(
                    ForceCurve(
                        session: session.head.id, at: now, stroke: stroke,
                        isComplete: curve.isComplete,
                        poundsForce: curve.poundsForce)))
        }
    }
}
