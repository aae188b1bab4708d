import Timeline

/// `joiner` finds the strokes of notified curves (`ForceCurveAssembler`) and of polled ones
/// (`ForcePlotPoller`). Changes `curves` and `joiner`.
extension SessionMachine {
    /// Handles a polled force curve.
    package mutating func receive(
        _ curve: PolledForceCurve, at now: BootInstant, into events: inout [SessionEvent]
    ) {
        joiner.add(
            AssembledCurve(
                begun: curve.ended, isComplete: curve.isComplete, poundsForce: curve.poundsForce))
        publishDue(at: now, into: &events)
    }

    /// Discards incomplete curves and curves without a stroke after their time limits.
    mutating func expireCurves(at now: BootInstant) {
        if let curve = curves.expire(at: now) { joiner.add(curve) }
        joiner.expire(at: now)
    }

    /// Publishes all curves whose strokes are known.
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
