/// The state of a suggestion.
package enum SuggestionState: String, CaseIterable, Sendable {
    /// No response yet.
    case offered
    /// It is the athlete's next workout.
    case accepted
    /// Postponed until a day.
    case snoozed
    /// Rowed and evaluated.
    case done
    case dismissed
    /// Accepted, but not rowed in time.
    case expired
    /// A session that it is based on was changed or erased.
    case withdrawn

    /// States set by a response.
    package static let answers = [accepted, snoozed, dismissed]

    /// Whether the suggestion can still be rowed.
    package var isOpen: Bool { self == .offered || self == .accepted || self == .snoozed }
}
