/// Kind of a logbook's notice: the last level of its topic. Notices are numbered, stored and published.
package enum NoticeKind: String, CaseIterable, Sendable {
    /// A personal best, of all time or of a season.
    case best
    /// A suggestion was made, accepted or rowed.
    case suggestion
    /// Summary of an athlete's week or season.
    case training
}

/// The topics of one logbook. They differ from those of gateways (`TopicMap`), so that no wildcard
/// matches both.
package struct LogbookTopicMap: Sendable {
    /// Prefix of all topics, with the version of the contract (`config/schema/logbook.toml`).
    private static let root = "rowgate-logbook/v1/"

    package let logbook: LogbookID

    package init(logbook: LogbookID) { self.logbook = logbook }

    /// Topic of a kind of notices.
    package func topic(of kind: NoticeKind) -> String {
        "\(Self.root)\(logbook)/\(kind.rawValue)"
    }

    /// Topic of answers to suggestions.
    package var suggestionCommands: String { "\(Self.root)\(logbook)/cmd/suggestion" }

    /// Topic of replies to these answers.
    package var suggestionReplies: String { "\(Self.root)\(logbook)/rsp/suggestion" }
}
