import Bytes

/// A file in memory.
package struct WebFile: Equatable, Sendable {
    package let contentType: String
    /// One of the two forms in which a file is sent, each with its own entity tag (RFC 9110, 8.8.3.3).
    struct Representation {
        let bytes: [UInt8]
        /// In quotes.
        let entityTag: String
        let isCompressed: Bool

        /// Whether the entity tag matches the value of If-None-Match (RFC 9110, 13.1.2).
        func matches(tags: String) -> Bool {
            tags.split(separator: ",").contains { tag in
                let text = trimmed(tag)
                return text == "*" || text == entityTag || text == "W/" + entityTag
            }
        }
    }

    package let bytes: [UInt8]
    private let compressed: [UInt8]?
    /// Entity tag of the plain bytes, in quotes. It changes with the bytes.
    package let entityTag: String
    private let dependsOnReader: Bool

    /// - Parameters:
    ///   - compressed: The bytes compressed with gzip, for clients that accept them.
    ///   - dependsOnReader: Whether the same address has other bytes for other languages or settings.
    package init(
        contentType: String, bytes: [UInt8], compressed: [UInt8]? = nil, entityTag: String,
        dependsOnReader: Bool = false
    ) {
        self.contentType = contentType
        self.bytes = bytes
        self.compressed = compressed
        self.entityTag = entityTag
        self.dependsOnReader = dependsOnReader
    }

    /// The request headers on which the bytes depend, for `Vary` (RFC 9110, 12.5.5); empty for none.
    var varies: String {
        let headers =
            (compressed == nil ? [] : ["Accept-Encoding"])
            + (dependsOnReader ? ["Accept-Language", "Cookie"] : [])
        return headers.joined(separator: ", ")
    }

    /// - Parameter encodings: The value of Accept-Encoding.
    func representation(accepting encodings: String?) -> Representation {
        guard let compressed, let encodings, acceptsGzip(encodings) else {
            return Representation(bytes: bytes, entityTag: entityTag, isCompressed: false)
        }
        return Representation(
            bytes: compressed, entityTag: "\(entityTag.dropLast())-gzip\"", isCompressed: true)
    }
}

/// Whether a value of Accept-Encoding accepts gzip (RFC 9110, 12.5.3): `gzip, br`, `gzip;q=0.5` and `*`, but not
/// `gzip;q=0`.
func acceptsGzip(_ encodings: String) -> Bool {
    var accepted: [String: Bool] = [:]
    for encoding in encodings.lowercased().split(separator: ",") {
        let parts = encoding.split(separator: ";").map(trimmed)
        guard let name = parts.first else { continue }
        let weight = parts.dropFirst().first { $0.hasPrefix("q=") }?.dropFirst(2) ?? "1"
        accepted[name] = weight.contains { ("1"..."9").contains($0) }
    }
    return accepted["gzip"] ?? accepted["x-gzip"] ?? accepted["*"] ?? false
}

private func trimmed(_ text: some StringProtocol) -> String {
    String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
}

/// A response header field.
package typealias WebHeader = (name: String, value: String)

/// The response to a request.
package enum WebAnswer: Sendable {
    case file(WebFile)
    /// JSON text.
    case json(status: UInt32 = 200, [UInt8], headers: [WebHeader] = [])
    /// Bytes generated for this request. `WebLimits.content` limits all that are being sent.
    case content(type: String, [UInt8], headers: [WebHeader] = [])
    /// An answer that takes time. The server calls `begin` once; the callee calls `answer` once, from
    /// any thread. The server serves other requests meanwhile.
    case deferred(_ begin: @Sendable (_ answer: @escaping @Sendable (WebAnswer) -> Void) -> Void)
    /// Status 303 to another path.
    case redirect(to: String)
    /// An endless body. `open` creates the stream that writes it.
    case stream(contentType: String, open: @Sendable (StreamWaker) -> any WebStream)
    /// An error as problem details (RFC 9457): a code for programs and a sentence for people.
    case failure(status: UInt32, code: String, message: String, headers: [WebHeader] = [])

    package static let notFound = WebAnswer.failure(
        status: 404, code: "not_found", message: "this address does not exist")
    package static let wrongMethod = allowing([.get])

    /// The error for a method other than these. `get` includes HEAD.
    package static func allowing(_ methods: [WebMethod]) -> WebAnswer {
        let names = methods.flatMap { $0 == .get ? ["GET", "HEAD"] : [$0.rawValue] }
        let (first, last) = (names.dropLast().joined(separator: ", "), names[names.count - 1])
        let text = first.isEmpty ? "\(last) is" : "\(first) and \(last) are"
        return .failure(
            status: 405, code: "method_not_allowed", message: "only \(text) allowed here",
            headers: [(name: "Allow", value: names.joined(separator: ", "))])
    }

    static let hasBody = WebAnswer.failure(
        status: 413, code: "body_not_accepted", message: "only a POST may have a body")

    static let stopping = WebAnswer.failure(
        status: 503, code: "stopping", message: "the server is stopping; try again in a few seconds",
        headers: [retryAfter(5)])
    static let contentLimitReached = WebAnswer.failure(
        status: 503, code: "busy",
        message: "too many large answers are being sent; try again in a few seconds",
        headers: [retryAfter(5)])

    /// Returns the same answer with further headers. Files, redirects and streams have no headers of their own.
    package func adding(_ more: [WebHeader]) -> WebAnswer {
        if more.isEmpty { return self }
        return switch self {
        case .json(let status, let bytes, let headers): .json(status: status, bytes, headers: headers + more)
        case .content(let type, let bytes, let headers): .content(type: type, bytes, headers: headers + more)
        case .failure(let status, let code, let message, let headers):
            .failure(status: status, code: code, message: message, headers: headers + more)
        case .deferred(let begin): .deferred { answer in begin { answer($0.adding(more)) } }
        case .file, .redirect, .stream: self
        }
    }

    /// Retry-After in seconds.
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
