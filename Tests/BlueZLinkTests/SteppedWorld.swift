import Rowing
import SDBus
import Timeline

@testable import BlueZLink

/// A bluetoothd and its radio in stepped time, for the room machine alone.
///
/// Delays are those measured with bluez 5.82. It checks what no plan may do, whatever the fault:
/// two connects at once on one adapter, or a scan during a connect. Worlds that share their air
/// are gateways within reach of the same monitors.
struct SteppedWorld {
    /// The central of each monitor: a PM5 serves only one.
    final class SharedMonitors {
        /// Number of the world, by serial number.
        var holders: [String: Int] = [:]
    }

    struct Monitor {
        var isOn = true
        /// dBm at this world's adapters.
        var rssi = -60
        var isHanging = false
        /// A rower takes a stroke every two seconds.
        var isInUse = false
        /// It goes off four minutes after its last link, and never with one.
        var isOnBatteries = false
        /// Since when it is on and has no link.
        var aloneSince: BootInstant?
        /// The next connects that fail at once.
        var aborts = 0
        /// The next connects that find another under way.
        var foreignConnects = 0
        /// A connect of a terminated client is pending, until a Disconnect.
        var hasStaleConnect = false
        /// Adapter path of its link.
        var link: String?
        /// Adapter path of a link that only the controller there knows of.
        var forgottenLink: String?
        var isStreaming = false
        var openings = 0
        var closures: [LinkClosure] = []
    }

    /// The step that recovers a frozen radio.
    enum RecoveryTrigger { case powerCycle, restart, nothing }

    /// How bluetoothd reports that a radio has no free slot.
    enum Fullness {
        /// As any other connect that fails.
        case refused
        /// With a specific error.
        case reported
        /// Not at all: the device is removed, and the call is never answered (bluez 5.82).
        case forgotten
    }

    struct Adapter {
        let address: String
        var slots: Int
        var isScanning = false
        /// A scan of another program, or a leftover scan.
        var hasForeignScan = false
        /// A leftover scan: it finds nothing, and blocks other scans.
        var hasLeftoverScan = false
        /// Answers nothing until it recovers.
        var isFrozen = false
        var recoveryTrigger = RecoveryTrigger.powerCycle
        /// As with bluez 5.82, whose scans fail late instead of being unanswered.
        var failsLate = false
        var fullness = Fullness.refused
        /// bluetoothd is powering it off: pending calls have ended, and no new ones start.
        var isGoingDown = false
        /// The connect under way.
        var pending: LinkAttempt?

        mutating func endForeignScan() { (hasForeignScan, hasLeftoverScan) = (false, false) }
    }

    enum ScheduledEvent {
        case send(RoomMachine.Event)
        /// bluetoothd changes an object and sends the signal.
        case set(path: String, interface: String, BusProperties)
        case power(path: String, isOn: Bool)
        case restart
        case reportMonitors(adapter: String)
        case connect(LinkAttempt)
        case unreachable(LinkAttempt)
        case full(LinkAttempt)
        case forgotten(LinkAttempt)
        case resolve(LinkAttempt)
        /// bluetoothd shows an existing link.
        case show(LinkAttempt)
        case unlink(serial: String)
        case readServices(LinkAttempt)
        case change(serial: String, isOn: Bool)
    }

    var room: RoomMachine
    let sharedMonitors: SharedMonitors
    let number: Int
    private(set) var now = BootInstant(nanoseconds: 1_000_000_000_000)
    /// By path.
    var adapters: [String: Adapter] = [:]
    /// By serial number.
    var monitors: [String: Monitor] = [:]
    /// The kernel lists its links, and has each one a moment before bluetoothd shows it.
    var hasKernel = false
    var violations: [String] = []
    var scans = 0
    var connects = 0
    /// Recovery steps for radios that did not answer.
    var steps: [String] = []
    /// Whether systemd grants a restart of bluetooth.service.
    var mayRestartService = true
    var statuses: [String: LinkStatus] = [:]
    /// Called when a station's link opens or closes.
    var onLink: ((_ serial: String, _ isOpen: Bool, _ now: BootInstant) -> Void)?
    var objects: BusObjectTree = [:]
    private var agenda: [(at: BootInstant, order: Int, ScheduledEvent)] = []
    private var order = 0

    init(
        ergs: Int, adapters: [(String, Int)], slotsPerAdapter: Int? = nil, seed: UInt64 = 1,
        membership: RoomRules.Membership? = nil, wanted: [String] = [], idleRelease: IdleRelease? = nil,
        sharedMonitors: SharedMonitors = SharedMonitors(), number: Int = 0
    ) {
        self.sharedMonitors = sharedMonitors
        self.number = number
        let serials = (1...ergs).map { "43000000\($0)" }
        var rules = RoomRules(membership: membership ?? .listed(Set(serials)))
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

    mutating func begin() { send(.serviceFound(objects)) }

    mutating func plugIn(_ path: String, address: String, _ slots: Int) {
        adapters[path] = Adapter(address: address, slots: slots)
        let interfaces: BusInterfaces = [
            BlueZName.adapter: [
                "Address": .string(address), "Powered": .boolean(true),
                "Discovering": .boolean(false),
            ]
        ]
        objects[path] = interfaces
        send(.added(path: path, interfaces))
    }

    mutating func unplug(_ path: String) {
        adapters[path] = nil
        for (serial, monitor) in monitors
        where monitor.link == path || monitor.forgottenLink == path { release(serial) }
        for device in objects.keys.filter({ $0.hasPrefix(path + "/") }).sorted() {
            objects[device] = nil
            send(.removed(path: device, interfaces: [BlueZName.device]))
        }
        objects[path] = nil
        send(.removed(path: path, interfaces: [BlueZName.adapter]))
    }

    /// The link ends and the monitor advertises again, or not.
    mutating func cut(_ serial: String, staysOn: Bool = true) {
        monitors[serial]?.isOn = staysOn
        unlink(serial)
    }

    mutating func switchOn(_ serial: String, after delay: Duration) {
        schedule(.change(serial: serial, isOn: true), delay)
    }

    /// bluetoothd stops and returns four seconds later; all adapters except frozen ones power on.
    mutating func restartService() {
        for (serial, monitor) in monitors where monitor.link != nil { release(serial) }
        for path in adapters.keys {
            adapters[path]?.isScanning = false
            adapters[path]?.pending = nil
            adapters[path]?.endForeignScan()
            if adapters[path]?.recoveryTrigger == .restart { adapters[path]?.isFrozen = false }
            let isUp = adapters[path]?.isFrozen == false
            objects[path]?[BlueZName.adapter]?["Discovering"] = .boolean(false)
            objects[path]?[BlueZName.adapter]?["Powered"] = .boolean(isUp)
        }
        objects = objects.filter { adapters[$0.key] != nil }
        agenda = agenda.filter { if case .change = $0.2 { true } else { false } }
        send(.serviceLost)
        schedule(.send(.serviceFound(objects)), .seconds(4))
    }

    // MARK: - Time

    /// Lets `duration` pass, waking the room when it wants to be woken.
    mutating func run(for duration: Duration) {
        let end = now.advanced(by: duration)
        while true {
            let wake = room.deadline(after: now) ?? end
            let next = agenda.map(\.at).min() ?? end
            let step = min(wake, next, end, now.advanced(by: .seconds(2)))
            now = step
            noteStatuses()
            switchOffLonely()
            if let index = agenda.indices.filter({ agenda[$0].at <= now })
                .min(by: { (agenda[$0].at, agenda[$0].order) < (agenda[$1].at, agenda[$1].order) })
            {
                perform(agenda.remove(at: index).2)
            } else {
                send(.tick)
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

    /// To the millisecond in which a connect begins.
    mutating func runUntilConnecting(_ serial: String) {
        while room.monitors[serial]?.isConnecting == false { run(for: .milliseconds(1)) }
    }

    var isScanning: Bool { adapters.values.contains(where: \.isScanning) }
    var streaming: Int { monitors.values.count(where: \.isStreaming) }

    mutating func send(_ event: RoomMachine.Event) {
        for action in room.handle(event, at: now) { execute(action) }
    }

    /// Whether a connect is about to come about.
    func isAnswered(_ attempt: LinkAttempt, within time: Duration) -> Bool {
        agenda.contains { entry in
            guard case .connect(attempt) = entry.2 else { return false }
            return now.duration(to: entry.at) <= time
        }
    }

    mutating func schedule(_ event: ScheduledEvent, _ delay: Duration) {
        order += 1
        agenda.append((now.advanced(by: delay), order, event))
    }

    private mutating func noteStatuses() {
        for (serial, monitor) in monitors where monitor.isStreaming && !monitor.isHanging {
            if let attempt = room.monitors[serial]?.attempt, monitor.link != nil {
                room.noteArrival(.statusReceived(now), of: attempt, at: now)
                if monitor.isInUse {
                    room.noteArrival(.useDetected(now), of: attempt, at: now)
                }
            }
        }
    }

    private mutating func switchOffLonely() {
        for (serial, monitor) in monitors where monitor.isOnBatteries {
            let isAlone = monitor.isOn && sharedMonitors.holders[serial] == nil
            let since = isAlone ? monitor.aloneSince ?? now : nil
            monitors[serial]?.aloneSince = since
            if let since, since.duration(to: now) >= .seconds(240) {
                monitors[serial]?.isOn = false
            }
        }
    }

    mutating func freeze(_ path: String, until recoveryTrigger: RecoveryTrigger = .powerCycle) {
        adapters[path]?.isFrozen = true
        adapters[path]?.recoveryTrigger = recoveryTrigger
    }
}
