import Bytes
import Timeline

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

    /// The members of a notice that withdraws an earlier one.
    package static func withdrawal(of sequence: UInt64) -> [UInt8] {
        JSONWriter.object { $0.field("withdraws_seq", sequence) }
    }
}
