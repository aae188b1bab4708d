import Bytes

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

/// A line above an answer's body.
package typealias WebHeader = (name: String, value: String)

/// What is answered to a request.
package enum WebAnswer: Sendable {
    case file(WebFile)
    /// A value as JSON.
    case json(status: UInt32 = 200, [UInt8], headers: [WebHeader] = [])
    /// Bytes that were made for this request. All those that are under way at a time are limited.
    case content(type: String, [UInt8], headers: [WebHeader] = [])
    /// What takes a while. `begin` is called once, with what the answer is given to, once, from any
    /// thread; the server serves others meanwhile.
    case later(_ begin: @Sendable (_ answer: @escaping @Sendable (WebAnswer) -> Void) -> Void)
    /// What is asked for is to be seen at another path.
    case redirect(to: String)
    /// A body without an end, in pieces that `open` makes something write.
    case stream(contentType: String, open: @Sendable (StreamWaker) -> any WebStream)
    /// In words, as the details of a problem (RFC 9457): a code for programs and a sentence for people.
    case failure(status: UInt32, code: String, message: String, headers: [WebHeader] = [])

    package static let notFound = WebAnswer.failure(
        status: 404, code: "not_found", message: "there is nothing at this address")
    package static let wrongMethod = WebAnswer.failure(
        status: 405, code: "method_not_allowed", message: "only GET and HEAD are answered here",
        headers: [(name: "Allow", value: "GET, HEAD")])
    package static let onlyPost = WebAnswer.failure(
        status: 405, code: "method_not_allowed", message: "only POST is answered here",
        headers: [(name: "Allow", value: "POST")])
    static let hasBody = WebAnswer.failure(
        status: 413, code: "body_not_accepted", message: "only a POST may have a body")

    static let stopping = WebAnswer.failure(
        status: 503, code: "stopping", message: "the server stops; ask again when it is back",
        headers: [retryAfter(5)])
    static let tooMuchUnderWay = WebAnswer.failure(
        status: 503, code: "busy",
        message: "too many large answers are read at this moment; ask again in a few seconds",
        headers: [retryAfter(5)])

    /// When a client may ask again.
    package static func retryAfter(_ seconds: Int64) -> WebHeader {
        (name: "Retry-After", value: "\(seconds)")
    }

    /// `{"type":"about:blank","title":"Not Found","status":404,"detail":"...","code":"not_found"}`
    static func problem(
        _ status: UInt32, _ title: String, code: String, _ detail: String
    ) -> [UInt8] {
        JSONWriter.object { json in
            json.field("type", "about:blank")
            json.field("title", title)
            json.field("status", status)
            json.field("detail", detail)
            json.field("code", code)
        }
    }
}
