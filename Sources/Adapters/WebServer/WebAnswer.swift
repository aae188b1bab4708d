import Bytes

/// What a browser asks for: a path, by GET or HEAD.
package struct WebRequest: Equatable, Sendable {
    /// Without query, its escapes undone.
    package let path: String
}

/// A file that is held in memory.
package struct WebFile: Equatable, Sendable {
    package let contentType: String
    package let bytes: [UInt8]
    /// In quotes; another one for other bytes.
    package let entityTag: String

    package init(contentType: String, bytes: [UInt8], entityTag: String) {
        self.contentType = contentType
        self.bytes = bytes
        self.entityTag = entityTag
    }

    /// Whether a browser that names these tags (If-None-Match, RFC 9110, 13.1.2) has it already.
    func isKnown(by tags: String) -> Bool {
        tags.split(separator: ",").contains { tag in
            let tag = tag.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
            let text = String(tag)
            return text == "*" || text == entityTag || text == "W/" + entityTag
        }
    }
}

/// What is answered to a request.
package enum WebAnswer: Sendable {
    case file(WebFile)
    /// A body without an end, in pieces that `open` makes something write.
    case stream(contentType: String, open: @Sendable (StreamWaker) -> any WebStream)
    /// In words, as JSON: a code for programs and a sentence for people.
    case failure(status: UInt32, code: String, message: String)

    package static let notFound = WebAnswer.failure(
        status: 404, code: "not_found", message: "there is nothing at this address")
    static let wrongMethod = WebAnswer.failure(
        status: 405, code: "method_not_allowed", message: "only GET and HEAD are answered here")
    static let hasBody = WebAnswer.failure(
        status: 413, code: "body_not_accepted", message: "a request with a body is not accepted")

    /// `{"error":{"code":"...","message":"..."}}`
    static func failureBody(code: String, message: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("error")
        writer.beginObject()
        writer.field("code", code)
        writer.field("message", message)
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }
}
