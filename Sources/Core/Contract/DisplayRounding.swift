/// How times, paces and distances are rounded wherever people read them, as the monitor's log and
/// Concept2's logbook do: a result to the nearest tenth of a second, a pace down to a tenth, a distance
/// down to a metre. `figures.js` has the same rules for pages.
///
/// Source: CSAFE definition, appendix B ("log times are rounded to 0.1 s, average pace is truncated to
/// 0.1 s"); exports of Concept2's logbook have 2:19.4 for 242 m in 67.5 s, which are 2:19.46.
package enum DisplayRounding {
    /// What a decimal fraction may lack as a binary one.
    private static let margin = 1e-6
    /// Longer than anything that is rowed, and a whole number in a `Double`.
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

    /// From 0 to `most`; 0 for what is no number.
    private static func limited(_ value: Double, _ rule: FloatingPointRoundingRule) -> Int64 {
        value.isNaN ? 0 : Int64(min(max(value, 0), most).rounded(rule))
    }
}
