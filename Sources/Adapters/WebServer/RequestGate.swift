import Glibc

/// What is refused before anybody looks at a request.
///
/// A page of another server that a person has open can make their browser ask here. It cannot write
/// (`Origin`, `Sec-Fetch-Site`), and it cannot read by a name of its own that leads to us (`Host`).
struct RequestGate: Sendable {
    /// What a client says ahead of a body.
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
        /// What RFC 9112 forbids in the header section, as a sentence; nil for none.
        var syntaxFault: String?
    }

    /// Under which a browser may ask, in lower case, besides addresses in figures and localhost.
    private let names: Set<String>
    private let bodyLimit: Int

    init(names: [String], bodyLimit: Int) {
        self.names = Set(names.map { $0.lowercased() })
        self.bodyLimit = bodyLimit
    }

    /// nil for what a handler may see.
    func refusal(of head: Head) -> WebAnswer? {
        if let fault = head.syntaxFault {
            return .failure(status: 400, code: "bad_request", message: fault)
        }
        if let refusal = refusal(ofHost: head.host) { return refusal }
        guard head.method == WebMethod.post.rawValue else { return nil }
        if !isOwnPage(head) {
            return .failure(
                status: 403, code: "cross_origin",
                message: "a page of another server may not write here; open this server's own page")
        }
        return refusal(ofBody: head)
    }

    /// What is said of a body that comes with any other method; nil where there is none.
    static func refusal(ofSurplusBody head: Head) -> WebAnswer? {
        guard head.method != WebMethod.post.rawValue else { return nil }
        return head.length ?? "0" != "0" || head.encoding != nil ? .hasBody : nil
    }

    // MARK: By which name

    private func refusal(ofHost host: String?) -> WebAnswer? {
        guard let host, let name = Self.name(of: host) else {
            return .failure(
                status: 400, code: "no_host", message: "the request has no valid Host header")
        }
        if name == "localhost" || names.contains(name) || Self.isAddress(name) { return nil }
        return .failure(
            status: 421, code: "wrong_host",
            message: "this server is not called \"\(name.prefix(80))\"; ask for it by its address "
                + "in figures, or add the name to http.names of its configuration")
    }

    /// `boathouse.local` for `Boathouse.local.:8080`, `::1` for `[::1]`; nil for what is no host.
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

    /// Whoever asks for figures has been led here by no name.
    private static func isAddress(_ name: String) -> Bool {
        var address = in6_addr()
        return [AF_INET, AF_INET6].contains { inet_pton($0, name, &address) == 1 }
    }

    // MARK: From which page

    /// Every browser says at least one of both with a POST. A program says none, and has no cookies
    /// that somebody else could use.
    private func isOwnPage(_ head: Head) -> Bool {
        if let site = head.site, site != "same-origin" { return false }
        guard let origin = head.origin else { return head.site != nil || !head.hasCookies }
        let schemes = ["http://", "https://"]
        guard let scheme = schemes.first(where: origin.hasPrefix) else { return false }
        return origin.dropFirst(scheme.count).lowercased() == head.host?.lowercased()
    }

    // MARK: With which body

    private func refusal(ofBody head: Head) -> WebAnswer? {
        guard head.encoding == nil, let text = head.length, let length = Int(text) else {
            return .failure(
                status: 411, code: "length_required",
                message: "the length of the body has to be said; chunks are not accepted")
        }
        guard length <= bodyLimit else {
            return .failure(
                status: 413, code: "body_too_large",
                message: "the body has \(length) bytes; \(bodyLimit) are accepted")
        }
        let type = (head.contentType ?? "").prefix { $0 != ";" }.lowercased()
        guard length == 0 || type.trimmed == "application/json" else {
            return .failure(
                status: 415, code: "wrong_type",
                message: "a body is accepted with Content-Type: application/json alone")
        }
        return nil
    }
}

extension String {
    fileprivate var trimmed: String { String(drop { $0 == " " }.prefix { $0 != " " }) }
}
