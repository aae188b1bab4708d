import Bytes

/// A durable message as it arrived, read as far as a proof needs it.
package struct ReceivedRecord {
    package let epoch: String
    package let sequence: UInt64
    /// What the gateway stores: the message without `historical`.
    package let stored: [UInt8]
    package let fields: JSONObject

    /// Why a message is no record of its stream.
    package struct Defect: Error {
        package let words: String
        package init(words: String) { self.words = words }
    }

    package init(_ payload: [UInt8], of stream: StreamID) throws(Defect) {
        guard let stored = Self.stored(payload) else {
            throw Defect(words: "it does not end with historical")
        }
        let value: JSONValue
        do throws(JSONSyntaxError) { value = try JSONValue(parsing: payload) } catch {
            throw Defect(words: "it is not JSON: \(error)")
        }
        guard case .object(let fields) = value else { throw Defect(words: "it is no JSON object") }
        guard let epoch = fields.text("epoch"), let sequence = fields.number("seq"), sequence > 0
        else { throw Defect(words: "it has no epoch or no seq") }
        guard fields.text("kind") == stream.kind.topicName,
            fields.text("erg") == stream.station?.slug
        else { throw Defect(words: "it says that it belongs to another topic") }
        self.epoch = epoch
        self.sequence = sequence
        self.stored = stored
        self.fields = fields
    }

    /// The reverse of `RecordEncoder.published`; nil for what that did not write.
    package static func stored(_ payload: [UInt8]) -> [UInt8]? {
        for ending in [#","historical":false}"#, #","historical":true}"#]
        where payload.suffix(ending.utf8.count).elementsEqual(ending.utf8) {
            return payload.dropLast(ending.utf8.count) + [UInt8(ascii: "}")]
        }
        return nil
    }
}

extension JSONObject {
    package func text(_ name: String) -> String? {
        if case .text(let text)? = self[name] { text } else { nil }
    }

    /// A whole number below 2^53, the last that every JSON reader has exactly; nil for any other.
    package func number(_ name: String) -> UInt64? {
        guard case .number(let digits)? = self[name], let number = UInt64(digits) else {
            return nil
        }
        return number < 1 << 53 ? number : nil
    }

    /// First and last of a range of numbers; nil unless there is one.
    package func range(_ first: String, _ last: String) -> ClosedRange<UInt64>? {
        guard let first = number(first), let last = number(last), first > 0, first <= last else {
            return nil
        }
        return first...last
    }
}
