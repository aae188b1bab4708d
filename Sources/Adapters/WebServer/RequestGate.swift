import Glibc

/// Validates request headers before a handler sees the request.
///
/// A page of another site can make the user's browser send requests here. The gate prevents its
/// writes (`Origin`, `Sec-Fetch-Site`), and its reads through DNS rebinding (`Host`).
struct RequestGate: Sendable {
    /// The header fields that the gate needs.
    struct Head: Sendable {
        var method: String
        var host: String?
        var origin: String?
        /// `Sec-Fetch-Site`
        var site: String?
        var contentType: String?
        /// `Content-Length`
        var length: String?
        /// `Transfer-Encoding`
        var encoding: String?
        var hasCookies = false
        /// A violation of RFC 9112 in the header section, as a sentence; nil if there is none.
        var syntaxFault: String?
    }

    /// Accepted host names in lower case, besides IP addresses and localhost.
    private let names: Set<String>
    private let bodyLimit: Int

    init(names: [String], bodyLimit: Int) {
        self.names = Set(names.map { $0.lowercased() })
        self.bodyLimit = bodyLimit
    }

    /// Returns the error response; nil if a handler may see the request.
    func refusal(of head: Head) -> WebAnswer? {
        if let fault = head.syntaxFault {
            return .failure(status: 400, code: "bad_request", message: fault)
        }
        if let refusal = refusal(ofHost: head.host) { return refusal }
        guard let method = WebMethod(rawValue: head.method), method.isWriting else { return nil }
        if !isOwnPage(head) {
            return .failure(
                status: 403, code: "cross_origin",
                message: "a page of another site may not write here; open this server's own page")
        }
        return method == .post ? refusal(ofBody: head) : nil
    }

    /// Returns the error response to a body with a method other than POST; nil if there is none.
    static func refusal(ofSurplusBody head: Head) -> WebAnswer? {
        guard head.method != WebMethod.post.rawValue else { return nil }
        return head.length ?? "0" != "0" || head.encoding != nil ? .hasBody : nil
    }

    // MARK: Host

    private func refusal(ofHost host: String?) -> WebAnswer? {
        guard let host, let name = Self.name(of: host) else {
            return .failure(
                status: 400, code: "no_host", message: "the request has no valid Host header")
        }
        if name == "localhost" || names.contains(name) || Self.isAddress(name) { return nil }
        return .failure(
            status: 421, code: "wrong_host",
            message: "\"\(name.prefix(80))\" is not a name of this server; use its IP address, or add "
                + "the name to http.names of its configuration")
    }

    /// The host without port: `boathouse.local` for `Boathouse.local.:8080`, `::1` for `[::1]`; nil if
    /// the value is not a host.
    private static func name(of host: String) -> String? {
        var name = host.lowercased()[...]
        if name.hasPrefix("[") {
            guard let end = name.firstIndex(of: "]") else { return nil }
            return String(name[name.index(after: name.startIndex)..<end])
        }
        if let colon = name.firstIndex(of: ":") { name = name[..<colon] }
        if name.hasSuffix(".") { name.removeLast() }
        return name.isEmpty ? nil : String(name)
    }

    /// Whether the host is an IP address, which DNS rebinding cannot forge.
    private static func isAddress(_ name: String) -> Bool {
        var address = in6_addr()
        return [AF_INET, AF_INET6].contains { inet_pton($0, name, &address) == 1 }
    }

    // MARK: Origin

    /// Whether the request comes from our own page, or from a program. Every browser sends `Origin` or
    /// `Sec-Fetch-Site` with a POST or DELETE. A program sends neither, and has no cookies to misuse.
    private func isOwnPage(_ head: Head) -> Bool {
        if let site = head.site, site != "same-origin" { return false }
        guard let origin = head.origin else { return head.site != nil || !head.hasCookies }
        let schemes = ["http://", "https://"]
        guard let scheme = schemes.first(where: origin.hasPrefix) else { return false }
        return origin.dropFirst(scheme.count).lowercased() == head.host?.lowercased()
    }

    // MARK: Body

    private func refusal(ofBody head: Head) -> WebAnswer? {
        guard head.encoding == nil, let text = head.length, let length = Int(text) else {
            return .failure(
                status: 411, code: "length_required",
                message: "Content-Length is required; chunked bodies are not accepted")
        }
        guard length <= bodyLimit else {
            return .failure(
                status: 413, code: "body_too_large",
                message: "the body has \(length) bytes; at most \(bodyLimit) are accepted")
        }
        let type = (head.contentType ?? "").prefix { $0 != ";" }.lowercased()
        guard length == 0 || type.trimmed == "application/json" else {
            return .failure(
                status: 415, code: "wrong_type",
                message: "a body needs Content-Type: application/json")
        }
        return nil
    }
}

extension String {
    fileprivate var trimmed: String { String(drop { $0 == " " }.prefix { $0 != " " }) }
}
