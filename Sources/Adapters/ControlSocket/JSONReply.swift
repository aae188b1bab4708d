/// A reply that programs may read as it is: `--json` prints what the socket sent.
package protocol JSONReply: Codable {}

extension JSONReply {
    /// As the socket sends it, with line breaks and a fixed order of keys.
    package func jsonText() throws -> String {
        String(decoding: try VarlinkMessage.encode(self, pretty: true), as: UTF8.self)
    }

    /// On one line, with its line break, for programs that follow.
    package var jsonLine: String {
        do {
            return String(decoding: try VarlinkMessage.encode(self), as: UTF8.self) + "\n"
        } catch {
            preconditionFailure("what came as JSON goes as JSON: \(error)")
        }
    }
}
