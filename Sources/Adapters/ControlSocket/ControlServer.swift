import Glibc
import HostRuntime

/// The daemon's control socket: serves Varlink requests of a few clients on one serial queue.
///
/// The queue never blocks: sockets are non-blocking, and handlers run elsewhere. `ControlLimits`
/// bounds the resources of each client.
package actor ControlServer: QueueActor {
    private static let chunk = 16 * 1024

    package nonisolated let executor: SerialQueueExecutor

    private let path: String
    private let routes: ControlRoutes
    private let limits: ControlLimits
    private let runtime: any Runtime
    private let log: SystemLog
    private var listener: ReadinessSource?
    private var listeningDescriptor: Int32 = -1
    private var sweeper: QueueTimer?
    private var connections: [UInt64: ControlConnection] = [:]
    private var nextID: UInt64 = 0
    /// Receive buffer, shared by all clients; used only within one call.
    private var buffer = [UInt8](repeating: 0, count: chunk)

    /// - Parameters:
    ///   - path: path of the socket file; its folder must exist.
    ///   - version: the daemon's version, for `GetInfo`.
    package init(
        path: String, version: String, routes: ControlRoutes, runtime: any Runtime, log: SystemLog,
        limits: ControlLimits = ControlLimits()
    ) {
        executor = runtime.makeQueue(label: "rowgate.control")
        self.path = path
        self.runtime = runtime
        self.log = log
        self.limits = limits
        var routes = routes
        routes.addServiceInterface(version: version)
        self.routes = routes
    }

    /// Starts to listen. Call once.
    package func start() throws(ControlSocketError) {
        precondition(listener == nil, "a control server is started once")
        let descriptor = try LocalSocket.listen(at: path, backlog: 64)
        listeningDescriptor = descriptor
        let source = ReadinessSource(
            .read, descriptor: descriptor, on: executor, closing: true
        ) { @Sendable [weak self] in self?.assumeIsolated { $0.acceptClients() } }
        source.resume()
        listener = source
        sweeper = makeTimer { $0.sweep() }
    }

    /// Closes all connections and removes the socket file. Idempotent.
    package func stop() {
        guard let listener else { return }
        // The file goes first, so that a client that connects now gets ENOENT at once.
        unlink(path)
        listener.cancel()
        self.listener = nil
        sweeper?.cancel()
        for id in Array(connections.keys) { end(id) }
    }

    // MARK: - Connections

    private func acceptClients() {
        while listener != nil {
            let descriptor = accept(listeningDescriptor, nil, nil)
            guard descriptor >= 0 else {
                if errno == EINTR || errno == ECONNABORTED { continue }
                if errno != EAGAIN { pauseAccepting(code: errno) }
                return
            }
            addClient(descriptor)
        }
    }

    private func addClient(_ descriptor: Int32) {
        do {
            try LocalSocket.setNonBlocking(descriptor, path)
        } catch {
            log.warning("control socket: dropped a client: \(error)")
            close(descriptor)
            return
        }
        let now = runtime.now().nanoseconds
        var session = ControlSession(limits: limits, at: now)
        let isFull = connections.count >= limits.clients
        if isFull { session.hangUp(.tooManyClients, at: now) }
        let id = nextID
        nextID += 1
        let connection = ControlConnection(
            descriptor: descriptor, session: session, on: executor
        ) { @Sendable [weak self] in self?.assumeIsolated { $0.clientIsReady(id) } }
        guard let connection else {
            log.warning("control socket: dropped a client: \(String(cString: strerror(errno)))")
            return
        }
        connection.write(at: now)
        if isFull { return connection.end() }
        connections[id] = connection
        if connections.count == 1 { sweeper?.fire(every: .seconds(1)) }
    }

    private func clientIsReady(_ id: UInt64) {
        guard let connection = connections[id] else { return }
        connection.read(using: &buffer)
        proceed(id, connection, at: runtime.now().nanoseconds)
    }

    /// Starts the next request, if any; ends the connection if it is finished.
    private func proceed(_ id: UInt64, _ connection: ControlConnection, at now: UInt64) {
        if let request = connection.session.beginNextRequest(at: now) {
            perform(request, for: id, of: connection)
            connection.read(using: &buffer)
        }
        connection.write(at: now)
        if connection.session.isFinished { end(id) }
    }

    private func end(_ id: UInt64) {
        connections.removeValue(forKey: id)?.end()
        if connections.isEmpty { sweeper?.stop() }
    }

    /// Stops accepting for a second. Without free descriptors the listener would stay ready and spin.
    private func pauseAccepting(code: Int32) {
        log.warning("control socket: accept failed: \(String(cString: strerror(code)))")
        listener?.suspend()
        sweeper?.fire(every: .seconds(1))
    }

    private func sweep() {
        listener?.resume()
        let now = runtime.now().nanoseconds
        for (id, connection) in connections where connection.session.isOverdue(at: now) {
            log.info("control socket: dropped a client: it timed out")
            end(id)
        }
        if connections.isEmpty { sweeper?.stop() }
    }

    // MARK: - Requests

    private func perform(_ request: [UInt8], for id: UInt64, of connection: ControlConnection) {
        connection.work = Task.detached { [routes, weak self] in
            let call = routes.makeCall(for: request)
            while true {
                let step = await call.next()
                guard await self?.deliver(step, to: id) == true else { return }
            }
        }
    }

    /// Sends a reply; true if the call should produce its next reply.
    private func deliver(_ step: ControlCall.Step, to id: UInt64) async -> Bool {
        guard let connection = connections[id] else { return false }
        let now = runtime.now().nanoseconds
        switch step {
        case .more(let message):
            connection.session.reply(message, isLast: false, at: now)
            proceed(id, connection, at: now)
            return await connection.waitUntilDrained()
        case .last(let message): connection.session.reply(message, isLast: true, at: now)
        case .noReply: connection.session.reply(nil, isLast: true, at: now)
        case .hangUp(let failure): connection.session.hangUp(failure, at: now)
        }
        proceed(id, connection, at: now)
        return false
    }
}
