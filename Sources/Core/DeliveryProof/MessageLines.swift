import Bytes

/// Parses messages from text, one per line. Each line may have any of these forms:
///
///     rowgate/.../erg/3/stroke {"v":1,...}                  mosquitto_sub -F '%t %p', or -v
///     {"topic":"rowgate/...","payload":"{\"v\":1,...}",...}  mosquitto_sub -F %j
///     {"topic":"rowgate/...","payload":{"v":1,...},...}      mosquitto_sub -F %J, rowgatectl normalize
package struct MessageLines {
    /// The message of one line.
    package struct Message: Equatable, Sendable {
        package var topic: String
        /// The payload bytes, as published.
        package var payload: [UInt8]
    }

    private var splitter = LineSplitter()
    /// Count of lines that are not messages.
    package private(set) var unreadable = 0

    package init() {}

    /// Appends bytes; returns the messages of the lines that they complete.
    package mutating func consume(_ bytes: some Collection<UInt8>) -> [Message] {
        splitter.consume(bytes).compactMap { read($0) }
    }

    /// Ends the text; returns the message of a last line without a line feed.
    package mutating func finish() -> Message? { splitter.finish().flatMap { read($0) } }

    private mutating func read(_ line: LineSplitter.Line) -> Message? {
        guard case .whole(let bytes) = line else {
            unreadable += 1
            return nil
        }
        if bytes.isEmpty { return nil }
        if let message = Self.message(bytes) { return message }
        unreadable += 1
        return nil
    }

    private static func message(_ line: [UInt8]) -> Message? {
        if line.first == UInt8(ascii: "{") { return object(line) }
        guard let space = line.firstIndex(of: UInt8(ascii: " ")) else { return nil }
        let topic = String(decoding: line[..<space], as: UTF8.self)
        return topic.contains("/")
            ? Message(topic: topic, payload: Array(line[(space + 1)...])) : nil
    }

    private static func object(_ line: [UInt8]) -> Message? {
        guard let fields = try? JSONObject(parsing: line),
            let topic = fields.text("topic"),
            let payload = fields.members.last(where: { $0.name == "payload" })
        else { return nil }
        if case .text(let text) = payload.value {
            return Message(topic: topic, payload: Array(text.utf8))
        }
        return Message(topic: topic, payload: Array(payload.valueSource))
    }
}
