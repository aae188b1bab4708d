import Glibc
import HostRuntime

/// The control socket of the daemon: Varlink requests of a few clients, on a queue of its own.
///
/// Nothing here waits: sockets are non-blocking, and handlers run elsewhere. Whatever a client does
/// costs at most its slot, its buffers and its request (`ControlLimits`).
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
    /// Where every client's bytes arrive; used only within one call.
    private var buffer = [UInt8](repeating: 0, count: chunk)

    /// - Parameters:
    ///   - path: where the socket file goes; its folder exists.
    ///   - version: of the daemon, for `GetInfo`.
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

    /// Listens from now on.
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

    /// Hangs up on every client and removes the socket file. Idempotent.
    package func stop() {
        guard let listener else { return }
        // First the name, so that a client that looks now is told that nobody is there.
        unlink(path)
        listener.cancel()
        self.listener = nil
        sweeper?.cancel()
        for id in Array(connections.keys) { end(id) }
    }

    // MARK: - Clients come and go

    private func acceptClients() {
        while listener != nil {
            let descriptor = accept(listeningDescriptor, nil, nil)
            guard descriptor >= 0 else {
                if errno == EINTR || errno == ECONNABORTED { continue }
                if errno != EAGAIN { pauseAccepting(code: errno) }
                return
            }
            welcome(descriptor)
        }
    }

    private func welcome(_ descriptor: Int32) {
        do {
            try LocalSocket.setNonBlocking(descriptor, path)
        } catch {
            log.warning("a client was dropped: \(error)")
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
            log.warning("a client was dropped: \(String(cString: strerror(errno)))")
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

    /// Starts the next request if one waits; ends the connection if it is done.
    private func proceed(_ id: UInt64, _ connection: ControlConnection, at now: UInt64) {
        if let request = connection.session.takeRequest(at: now) {
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

    /// Without descriptors to accept with, the listener would be ready again at once, forever.
    private func pauseAccepting(code: Int32) {
        log.warning("clients cannot be accepted: \(String(cString: strerror(code)))")
        listener?.suspend()
        sweeper?.fire(every: .seconds(1))
    }

    private func sweep() {
        listener?.resume()
        let now = runtime.now().nanoseconds
        for (id, connection) in connections where connection.session.isOverdue(at: now) {
            log.info("a client was dropped: it neither asks nor reads")
            end(id)
        }
        if connections.isEmpty { sweeper?.stop() }
    }

    // MARK: - Requests

    private func perform(_ request: [UInt8], for id: UInt64, of connection: ControlConnection) {
        connection.work = Task.detached { [routes, weak self] in
            let call = routes.open(request)
            while true {
                let step = await call.next()
                guard await self?.deliver(step, to: id) == true else { return }
            }
        }
    }

    /// Sends a reply; true when the next one of the same call is wanted.
    private func deliver(_ step: ControlCall.Step, to id: UInt64) async -> Bool {
        guard let connection = connections[id] else { return false }
        let now = runtime.now().nanoseconds
        switch step {
        case .more(let message):
            connection.session.reply(message, isLast: false, at: now)
            proceed(id, connection, at: now)
            return await connection.waitUntilDrained()
        case .last(let message): connection.session.reply(message, isLast: true, at: now)
        case .silence: connection.session.reply(nil, isLast: true, at: now)
        case .hangUp(let failure): connection.session.hangUp(failure, at: now)
        }
        proceed(id, connection, at: now)
        return false
    }
}
