import CMicroHTTPD
import Glibc
import HostRuntime
import Synchronization
import Timeline

/// HTTP/1.1 by libmicrohttpd, on one thread: files in memory, and streams without an end.
///
/// It knows nothing of what it serves. Whatever a client does costs at most its connection and the
/// memory of `WebLimits`.
package final class WebServer: Sendable {
    /// Answers a GET or HEAD; called on the server's thread, which serves nobody else meanwhile.
    package typealias Handler = @Sendable (WebRequest) -> WebAnswer

    private struct State {
        var table: ConnectionTable
        /// By connection, of the streams that run.
        var wakers: [UInt: StreamWaker] = [:]
        var isStopping = false
    }

    /// `127.0.0.1:8080`, with the port that it has.
    package let address: String
    private let headers: [(name: String, value: String)]
    private let handler: Handler
    private let clock: any Clock
    private let state: Mutex<State>
    private let executor: SerialQueueExecutor
    // Both are set in init, and touched again by `stop` alone; the timer on its executor.
    private nonisolated(unsafe) var daemon: OpaquePointer?
    private nonisolated(unsafe) var sweeper: QueueTimer?  // as above

    /// Serves until `stop`, which must come before it is let go of.
    ///
    /// - Parameter headers: of every answer, beside its own.
    package init(
        at listen: ListenAddress, limits: WebLimits = WebLimits(),
        headers: [(name: String, value: String)] = [], runtime: any Runtime,
        handler: @escaping Handler
    ) throws(WebServerError) {
        let listener = try listen.listen(sendBuffer: limits.sendBuffer)
        address = listen.with(port: ListenAddress.port(of: listener))
        self.headers = headers
        self.handler = handler
        clock = runtime
        state = Mutex(State(table: ConnectionTable(limits: limits)))
        executor = runtime.makeQueue(label: "web.deadlines")
        daemon = start(listener, limits)
        guard daemon != nil else {
            let code = errno
            close(listener)
            throw WebServerError(operation: "start", address: address, code: code)
        }
        executor.async { [self] in
            sweeper = QueueTimer(on: executor) { @Sendable [weak self] in self?.sweep() }
            sweeper?.fire(every: .seconds(1))
        }
    }

    deinit { precondition(daemon == nil, "a web server was dropped without stop()") }

    /// Ends every connection, and listens no more.
    package func stop() {
        guard let daemon else { return }
        executor.async { [self] in sweeper?.cancel() }
        // libmicrohttpd cannot end while a connection is suspended; from here on none will be.
        let wakers = state.withLock { state in
            state.isStopping = true
            return Array(state.wakers.values)
        }
        for waker in wakers { waker.finish() }
        MHD_stop_daemon(daemon)
        self.daemon = nil
    }

    private func start(_ listener: Int32, _ limits: WebLimits) -> OpaquePointer? {
        let calls = rg_http_calls(
            accept: { context, address, _ in
                rg_http_result(WebServer.of(context).admits(ClientAddress(address)) ? 1 : 0)
            },
            notice: { context, connection, _, code in
                WebServer.of(context).notice(connection!, isStart: rg_http_is_start(code) != 0)
            },
            answer: { context, connection, path, method, _, _, _, mark in
                WebServer.of(context).answer(
                    connection!, String(cString: path!), String(cString: method!), mark!)
            },
            completed: { context, connection, _, _ in WebServer.of(context).completed(connection!)
            },
            context: Unmanaged.passUnretained(self).toOpaque())
        let bounds = rg_http_limits(
            connections: UInt32(limits.connections),
            idle_seconds: UInt32(clamping: limits.stuckTime.components.seconds),
            connection_memory: limits.connectionMemory)
        // The thread takes over the mask: signals are for others.
        var (every, before) = (sigset_t(), sigset_t())
        sigfillset(&every)
        pthread_sigmask(SIG_BLOCK, &every, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        return rg_http_start(listener, bounds, calls)
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> WebServer {
        Unmanaged<WebServer>.fromOpaque(context!).takeUnretainedValue()
    }

    // MARK: Connections

    private func admits(_ address: ClientAddress?) -> Bool {
        state.withLock { $0.table.admits(address) }
    }

    private func notice(_ connection: OpaquePointer, isStart: Bool) {
        let (id, now) = (UInt(bitPattern: connection), clock.now())
        state.withLock { state in
            guard isStart else { return state.table.closed(id) }
            state.table.opened(
                id, descriptor: rg_http_socket(connection),
                address: ClientAddress(rg_http_client(connection)), at: now)
        }
    }

    private func completed(_ connection: OpaquePointer) {
        let now = clock.now()
        state.withLock { $0.table.completed(UInt(bitPattern: connection), at: now) }
    }

    /// Hangs up on those who took too long. Their sockets are open while the lock is held: each is
    /// closed only after `notice`.
    private func sweep() {
        let now = clock.now()
        state.withLock { state in
            for descriptor in state.table.overdue(at: now) {
                shutdown(descriptor, Int32(SHUT_RDWR))
            }
        }
    }

    // MARK: Answers

    /// - Parameter mark: of the request, nil when it is new.
    private func answer(
        _ connection: OpaquePointer, _ path: String, _ method: String,
        _ mark: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> MHD_Result {
        let refusal = Self.refusal(of: connection, method)
        // An answer to the first call closes the connection behind it, body unread.
        if refusal == nil, mark.pointee == nil {
            mark.pointee = UnsafeMutableRawPointer(connection)
            return rg_http_result(1)
        }
        let answer = refusal ?? handler(WebRequest(path: path))
        let id = UInt(bitPattern: connection)
        var isStream = false
        if case .stream = answer { isStream = method == "GET" }
        let now = clock.now()
        state.withLock { $0.table.began(id, isStream: isStream, at: now) }
        let (status, response) = response(to: connection, answer, hasBody: method != "HEAD")
        guard let response else { return rg_http_result(0) }
        defer { MHD_destroy_response(response) }
        for (name, value) in headers { MHD_add_response_header(response, name, value) }
        return MHD_queue_response(connection, status, response)
    }

    /// What no handler has to look at.
    private static func refusal(of connection: OpaquePointer, _ method: String) -> WebAnswer? {
        guard method == "GET" || method == "HEAD" else { return .wrongMethod }
        let length = header("Content-Length", of: connection)
        let hasBody =
            length ?? "0" != "0" || header("Transfer-Encoding", of: connection) != nil
        return hasBody ? .hasBody : nil
    }

    private func response(
        to connection: OpaquePointer, _ answer: WebAnswer, hasBody: Bool
    ) -> (status: UInt32, OpaquePointer?) {
        switch answer {
        case .file(let file):
            let tags = Self.header("If-None-Match", of: connection)
            let isKnown = tags.map(file.isKnown) ?? false
            // libmicrohttpd leaves the body out of a 304.
            let response = Self.response(file.bytes, file.contentType)
            MHD_add_response_header(response, "ETag", file.entityTag)
            return (isKnown ? 304 : 200, response)
        case .failure(let status, let code, let message):
            let response = Self.response(
                WebAnswer.failureBody(code: code, message: message), "application/json")
            if status == 405 { MHD_add_response_header(response, "Allow", "GET, HEAD") }
            return (status, response)
        case .stream(let contentType, let open):
            let response =
                hasBody ? self.response(to: connection, opening: open) : Self.unknownLength()
            MHD_add_response_header(response, "Content-Type", contentType)
            return (200, response)
        }
    }

    private static func response(_ bytes: [UInt8], _ contentType: String) -> OpaquePointer? {
        let response = bytes.withUnsafeBytes { bytes in
            rg_http_response(bytes.baseAddress, bytes.count)
        }
        MHD_add_response_header(response, "Content-Type", contentType)
        return response
    }

    /// For HEAD of a stream.
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

    private static func header(_ name: String, of connection: OpaquePointer) -> String? {
        rg_http_header(connection, name).map { String(cString: $0) }
    }
}
