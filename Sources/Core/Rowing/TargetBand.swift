import PM5Codec

/// The position of a value relative to its target.
package enum TargetPosition: String, CaseIterable, Sendable {
    /// Less than the target: fewer watts, strokes or beats, or a slower pace.
    case below
    case within = "in"
    case above
}

/// The range of values that meet a target. A nil end is open.
package struct TargetBand: Hashable, Sendable {
    package var low: Int?
    package var high: Int?

    package init(low: Int?, high: Int?) { (self.low, self.high) = (low, high) }

    /// The middle, or the only end.
    package var middle: Int? {
        guard let low, let high else { return low ?? high }
        return (low + high) / 2
    }

    /// The margin of an exact pace target: one second per 500 m, in hundredths.
    private static let paceMargin = 100

    /// The paces that meet the target: the band itself, or a single pace ± 1 s.
    package var acceptedPaces: TargetBand {
        guard let low, low == high else { return self }
        return TargetBand(low: low - Self.paceMargin, high: low + Self.paceMargin)
    }

    func place(of value: Int) -> TargetPosition {
        if let low, value < low { return .below }
        if let high, value > high { return .above }
        return .within
    }
}
