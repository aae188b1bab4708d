/// A rule for suggestions. Its raw value is its id and is never reused for another rule.
package enum SuggestionRule: String, CaseIterable, Sendable {
    /// Start gently after a break.
    case returnAfterBreak = "return_after_break"
    /// A lighter week after three growing ones.
    case deloadWeek = "deload_week"
    /// A workout that was completed several times, with 1.5 % more power.
    case morePower = "more_power"
    /// An easy piece that is longer by 5 to 10 % of a week.
    case moreVolume = "more_volume"
    /// A ranked piece over an event without a fresh result.
    case rankedTest = "ranked_test"
    /// An event again at constant pace.
    case evenPacing = "even_pacing"

    /// Whether it asks for more work than before; one of these is offered per week.
    package var isProgression: Bool { self == .morePower || self == .moreVolume }
}
