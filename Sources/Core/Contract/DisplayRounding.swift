/// Rounds times, paces and distances for display, like the monitor's log and Concept2's logbook: a
/// result to the nearest tenth of a second, a pace down to a tenth, a distance down to a metre. The
/// pages have the same rules in JavaScript.
///
/// Source: CSAFE definition, appendix B ("log times are rounded to 0.1 s, average pace is truncated to
/// 0.1 s"); exports of Concept2's logbook have 2:19.4 for 242 m in 67.5 s, which are 2:19.46.
package enum DisplayRounding {
    /// Compensates for decimal fractions that a binary one represents too low.
    private static let margin = 1e-6
    /// Upper limit; every `Double` up to it can hold a whole number exactly.
    private static let most = 1e15

    /// Tenths of a second of a result or of a split's time.
    package static func tenths(ofTime seconds: Double) -> Int64 {
        limited(seconds * 10 + margin, .toNearestOrAwayFromZero)
    }

    /// Tenths of a second of a pace.
    package static func tenths(ofPace seconds: Double) -> Int64 {
        limited(seconds * 10 + margin, .down)
    }

    /// Whole metres.
    package static func metres(_ metres: Double) -> Int64 { limited(metres + margin, .down) }

    /// Rounds and clamps to 0...`most`; 0 for NaN.
    private static func limited(_ value: Double, _ rule: FloatingPointRoundingRule) -> Int64 {
        value.isNaN ? 0 : Int64(min(max(value, 0), most).rounded(rule))
    }
}
