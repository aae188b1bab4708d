/// The confidence of a suggestion, by the number, age and spread of the results behind it.
package enum Confidence: String, CaseIterable, Comparable, Sendable {
    case low
    case medium
    case high

    /// Minimum number of sessions for each level.
    static let counts = (medium: 3, high: 5)
    /// Maximum age of the newest session in days.
    static let ages = (medium: 21.0, high: 10.0)
    /// Maximum percent about the mean; rowers who hold a power vary by 3 to 6 %.
    static let spreads = (medium: 12.0, high: 6.0)

    /// The weakest of the three criteria decides.
    ///
    /// - Parameter spread: percent; 0 for values without a spread.
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
