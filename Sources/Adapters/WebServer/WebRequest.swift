/// What can be done with an address.
package enum WebMethod: String, Sendable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    /// Any that nothing is answered to; a handler says what would be.
    case other = ""

    /// Whether nothing is changed by it.
    package var isReading: Bool { self == .get || self == .head }
}

/// `name=value` behind the question mark, both with their escapes undone; a name alone has an empty
/// value.
package struct WebParameter: Equatable, Sendable {
    package let name: String
    package let value: String

    package init(name: String, value: String) { (self.name, self.value) = (name, value) }
}

/// What a client asks for. Host, origin and length have been looked at; nothing else is checked.
package struct WebRequest: Equatable, Sendable {
    package let method: WebMethod
    /// Without query, its escapes undone.
    package let path: String
    /// In the order of the address; a name may come twice.
    package let query: [WebParameter]
    /// Of a POST: JSON, as its sender says.
    package internal(set) var body: [UInt8]
    /// Whose it is; nil where that is not known.
    package let client: ClientAddress?
    /// Where the page comes from that asks, as its browser says.
    package let origin: String?
    private let cookies: String?
    private let authorization: String?

    package init(
        _ method: WebMethod = .get, path: String, query: [WebParameter] = [], body: [UInt8] = [],
        client: ClientAddress? = nil, origin: String? = nil, cookies: String? = nil,
        authorization: String? = nil
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.body = body
        self.client = client
        self.origin = origin
        self.cookies = cookies
        self.authorization = authorization
    }

    /// What a browser keeps for us under a name; the first one of several.
    package func cookie(_ name: String) -> String? {
        let pairs = (cookies ?? "").split(separator: ";").map { $0.drop { $0 == " " } }
        return pairs.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
    }

    /// What a program shows instead (RFC 6750).
    package var bearer: String? {
        guard let authorization, authorization.lowercased().hasPrefix("bearer ") else { return nil }
        return String(authorization.dropFirst("bearer ".count).drop { $0 == " " })
    }
}
