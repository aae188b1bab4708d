import Contract
import HostRuntime
import PM5Codec
import PM5Simulator
import Rowing
import TestSupport
import Timeline

@testable import BlueZLink

/// A simulated erg: its monitor, its rower, and its link to the gateway.
final class SteppedErg: @unchecked Sendable {  // used only on the loop's thread
    let serial: String
    private let generation: MonitorGeneration
    private let machine: SteppedRuntime
    private let air: SerialQueueExecutor
    /// nil while it is off.
    private(set) var erg: SimulatedErg?
    private var switchedOn = BootInstant(nanoseconds: 0)
    private var powerCycles = 0
    private var timer: (any QueueLoopTimer)?
    private var connecting: (any QueueLoopTimer)?
    /// The queue of the gateway's links, and the function that returns this monitor's endpoint; nil while no
    /// gateway runs.
    private var room: (queue: SerialQueueExecutor, endpoint: () -> StationEndpoint?)?
    /// The receiver of values; nil while no gateway knows this monitor.
    private var endpoint: StationEndpoint?
    /// The current release; nil for none.
    private var loan: MonitorRelease?
    /// The assigned athlete, as confirmed by the gateway.
    private var assignment = RowerAssignment.known(nil)
    private(set) var openSince: BootInstant?
    private(set) var connects = 0
    /// Whether no link can be made.
    var isOutOfReach = false
    /// Whether the link is open but delivers nothing.
    private(set) var isSilent = false
    /// How many of the next values are lost.
    private var losses = 0
    /// Until then the monitor sends no periodic status.
    private var starvedUntil = BootInstant(nanoseconds: 0)
    private static let timed: Set<CharacteristicID> = [
        .generalStatus, .additionalStatus1, .additionalStatus2, .additionalStatus3,
    ]
    /// Since when every sent value is received; nil while values are lost.
    private var clearSince: BootInstant?
    private(set) var truth = SimulatedStrokes()
    /// Called with each value that reaches the gateway.
    var onValue: (CharacteristicID, [UInt8], BootInstant) -> Void = { _, _, _ in }

    init(serial: String, generation: MonitorGeneration, on machine: SteppedRuntime) {
        self.serial = serial
        self.generation = generation
        self.machine = machine
        air = machine.makeQueue(label: "air \(serial)")
    }

    var isOn: Bool { erg != nil }
    var isLinked: Bool { openSince != nil }

    // MARK: - The monitor

    /// Switches the monitor on and rows `script`, repeatedly if `repeats`.
    func switchOn(_ script: String, seed: UInt64, repeats: Bool = true) throws {
        guard erg == nil else { return }
        powerCycles += 1
        switchedOn = machine.now()
        erg = SimulatedErg(
            SimulatedIdentity(serial: serial, generation: generation),
            script: try WorkoutScript(parsing: script),
            calendar: MonitorCalendar(minutesAtStart: 29_700_000), seed: seed,
            repeats: repeats)
        timer = machine.makeTimer(on: air) { [self] in
            advance()
            wake()
        }
        connectSoon()
        wake()
    }

    /// Changes the rower's behaviour.
    func change(_ body: (inout SimulatedErg) -> Void) {
        advance()
        if var changed = erg {
            body(&changed)
            erg = changed
        }
        wake()
    }

    func switchOff() {
        close(.lost)
        erg = nil
        timer?.schedule(after: nil, every: nil)
        timer = nil
    }

    private var ergTime: Int {
        Int(switchedOn.duration(to: machine.now()) / .milliseconds(1))
    }

    private func wake() {
        guard let erg, erg.nextMilliseconds < .max else { return }
        timer?.schedule(
            after: .milliseconds(max(1, erg.nextMilliseconds - ergTime)), every: nil)
    }

    /// Simulates the erg up to now, and delivers its values to the gateway.
    private func advance() {
        guard let outputs = erg?.step(to: ergTime) else { return }
        let now = machine.now()
        if losses > 0 { clearSince = nil }
        let clear = clearSince.map { $0.duration(to: now) } ?? .zero
        var values: [(CharacteristicID, [UInt8])] = []
        for output in outputs {
            switch output {
            case .notification(let id, _) where Self.timed.contains(id) && now < starvedUntil:
                continue
            case .notification where losses > 0: losses -= 1
            case .notification(let id, let bytes): values.append((id, bytes))
            case .truth(let record):
                truth.add(
                    record, powerCycle: powerCycles, clear: clear, at: now, assignment: assignment)
            }
        }
        if clearSince == nil, openSince != nil, !isSilent, losses == 0 { clearSince = now }
        guard let endpoint, openSince != nil, !isSilent, !values.isEmpty else { return }
        let received = values
        for (id, bytes) in received { onValue(id, bytes, now) }
        endpoint.executor.async {
            for (id, bytes) in received {
                bytes.withUnsafeBytes { endpoint.listener.linkDidReceive(id, $0, at: now) }
            }
        }
    }

    /// Changes the assigned athlete. If unknown, this applies to the strokes since `moment`.
    func changeAssignment(to assignment: RowerAssignment, since moment: BootInstant) {
        advance()
        if assignment == .unknown { truth.markAssignmentUnknown(since: moment) }
        self.assignment = assignment
    }

    // MARK: - The link

    /// Connects to a gateway that has started.
    func attend(on queue: SerialQueueExecutor, _ endpoint: @escaping () -> StationEndpoint?) {
        room = (queue, endpoint)
        connectSoon()
    }

    /// Disconnects from a gateway that has ended. A killed one loses the last values.
    func leave(killed: Bool) {
        close(.ours)
        (room, endpoint, loan) = (nil, nil, nil)
        if killed { truth.markUnreceived(since: machine.now().advanced(by: .seconds(-6))) }
    }

    private func connectSoon() {
        let delay = Duration.milliseconds(Int64(1000 + machine.random() % 3000))
        connecting = machine.makeTimer(on: air) { [self] in connect() }
        connecting?.schedule(after: delay, every: nil)
    }

    private func connect() {
        guard let room, erg != nil, openSince == nil, !isOutOfReach, loan == nil else { return }
        guard let endpoint else {
            return room.queue.async { [self] in
                endpoint = self.room?.endpoint()
                if endpoint != nil { air.async { [self] in connect() } }
            }
        }
        advance()
        erg?.setConnected(true)
        for id in generation.notifying where id != .multiplexed {
            erg?.setSubscribed(true, to: id)
        }
        let now = machine.now()
        (openSince, clearSince) = (now, isSilent ? nil : now)
        connects += 1
        var monitor = Rowing.MonitorIdentity(
            serial: serial, address: "F4:\(serial.suffix(2))", adapter: "hci0")
        monitor.machineType = .modelD
        monitor.notifying = generation.notifying.filter { $0 != .multiplexed }
        let (identity, status) = (monitor, status)
        endpoint.executor.async { [self] in
            endpoint.listener.linkDidUpdate(status)
            endpoint.listener.linkDidOpen(identity, through: SteppedLink(erg: self), at: now)
        }
        wake()
    }

    /// Ends the link; a new one follows soon if possible.
    func close(_ reason: LinkClosure) {
        guard openSince != nil else { return }
        advance()
        (openSince, clearSince) = (nil, nil)
        erg?.setConnected(false)
        let (now, status) = (machine.now(), status)
        if let endpoint {
            endpoint.executor.async {
                endpoint.listener.linkDidClose(reason, at: now)
                endpoint.listener.linkDidUpdate(status)
            }
        }
        connectSoon()
        wake()
    }

    /// Loses the next `count` values; the link stays.
    func lose(_ count: Int) {
        advance()
        losses = count
    }

    /// Sends strokes and splits without a status for a while.
    func starve(for duration: Duration) {
        advance()
        starvedUntil = machine.now().advanced(by: duration)
    }

    /// Delivers nothing for a while. After 12 s without values, the link ends as silent.
    func fallSilent(for duration: Duration) {
        guard !isSilent else { return }
        advance()
        isSilent = true
        clearSince = nil
        let end = machine.makeTimer(on: air) { [self] in
            advance()
            isSilent = false
            if openSince != nil { clearSince = machine.now() }
        }
        end.schedule(after: duration, every: nil)
        let watchdog = machine.makeTimer(on: air) { [self] in if isSilent { close(.silent) } }
        watchdog.schedule(after: .seconds(12), every: nil)
    }

    /// Rows with `effort` times the usual speed from now on.
    func row(at effort: Double) { erg?.fade(to: effort, withinMilliseconds: 0) }

    func setBattery(percent: Double) { erg?.setBattery(percent: percent) }

    /// Sends an arbitrary value.
    func send(_ bytes: [UInt8], as id: CharacteristicID) {
        guard let endpoint, openSince != nil else { return }
        let now = machine.now()
        endpoint.executor.async {
            bytes.withUnsafeBytes { endpoint.listener.linkDidReceive(id, $0, at: now) }
        }
    }

    /// Releases the monitor for `duration`; nil for until `reclaim`.
    func release(for duration: Duration?) {
        let now = machine.now()
        let new = MonitorRelease(until: duration.map { now.advanced(by: $0) })
        loan = new
        close(.ours)
        update()
        guard let duration else { return }
        let end = machine.makeTimer(on: air) { [self] in if loan == new { reclaim() } }
        end.schedule(after: duration, every: nil)
    }

    func reclaim() {
        loan = nil
        update()
        connectSoon()
    }

    private func update() {
        guard let endpoint else { return }
        let status = status
        endpoint.executor.async { endpoint.listener.linkDidUpdate(status) }
    }

    /// Ends the time out of reach.
    func comeBack() {
        isOutOfReach = false
        connectSoon()
    }

    var status: LinkStatus {
        var status = LinkStatus(
            phase: openSince != nil ? .streaming : loan.map(LinkPhase.released) ?? .searching)
        status.connects = connects
        status.adapter = openSince == nil ? nil : "hci0"
        status.rssi = -60
        return status
    }

    fileprivate func write(_ value: [UInt8], _ id: CharacteristicID) throws(LinkWriteError) {
        guard openSince != nil else { throw .linkDown }
        advance()
        erg?.write(value, to: id)
        wake()
    }
}

/// The link to a simulated monitor.
private struct SteppedLink: ErgLink {
    let erg: SteppedErg

    func write(_ value: [UInt8], to characteristic: CharacteristicID) async throws {
        try erg.write(value, characteristic)
    }
}

/// A room of simulated ergs for one run of a gateway.
final class SteppedRoom: RoomPort, @unchecked Sendable {  // used only on the loop's thread
    let executor: SerialQueueExecutor
    private let ergs: [SteppedErg]
    private let roster: Roster
    private var relays: [RelayStatus]

    /// - Parameter relays: as the configuration begins with them.
    init(
        _ ergs: [SteppedErg], _ roster: Roster, relays: [RelayConfiguration] = [], on runtime: any Runtime
    ) {
        (self.ergs, self.roster) = (ergs, roster)
        self.relays = relays.map { Self.relay($0.adapter.description, of: $0.serial) }
        executor = runtime.makeQueue(label: "rowgate.bus")
    }

    func start() async {
        for erg in ergs { erg.attend(on: executor) { [roster] in roster.endpoint(of: erg.serial) } }
    }

    func stop() async { for erg in ergs { erg.leave(killed: false) } }

    func release(_ serial: String, for duration: Duration?) async -> Bool {
        change(serial) { $0.release(for: duration) }
    }

    func reclaim(_ serial: String) async -> Bool { change(serial) { $0.reclaim() } }

    func moveRelay(to serial: String?, adapter: String) async -> Bool {
        guard let index = relays.firstIndex(where: { $0.adapter == adapter }) else { return false }
        for (other, relay) in relays.enumerated() where relay.serial == serial {
            relays[other] = Self.relay(relay.adapter, of: nil)
        }
        relays[index] = Self.relay(adapter, of: serial)
        return true
    }

    /// A phone connects to the relay with this adapter.
    func connectPhone(to adapter: String) {
        guard let index = relays.firstIndex(where: { $0.adapter == adapter }) else { return }
        relays[index] = RelayStatus(
            adapter: adapter, serial: relays[index].serial, state: .connected, problem: nil)
    }

    private static func relay(_ adapter: String, of serial: String?) -> RelayStatus {
        RelayStatus(
            adapter: adapter, serial: serial, state: serial == nil ? .waitingForMonitor : .advertising,
            problem: nil)
    }

    private func change(_ serial: String, _ body: (SteppedErg) -> Void) -> Bool {
        guard let erg = ergs.first(where: { $0.serial == serial }) else { return false }
        body(erg)
        return true
    }

    func snapshot() async -> RoomSnapshot {
        RoomSnapshot(
            isServicePresent: true, serviceRestarts: 0, isMonitorMissing: false,
            adapters: [
                .init(
                    address: "B8:27:EB:00:00:01", name: "hci0",
                    isPowered: !ergs.allSatisfy(\.isOutOfReach),
                    isDiscovering: false, linksUsed: ergs.count(where: \.isLinked), linkLimit: 8,
                    foreignLinks: nil, kernel: nil, powerCycles: 0)
            ],
            monitors: ergs.map {
                .init(serial: $0.serial, status: $0.status)
            },
            problems: [], sightings: [], relays: relays)
    }
}

extension Roster {
    fileprivate func endpoint(of serial: String) -> StationEndpoint? {
        switch self {
        case .listed(let endpoints): endpoints[serial]
        case .any(_, let endpoint): endpoint(serial)
        }
    }
}
