import HostRuntime
import PM5Codec
import SDBus

/// A simulated bluetoothd whose radio hears simulated monitors, on a bus of the test's choice.
///
/// It behaves like bluez 5.82 as observed: the same errors, order of signals, delays and lifetimes
/// of objects. Everything runs on one queue, that of the bus connection.
package actor BlueZService: QueueActor {
    package nonisolated let executor: SerialQueueExecutor

    let log: SystemLog
    let timing: Timing
    let adapters: [AdapterObject]
    let radios: [MonitorRadio]
    var bus: BusConnection?
    /// How often bluetoothd stopped; the planned return after an earlier stop is void.
    var stopCount = 0
    /// Phones that have connected so far.
    var phoneCount = 0
    var generator: SeededGenerator
    var control: ControlSocket?
    private let busAddress: String?
    private let truth: TruthFile?
    private var delayed = EventSchedule<Double, DelayedAction>()
    private var lastAction = 0
    private var timer: QueueTimer?
    private let startNanoseconds = SystemClock.bootNanoseconds()
    private var onLost: (@Sendable (BusError) -> Void)?

    /// The speed of the simulation.
    package struct Timing: Sendable {
        /// Simulated seconds of rowing per second.
        package var rowingSpeed: Double
        /// Divides the delays of bluetoothd and of the radio.
        package var linkSpeed: Double

        package init(rowingSpeed: Double = 1, linkSpeed: Double = 1) {
            self.rowingSpeed = rowingSpeed
            self.linkSpeed = linkSpeed
        }
    }

    /// - Parameters:
    ///   - busAddress: nil for the system bus (`DBUS_SYSTEM_BUS_ADDRESS`).
    ///   - truth: receives the simulated strokes and results.
    package init(
        monitors: [any SimulatedMonitor], adapters: [AdapterPlan], timing: Timing, seed: UInt64,
        busAddress: String?, truth: TruthFile?,
        log: SystemLog = SystemLog(subsystem: "pm5sim")
    ) {
        executor = SerialQueueExecutor(label: "org.bluez")
        self.timing = timing
        self.busAddress = busAddress
        self.truth = truth
        self.log = log
        generator = SeededGenerator(seed: seed)
        radios = monitors.enumerated().map {
            MonitorRadio(number: $0.offset + 1, monitor: $0.element)
        }
        self.adapters = adapters.enumerated().map { index, plan in
            AdapterObject(
                name: plan.name,
                address: "B8:27:EB:00:00:" + GattLayout.digits(index + 1).suffix(2),
                linkLimit: plan.linkLimit)
        }
    }

    // MARK: - Start and stop

    /// Requests the name org.bluez and starts.
    ///
    /// - Parameter onLost: called on the queue, at most once, when the bus is lost.
    package func start(onLost: @escaping @Sendable (BusError) -> Void) async throws(BusError) {
        self.onLost = onLost
        timer = makeTimer { $0.advance() }
        for adapter in adapters { adapter.isPresent = true }
        try await connect()
        advance()
    }

    func connect() async throws(BusError) {
        let bus = BusConnection(on: executor)
        self.bus = bus
        try await bus.start(address: busAddress) { @Sendable [weak self] error in
            self?.assumeIsolated { $0.lost(error) }
        }
        try await bus.serve { @Sendable [weak self] invocation in
            self?.assumeIsolated { $0.answer(invocation) } ?? false
        }
        try await bus.match(
            "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg2=''"
        ) { @Sendable [weak self] message in
            let names = try? (message.readString(), message.readString())
            guard let name = names?.0 else { return }
            self?.assumeIsolated { $0.clientLeft(name) }
        }
        try await bus.requestName("org.bluez")
        // AutoEnable powers a real adapter a moment after it appears.
        for adapter in adapters where adapter.isPresent { powerOnSoon(adapter) }
    }

    /// Leaves the bus. Idempotent.
    package func stop() async {
        stopCount += 1
        onLost = nil
        for adapter in adapters {
            for device in adapter.devices.values where device.isConnected { cutLink(device) }
        }
        control?.close()
        control = nil
        timer?.cancel()
        timer = nil
        await bus?.stop()
        bus = nil
        truth?.close()
    }

    private func lost(_ error: BusError) {
        onLost?(error)
        onLost = nil
    }

    // MARK: - Time

    /// Seconds since the service was created.
    var seconds: Double {
        Double(SystemClock.bootNanoseconds() - startNanoseconds) / 1_000_000_000
    }

    /// Runs due actions, lets the monitors row, and sleeps until the next event.
    func advance() {
        while let (_, action) = delayed.popFirst(upTo: seconds) { action.run() }
        for radio in radios { catchUp(radio) }
        scheduleTimer()
    }

    /// Must also be called after a change to a monitor that may change its next event.
    func scheduleTimer() {
        let rowing = radios.map(\.monitor.nextMilliseconds).min() ?? .max
        var next = delayed.next ?? .infinity
        if rowing < .max { next = min(next, Double(rowing) / 1000 / timing.rowingSpeed) }
        guard next.isFinite else {
            timer?.stop()
            return
        }
        timer?.fire(after: .nanoseconds(Int64(max(next - seconds, 0) * 1_000_000_000)))
    }

    /// Runs an action after a delay of the radio or of bluetoothd.
    @discardableResult
    func after(_ delay: Double, _ action: @escaping () -> Void) -> DelayedAction {
        at(seconds + delay / timing.linkSpeed, action)
    }

    @discardableResult
    func at(_ time: Double, _ action: @escaping () -> Void) -> DelayedAction {
        defer { scheduleTimer() }
        lastAction += 1
        let delayed = DelayedAction(number: lastAction, run: action)
        self.delayed.add(delayed, at: time)
        return delayed
    }

    func cancel(_ action: DelayedAction?) { delayed.remove { $0.number == action?.number } }

    /// Returns a random delay within a range.
    func randomDelay(_ range: ClosedRange<Double>) -> Double { generator.uniform(range) }

    /// Waits for a turn on a resource that does one thing at a time, and uses it for `cost`
    /// seconds.
    func reserve(_ next: inout Double, cost: Double) -> Double {
        next = max(next, seconds) + cost / timing.linkSpeed
        return next
    }

    // MARK: - Rowing

    /// Advances a monitor to now before something is done to it.
    func catchUp(_ radio: MonitorRadio) {
        let now = Int(seconds * 1000 * timing.rowingSpeed)
        for output in radio.monitor.step(to: now) { handle(output, from: radio) }
    }

    private func handle(_ output: ErgOutput, from radio: MonitorRadio) {
        switch output {
        case .notification(let id, let bytes):
            if deliver(bytes, of: id, from: radio) {
                radio.counters.sent += 1
            } else if Self.isPartOfStroke(id, bytes) {
                radio.lostPartOfStroke = true
            }
        case .truth(var record):
            if record.kind == .stroke || record.kind == .unsentStroke {
                if radio.lostPartOfStroke { record.kind = .unsentStroke }
                radio.lostPartOfStroke = false
            }
            truth?.write(record.json(erg: radio.monitor.identity.serial))
        }
    }

    private static func isPartOfStroke(_ id: CharacteristicID, _ bytes: [UInt8]) -> Bool {
        let inner =
            id == .multiplexed ? CharacteristicID(rawValue: UInt16(bytes.first ?? 0)) : id
        return inner == .strokeData || inner == .additionalStrokeData
    }

    /// Whether everything that was to be rowed or replayed has been sent.
    package var isDone: Bool { radios.allSatisfy(\.monitor.isDone) }
}
