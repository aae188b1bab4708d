import CMicroHTTPD

/// Converts answers to responses of libmicrohttpd.
extension WebServer {
    /// Returns the status and the response; the response is nil when memory is short.
    ///
    /// - Parameter path: the request's path, percent-decoded.
    func response(
        to connection: OpaquePointer, at path: String, _ answer: WebAnswer, hasBody: Bool
    ) -> (status: UInt32, OpaquePointer?) {
        switch answer {
        case .file(let file):
            let tags = Self.header("If-None-Match", of: connection)
            let chosen = file.representation(
                accepting: Self.header("Accept-Encoding", of: connection))
            let isKnown = tags.map(chosen.matches) ?? false
            // libmicrohttpd omits the body of a 304.
            let response = Self.response(chosen.bytes, file.contentType)
            MHD_add_response_header(response, "ETag", chosen.entityTag)
            if chosen.isCompressed { MHD_add_response_header(response, "Content-Encoding", "gzip") }
            if !file.varies.isEmpty { MHD_add_response_header(response, "Vary", file.varies) }
            return (isKnown ? 304 : 200, response)
        case .json(let status, let bytes, let headers):
            return (status, Self.response(bytes, "application/json", headers))
        case .content(let type, let bytes, let headers):
            return (200, Self.response(bytes, type, headers))
        case .failure(let status, let code, let message, let headers):
            if let failurePage, Self.acceptsHTML(connection) {
                let failure = WebFailure(
                    status: status, code: code, message: message,
                    request: Self.request(of: connection, at: path))
                let vary = (name: "Vary", value: "Accept, Accept-Language, Cookie")
                return (
                    status,
                    Self.response(
                        failurePage(failure), "text/html; charset=utf-8", headers + [vary])
                )
            }
            let title = String(cString: rg_http_title(status))
            let body = WebAnswer.problem(status, title, code: code, message)
            return (status, Self.response(body, "application/problem+json", headers))
        case .deferred: preconditionFailure("a deferred answer must not be deferred again")
        case .redirect(let path):
            return (303, Self.response([], "text/plain", [(name: "Location", value: path)]))
        case .stream(let contentType, let open):
            let response =
                hasBody ? self.response(to: connection, opening: open) : Self.unknownLength()
            MHD_add_response_header(response, "Content-Type", contentType)
            return (200, response)
        }
    }

    private static func response(
        _ bytes: [UInt8], _ contentType: String, _ headers: [WebHeader] = []
    ) -> OpaquePointer? {
        let response = bytes.withUnsafeBytes { bytes in
            rg_http_response(bytes.baseAddress, bytes.count)
        }
        MHD_add_response_header(response, "Content-Type", contentType)
        for (name, value) in headers { MHD_add_response_header(response, name, value) }
        return response
    }

    /// Response to HEAD of a stream.
    private static func unknownLength() -> OpaquePointer? {
        MHD_create_response_from_callback(.max, 1, { _, _, _, _ in -1 }, nil, nil)
    }

    private func response(
        to connection: OpaquePointer, opening open: (StreamWaker) -> any WebStream
    ) -> OpaquePointer? {
        let (id, waker) = (UInt(bitPattern: connection), StreamWaker())
        let isStopping = state.withLock { state in
            state.wakers[id] = waker
            return state.isStopping
        }
        if isStopping { waker.finish() }
        let body = StreamBody(on: connection, waker: waker, stream: open(waker)) { [self] in
            state.withLock { $0.wakers[id] = nil }
        }
        return body.response()
    }
}
