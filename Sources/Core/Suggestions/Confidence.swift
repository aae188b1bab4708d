/// How sure a suggestion is, by how much it rests on, how old that is, and how much it spreads.
package enum Confidence: String, CaseIterable, Comparable, Sendable {
    case low
    case medium
    case high

    /// From so many sessions on it can be so sure.
    static let counts = (medium: 3, high: 5)
    /// Days since the newest of them, at most.
    static let ages = (medium: 21.0, high: 10.0)
    /// Percent about their mean, at most: a hand that holds a power wavers by 3 to 6 %.
    static let spreads = (medium: 12.0, high: 6.0)

    /// The weakest of the three decides.
    ///
    /// - Parameters:
    ///   - spread: percent; 0 of what cannot spread.
    init(count: Int, ageDays: Double, spreadPercent spread: Double) {
        func level(_ isHigh: Bool, _ isMedium: Bool) -> Confidence {
            isHigh ? .high : isMedium ? .medium : .low
        }
        self = min(
            level(count >= Self.counts.high, count >= Self.counts.medium),
            level(ageDays <= Self.ages.high, ageDays <= Self.ages.medium),
            level(spread <= Self.spreads.high, spread <= Self.spreads.medium))
    }

    package static func < (left: Self, right: Self) -> Bool { left.order < right.order }

    private var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
