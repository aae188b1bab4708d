import Bytes

/// Messages out of text, a line each, in whichever of these forms a line has:
///
///     rowgate/.../erg/3/stroke {"v":1,...}                  mosquitto_sub -F '%t %p', or -v
///     {"topic":"rowgate/...","payload":"{\"v\":1,...}",...}  mosquitto_sub -F %j
///     {"topic":"rowgate/...","payload":{"v":1,...},...}      mosquitto_sub -F %J, rowgatectl normalize
package struct MessageLines {
    /// One message out of a line.
    package struct Message: Equatable, Sendable {
        /// As published.
        package var topic: String
        /// The bytes as published, in every form of line.
        package var payload: [UInt8]
    }

    private var splitter = LineSplitter()
    /// Lines that are no message, so far.
    package private(set) var unreadable = 0

    package init() {}

    /// The messages that `bytes` complete.
    package mutating func consume(_ bytes: some Collection<UInt8>) -> [Message] {
        splitter.consume(bytes).compactMap { read($0) }
    }

    /// Ends the text: a last line need not have a line feed.
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
