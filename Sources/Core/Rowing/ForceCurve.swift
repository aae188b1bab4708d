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
