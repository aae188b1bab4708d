import PM5Codec
import Timeline

/// The force over the drive of one stroke: 0x003D.
package struct ForceCurve: Equatable, Sendable {
    /// The session of the stroke.
    package var session: SessionID
    /// When the last piece arrived, or the last poll was answered.
    package var at: BootInstant
    /// The stroke's number, as in `Stroke`.
    package var stroke: Int
    /// False if a piece of the curve was lost.
    package var isComplete: Bool
    /// Pounds-force, the monitor's unit, about one sample every 16 ms of the drive.
    package var poundsForce: [UInt16]
}

extension ForceCurve {
    /// Creates a curve from samples in pounds-force, about 16 ms apart.
    package init(session: SessionID, samples: [UInt16], ofStroke number: Int, at: BootInstant) {
        self.init(
            session: session, at: at, stroke: number, isComplete: true, poundsForce: samples)
    }
}

/// Assembles the force curves of a monitor and finds their strokes: curves from notifications, and those that
/// `ForcePlotPoller` polled.
struct ForceCurveMatcher {
    private var assembler = ForceCurveAssembler()
    private var joiner = CurveJoiner()

    /// Adds a piece of a notified curve.
    mutating func receive(_ piece: ForceCurvePiece, at now: BootInstant) {
        if let curve = assembler.receive(piece, at: now) { joiner.add(curve) }
    }

    /// Adds a polled curve.
    mutating func add(_ curve: PolledForceCurve) {
        joiner.add(
            AssembledCurve(
                begun: curve.ended, isComplete: curve.isComplete, poundsForce: curve.poundsForce))
    }

    /// Notes that a packet of a stroke arrived.
    mutating func noteStroke(_ number: Int, at now: BootInstant) { joiner.add(stroke: number, at: now) }

    /// Notes that the packet arrived which a monitor sends at the end of a drive.
    mutating func noteDriveEnd(of number: Int, at now: BootInstant) { joiner.end(driveOf: number, at: now) }

    /// Discards incomplete curves and curves without a stroke after their time limits.
    mutating func expire(at now: BootInstant) {
        if let curve = assembler.expire(at: now) { joiner.add(curve) }
        joiner.expire(at: now)
    }

    /// Appends all curves whose strokes are known.
    mutating func append(of session: SessionID, at now: BootInstant, into events: inout [SessionEvent]) {
        while let (curve, stroke) = joiner.next() {
            events.append(
                .force(
                    ForceCurve(
                        session: session, at: now, stroke: stroke, isComplete: curve.isComplete,
                        poundsForce: curve.poundsForce)))
        }
    }

    /// Discards the curve that is being collected: the link closed.
    mutating func discardIncomplete() { assembler.reset() }

    /// Discards all curves: the session is over.
    mutating func reset() {
        assembler.reset()
        joiner.reset()
    }
}
