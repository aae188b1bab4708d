import Rowing
import SDBus
import TestSupport

@testable import BlueZLink

/// A bluetoothd and its radio in stepped time, for the room machine alone.
///
/// Delays are those measured with bluez 5.82. It checks what no plan may do, whatever the fault:
/// two connects at once on one adapter, or a scan during a connect.
struct SteppedWorld {
    struct Monitor {
        var isOn = true
        var isHanging = false
        /// Somebody rows, a stroke every two seconds.
        var isRowedOn = false
        /// The next connects that fail at once.
        var aborts = 0
        /// Adapter path of its link.
        var link: String?
        var isStreaming = false
        var openings = 0
        var closures: [LinkClosure] = []
    }

    struct Adapter {
        let address: String
        var slots: Int
        var isScanning = false
        /// Answers nothing until it is switched off.
        var isFrozen = false
        /// Does not thaw by that.
        var isBroken = false
        /// The connect under way.
        var pending: LinkAttempt?
    }

    enum Happening {
        case tell(RoomMachine.Event)
        case hear(adapter: String)
        case connect(LinkAttempt)
        case unreachable(LinkAttempt)
        case unlink(serial: String)
        case readServices(LinkAttempt)
        case change(serial: String, isOn: Bool)
    }

    var room: RoomMachine
    private(set) var now = BootInstant(nanoseconds: 1_000_000_000_000)
    /// By path.
    private(set) var adapters: [String: Adapter] = [:]
    /// By serial number.
    var monitors: [String: Monitor] = [:]
    private(set) var violations: [String] = []
    private(set) var scans = 0
    /// What was done about radios that did not answer.
    private(set) var steps: [String] = []
    private(set) var statuses: [String: LinkStatus] = [:]
    private var objects: BusObjectTree = [:]
    private var agenda: [(at: BootInstant, order: Int, Happening)] = []
    private var order = 0

    init(
        ergs: Int, adapters: [(String, Int)], slotsPerAdapter: Int? = nil, seed: UInt64 = 1,
        guests: RoomRules.Guests? = nil, wanted: [String] = [], idleRelease: IdleRelease? = nil
    ) {
        let serials = (1...ergs).map { "43000000\($0)" }
        var rules = RoomRules(guests: guests ?? .listed(Set(serials)))
        rules.adapters = Set(wanted)
        rules.slotsPerAdapter = slotsPerAdapter
        rules.mayRestartService = true
        rules.idleRelease = idleRelease
        room = RoomMachine(rules: rules, seed: seed, at: now)
        for serial in serials { monitors[serial] = Monitor() }
        for (index, adapter) in adapters.enumerated() {
            plugIn("/org/bluez/\(adapter.0)", address: "B8:27:EB:00:00:0\(index)", adapter.1)
        }
    }

    // MARK: - The world changes

    mutating func begin() { tell(.serviceFound(objects)) }

    mutating func plugIn(_ path: String, address: String, _ slots: Int) {
        adapters[path] = Adapter(address: address, slots: slots)
        let interfaces: BusInterfaces = [
            BlueZName.adapter: [
                "Address": .string(address), "Powered": .boolean(true),
                "Discovering": .boolean(false),
            ]
        ]
        objects[path] = interfaces
        tell(.added(path: path, interfaces))
    }

    mutating func unplug(_ path: String) {
        adapters[path] = nil
        for (serial, monitor) in monitors where monitor.link == path {
            monitors[serial]?.link = nil
        }
        for device in objects.keys.filter({ $0.hasPrefix(path + "/") }) {
            objects[device] = nil
            tell(.removed(path: device, interfaces: [BlueZName.device]))
        }
        objects[path] = nil
        tell(.removed(path: path, interfaces: [BlueZName.adapter]))
    }

    /// The link ends and the monitor advertises again, or not.
    mutating func cut(_ serial: String, staysOn: Bool = true) {
        monitors[serial]?.isOn = staysOn
        unlink(serial)
    }

    mutating func switchOn(_ serial: String, after delay: Duration) {
        plan(.change(serial: serial, isOn: true), delay)
    }

    mutating func restartService() {
        for serial in monitors.keys { monitors[serial]?.link = nil }
        for path in adapters.keys {
            adapters[path]?.isScanning = false
            adapters[path]?.pending = nil
        }
        objects = objects.filter { adapters[$0.key] != nil }
        agenda = agenda.filter { if case .change = $0.2 { true } else { false } }
        tell(.serviceLost)
        plan(.tell(.serviceFound(objects)), .seconds(4))
    }

    // MARK: - Time

    /// Lets `duration` pass, waking the room when it wants to be woken.
    mutating func run(for duration: Duration) {
        let end = now.advanced(by: duration)
        while true {
            let wake = room.deadline(after: now) ?? end
            let next = agenda.map(\.at).min() ?? end
            let step = min(wake, next, end, now.advanced(by: .milliseconds(500)))
            now = step
            noteStatuses()
            if let index = agenda.indices.filter({ agenda[$0].at <= now })
                .min(by: { (agenda[$0].at, agenda[$0].order) < (agenda[$1].at, agenda[$1].order) })
            {
                happen(agenda.remove(at: index).2)
            } else {
                tell(.tick)
            }
            if now >= end { return }
        }
    }

    /// Whether `condition` came true within `duration`.
    mutating func run(upTo duration: Duration, until condition: (Self) -> Bool) -> Bool {
        let end = now.advanced(by: duration)
        while now < end {
            if condition(self) { return true }
            run(for: .milliseconds(250))
        }
        return condition(self)
    }

    var isScanning: Bool { adapters.values.contains(where: \.isScanning) }
    var streaming: Int { monitors.values.count(where: \.isStreaming) }

    mutating func tell(_ event: RoomMachine.Event) {
        for action in room.handle(event, at: now) { carryOut(action) }
    }

    private mutating func plan(_ happening: Happening, _ delay: Duration) {
        order += 1
        agenda.append((now.advanced(by: delay), order, happening))
    }

    private mutating func noteStatuses() {
        for (serial, monitor) in monitors where monitor.isStreaming && !monitor.isHanging {
            if let attempt = room.monitors[serial]?.attempt, monitor.link != nil {
                room.noteStatus(of: attempt, at: now)
                if monitor.isRowedOn { room.noteStroke(of: attempt, at: now) }
            }
        }
    }

    mutating func freeze(_ path: String, forGood: Bool = false) {
        adapters[path]?.isFrozen = true
        adapters[path]?.isBroken = forGood
    }

    // MARK: - What BlueZ does

    private mutating func carryOut(_ action: RoomMachine.Action) {
        switch action {
        case .startScan(let adapter) where adapters[adapter.path]?.isFrozen == true: break
        case .stopScan(let adapter) where adapters[adapter.path]?.isFrozen == true: break
        case .startScan(let adapter):
            if adapters[adapter.path]?.pending != nil {
                violations.append("scan during a connect on \(adapter.name)")
            }
            adapters[adapter.path]?.isScanning = true
            scans += 1
            plan(
                .tell(.scanAnswered(adapter: adapter.address, started: true, refused: false)),
                .milliseconds(50))
            plan(.hear(adapter: adapter.path), .milliseconds(350))
        case .stopScan(let adapter):
            adapters[adapter.path]?.isScanning = false
            plan(
                .tell(.scanAnswered(adapter: adapter.address, started: false, refused: false)),
                .milliseconds(30))
        case .link(let action): carryOut(action)
        case .publish(let serial, let status): statuses[serial] = status
        case .powerUp(let adapter): setPower(true, of: adapter.path)
        case .powerDown(let adapter):
            steps.append("power \(adapter.name) down")
            if adapters[adapter.path]?.isBroken == false {
                adapters[adapter.path]?.isFrozen = false
            }
            setPower(false, of: adapter.path)
        case .restartService: steps.append("restart")
        case .claim: break
        case .noteLoan(let serial, let loan):
            steps.append("\(serial) \(loan == nil ? "back" : "lent")")
        }
    }

    private mutating func setPower(_ isOn: Bool, of path: String) {
        guard adapters[path] != nil else { return }
        adapters[path]?.pending = nil
        adapters[path]?.isScanning = false
        for (serial, monitor) in monitors where monitor.link == path { unlink(serial) }
        objects[path]?[BlueZName.adapter]?["Powered"] = .boolean(isOn)
        plan(
            .tell(
                .changed(
                    path: path, interface: BlueZName.adapter, ["Powered": .boolean(isOn)],
                    invalidated: [])), .milliseconds(200))
    }

    private mutating func carryOut(_ action: LinkMachine.Action) {
        if let path = subject(of: action), adapters[path]?.isFrozen == true { return }
        switch action {
        case .connect(let attempt): beginConnect(attempt)
        case .disconnect(let attempt): disconnect(attempt)
        case .remove(let attempt):
            unlink(attempt.serial)
            objects[attempt.path] = nil
            tell(.removed(path: attempt.path, interfaces: [BlueZName.device]))
        case .readServices(let attempt): plan(.readServices(attempt), .milliseconds(20))
        case .setUp(let attempt): plan(.tell(.link(attempt, .setUpEnded(nil))), .milliseconds(500))
        case .open(let attempt):
            monitors[attempt.serial]?.isStreaming = true
            monitors[attempt.serial]?.openings += 1
        case .close(let attempt, let reason):
            monitors[attempt.serial]?.isStreaming = false
            monitors[attempt.serial]?.closures.append(reason)
        }
    }

    /// The adapter that a radio operation needs.
    private func subject(of action: LinkMachine.Action) -> String? {
        switch action {
        case .connect(let attempt), .disconnect(let attempt), .remove(let attempt),
            .setUp(let attempt):
            RoomMachine.adapterPath(of: attempt)
        case .readServices, .open, .close: nil
        }
    }

    private mutating func beginConnect(_ attempt: LinkAttempt) {
        let path = RoomMachine.adapterPath(of: attempt)
        guard let adapter = adapters[path], let monitor = monitors[attempt.serial] else { return }
        if adapter.pending != nil { violations.append("two connects on \(path)") }
        if adapter.isScanning { violations.append("connect during a scan on \(path)") }
        adapters[path]?.pending = attempt
        let isFull = monitors.values.count { $0.link == path } >= adapter.slots
        if !monitor.isOn {
            plan(.unreachable(attempt), .seconds(40))
        } else if isFull || monitor.aborts > 0 {
            if monitor.aborts > 0 { monitors[attempt.serial]?.aborts -= 1 }
            plan(.unreachable(attempt), .milliseconds(600))
        } else {
            plan(.connect(attempt), .milliseconds(400))
        }
    }

    private mutating func disconnect(_ attempt: LinkAttempt) {
        let path = RoomMachine.adapterPath(of: attempt)
        if adapters[path]?.pending == attempt {
            plan(.unreachable(attempt), .milliseconds(10))
        } else if monitors[attempt.serial]?.link == path {
            plan(.unlink(serial: attempt.serial), .seconds(2))
        }
    }

    private mutating func happen(_ happening: Happening) {
        switch happening {
        case .tell(let event): tell(event)
        case .hear(let adapter): hear(adapter)
        case .connect(let attempt): connect(attempt)
        case .unreachable(let attempt): failConnect(attempt)
        case .unlink(let serial): unlink(serial)
        case .change(let serial, let isOn): monitors[serial]?.isOn = isOn
        case .readServices(let attempt):
            tell(.serviceFound(objects))
            tell(.link(attempt, .servicesRead(complete: true)))
        }
    }

    private mutating func hear(_ path: String) {
        guard let adapter = adapters[path], adapter.isScanning else { return }
        for (serial, monitor) in monitors.sorted(by: { $0.key < $1.key })
        where monitor.isOn && monitor.link == nil {
            let device = path + "/dev_\(serial)"
            if objects[device] == nil {
                let interfaces: BusInterfaces = [
                    BlueZName.device: [
                        "Adapter": .objectPath(path), "Name": .string("PM5 \(serial) Row"),
                        "Address": .string("F4:30:00:00:00:0\(serial.suffix(1))"),
                        "Connected": .boolean(false), "ServicesResolved": .boolean(false),
                        "RSSI": .int16(-60),
                    ]
                ]
                objects[device] = interfaces
                tell(.added(path: device, interfaces))
            } else {
                tell(
                    .changed(
                        path: device, interface: BlueZName.device, ["RSSI": .int16(-60)],
                        invalidated: []))
            }
        }
        plan(.hear(adapter: path), .milliseconds(300))
    }

    private mutating func connect(_ attempt: LinkAttempt) {
        let path = RoomMachine.adapterPath(of: attempt)
        guard adapters[path]?.pending == attempt else { return }
        guard monitors[attempt.serial]?.isOn == true else {
            return plan(.unreachable(attempt), .seconds(40))
        }
        adapters[path]?.pending = nil
        monitors[attempt.serial]?.link = path
        change(attempt.path, ["Connected": .boolean(true)])
        tell(.link(attempt, .connectAnswered(nil)))
        let resolved: RoomMachine.Event = .changed(
            path: attempt.path, interface: BlueZName.device, ["ServicesResolved": .boolean(true)],
            invalidated: [])
        objects[attempt.path]?[BlueZName.device]?["ServicesResolved"] = .boolean(true)
        plan(.tell(resolved), .milliseconds(800))
    }

    private mutating func failConnect(_ attempt: LinkAttempt) {
        let path = RoomMachine.adapterPath(of: attempt)
        guard adapters[path]?.pending == attempt else { return }
        adapters[path]?.pending = nil
        let isOn = monitors[attempt.serial]?.isOn == true
        let kind: LinkFailure.Kind = isOn ? .refused : .unreachable
        tell(.link(attempt, .connectAnswered(LinkFailure(kind, "le-connection-abort-by-local"))))
    }

    private mutating func unlink(_ serial: String) {
        guard let path = monitors[serial]?.link else { return }
        monitors[serial]?.link = nil
        change(
            path + "/dev_\(serial)",
            ["Connected": .boolean(false), "ServicesResolved": .boolean(false)])
    }

    private mutating func change(_ path: String, _ properties: BusProperties) {
        objects[path]?[BlueZName.device]?.merge(properties) { $1 }
        tell(
            .changed(
                path: path, interface: BlueZName.device, properties, invalidated: []))
    }
}
