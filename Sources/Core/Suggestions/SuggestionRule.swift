/// A rule by which something is suggested. Its word is its id: it is never used for another rule.
package enum SuggestionRule: String, CaseIterable, Sendable {
    /// Begin gently after a break.
    case returnAfterBreak = "return_after_break"
    /// A lighter week, earned by three that grew.
    case deloadWeek = "deload_week"
    /// A workout that was rowed several times, with 1.5 % more power.
    case morePower = "more_power"
    /// An easy piece that is longer by 5 to 10 % of a week.
    case moreVolume = "more_volume"
    /// A ranked piece over an event that has no fresh result.
    case rankedTest = "ranked_test"
    /// An event again, at one pace throughout.
    case evenPacing = "even_pacing"

    /// Whether it asks for more than was rowed before: of these there is one a week.
    package var isProgression: Bool { self == .morePower || self == .moreVolume }
}
