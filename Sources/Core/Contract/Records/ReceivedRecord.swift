import Bytes

/// Why a message is not a valid record of its stream.
package struct RecordDefect: Error {
    /// The end of a sentence that begins with "refused, because".
    package let reason: String
    /// Number of the message, if readable. The message counts as received, although it is refused.
    package var number: RecordNumber?

    package init(reason: String, number: RecordNumber? = nil) {
        (self.reason, self.number) = (reason, number)
    }
}

/// A received durable message, with the fields that a proof needs.
package struct ReceivedRecord: Sendable {
    package let epoch: String
    package let sequence: UInt64
    /// The stored form: the message without `historical`.
    package let stored: [UInt8]
    package let fields: JSONObject

    /// Reads a message of a stream.
    ///
    /// - Parameter fields: The parsed payload; nil to parse it here.
    package init(
        _ payload: [UInt8], parsed fields: JSONObject? = nil, of stream: StreamID
    ) throws(RecordDefect) {
        guard let stored = RecordEncoder.stored(payload) else {
            throw RecordDefect(reason: "it does not end with historical")
        }
        var object = fields
        if object == nil {
            do throws(JSONSyntaxError) { object = try JSONObject(parsing: payload) } catch {
                throw RecordDefect(reason: "it is not JSON: \(error)")
            }
        }
        guard let fields = object else { throw RecordDefect(reason: "it is not a JSON object") }
        guard let epoch = fields.text("epoch"), let sequence = fields.number("seq"), sequence > 0
        else { throw RecordDefect(reason: "it has no epoch or no seq") }
        guard fields.text("kind") == stream.kind.topicName,
            fields.text("erg") == stream.station?.slug
        else { throw RecordDefect(reason: "its kind or erg differs from the topic") }
        self.epoch = epoch
        self.sequence = sequence
        self.stored = stored
        self.fields = fields
    }
}

/// Searches stored records without parsing them.
///
/// Stored records have no white space, and quotes inside texts are escaped, so the bytes of a member are
/// unambiguous.
package enum StoredRecord {
    /// The text of a member. Only for values without escapes: an enumeration value, a slug, a ULID.
    package static func text(of member: StaticString, in stored: [UInt8]) -> String? {
        range(of: member, in: stored).map { String(decoding: stored[$0], as: UTF8.self) }
    }

    /// The position of that text, the first one if there are several.
    package static func range(of member: StaticString, in stored: [UInt8]) -> Range<Int>? {
        guard let start = stored.range(of: #""\#(member)":""#)?.upperBound,
            let end = stored[start...].firstIndex(of: UInt8(ascii: "\""))
        else { return nil }
        return start..<end
    }

    /// Removes `acknowledged_by` from an alert without changing its length; nil if it is not `name`.
    package static func withoutAcknowledger(_ name: String, in stored: [UInt8]) -> [UInt8]? {
        guard let member = stored.range(of: #","acknowledged_by":"\#(name)""#) else { return nil }
        var rest = stored
        let blank = [UInt8](repeating: UInt8(ascii: " "), count: member.count)
        rest.replaceSubrange(member, with: blank)
        return rest
    }

    /// Whether a member has this text.
    package static func names(
        _ text: some CustomStringConvertible, as member: StaticString, in stored: [UInt8]
    ) -> Bool {
        stored.range(of: #""\#(member)":"\#(text)""#) != nil
    }
}
