import Bytes
import CMicroHTTPD

/// Reads request data from libmicrohttpd.
extension WebServer {
    static func head(of connection: OpaquePointer, _ method: String) -> RequestGate.Head {
        RequestGate.Head(
            method: method, host: header("Host", of: connection),
            origin: header("Origin", of: connection),
            site: header("Sec-Fetch-Site", of: connection),
            contentType: header("Content-Type", of: connection),
            length: header("Content-Length", of: connection),
            encoding: header("Transfer-Encoding", of: connection),
            hasCookies: header("Cookie", of: connection) != nil,
            syntaxFault: syntaxFault(of: connection))
    }

    /// The request of a connection, without its body.
    static func request(
        of connection: OpaquePointer, at path: String, _ method: WebMethod = .get
    ) -> WebRequest {
        WebRequest(
            method, path: path, query: query(of: connection),
            client: ClientAddress(rg_http_client(connection)), origin: header("Origin", of: connection),
            languages: header("Accept-Language", of: connection) ?? "",
            agent: header("User-Agent", of: connection) ?? "", isForwarded: isForwarded(connection),
            cookies: header("Cookie", of: connection), authorization: header("Authorization", of: connection))
    }

    private static func syntaxFault(of connection: OpaquePointer) -> String? {
        var syntax = HeaderSyntax()
        withUnsafeMutablePointer(to: &syntax) { syntax in
            rg_http_fields(
                connection,
                { context, _, name, nameSize, value, valueSize in
                    context!.assumingMemoryBound(to: HeaderSyntax.self).pointee.check(
                        name: UnsafeRawBufferPointer(start: name, count: nameSize),
                        value: UnsafeRawBufferPointer(
                            start: value, count: value == nil ? 0 : valueSize),
                        isFolded: rg_http_is_folded(name, nameSize, value) != 0)
                    return rg_http_result(1)
                }, syntax)
        }
        return syntax.fault
    }

    static func query(of connection: OpaquePointer) -> [WebParameter] {
        var found: [WebParameter] = []
        withUnsafeMutablePointer(to: &found) { found in
            rg_http_query(
                connection,
                { context, _, name, nameSize, value, valueSize in
                    let found = context!.assumingMemoryBound(to: [WebParameter].self)
                    found.pointee.append(
                        WebParameter(
                            name: WebServer.text(name, nameSize),
                            value: WebServer.text(value, valueSize)))
                    return rg_http_result(1)
                }, found)
        }
        return found
    }

    private static func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
        let bytes = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Value of the first header of this name, without surrounding blanks.
    static func header(_ name: String, of connection: OpaquePointer) -> String? {
        guard let value = rg_http_header(connection, name).map({ String(cString: $0) }) else {
            return nil
        }
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        guard let last = value.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(value[...last].drop(while: isBlank))
    }

    /// Whether the request has a header that proxies add (RFC 7239, RFC 9110 7.6.3, and the usual ones before them).
    static func isForwarded(_ connection: OpaquePointer) -> Bool {
        ["Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP"]
            .contains { header($0, of: connection) != nil }
    }

    /// Whether the client accepts HTML, as browsers do when they open a page.
    static func acceptsHTML(_ connection: OpaquePointer) -> Bool {
        header("Accept", of: connection)?.lowercased().contains("text/html") ?? false
    }
}
