/// What a session was made of, to be held against what somebody was asked to row.
package struct PieceParts: Equatable, Sendable {
    /// How it was set.
    package enum Shape: String, Sendable {
        /// In one piece; also where nothing was set.
        case piece
        case intervals
    }

    /// A piece, or an interval without its rest.
    package struct Part: Equatable, Sendable {
        /// Hundredths of a second, and tenths of a metre, of work.
        package var centiseconds: Int64
        package var decimetres: Int64
        /// Nil where the monitor told none.
        package var kilocalories: Int64?

        package init(centiseconds: Int64, decimetres: Int64, kilocalories: Int64? = nil) {
            (self.centiseconds, self.decimetres) = (centiseconds, decimetres)
            self.kilocalories = kilocalories
        }
    }

    package var shape: Shape
    /// In the order of rowing.
    package var parts: [Part]

    package init(_ shape: Shape, _ parts: [Part]) { (self.shape, self.parts) = (shape, parts) }
}
