/// How a suggestion stands.
package enum SuggestionState: String, CaseIterable, Sendable {
    /// Nobody has said anything.
    case offered
    /// It is the athlete's next workout.
    case accepted
    /// Not before a day.
    case snoozed
    /// Rowed, and judged.
    case done
    case dismissed
    /// It was accepted, and not rowed in time.
    case expired
    /// A session that it rested on is no longer what it was.
    case withdrawn

    /// Those that people bring about.
    package static let said = [accepted, snoozed, dismissed]

    /// Whether something is still to come of it.
    package var isOpen: Bool { self == .offered || self == .accepted || self == .snoozed }
}
