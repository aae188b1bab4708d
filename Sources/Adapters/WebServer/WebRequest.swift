/// An HTTP method.
package enum WebMethod: String, Sendable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case delete = "DELETE"
    /// Any unsupported method; a handler answers with the supported ones.
    case other = ""

    /// Whether the method only reads.
    package var isReading: Bool { self == .get || self == .head }

    /// Whether the method changes something, so that pages of other sites must not use it.
    var isWriting: Bool { self == .post || self == .delete }
}

/// A query parameter `name=value`, percent-decoded. A name without `=` has an empty value.
package struct WebParameter: Equatable, Sendable {
    package let name: String
    package let value: String

    package init(name: String, value: String) { (self.name, self.value) = (name, value) }
}

/// An HTTP request. Only host, origin and body length are validated.
package struct WebRequest: Equatable, Sendable {
    package let method: WebMethod
    /// Without query, percent-decoded.
    package let path: String
    /// In the order of the address; a name may occur twice.
    package let query: [WebParameter]
    /// Body of a POST. Its Content-Type is JSON; the content is not checked.
    package internal(set) var body: [UInt8]
    /// The client's address; nil if unknown.
    package let client: ClientAddress?
    /// The `Origin` header: site of the requesting page.
    package let origin: String?
    /// `Accept-Language`, for example `de-DE,de;q=0.9,en;q=0.8`; empty if absent.
    package let languages: String
    /// `User-Agent`; empty if absent.
    package let agent: String
    /// Whether a proxy says in a header that it forwards the request of another client. A proxy may also say nothing.
    package let isForwarded: Bool
    private let cookies: String?
    private let authorization: String?

    package init(
        _ method: WebMethod = .get, path: String, query: [WebParameter] = [], body: [UInt8] = [],
        client: ClientAddress? = nil, origin: String? = nil, languages: String = "",
        agent: String = "", isForwarded: Bool = false, cookies: String? = nil, authorization: String? = nil
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.body = body
        self.client = client
        self.origin = origin
        self.languages = languages
        self.agent = agent
        self.isForwarded = isForwarded
        self.cookies = cookies
        self.authorization = authorization
    }

    /// The same request with a method that no handler supports.
    var withUnsupportedMethod: WebRequest {
        WebRequest(
            .other, path: path, query: query, client: client, origin: origin, languages: languages,
            agent: agent, isForwarded: isForwarded, cookies: cookies,
            authorization: authorization)
    }

    /// Value of a cookie; the first if there are several.
    package func cookie(_ name: String) -> String? {
        let pairs = (cookies ?? "").split(separator: ";").map { $0.drop { $0 == " " } }
        return pairs.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
    }

    /// The bearer token (RFC 6750), which programs send instead of a cookie.
    package var bearer: String? {
        guard let authorization, authorization.lowercased().hasPrefix("bearer ") else { return nil }
        return String(authorization.dropFirst("bearer ".count).drop { $0 == " " })
    }
}
