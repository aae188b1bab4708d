import HostRuntime
import PM5Codec
import Rowing
import SDBus
import Timeline

/// The links to all monitors of a room, through org.bluez.
///
/// Runs on the bus queue and only executes: `RoomMachine` decides, and values go from the sockets
/// to the stations directly (`NotificationStream`). If the bus, bluetoothd or an adapter is
/// missing, it reports that and retries forever.
///
/// `Trusted` is not set on devices. It would preserve their objects between links, but each connect
/// is preceded by a scan anyway, because a connect to a monitor that is off blocks the radio for 40
/// s. It would also leave entries in BlueZ's storage that outlive this program.
package actor RoomLink: QueueActor {
    package nonisolated let executor: SerialQueueExecutor

    let configuration: RoomLinkConfiguration
    let clock: any Clock
    let log: SystemLog
    private let onProblems: @Sendable ([RoomProblem]) -> Void
    private let onAdapterReset: @Sendable (_ name: String, _ reason: String) -> Void
    /// Waits for the values of all links.
    let sockets = ReadinessThread()
    private(set) var machine: RoomMachine
    let service = ServiceConnection()
    let connections: LinkConnections
    /// The relays to phones, in the order of their adapters.
    let relays: [PhoneRelay]
    /// When the stop began.
    private(set) var stopBegun: BootInstant?
    private(set) var logger: RoomLogger
    private var timer: QueueTimer?
    private var nextKernelCheck: BootInstant
    /// By adapter address, as of the last check; empty if the kernel does not report them.
    private var kernelRadios: [String: KernelRadio] = [:]
    private var pendingEvents: [RoomMachine.Event] = []
    private var isHandlingEvents = false
    /// Calls that must be answered before the bus is closed.
    private var shutdownCalls: [Task<Void, Never>] = []
    /// A stop that waits for Connects which may still be answered.
    private var onConnectsSettled: CheckedContinuation<Void, Never>?

    /// - Parameters:
    ///   - executor: the bus queue.
    ///   - onProblems: called on the bus queue whenever the set of problems changes.
    ///   - onAdapterReset: called on the bus queue when an adapter is power-cycled, with the reason
    ///     as text.
    package init(
        configuration: RoomLinkConfiguration, executor: SerialQueueExecutor, clock: any Clock,
        log: SystemLog,
        onProblems: @escaping @Sendable ([RoomProblem]) -> Void = { _ in },
        onAdapterReset: @escaping @Sendable (_ name: String, _ reason: String) -> Void = { _, _ in
        }
    ) {
        self.configuration = configuration
        self.executor = executor
        self.clock = clock
        self.log = log
        logger = RoomLogger(log)
        nextKernelCheck = clock.now()
        self.onProblems = onProblems
        self.onAdapterReset = onAdapterReset
        connections = LinkConnections(configuration.roster)
        relays = configuration.relays.enumerated().map { index, relay in
            PhoneRelay(
                number: index + 1, relay, executor: executor, clock: clock, log: log)
        }
        machine = RoomMachine(
            rules: configuration.rules, seed: configuration.seed, at: clock.now())
    }

    // MARK: - Life

    /// Starts and returns at once, even without a bus, bluetoothd or adapter.
    package func start() {
        guard timer == nil, !isStopping else { return }
        timer = makeTimer { $0.wake() }
        for relay in relays { relay.attach(to: self) }
        process(.tick)
        Task { await openBus() }
    }

    var isStopping: Bool { stopBegun != nil }

    /// nil without a bus.
    var client: BlueZClient? { service.client }

    /// Ends all our links and scans, then closes the bus. Calls that take longer than
    /// `shutdownTimeout` are not awaited.
    package func stop() async {
        guard !isStopping else { return }
        stopBegun = clock.now()
        for relay in relays {
            shutdownCalls.append(Task { await relay.stop(timeout: .milliseconds(2200)) })
        }
        process(.stop)
        if machine.awaitsConnects {
            await withCheckedContinuation { onConnectsSettled = $0 }
        }
        timer?.cancel()
        for call in shutdownCalls { await call.value }
        sockets.stop()
        await service.close()?.bus.stop()
    }

    /// Releases a monitor to another central, such as a phone, for `duration` or until `reclaim`. A
    /// second release replaces the first.
    ///
    /// The station is notified at once that the link is closed. bluetoothd needs another 2 s to end
    /// it; then the monitor advertises. Meanwhile rowgate neither scans for it nor connects to it.
    /// Releases are stored in memory only: after a restart rowgate looks for the monitor again. A
    /// monitor that is connected to a phone does not advertise, so rowgate cannot connect to it.
    ///
    /// - Returns: false for a monitor that does not belong to this room.
    package func release(_ serial: String, for duration: Duration? = nil) -> Bool {
        guard machine.monitors[serial] != nil else { return false }
        process(.release(serial: serial, until: duration.map { clock.now().advanced(by: $0) }))
        return true
    }

    /// Ends a release: the monitor is connected as soon as it advertises. Does nothing for a monitor
    /// that is not released.
    ///
    /// - Returns: false for a monitor that does not belong to this room.
    package func reclaim(_ serial: String) -> Bool {
        guard machine.monitors[serial] != nil else { return false }
        process(.reclaim(serial: serial))
        return true
    }

    // MARK: - Events and actions

    /// Passes an event to the machine and executes its actions.
    ///
    /// Events that arise meanwhile wait, so that the machine is never entered twice.
    func process(_ event: RoomMachine.Event) {
        if !isHandlingEvents, machine.noteAttribute(event) { return }
        pendingEvents.append(event)
        guard !isHandlingEvents else { return }
        isHandlingEvents = true
        while !pendingEvents.isEmpty {
            let event = pendingEvents.removeFirst()
            noteStatuses()
            for action in machine.handle(event, at: clock.now()) { perform(action) }
        }
        isHandlingEvents = false
        if !machine.awaitsConnects { onConnectsSettled.take()?.resume() }
        updateRelays()
        reportProblems()
        schedule()
    }

    private func wake() {
        let now = clock.now()
        guard now >= nextKernelCheck else { return process(.tick) }
        nextKernelCheck = now.advanced(by: .seconds(5))
        if let radios = KernelRadio.all() {
            kernelRadios = radios
            process(.kernelLinks(radios.compactMapValues(\.links)))
        } else {
            process(.tick)
        }
    }

    private func schedule() {
        guard !isStopping || machine.awaitsConnects else { return }
        let now = clock.now()
        let next = machine.deadline(after: now).map { min($0, nextKernelCheck) } ?? nextKernelCheck
        timer?.fire(after: now.duration(to: next))
    }

    /// Feeds the time of the last status to the link watchdog. Read from the streams, so that a
    /// notification costs no message.
    private func noteStatuses() {
        for (attempt, stream) in connections.streams {
            if let instant = stream.lastStatusInstant {
                machine.noteArrival(.statusReceived(instant), of: attempt, at: instant)
            }
            if let instant = stream.lastUseInstant {
                machine.noteArrival(.useDetected(instant), of: attempt, at: instant)
            }
        }
    }

    private func perform(_ action: RoomMachine.Action) {
        switch action {
        case .powerUp(let adapter): powerUp(adapter)
        case .powerDown(let adapter, let reason):
            onAdapterReset(adapter.name, reason.rawValue)
            powerDown(adapter, reason)
        case .restartService(let adapter): restartService(for: adapter)
        case .startScan(let adapter, let requestedAt): startScan(adapter, requestedAt: requestedAt)
        case .stopScan(let adapter, let requestedAt):
            awaitAtShutdown(stopScan(adapter, requestedAt: requestedAt))
        case .claim(let serial): assignStation(to: serial)
        case .abandonClaim(let serial): abandonClaim(serial)
        case .noteRelease(let serial, let release):
            log.debug(release == nil ? "release ended" : "released", [("monitor", serial)])
        case .noteSleep(let serial, let idle):
            logger.logSleep(of: name(serial), serial, after: idle)
        case .publish(let serial, let status): publish(status, of: serial)
        case .link(.connect(let attempt)): connect(attempt)
        case .link(.disconnect(let attempt)): awaitAtShutdown(disconnect(attempt))
        case .link(.remove(let attempt)): remove(attempt)
        case .link(.readServices(let attempt)): readServices(attempt)
        case .link(.setUp(let attempt)): Task { await setUp(attempt) }
        case .link(.open(let attempt)): open(attempt)
        case .link(.close(let attempt, let reason)): close(attempt, reason)
        }
    }

    private func awaitAtShutdown(_ task: Task<Void, Never>) {
        if isStopping { shutdownCalls.append(task) }
    }

    private func assignStation(to serial: String) {
        guard case .any(_, let assign) = configuration.roster, let station = assign(serial) else {
            return process(.claimRefused(serial: serial))
        }
        connections.add(serial, at: station)
    }

    private func abandonClaim(_ serial: String) {
        logger.logAbandonedClaim(name(serial), serial)
        publish(LinkStatus(phase: .searching), of: serial)
        connections.remove(serial)
    }

    /// Returns the name of the monitor's erg, if it has one.
    func name(_ serial: String) -> String? { connections.station(of: serial)?.name }

    private func publish(_ status: LinkStatus, of serial: String) {
        guard let station = connections.station(of: serial) else { return }
        logger.logFailures(status, of: station.name, serial)
        station.executor.async { @Sendable in station.listener.linkDidUpdate(status) }
    }

    // MARK: - Problems

    func reportProblems() {
        guard machine.isServicePresent || service.problem != nil else { return }  // not known yet
        let problems = currentProblems()
        if logger.update(problems) { onProblems(problems) }
    }

    private func currentProblems() -> [RoomProblem] {
        if let problem = service.problem { return [problem] }
        return machine.radioProblems(at: clock.now()).map { problem in
            guard case .adapterOff(let name) = problem, RadioBlock.isBlocked(name) else {
                return problem
            }
            return .adapterBlocked(name: name)
        }
    }

    /// Returns the current state of the room.
    package func snapshot() -> RoomSnapshot {
        noteStatuses()
        let now = clock.now()
        let adapters = machine.radios.all
            .compactMap { adapter -> RoomSnapshot.Adapter? in
                guard let object = adapter.object else { return nil }
                let known = machine.tree.linkCount(onAdapter: object.path)
                return RoomSnapshot.Adapter(
                    address: adapter.address, name: object.name, isPowered: object.isPowered,
                    isDiscovering: object.isDiscovering,
                    linksUsed: machine.links(onAdapter: object.path),
                    linkLimit: adapter.slots.limit(at: now),
                    foreignLinks: adapter.kernelLinks.map { max(0, $0 - known) },
                    kernel: kernelRadios[adapter.address], powerCycles: adapter.powerCycles)
            }
        let monitors = machine.monitors.keys.sorted().map { serial in
            RoomSnapshot.Monitor(serial: serial, status: machine.status(of: serial, at: now))
        }
        return RoomSnapshot(
            isServicePresent: machine.isServicePresent,
            serviceRestarts: machine.serviceRestarts, isMonitorMissing: machine.isAnyMonitorMissing(at: now),
            adapters: adapters, monitors: monitors,
            problems: currentProblems(), sightings: machine.allSightings,
            relays: relays.map { relay in relay.assumeIsolated { $0.status } })
    }
}

extension RoomLink {
    /// Writes through the monitor's queue.
    func write(
        _ value: [UInt8], to id: CharacteristicID, of attempt: LinkAttempt
    ) async throws(LinkWriteError) {
        let serial = attempt.serial
        guard connections.isOpen(attempt) else { throw .linkDown }
        guard !connections.hasFullWriteQueue(serial) else { throw .tooManyWaiting(limit: WriteQueue.limit) }
        if !connections.tryBeginWrite(to: serial) {
            await withCheckedContinuation { connections.enqueueWrite($0, to: serial) }
        }
        defer { connections.endWrite(to: serial) }
        guard let client, connections.isOpen(attempt) else { throw .linkDown }
        guard let target = machine.tree.characteristics(of: attempt.path)[id] else {
            throw .noCharacteristic(id)
        }
        let value = id == .sampleRate ? sharedRate(value, of: attempt.serial) : value
        do throws(BusError) {
            try await client.write(value, to: target)
        } catch {
            throw .failed(error.description)
        }
    }
}
