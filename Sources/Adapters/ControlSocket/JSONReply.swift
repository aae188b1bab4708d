import Bytes

/// A reply that programs may read as it is: `--json` prints what the socket sent.
package protocol JSONReply: Codable {}

extension JSONReply {
    /// As the socket sends it, with line breaks and a fixed order of keys.
    package func jsonText() throws -> String {
        try JSONCoding.text(self)
    }

    /// On one line, with its line break, for programs that follow.
    package var jsonLine: String {
        do {
            return String(decoding: try JSONCoding.encode(self), as: UTF8.self) + "\n"
        } catch {
            preconditionFailure("what came as JSON goes as JSON: \(error)")
        }
    }
}

/// JSON of `Codable` values, as it goes over the socket.
package enum JSONCoding {
    /// For programs: line breaks, and a fixed order of keys.
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
