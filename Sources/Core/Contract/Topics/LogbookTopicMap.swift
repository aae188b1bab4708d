/// What a logbook says by itself, by the last level of its topic: numbered, kept, and published.
package enum NoticeKind: String, CaseIterable, Sendable {
    /// Somebody rowed better than ever before, or than before in a season.
    case best
    /// Something is suggested to somebody, or was accepted, or rowed.
    case suggestion
    /// What somebody's week or season of rowing comes to.
    case training
}

/// Every topic of one logbook. Gateways have theirs elsewhere (`TopicMap`), and neither listens to the
/// other's by a wildcard.
package struct LogbookTopicMap: Sendable {
    /// What all topics begin with; the number is that of the contract (`config/schema/logbook.toml`).
    private static let root = "rowgate-logbook/v1/"

    /// Whose topics.
    package let logbook: LogbookID

    package init(logbook: LogbookID) { self.logbook = logbook }

    /// Where notices of a kind go.
    package func topic(of kind: NoticeKind) -> String {
        "\(Self.root)\(logbook)/\(kind.rawValue)"
    }

    /// Where it hears what people say of suggestions.
    package var suggestionCommands: String { "\(Self.root)\(logbook)/cmd/suggestion" }

    /// Where it says what came of that.
    package var suggestionReplies: String { "\(Self.root)\(logbook)/rsp/suggestion" }
}
