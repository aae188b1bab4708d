import HostRuntime
import SDBus
import Synchronization
import Timeline

/// Announces services of this machine in the local network through avahi-daemon (mDNS).
///
/// `AvahiMachine` decides. Without a bus or avahi-daemon nothing is announced until they appear; the
/// caller never waits for them. When the connection to the bus closes, avahi-daemon withdraws the services.
package actor ServiceAnnouncer: QueueActor {
    package nonisolated let executor: SerialQueueExecutor

    private enum Limit {
        /// How often the announcement is computed again.
        static let refresh = Duration.seconds(15)
        /// Delays before the bus is tried again.
        static let reconnects = Duration.seconds(1)...Duration.seconds(60)
        /// Time of a call to avahi-daemon.
        static let call = Duration.seconds(25)
    }

    private let busAddress: String?
    private let refresh: @Sendable () -> Announcement?
    private let log: SystemLog
    private var machine: AvahiMachine
    private var announced: Announcement?
    private var loggedStatus = AvahiMachine.Status.starting
    /// nil without a bus.
    private var bus: BusConnection?
    private var reconnects = ExponentialBackoff(Limit.reconnects)
    private var machineTimer: QueueTimer?
    private var refreshTimer: QueueTimer?
    private var reconnectTimer: QueueTimer?
    private var isStopped = false
    private let currentSummary = Mutex(AvahiMachine.Status.starting.summary)

    /// The state of the announcement, for people.
    package nonisolated var summary: String { currentSummary.withLock { $0 } }

    /// - Parameters:
    ///   - executor: a queue that nothing waits for, because a bus may hang.
    ///   - busAddress: nil for the system bus.
    ///   - acceptedHostNames: the names of this machine under which the services can be used, in lower case;
    ///     nil for any.
    ///   - announcement: computed on the queue now and then; nil if nothing can be used from the network.
    package init(
        executor: SerialQueueExecutor, busAddress: String? = nil, acceptedHostNames: Set<String>? = nil,
        log: SystemLog, announcement: @escaping @Sendable () -> Announcement?
    ) {
        self.executor = executor
        self.busAddress = busAddress
        self.log = log
        refresh = announcement
        machine = AvahiMachine(acceptedHostNames: acceptedHostNames)
    }

    // MARK: - Life

    /// Starts and returns at once, even without a bus or avahi-daemon.
    package func start() {
        guard refreshTimer == nil, !isStopped else { return }
        machineTimer = makeTimer { $0.process(.timerFired) }
        reconnectTimer = makeTimer { $0.connect() }
        refreshTimer = makeTimer { $0.update() }
        refreshTimer?.fire(every: Limit.refresh)
        update()
        connect()
    }

    /// Withdraws the services by closing the connection. Idempotent.
    package func stop() async {
        isStopped = true
        for timer in [machineTimer, refreshTimer, reconnectTimer] { timer?.cancel() }
        let ended = bus
        bus = nil
        await ended?.stop(flushing: false)
    }

    private func update() {
        announced = refresh()
        process(.announce(announced))
    }

    // MARK: - Bus

    private func connect() {
        guard bus == nil, !isStopped else { return }
        let opened = BusConnection(on: executor)
        bus = opened
        Task { await open(opened) }
    }

    private func open(_ bus: BusConnection) async {
        do throws(BusError) {
            try await bus.start(address: busAddress) { @Sendable [weak self, weak bus] error in
                self?.assumeIsolated { $0.busEnded(bus, error) }
            }
            // Stopped meanwhile.
            guard bus === self.bus else { return await bus.stop(flushing: false) }
            try await watch(bus)
            try await bus.call(
                BusName.bus, BusName.busPath, BusName.bus, "NameHasOwner",
                writing: { message throws(BusError) in try message.append(string: BusName.service) },
                reading: { [weak self, weak bus] message throws(BusError) in
                    let isPresent = try message.readBoolean()
                    self?.assumeIsolated { $0.ownerChanged(bus, isPresent: isPresent) }
                })
        } catch {
            busEnded(bus, error)
            await bus.stop(flushing: false)
        }
    }

    /// The matches precede the first call, so that no change is missed.
    private func watch(_ bus: BusConnection) async throws(BusError) {
        try await bus.matchOwner(of: BusName.service) { @Sendable [weak self, weak bus] isPresent in
            self?.assumeIsolated { $0.ownerChanged(bus, isPresent: isPresent) }
        }
        for interface in [BusName.server, BusName.group] {
            try await bus.match(
                "type='signal',sender='\(BusName.service)',interface='\(interface)',member='StateChanged'"
            ) { @Sendable [weak self, weak bus] message in
                guard let event = Self.stateChange(message) else { return }
                self?.assumeIsolated { $0.process(event, from: bus) }
            }
        }
    }

    private func busEnded(_ ended: BusConnection?, _ error: BusError) {
        guard let ended, ended === bus, !isStopped else { return }
        bus = nil
        process(.daemonGone(cause: "no D-Bus connection: \(error.message)"))
        reconnectTimer?.fire(after: reconnects.next())
    }

    private func ownerChanged(_ bus: BusConnection?, isPresent: Bool) {
        reconnects.reset()
        process(isPresent ? .daemonAppeared : .daemonGone(cause: "avahi-daemon is not running"), from: bus)
    }

    private func process(_ event: AvahiMachine.Event, from sender: BusConnection?) {
        guard let sender, sender === bus else { return }
        process(event)
    }

    // MARK: - Execution

    private func process(_ event: AvahiMachine.Event) {
        guard !isStopped else { return }
        let actions = machine.handle(event)
        logStatus()
        for action in actions { execute(action) }
    }

    private func execute(_ action: AvahiMachine.Action) {
        guard case .setTimer(let delay) = action else {
            guard let bus else { return }
            let attempt = machine.attempt
            // Tasks of this queue begin in this order.
            Task { await call(action, attempt, on: bus) }
            return
        }
        if let delay { machineTimer?.fire(after: delay) } else { machineTimer?.stop() }
    }

    /// Makes the calls of an action. An answer to an earlier attempt is ignored, except that its group is freed.
    private func call(_ action: AvahiMachine.Action, _ attempt: Int, on bus: BusConnection) async {
        do throws(BusError) {
            let event = try await answer(to: action, attempt, on: bus)
            guard let event, bus === self.bus else { return }
            if case .groupCreated = event { return process(event) }
            if attempt == machine.attempt { process(event) }
        } catch {
            guard bus === self.bus, attempt == machine.attempt else { return }
            if case .free = action { return log.debug("\(error)") }
            process(
                error.name == BusName.collision ? .nameCollided : .failed(cause: error.description))
        }
    }

    private func answer(
        to action: AvahiMachine.Action, _ attempt: Int, on bus: BusConnection
    ) async throws(BusError) -> AvahiMachine.Event? {
        switch action {
        case .setTimer: return nil
        case .requestServer:
            let state = try await ask(
                bus, "GetState", reading: { message throws(BusError) in try message.readValue().integer })
            let hostName = try await ask(
                bus, "GetHostNameFqdn", reading: { message throws(BusError) in try message.readString() })
            return .server(state: state ?? -1, hostName: hostName)
        case .createGroup:
            let path = try await ask(
                bus, "EntryGroupNew", reading: { message throws(BusError) in try message.readObjectPath() })
            return .groupCreated(path, attempt: attempt)
        case .register(let group, let announcement):
            for service in announcement.services {
                try await bus.call(
                    BusName.service, group, BusName.group, "AddService", timeout: Limit.call,
                    writing: { message throws(BusError) in
                        try Self.append(service, named: announcement.name, to: message)
                    })
            }
            try await bus.call(BusName.service, group, BusName.group, "Commit", timeout: Limit.call)
            return nil
        case .requestAlternative(let name):
            let alternative = try await ask(
                bus, "GetAlternativeServiceName",
                writing: { message throws(BusError) in try message.append(string: name) },
                reading: { message throws(BusError) in try message.readString() })
            return .alternative(alternative)
        case .free(let group):
            try await bus.call(BusName.service, group, BusName.group, "Free", timeout: Limit.call)
            return nil
        }
    }

    /// Calls a method of the server.
    private func ask<Reply: Sendable>(
        _ bus: BusConnection, _ member: String,
        writing: @Sendable (borrowing BusMessage) throws(BusError) -> Void = {
            (_: borrowing BusMessage) throws(BusError) in
        },
        reading: @escaping @Sendable (borrowing BusMessage) throws(BusError) -> Reply
    ) async throws(BusError) -> Reply {
        try await bus.call(
            BusName.service, "/", BusName.server, member, timeout: Limit.call, writing: writing,
            reading: reading)
    }

    /// The arguments of AddService, `iiussssqaay`: on all interfaces, in the local domain, of this host.
    private static func append(
        _ service: Announcement.Service, named name: String, to message: borrowing BusMessage
    ) throws(BusError) {
        let unspecified = BusValue.int32(-1)
        try message.append(unspecified)
        try message.append(unspecified)
        try message.append(uint32: 0)
        for text in [name, service.type, "", ""] { try message.append(string: text) }
        try message.append(uint16: service.port)
        try message.append(.array(service.text.map { .bytes(Array($0.utf8)) }, of: "ay"))
    }

    // MARK: - Reading signals

    private nonisolated static func stateChange(_ message: borrowing BusMessage) -> AvahiMachine.Event? {
        do throws(BusError) {
            guard let path = message.path, let state = try message.readValue().integer else { return nil }
            return message.interface == BusName.server
                ? .serverChanged(state: state) : .groupChanged(path, state: state)
        } catch {
            return nil  // a signal without arguments
        }
    }

    // MARK: - Log

    /// Logs each change once.
    private func logStatus() {
        let status = machine.status
        currentSummary.withLock { $0 = status.summary }
        guard status != loggedStatus, status != .starting else { return }
        // Repeated failures differ only in their cause.
        if case (.failed, .failed) = (status, loggedStatus) { return }
        if case (.absent, .absent) = (status, loggedStatus) { return }
        loggedStatus = status
        switch status {
        case .starting: break
        case .off: log.info(status.summary)
        case .announced:
            let services = (announced?.services ?? []).map { "\($0.type) port \($0.port)" }
            log.notice("\(status.summary): \(services.joined(separator: ", "))")
        case .absent: log.info("\(status.summary); waiting for avahi-daemon")
        case .failed: log.warning("\(status.summary); retrying")
        case .rejectedHostName: log.warning("\(status.summary); add it to http.names")
        }
    }
}

extension AvahiMachine.Status {
    fileprivate var summary: String {
        switch self {
        case .off: "nothing to announce: no service can be reached from the network"
        case .starting: "starting"
        case .announced(let name, let host): "announced as \"\(name)\" at \(host)"
        case .absent(let cause), .failed(let cause): "not announced in the network: \(cause)"
        case .rejectedHostName(let host):
            "not announced in the network: browsers would use \(host), which is not accepted"
        }
    }
}

/// Names on the bus.
private enum BusName {
    static let bus = "org.freedesktop.DBus"
    static let busPath = "/org/freedesktop/DBus"
    static let service = "org.freedesktop.Avahi"
    static let server = "org.freedesktop.Avahi.Server"
    static let group = "org.freedesktop.Avahi.EntryGroup"
    /// The error for a name that another program of this machine has.
    static let collision = "org.freedesktop.Avahi.CollisionError"
}
