import Contract
import HostRuntime
import PM5Codec
import PM5Simulator
import Rowing
import TestSupport
import Timeline

@testable import BlueZLink

/// A place in a simulated room: the monitor that stands there, who rows on it, and its link to the
/// gateway.
final class SteppedErg: @unchecked Sendable {  // of the loop's thread alone
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
    /// The queue of the gateway's links, and the seat that it gives this monitor once it is heard;
    /// nil while no gateway runs.
    private var room: (queue: SerialQueueExecutor, seat: () -> StationSeat?)?
    /// Where values go; nil while no gateway has heard of it.
    private var seat: StationSeat?
    /// Lent to somebody else.
    private var loan: Loan?
    /// Who sits here, as far as the gateway has confirmed it.
    private var seating = Seating.known(nil)
    private(set) var openSince: BootInstant?
    private(set) var connects = 0
    /// No link can be made.
    var isOutOfReach = false
    /// Linked, and nothing arrives.
    private(set) var isSilent = false
    /// How many of the next values are lost on the air.
    private var losses = 0
    /// Until when it is too busy to send what it sends by its clock.
    private var starvedUntil = BootInstant(nanoseconds: 0)
    private static let timed: Set<CharacteristicID> = [
        .generalStatus, .additionalStatus1, .additionalStatus2, .additionalStatus3,
    ]
    /// Since when whatever is sent arrives; nil while it does not.
    private var clearSince: BootInstant?
    private(set) var truth = RowedStrokes()
    /// Gets each value that reaches the gateway.
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

    /// Somebody comes and rows `script`, again and again unless they do not.
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

    /// Who rows does something else than planned.
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

    /// Rows on up to now, and lets the gateway hear what reaches it.
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
                truth.take(
                    record, powerCycle: powerCycles, clear: clear, at: now, seating: seating)
            }
        }
        if clearSince == nil, openSince != nil, !isSilent, losses == 0 { clearSince = now }
        guard let seat, openSince != nil, !isSilent, !values.isEmpty else { return }
        let heard = values
        for (id, bytes) in heard { onValue(id, bytes, now) }
        seat.executor.async {
            for (id, bytes) in heard {
                bytes.withUnsafeBytes { seat.listener.linkDidReceive(id, $0, at: now) }
            }
        }
    }

    /// Another one sits here, or nobody knows who; of what was rowed since `moment` nobody knows.
    func changeSeating(to seating: Seating, since moment: BootInstant) {
        advance()
        if seating == .unknown { truth.forgetSeating(since: moment) }
        self.seating = seating
    }

    // MARK: - The link

    /// From now on a gateway listens here.
    func attend(on queue: SerialQueueExecutor, _ seat: @escaping () -> StationSeat?) {
        room = (queue, seat)
        connectSoon()
    }

    /// The gateway is gone; a killed one hears nothing any more.
    func leave(killed: Bool) {
        close(.ours)
        (room, seat, loan) = (nil, nil, nil)
        if killed { truth.forgetHeard(since: machine.now().advanced(by: .seconds(-6))) }
    }

    private func connectSoon() {
        let delay = Duration.milliseconds(Int64(1000 + machine.random() % 3000))
        connecting = machine.makeTimer(on: air) { [self] in connect() }
        connecting?.schedule(after: delay, every: nil)
    }

    private func connect() {
        guard let room, erg != nil, openSince == nil, !isOutOfReach, loan == nil else { return }
        guard let seat else {
            return room.queue.async { [self] in
                seat = self.room?.seat()
                if seat != nil { air.async { [self] in connect() } }
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
        seat.executor.async { [self] in
            seat.listener.linkDidUpdate(status)
            seat.listener.linkDidOpen(identity, through: SteppedLink(erg: self), at: now)
        }
        wake()
    }

    /// The link ends, and is made again soon, if it can be.
    func close(_ reason: LinkClosure) {
        guard openSince != nil else { return }
        advance()
        (openSince, clearSince) = (nil, nil)
        erg?.setConnected(false)
        let (now, status) = (machine.now(), status)
        if let seat {
            seat.executor.async {
                seat.listener.linkDidClose(reason, at: now)
                seat.listener.linkDidUpdate(status)
            }
        }
        connectSoon()
        wake()
    }

    /// The radio fails for a moment, and the link stands.
    func lose(_ count: Int) {
        advance()
        losses = count
    }

    /// It sends strokes and splits, and no status.
    func starve(for duration: Duration) {
        advance()
        starvedUntil = machine.now().advanced(by: duration)
    }

    /// Nothing arrives for a while; after 12 s the gateway's room link gives the link up.
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

    /// Rows with so much of their own speed from now on.
    func row(at effort: Double) { erg?.give(effort, withinMilliseconds: 0) }

    func setBattery(percent: Double) { erg?.setBattery(percent: percent) }

    /// The monitor sends what no monitor should.
    func send(_ bytes: [UInt8], as id: CharacteristicID) {
        guard let seat, openSince != nil else { return }
        let now = machine.now()
        seat.executor.async {
            bytes.withUnsafeBytes { seat.listener.linkDidReceive(id, $0, at: now) }
        }
    }

    /// The gateway lets go of it for `duration`; nil for not before it is taken back.
    func lend(for duration: Duration?) {
        let now = machine.now()
        let new = Loan(until: duration.map { now.advanced(by: $0) })
        loan = new
        close(.ours)
        update()
        guard let duration else { return }
        let end = machine.makeTimer(on: air) { [self] in if loan == new { takeBack() } }
        end.schedule(after: duration, every: nil)
    }

    func takeBack() {
        loan = nil
        update()
        connectSoon()
    }

    private func update() {
        guard let seat else { return }
        let status = status
        seat.executor.async { seat.listener.linkDidUpdate(status) }
    }

    /// The reach is back.
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

    fileprivate func take(_ value: [UInt8], _ id: CharacteristicID) throws(LinkWriteError) {
        guard openSince != nil else { throw .linkDown }
        advance()
        erg?.write(value, to: id)
        wake()
    }
}

/// The way to a simulated monitor.
private struct SteppedLink: ErgLink {
    let erg: SteppedErg

    func write(_ value: [UInt8], to characteristic: CharacteristicID) async throws {
        try erg.take(value, characteristic)
    }
}

/// A room of simulated ergs, as one run of a gateway has it.
final class SteppedRoom: RoomPort, @unchecked Sendable {  // of the loop's thread alone
    let executor: SerialQueueExecutor
    private let ergs: [SteppedErg]
    private let roster: Roster

    init(_ ergs: [SteppedErg], _ roster: Roster, on runtime: any Runtime) {
        (self.ergs, self.roster) = (ergs, roster)
        executor = runtime.makeQueue(label: "rowgate.bus")
    }

    func start() async {
        for erg in ergs { erg.attend(on: executor) { [roster] in roster.seat(of: erg.serial) } }
    }

    func stop() async { for erg in ergs { erg.leave(killed: false) } }

    func release(_ serial: String, for duration: Duration?) async -> Bool {
        change(serial) { $0.lend(for: duration) }
    }

    func reclaim(_ serial: String) async -> Bool { change(serial) { $0.takeBack() } }

    private func change(_ serial: String, _ body: (SteppedErg) -> Void) -> Bool {
        guard let erg = ergs.first(where: { $0.serial == serial }) else { return false }
        body(erg)
        return true
    }

    func snapshot() async -> RoomSnapshot {
        RoomSnapshot(
            isServicePresent: true, serviceRestarts: 0, isSeeking: false,
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
            problems: [], sightings: [])
    }
}

extension Roster {
    fileprivate func seat(of serial: String) -> StationSeat? {
        switch self {
        case .listed(let seats): seats[serial]
        case .any(_, let seat): seat(serial)
        }
    }
}
