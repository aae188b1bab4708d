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
    package let logbook: LogbookID
    private let root: String

    package init(logbook: LogbookID, below prefix: TopicPrefix) {
        self.logbook = logbook
        root = "\(prefix.logbookRoot)\(logbook)/"
    }

    /// Topic of a kind of notices.
    package func topic(of kind: NoticeKind) -> String { root + kind.rawValue }

    /// Topic of answers to suggestions.
    package var suggestionCommands: String { "\(root)cmd/suggestion" }

    /// Topic of replies to these answers.
    package var suggestionReplies: String { "\(root)rsp/suggestion" }
}
