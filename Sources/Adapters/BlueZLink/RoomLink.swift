import HostRuntime
import PM5Codec
import Rowing
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

    /// The connection of one monitor to its station.
    struct Line {
        let seat: StationSeat
        var lane = WriteLane()
        /// The attempt that is being prepared, and what is ready.
        var preparation: LinkPreparation?
        /// The open link.
        var stream: NotificationStream?
        var streamAttempt: LinkAttempt?
        /// The firmware version that the last link read.
        var firmware: String?
        /// Characteristics of the open link whose values arrive as signals, by path.
        var signalled: [String: CharacteristicID] = [:]
    }

    let configuration: RoomLinkConfiguration
    let clock: any Clock
    let log: SystemLog
    private let onProblems: @Sendable ([RoomProblem]) -> Void
    private let onAdapterReset: @Sendable (_ name: String, _ reason: String) -> Void
    /// Waits for the values of all links.
    let sockets = ReadinessThread()
    var machine: RoomMachine
    /// nil without a bus.
    var client: BlueZClient?
    /// By serial number.
    var lines: [String: Line] = [:]
    /// Why there is no bus or no bluetoothd.
    var serviceProblem: RoomProblem?
    /// When the stop began.
    private(set) var stopBegun: BootInstant?
    var isSeekingService = false
    var nextServiceTry = ServiceRetry()
    var words: RoomLines
    private var timer: QueueTimer?
    private var nextKernelLook: BootInstant
    /// By adapter address, as of the last check; empty if the kernel does not report them.
    private var kernelRadios: [String: KernelRadio] = [:]
    private var inbox: [RoomMachine.Event] = []
    private var isDraining = false
    /// Calls that must be answered before the bus is closed.
    private var farewells: [Task<Void, Never>] = []
    /// A stop that waits for Connects which may still be answered.
    private var onConnectsSettled: CheckedContinuation<Void, Never>?

    /// - Parameters:
    ///   - executor: the bus queue.
    ///   - onProblems: called on the bus queue whenever the set of problems changes.
    ///   - onAdapterReset: called on the bus queue when an adapter is power-cycled, with the reason
    ///     in words.
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
        words = RoomLines(log)
        nextKernelLook = clock.now()
        self.onProblems = onProblems
        self.onAdapterReset = onAdapterReset
        if case .listed(let seats) = configuration.roster {
            lines = seats.mapValues { Line(seat: $0) }
        }
        machine = RoomMachine(
            rules: configuration.rules, seed: configuration.seed, at: clock.now())
    }

    // MARK: - Life

    /// Starts; returns at once, whatever is missing.
    package func start() {
        guard timer == nil, !isStopping else { return }
        timer = makeTimer { $0.wake() }
        take(.tick)
        Task { await openBus() }
    }

    var isStopping: Bool { stopBegun != nil }

    /// Ends all our links and scans, then closes the bus. Calls that take longer than
    /// `farewellTimeout` are not awaited.
    package func stop() async {
        guard !isStopping else { return }
        stopBegun = clock.now()
        take(.stop)
        if machine.awaitsConnects {
            await withCheckedContinuation { onConnectsSettled = $0 }
        }
        timer?.cancel()
        for farewell in farewells { await farewell.value }
        sockets.stop()
        let left = client
        client = nil
        await left?.bus.stop()
    }

    /// Lends a monitor to another central, for `duration` or until `reclaim`. A second release
    /// replaces the first.
    ///
    /// The station is notified at once that the link is closed. bluetoothd needs another 2 s to end
    /// it; then the monitor advertises. Meanwhile rowgate neither scans for it nor connects to it.
    /// Loans are stored in memory only: after a restart rowgate looks for the monitor again. A
    /// monitor that a phone holds cannot be taken, because it does not advertise.
    ///
    /// - Returns: false for a monitor that does not belong to this room.
    package func release(_ serial: String, for duration: Duration? = nil) -> Bool {
        guard machine.monitors[serial] != nil else { return false }
        take(.release(serial: serial, until: duration.map { clock.now().advanced(by: $0) }))
        return true
    }

    /// Ends a loan: the monitor is connected as soon as it advertises. Does nothing for a monitor
    /// that is not lent.
    ///
    /// - Returns: false for a monitor that does not belong to this room.
    package func reclaim(_ serial: String) -> Bool {
        guard machine.monitors[serial] != nil else { return false }
        take(.reclaim(serial: serial))
        return true
    }

    // MARK: - Events and actions

    /// Passes an event to the machine and executes its actions.
    ///
    /// Events that arise meanwhile wait, so that the machine is never entered twice.
    func take(_ event: RoomMachine.Event) {
        if !isDraining, machine.noteAttribute(event) { return }
        inbox.append(event)
        guard !isDraining else { return }
        isDraining = true
        while !inbox.isEmpty {
            let event = inbox.removeFirst()
            noteStatuses()
            for action in machine.handle(event, at: clock.now()) { perform(action) }
        }
        isDraining = false
        if !machine.awaitsConnects { onConnectsSettled.take()?.resume() }
        reportProblems()
        schedule()
    }

    private func wake() {
        let now = clock.now()
        guard now >= nextKernelLook else { return take(.tick) }
        nextKernelLook = now.advanced(by: .seconds(5))
        if let radios = KernelRadio.all() {
            kernelRadios = radios
            take(.kernelLinks(radios.compactMapValues(\.links)))
        } else {
            take(.tick)
        }
    }

    private func schedule() {
        guard !isStopping || machine.awaitsConnects else { return }
        let now = clock.now()
        let next = machine.deadline(after: now).map { min($0, nextKernelLook) } ?? nextKernelLook
        timer?.fire(after: now.duration(to: next))
    }

    /// Feeds the time of the last status to the link watchdog. Read from the streams, so that a
    /// notification costs no message.
    private func noteStatuses() {
        for line in lines.values {
            guard let attempt = line.streamAttempt, let stream = line.stream else { continue }
            if let instant = stream.lastStatusInstant {
                machine.noteArrival(.heardStatus(instant), of: attempt, at: instant)
            }
            if let instant = stream.lastUseInstant {
                machine.noteArrival(.heardUse(instant), of: attempt, at: instant)
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
        case .startScan(let adapter, let asked): startScan(adapter, asked: asked)
        case .stopScan(let adapter, let asked):
            keepForFarewell(stopScan(adapter, asked: asked))
        case .claim(let serial): seat(serial)
        case .abandonClaim(let serial): unseat(serial)
        case .noteLoan(let serial, let loan):
            log.debug(loan == nil ? "no longer lent" : "lent", [("monitor", serial)])
        case .noteSleep(let serial, let idle):
            words.noteSleep(of: name(serial), serial, after: idle)
        case .publish(let serial, let status): publish(status, of: serial)
        case .link(.connect(let attempt)): connect(attempt)
        case .link(.disconnect(let attempt)): keepForFarewell(disconnect(attempt))
        case .link(.remove(let attempt)): remove(attempt)
        case .link(.readServices(let attempt)): readServices(attempt)
        case .link(.setUp(let attempt)): Task { await setUp(attempt) }
        case .link(.open(let attempt)): open(attempt)
        case .link(.close(let attempt, let reason)): close(attempt, reason)
        }
    }

    private func keepForFarewell(_ task: Task<Void, Never>) {
        if isStopping { farewells.append(task) }
    }

    private func seat(_ serial: String) {
        guard case .any(_, let seat) = configuration.roster, let seat = seat(serial) else {
            return take(.claimRefused(serial: serial))
        }
        lines[serial] = Line(seat: seat)
    }

    private func unseat(_ serial: String) {
        words.noteUnseated(name(serial), serial)
        publish(LinkStatus(phase: .searching), of: serial)
        lines[serial] = nil
    }

    /// Returns the name of the monitor's erg, if it has one.
    func name(_ serial: String) -> String? { lines[serial]?.seat.name }

    private func publish(_ status: LinkStatus, of serial: String) {
        guard let seat = lines[serial]?.seat else { return }
        words.noteFailures(status, of: seat.name, serial)
        seat.executor.async { @Sendable in seat.listener.linkDidUpdate(status) }
    }

    // MARK: - Problems

    func reportProblems() {
        guard machine.isServicePresent || serviceProblem != nil else { return }  // not known yet
        let problems = currentProblems()
        if words.note(problems) { onProblems(problems) }
    }

    private func currentProblems() -> [RoomProblem] {
        if let serviceProblem { return [serviceProblem] }
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
        let adapters = machine.adapters.values
            .sorted { $0.address < $1.address }
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
            serviceRestarts: machine.serviceRestarts, isSeeking: machine.isAnyoneSought(at: now),
            adapters: adapters, monitors: monitors,
            problems: currentProblems(), sightings: machine.allSightings)
    }
}
