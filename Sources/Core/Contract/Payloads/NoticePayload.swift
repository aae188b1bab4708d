import Bytes
import Timeline

/// A notice of a logbook as it is published: what all have alike, and the notice's own members.
package enum NoticePayload {
    /// - Parameters:
    ///   - members: an object of the notice's own members, not empty.
    ///   - epoch: ULID that the number belongs to: another store numbers other notices.
    ///   - unixMilliseconds: when it was found out.
    package static func published(
        _ members: [UInt8], of kind: NoticeKind, logbook: LogbookID, epoch: String,
        sequence: UInt64, at unixMilliseconds: Int64
    ) -> [UInt8] {
        precondition(
            members.first == UInt8(ascii: "{") && members.count > 2,
            "a notice has members of its own")
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

    /// The members of one that takes another back: it says which, and nothing of what that one said.
    package static func withdrawal(of sequence: UInt64) -> [UInt8] {
        JSONWriter.object { $0.field("withdraws_seq", sequence) }
    }
}
