import Bytes

/// A reply that `--json` prints as the socket sent it.
package protocol JSONReply: Codable {}

extension JSONReply {
    /// The reply as JSON with line breaks and a fixed order of keys.
    package func jsonText() throws -> String {
        try JSONCoding.text(self)
    }

    /// The reply as one line of JSON with its line break, for streaming.
    package var jsonLine: String {
        do {
            return String(decoding: try JSONCoding.encode(self), as: UTF8.self) + "\n"
        } catch {
            preconditionFailure("a decoded reply could not be encoded: \(error)")
        }
    }
}

/// JSON of `Codable` values on the socket.
package enum JSONCoding {
    /// JSON with line breaks and a fixed order of keys.
    package static func text(_ value: some Encodable) throws -> String {
        try JSONEncoding.text(value, pretty: true)
    }

    static func encode(_ value: some Encodable) throws -> [UInt8] {
        Array(try JSONEncoding.text(value).utf8)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, _ message: [UInt8]) throws -> Value {
        try JSONDecoding.value(type, from: message)
    }
}
