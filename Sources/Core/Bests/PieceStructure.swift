/// How a session was divided, for the comparison with a planned workout.
package struct PieceStructure: Equatable, Sendable {
    /// The kind of workout that was set.
    package enum Shape: String, Sendable {
        /// A single piece, or no preset at all.
        case piece
        case intervals
    }

    /// A piece, or an interval without its rest.
    package struct Part: Equatable, Sendable {
        /// Hundredths of a second, and tenths of a metre, of work.
        package var centiseconds: Int64
        package var decimetres: Int64
        /// Nil if the monitor did not report calories.
        package var kilocalories: Int64?

        package init(centiseconds: Int64, decimetres: Int64, kilocalories: Int64? = nil) {
            (self.centiseconds, self.decimetres) = (centiseconds, decimetres)
            self.kilocalories = kilocalories
        }
    }

    package var shape: Shape
    /// In the order in which they were rowed.
    package var parts: [Part]

    package init(_ shape: Shape, _ parts: [Part]) { (self.shape, self.parts) = (shape, parts) }
}
