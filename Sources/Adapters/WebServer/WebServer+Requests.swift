import CMicroHTTPD

/// What libmicrohttpd knows of a request.
extension WebServer {
    static func head(of connection: OpaquePointer, _ method: String) -> RequestGate.Head {
        RequestGate.Head(
            method: method, host: header("Host", of: connection),
            origin: header("Origin", of: connection),
            site: header("Sec-Fetch-Site", of: connection),
            contentType: header("Content-Type", of: connection),
            length: header("Content-Length", of: connection),
            encoding: header("Transfer-Encoding", of: connection),
            hasCookies: header("Cookie", of: connection) != nil)
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

    static func header(_ name: String, of connection: OpaquePointer) -> String? {
        rg_http_header(connection, name).map { String(cString: $0) }
    }
}
