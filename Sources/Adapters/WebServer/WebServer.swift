import CMicroHTTPD
import Glibc
import HostRuntime
import Synchronization
import Timeline

/// HTTP/1.1 by libmicrohttpd, on one thread: files in memory, answers that take a while, and streams
/// without an end.
///
/// It knows nothing of what it serves. Whatever a client does costs at most its connection and the
/// memory of `WebLimits`.
package final class WebServer: Sendable {
    /// Answers a request; called on the server's thread, which serves nobody else meanwhile.
    package typealias Handler = @Sendable (WebRequest) -> WebAnswer

    struct State {
        var table: ConnectionTable
        /// By connection, of the streams that run and the answers that are waited for.
        var wakers: [UInt: StreamWaker] = [:]
        /// Bytes of `content` that clients have not taken yet.
        var content = 0
        var isStopping = false
    }

    /// `127.0.0.1:8080`, with the port that it has.
    package let address: String
    private let gate: RequestGate
    private let limits: WebLimits
    private let headers: [WebHeader]
    /// nil where each failure is answered as JSON.
    let failurePage: WebFailure.Page?
    private let handler: Handler
    private let clock: any Clock
    let state: Mutex<State>
    private let executor: SerialQueueExecutor
    // Both are set in init, and touched again by `stop` alone; the timer on its executor.
    private nonisolated(unsafe) var daemon: OpaquePointer?
    private nonisolated(unsafe) var sweeper: QueueTimer?  // as above

    /// Serves until `stop`, which must come before it is let go of.
    ///
    /// - Parameters:
    ///   - names: by which browsers may ask for it, besides localhost and addresses in figures.
    ///   - headers: of every answer, beside its own.
    ///   - failurePage: what browsers get that open an address and fail; JSON without one. Called on
    ///     the server's thread.
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
        state.withLock { state in
            guard let victims = state.table.makeRoom(for: address) else { return false }
            Self.hangUp(victims)
            return true
        }
    }

    /// The sockets are open while the state's lock is held: each is closed only after `notice`.
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

    /// Closes the connections of clients that took too long.
    private func sweep() {
        let now = clock.now()
        state.withLock { Self.hangUp($0.table.overdue(at: now)) }
    }

    // MARK: Answers

    /// A request until its answer has been taken; of the server's thread.
    private final class PendingRequest {
        var request: WebRequest
        /// An answer that takes a while.
        var late: LateAnswer?
        /// Bytes of the answer that count towards `WebLimits.content`.
        var content = 0
        init(_ request: WebRequest) { self.request = request }
    }

    /// Called with a request's headers, then with each piece of its body, then without, and once more
    /// when an answer that took a while is there.
    ///
    /// - Parameters:
    ///   - count: of the body's bytes that are left over.
    ///   - mark: of the request, nil when it is new.
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
        if let late = held.late { return finish(held, late, on: connection, method) }
        let answer = handler(held.request)
        guard case .later(let begin) = answer else {
            return send(answer, to: held, on: connection, method)
        }
        let (id, now, late) = (UInt(bitPattern: connection), clock.now(), LateAnswer())
        held.late = late
        let isStopping = state.withLock { state in
            state.wakers[id] = late.waker
            // It is not the client who takes its time.
            state.table.began(id, isStream: true, at: now)
            return state.isStopping
        }
        if isStopping { late.waker.finish() }
        begin(late.give)
        return late.waker.suspend(connection)
            ? rg_http_result(1) : finish(held, late, on: connection, method)
    }

    /// The server may have stopped before the answer was there.
    private func finish(
        _ held: PendingRequest, _ late: LateAnswer, on connection: OpaquePointer, _ method: String
    ) -> MHD_Result {
        state.withLock { $0.wakers[UInt(bitPattern: connection)] = nil }
        return send(late.take() ?? .stopping, to: held, on: connection, method)
    }

    private func begin(
        _ connection: OpaquePointer, _ path: String, _ method: String,
        _ mark: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> MHD_Result {
        let head = Self.head(of: connection, method)
        // An answer to the first call closes the connection behind it, body unread.
        if let refusal = gate.refusal(of: head) {
            return send(refusal, at: path, on: connection, method)
        }
        let request = WebRequest(
            WebMethod(rawValue: method) ?? .other, path: path, query: Self.query(of: connection),
            client: ClientAddress(rg_http_client(connection)), origin: head.origin,
            cookies: Self.header("Cookie", of: connection),
            authorization: Self.header("Authorization", of: connection))
        let surplus = RequestGate.refusal(ofSurplusBody: head)
        if request.method == .other || surplus != nil {
            let refusal = refusal(of: request, surplus ?? .wrongMethod)
            return send(refusal, at: path, on: connection, method)
        }
        mark.pointee = Unmanaged.passRetained(PendingRequest(request)).toOpaque()
        let (id, now) = (UInt(bitPattern: connection), clock.now())
        if request.method == .post { state.withLock { $0.table.reads(id, at: now) } }
        return rg_http_result(1)
    }

    /// By a method that nobody knows, or with a body that has no business there, nothing is done; what
    /// else is wrong with the request the handler says.
    private func refusal(of request: WebRequest, _ otherwise: WebAnswer) -> WebAnswer {
        let answer = handler(request)
        guard case .failure = answer else { return otherwise }
        return answer
    }

    /// Within the limit of all content together; one that is larger by itself is sent when there is no
    /// other.
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
        return send(hasRoom ? answer : .tooMuchUnderWay, at: path, on: connection, method)
    }

    private func send(
        _ answer: WebAnswer, at path: String, on connection: OpaquePointer, _ method: String
    ) -> MHD_Result {
        let (id, now) = (UInt(bitPattern: connection), clock.now())
        var isStream = false
        if case .stream = answer { isStream = method == "GET" }
        state.withLock { $0.table.began(id, isStream: isStream, at: now) }
        let (status, response) = response(
            to: connection, at: path, answer, hasBody: method != "HEAD")
        guard let response else { return rg_http_result(0) }
        defer { MHD_destroy_response(response) }
        for (name, value) in headers { MHD_add_response_header(response, name, value) }
        return MHD_queue_response(connection, status, response)
    }
}
