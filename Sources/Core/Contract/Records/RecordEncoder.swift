import Bytes

/// Builds durable records in their stored form.
///
/// The stored form is the whole JSON object, the closing brace included, without the key
/// `historical`. It is what the ring keeps and what `stroke_sha256` is taken over. On the wire the
/// one key is added at the end, so a replay differs from the first message in that key alone.
package struct RecordEncoder {
    private var json = JSONWriter()

    package init() {}

    /// The stored form; `head` has to name the stream of the body's kind.
    package mutating func encode(
        _ body: some RecordBody, head: RecordHead, context: RecordContext
    ) -> [UInt8] {
        precondition(
            head.stream.kind == type(of: body).recordKind, "a record goes to the stream of its kind"
        )
        json.reset()
        json.beginObject()
        head.write(into: &json)
        body.write(into: &json, context: context)
        json.endObject()
        return json.bytes
    }

    /// The stored form as it is published.
    package static func published(_ stored: [UInt8], historical: Bool) -> [UInt8] {
        precondition(stored.last == UInt8(ascii: "}"), "a stored record is a whole JSON object")
        return stored.dropLast() + ending(historical: historical)
    }

    /// The reverse of `published`; nil for what that did not write.
    static func stored(_ published: [UInt8]) -> [UInt8]? {
        for ending in [ending(historical: false), ending(historical: true)]
        where published.suffix(ending.count).elementsEqual(ending) {
            return published.dropLast(ending.count) + [UInt8(ascii: "}")]
        }
        return nil
    }

    private static func ending(historical: Bool) -> [UInt8] {
        Array((historical ? #","historical":true}"# : #","historical":false}"#).utf8)
    }
}

/// Why a message is no record of its stream.
package struct RecordDefect: Error {
    package let words: String
    /// The number of the message, where it could be read: it is received, though it is refused.
    package var number: RecordNumber?

    package init(words: String, number: RecordNumber? = nil) {
        (self.words, self.number) = (words, number)
    }
}

/// The number of a record within a stream.
package struct RecordNumber: Equatable, Sendable {
    /// A ULID.
    package let epoch: String
    /// From 1.
    package let sequence: UInt64

    package init(epoch: String, sequence: UInt64) {
        (self.epoch, self.sequence) = (epoch, sequence)
    }
}

/// A durable message as it arrived, read as far as a proof needs it.
package struct ReceivedRecord: Sendable {
    package let epoch: String
    package let sequence: UInt64
    /// What the gateway stores: the message without `historical`.
    package let stored: [UInt8]
    package let fields: JSONObject

    package init(_ payload: [UInt8], of stream: StreamID) throws(RecordDefect) {
        guard let stored = RecordEncoder.stored(payload) else {
            throw RecordDefect(words: "it does not end with historical")
        }
        let object: JSONObject?
        do throws(JSONSyntaxError) { object = try JSONObject(parsing: payload) } catch {
            throw RecordDefect(words: "it is not JSON: \(error)")
        }
        guard let fields = object else { throw RecordDefect(words: "it is no JSON object") }
        guard let epoch = fields.text("epoch"), let sequence = fields.number("seq"), sequence > 0
        else { throw RecordDefect(words: "it has no epoch or no seq") }
        guard fields.text("kind") == stream.kind.topicName,
            fields.text("erg") == stream.station?.slug
        else { throw RecordDefect(words: "it says that it belongs to another topic") }
        self.epoch = epoch
        self.sequence = sequence
        self.stored = stored
        self.fields = fields
    }
}

/// The stored form looked into without taking it apart.
///
/// It is written without white space, and a quote inside a text is escaped, so that the bytes of a
/// member and its text can stand for nothing else.
package enum StoredRecord {
    /// The text of a member, whose value has to be of ours: a word, a slug, a ULID.
    package static func text(of member: StaticString, in stored: [UInt8]) -> String? {
        guard let start = stored.range(of: #""\#(member)":""#)?.upperBound,
            let end = stored[start...].firstIndex(of: UInt8(ascii: "\""))
        else { return nil }
        return String(decoding: stored[start..<end], as: UTF8.self)
    }

    /// An alert, as long as before, without the name of who has seen it; nil where that is not `name`.
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
