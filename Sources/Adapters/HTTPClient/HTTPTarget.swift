import CCurl

/// The checked address of a request, as libcurl itself parses it.
///
/// The transfer uses the parsed address and not its text, so that two parsers cannot understand a text
/// differently.
final class HTTPTarget {
    /// Valid until this object is released.
    let address: OpaquePointer
    /// `http` or `https`.
    let scheme: String
    /// Name or numeric address, IPv6 in brackets.
    let host: String

    /// - Parameter text: an absolute address of ASCII characters, without user and password.
    init(_ text: String) throws(HTTPFailure) {
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Self.invalid(
                "the address has a space or other characters that an address cannot have",
                remedy: "encode them with %, and an international host name as xn--")
        }
        guard let parsed = curl_url() else { throw HTTPFailure(.other, cause: "no memory for a request") }
        let code = curl_url_set(parsed, CURLUPART_URL, text, UInt32(CURLU_DISALLOW_USER))
        let scheme = Self.part(CURLUPART_SCHEME, of: parsed)
        let host = Self.part(CURLUPART_HOST, of: parsed)
        guard code == CURLUE_OK, let scheme, let host, !host.isEmpty else {
            curl_url_cleanup(parsed)
            throw code == CURLUE_USER_NOT_ALLOWED
                ? Self.invalid(
                    "the address contains a user name or a password", remedy: "configure them separately")
                : Self.invalid("the address is invalid", remedy: "write it as https://server/path")
        }
        // libcurl also accepts one or three slashes; then a part of the path could become the host.
        let start = text.lowercased()
        guard ["http", "https"].contains(scheme), start.hasPrefix("\(scheme)://"),
            !start.hasPrefix("\(scheme):///")
        else {
            curl_url_cleanup(parsed)
            throw Self.invalid(
                "the address is not one of a web server", remedy: "write it as https://server/path")
        }
        // libcurl decodes % in a host name, and would convert other characters to ASCII, perhaps to digits.
        guard host.utf8.count <= 255, host.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            curl_url_cleanup(parsed)
            throw Self.invalid(
                "the host name is invalid", remedy: "write an international host name as xn--")
        }
        (address, self.scheme, self.host) = (parsed, scheme, host)
    }

    deinit { curl_url_cleanup(address) }

    /// Whether the text itself names this machine or an address that is not public.
    var isPrivateByName: Bool {
        if let address = InternetAddress(host) { return !address.isPublic }
        let name = host.lowercased()
        let bare = name.hasSuffix(".") ? String(name.dropLast()) : name
        return bare == "localhost" || bare.hasSuffix(".localhost")
    }

    /// The host of a proxy, for messages; nil if its address is invalid.
    static func host(ofProxy text: String) -> String? {
        guard let parsed = curl_url() else { return nil }
        defer { curl_url_cleanup(parsed) }
        // A proxy without scheme is one of HTTP, as for libcurl.
        let flags = UInt32(CURLU_GUESS_SCHEME | CURLU_NON_SUPPORT_SCHEME)
        guard curl_url_set(parsed, CURLUPART_URL, text, flags) == CURLUE_OK else { return nil }
        return part(CURLUPART_HOST, of: parsed)
    }

    private static func part(_ part: CURLUPart, of address: OpaquePointer) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(address, part, &text, 0) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }

    private static func invalid(_ cause: String, remedy: String) -> HTTPFailure {
        HTTPFailure(.invalidRequest, cause: cause, remedy: remedy)
    }
}
