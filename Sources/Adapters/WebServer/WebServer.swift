import CMicroHTTPD
import Glibc
import HostRuntime
import Synchronization
import Timeline

/// An HTTP/1.1 server on one thread of libmicrohttpd. Serves files in memory, deferred answers and
/// endless streams.
///
/// `WebLimits` bounds the connections and memory of clients.
package final class WebServer: Sendable {
    /// Answers a request. Called on the server's thread, and blocks all other requests.
    package typealias Handler = @Sendable (WebRequest) -> WebAnswer

    struct State {
        var table: ConnectionTable
        /// Wakers of streams and deferred answers, by connection.
        var wakers: [UInt: StreamWaker] = [:]
        /// Unsent bytes of `content` answers.
        var content = 0
        var isStopping = false
    }

    /// Address with the actual port: `127.0.0.1:8080`.
    package let address: String
    private let gate: RequestGate
    private let limits: WebLimits
    private let headers: [WebHeader]
    /// HTML error page; nil to send all errors as JSON.
    let failurePage: WebFailure.Page?
    private let handler: Handler
    private let clock: any Clock
    let state: Mutex<State>
    private let executor: SerialQueueExecutor
    // Both are set in init and used again only by `stop`; the timer on its executor.
    private nonisolated(unsafe) var daemon: OpaquePointer?
    private nonisolated(unsafe) var sweeper: QueueTimer?  // as above

    /// Starts to serve. Call `stop` before releasing the server.
    ///
    /// - Parameters:
    ///   - names: accepted host names, besides localhost and IP addresses.
    ///   - headers: header fields added to every answer that does not have them itself.
    ///   - failurePage: renders error pages for browsers, on the server's thread; nil for JSON.
    package init(
        at listen: ListenAddress, limits: WebLimits = WebLimits(), names: [String] = [],
        headers: [WebHeader] = [], failurePage: WebFailure.Page? = nil, runtime: any Runtime,
        handler: @escaping Handler
    ) throws(WebServerError) {
        let listener = try listen.listen(sendBuffer: limits.sendBuffer)
        address = listen.with(port: ListenAddress.port(of: listener))
        gate = RequestGate(names: names, bodyLimit: limits.body)
        self.limits = limits
        self.headers = headers
        self.failurePage = failurePage
        self.handler = handler
        clock = runtime
        state = Mutex(State(table: ConnectionTable(limits: limits)))
        executor = runtime.makeQueue(label: "web.deadlines")
        daemon = start(listener)
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

    deinit { precondition(daemon == nil, "a web server was released without stop()") }

    /// Closes all connections and stops listening.
    package func stop() {
        guard let daemon else { return }
        executor.async { [self] in sweeper?.cancel() }
        // libmicrohttpd cannot stop while a connection is suspended; from now on none will be.
        let wakers = state.withLock { state in
            state.isStopping = true
            return Array(state.wakers.values)
        }
        for waker in wakers { waker.finish() }
        MHD_stop_daemon(daemon)
        self.daemon = nil
    }

    private func start(_ listener: Int32) -> OpaquePointer? {
        let calls = rg_http_calls(
            accept: { context, address, _ in
                rg_http_result(WebServer.of(context).admits(ClientAddress(address)) ? 1 : 0)
            },
            notice: { context, connection, _, code in
                WebServer.of(context).notice(connection!, isStart: rg_http_is_start(code) != 0)
            },
            answer: { context, connection, path, method, _, body, count, mark in
                WebServer.of(context).answer(
                    connection!, String(cString: path!), String(cString: method!),
                    UnsafeRawBufferPointer(start: body, count: count!.pointee), count!, mark!)
            },
            completed: { context, connection, mark, _ in
                WebServer.of(context).completed(connection!, mark!)
            },
            context: Unmanaged.passUnretained(self).toOpaque())
        let bounds = rg_http_limits(
            connections: UInt32(limits.connections + limits.closingConnections),
            idle_seconds: UInt32(clamping: limits.stuckTime.components.seconds),
            connection_memory: limits.connectionMemory)
        // The new thread inherits this mask, so that other threads handle all signals.
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
        state.withLock { state in
            guard let victims = state.table.makeRoom(for: address) else { return false }
            Self.hangUp(victims)
            return true
        }
    }

    /// Call with the state's lock held: `notice` removes a connection before its socket is closed.
    private static func hangUp(_ descriptors: [Int32]) {
        for descriptor in descriptors { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }

    private func notice(_ connection: OpaquePointer, isStart: Bool) {
        let (id, now) = (UInt(bitPattern: connection), clock.now())
        state.withLock { state in
            guard isStart else { return state.table.closed(id) }
            Self.hangUp(
                state.table.opened(
                    id, descriptor: rg_http_socket(connection),
                    address: ClientAddress(rg_http_client(connection)), at: now))
        }
    }

    private func completed(
        _ connection: OpaquePointer, _ mark: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) {
        var content = 0
        if let pending = mark.pointee {
            content = Unmanaged<PendingRequest>.fromOpaque(pending).takeRetainedValue().content
        }
        mark.pointee = nil
        let now = clock.now()
        state.withLock { state in
            state.content -= content
            Self.hangUp(state.table.completed(UInt(bitPattern: connection), at: now))
        }
    }

    /// Closes connections past their deadline.
    private func sweep() {
        let now = clock.now()
        state.withLock { Self.hangUp($0.table.overdue(at: now)) }
    }

    // MARK: Answers

    /// A request until its answer is sent. Confined to the server's thread.
    private final class PendingRequest {
        var request: WebRequest
        var deferred: DeferredAnswer?
        /// Bytes of the answer that count towards `WebLimits.content`.
        var content = 0
        init(_ request: WebRequest) { self.request = request }
    }

    /// libmicrohttpd calls this with a request's headers, then with each piece of its body, then
    /// without a body, and again when a deferred answer is complete.
    ///
    /// - Parameters:
    ///   - count: number of unread body bytes.
    ///   - mark: pointer to our `PendingRequest`, nil for a new request.
    private func answer(
        _ connection: OpaquePointer, _ path: String, _ method: String,
        _ body: UnsafeRawBufferPointer, _ count: UnsafeMutablePointer<Int>,
        _ mark: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> MHD_Result {
        guard let pending = mark.pointee else {
            return begin(connection, path, method, mark)
        }
        let held = Unmanaged<PendingRequest>.fromOpaque(pending).takeUnretainedValue()
        guard count.pointee > 0 else { return answer(held, on: connection, method) }
        guard held.request.body.count + body.count <= limits.body else { return rg_http_result(0) }
        held.request.body += body
        count.pointee = 0
        return rg_http_result(1)
    }

    private func answer(
        _ held: PendingRequest, on connection: OpaquePointer, _ method: String
    ) -> MHD_Result {
        if let deferred = held.deferred { return finish(held, deferred, on: connection, method) }
        let answer = handler(held.request)
        guard case .deferred(let begin) = answer else {
            return send(answer, to: held, on: connection, method)
        }
        let (id, now, deferred) = (UInt(bitPattern: connection), clock.now(), DeferredAnswer())
        held.deferred = deferred
        let isStopping = state.withLock { state in
            state.wakers[id] = deferred.waker
            // The client is not slow here, so there is no deadline.
            state.table.beganAnswer(id, isStream: true, at: now)
            return state.isStopping
        }
        if isStopping { deferred.waker.finish() }
        begin(deferred.complete)
        return deferred.waker.suspend(connection)
            ? rg_http_result(1) : finish(held, deferred, on: connection, method)
    }

    /// Sends the deferred answer, or an error if the server stopped before it was complete.
    private func finish(
        _ held: PendingRequest, _ deferred: DeferredAnswer, on connection: OpaquePointer, _ method: String
    ) -> MHD_Result {
        state.withLock { $0.wakers[UInt(bitPattern: connection)] = nil }
        return send(deferred.value ?? .stopping, to: held, on: connection, method)
    }

    private func begin(
        _ connection: OpaquePointer, _ path: String, _ method: String,
        _ mark: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> MHD_Result {
        let head = Self.head(of: connection, method)
        // An answer during the first call closes the connection afterwards; the body stays unread.
        if let refusal = gate.refusal(of: head) {
            return send(refusal, at: path, on: connection, method)
        }
        let request = Self.request(of: connection, at: path, WebMethod(rawValue: method) ?? .other)
        let surplus = RequestGate.refusal(ofSurplusBody: head)
        if request.method == .other || surplus != nil {
            let refusal = refusal(of: request, surplus ?? .wrongMethod)
            return send(refusal, at: path, on: connection, method)
        }
        mark.pointee = Unmanaged.passRetained(PendingRequest(request)).toOpaque()
        let (id, now) = (UInt(bitPattern: connection), clock.now())
        if request.method == .post { state.withLock { $0.table.beganBody(id, at: now) } }
        return rg_http_result(1)
    }

    /// The error for an unsupported method or an unexpected body; the handler's own error has priority.
    private func refusal(of request: WebRequest, _ otherwise: WebAnswer) -> WebAnswer {
        // A refused DELETE must not delete anything, so the handler sees another method.
        let isDelete = request.method == .delete
        let answer = handler(isDelete ? request.withUnsupportedMethod : request)
        guard case .failure(_, _, _, let headers) = answer else { return otherwise }
        let allowed = headers.first { $0.name == "Allow" }?.value.split { $0 == "," || $0 == " " } ?? []
        return isDelete && allowed.contains("DELETE") ? otherwise : answer
    }

    /// Sends an answer. `content` must fit `WebLimits.content`; a larger one is sent if there is no other.
    private func send(
        _ answer: WebAnswer, to held: PendingRequest, on connection: OpaquePointer, _ method: String
    ) -> MHD_Result {
        let path = held.request.path
        guard case .content(_, let bytes, _) = answer else {
            return send(answer, at: path, on: connection, method)
        }
        let hasRoom = state.withLock { state in
            guard state.content == 0 || state.content + bytes.count <= limits.content else {
                return false
            }
            state.content += bytes.count
            return true
        }
        held.content = hasRoom ? bytes.count : 0
        return send(hasRoom ? answer : .contentLimitReached, at: path, on: connection, method)
    }

    private func send(
        _ answer: WebAnswer, at path: String, on connection: OpaquePointer, _ method: String
    ) -> MHD_Result {
        let (id, now) = (UInt(bitPattern: connection), clock.now())
        var isStream = false
        if case .stream = answer { isStream = method == "GET" }
        state.withLock { $0.table.beganAnswer(id, isStream: isStream, at: now) }
        let (status, response) = response(
            to: connection, at: path, answer, hasBody: method != "HEAD")
        guard let response else { return rg_http_result(0) }
        defer { MHD_destroy_response(response) }
        for (name, value) in headers where MHD_get_response_header(response, name) == nil {
            MHD_add_response_header(response, name, value)
        }
        return MHD_queue_response(connection, status, response)
    }
}

/// An answer that another thread computes while the connection is suspended.
final class DeferredAnswer: Sendable {
    /// Resumes the connection.
    let waker = StreamWaker()
    private let answer = Mutex<WebAnswer?>(nil)

    /// Sets the answer and resumes the connection. Call once, from any thread; has no effect after the
    /// server stopped.
    func complete(_ answer: WebAnswer) {
        self.answer.withLock { $0 = answer }
        waker.wake()
    }

    /// The answer; nil before `complete`.
    var value: WebAnswer? { answer.withLock { $0 } }
}
