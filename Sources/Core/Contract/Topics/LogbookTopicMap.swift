import Bytes
import Timeline

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

/// Payload of a logbook's notice: common fields, then the members of its kind.
package enum NoticePayload {
    /// - Parameters:
    ///   - members: an object with the members of the kind; not empty.
    ///   - epoch: ULID that the number belongs to. Each store has its own.
    ///   - unixMilliseconds: time at which the notice was created.
    package static func published(
        _ members: [UInt8], of kind: NoticeKind, logbook: LogbookID, epoch: String,
        sequence: UInt64, at unixMilliseconds: Int64
    ) -> [UInt8] {
        precondition(
            members.first == UInt8(ascii: "{") && members.count > 2,
            "a notice needs members besides the common fields")
        let head = JSONWriter.object { json in
            json.field("v", 1)
            json.field("kind", kind.rawValue)
            json.field("logbook", logbook.slug)
            json.field("epoch", epoch)
            json.field("seq", sequence)
            json.field("ts_ms", unixMilliseconds)
            json.field("time", CivilTime(unixMilliseconds: unixMilliseconds).rfc3339)
        }
        return head.dropLast() + [UInt8(ascii: ",")] + members.dropFirst()
    }

    /// The JSON members of a notice that withdraws an earlier notice, by its sequence number.
    package static func withdrawal(of sequence: UInt64) -> [UInt8] {
        JSONWriter.object { $0.field("withdraws_seq", sequence) }
    }
}
