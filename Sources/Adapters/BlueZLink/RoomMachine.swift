import Rowing
import SDBus
import Timeline

/// Decides everything about a room's links: receives events and the time, returns actions.
///
/// It stores BlueZ's objects (the tree), one machine per monitor and one per adapter. After each
/// event it looks at all of them and decides the next actions (`plan` in RoomMachine+Planning).
struct RoomMachine: Sendable {
    enum Event: Sendable {
        /// bluetoothd is available, with these objects.
        case serviceFound(BusObjectTree)
        case serviceLost
        case added(path: String, BusInterfaces)
        case removed(path: String, interfaces: [String])
        case changed(path: String, interface: String, BusProperties, invalidated: [String])
        /// A reply that belongs to an attempt; replies to earlier attempts are ignored.
        case link(LinkAttempt, LinkMachine.Event)
        /// StartDiscovery (`isStart`) or StopDiscovery was answered for an adapter, by address;
        /// `requestedAt` comes from the action. Answers to earlier requests are ignored.
        case scanAnswered(adapter: String, isStart: Bool, requestedAt: BootInstant, CallVerdict)
        /// The request to power on an adapter, by address, was answered.
        case powerUpAnswered(adapter: String, CallVerdict)
        /// systemd answered the request to restart bluetooth.service because of an adapter.
        case restartAnswered(adapter: String, isGranted: Bool)
        /// The links that the kernel reports, by adapter address.
        case kernelLinks([String: Int])
        /// No station is free for a claimed monitor.
        case claimRefused(serial: String)
        /// A monitor is released, for example to a phone, until then or until it is reclaimed.
        case release(serial: String, until: BootInstant?)
        case reclaim(serial: String)
        case stop
        case tick
    }

    enum PowerCycleReason: String, Equatable, Sendable {
        case noAnswer = "it does not answer"
        case leftoverScan = "a scan of a terminated program is still running"
    }

    enum Action: Equatable, Sendable {
        case powerUp(AdapterObject)
        case powerDown(AdapterObject, PowerCycleReason)
        /// Because of an adapter, by address.
        case restartService(adapter: String)
        case startScan(AdapterObject, requestedAt: BootInstant)
        case stopScan(AdapterObject, requestedAt: BootInstant)
        case link(LinkMachine.Action)
        /// Requests a station for a monitor that no list names.
        case claim(serial: String)
        /// A claimed monitor was absent for long, and another one replaces it.
        case abandonClaim(serial: String)
        /// A monitor was released, or its release ended.
        case noteRelease(serial: String, MonitorRelease?)
        /// A monitor was released after this time without use; nil: it is awake and ours again.
        case noteSleep(serial: String, after: Duration?)
        case publish(serial: String, LinkStatus)
    }

    let rules: RoomRules

    // Changed only in this file.
    private(set) var tree = ObjectTree()
    private(set) var isServicePresent = false
    /// Valid only while the service is present.
    private(set) var servicePresentSince = BootInstant(nanoseconds: 0)
    private(set) var isStopping = false
    /// Claimed monitors for which no station was free.
    private(set) var rejectedSerials: Set<String> = []
    /// How often systemd restarted bluetooth.service at our request.
    private(set) var serviceRestarts = 0
    /// The last signal strength of each monitor in dBm, by serial number.
    private(set) var lastRSSI: [String: Int] = [:]

    // Also changed in the files RoomMachine+...: each names at its top the fields that it changes.
    /// By address; unplugged adapters stay, with their learnt limits.
    var adapters: [String: AdapterMachine] = [:]
    /// By serial number.
    var monitors: [String: LinkMachine] = [:]
    /// When a device last advertised, by path.
    var lastSeen: [String: BootInstant] = [:]
    /// Devices that have not advertised since their link ended, by path: they may be off.
    var unseenSinceLink: Set<String> = []
    /// By serial number.
    var releases: [String: MonitorRelease] = [:]
    /// Released monitors that were not used, by serial number.
    var sleepingMonitors: [String: SleepingMonitor] = [:]
    /// Decides which monitors in range this gateway may claim; used only in a room without a list.
    var claimDecisions: MonitorClaims
    /// The last status published to each station, by serial number.
    var published: [String: LinkStatus] = [:]
    /// The actions of the current event, in order.
    var actions: [Action] = []
    private var seed: UInt64

    init(rules: RoomRules, seed: UInt64, at now: BootInstant) {
        self.rules = rules
        claimDecisions = MonitorClaims(weakestSignal: rules.weakestSignal)
        self.seed = seed
        if case .listed(let serials) = rules.membership {
            for serial in serials.sorted() { admit(serial, at: now) }
        }
    }

    mutating func admit(_ serial: String, at now: BootInstant) {
        seed &+= 1
        monitors[serial] = LinkMachine(serial: serial, seed: seed, at: now)
    }

    /// Handles an event and returns the resulting actions, in order.
    mutating func handle(_ event: Event, at now: BootInstant) -> [Action] {
        actions = []
        switch event {
        case .serviceFound(let objects): resynchronize(objects, at: now)
        case .serviceLost: loseService(at: now)
        case .added(let path, let interfaces):
            tree.add(path, interfaces)
            noteAdvertisement(path, rssi: interfaces[BlueZName.device]?["RSSI"], at: now)
        case .removed(let path, let interfaces): tree.remove(path, interfaces)
        case .changed(let path, let interface, let changed, let invalidated):
            tree.change(path, interface, changed, invalidated: invalidated)
            if interface == BlueZName.device {
                noteAdvertisement(path, rssi: changed["RSSI"], at: now)
            }
        case .link(let attempt, let event): answer(attempt, event, at: now)
        case .scanAnswered(let address, let isStart, let requestedAt, let verdict):
            let path = adapters[address]?.object?.path
            adapters[address]?.noteScanAnswer(
                isStart: isStart, requestedAt: requestedAt, verdict,
                hasLinks: path.map { tree.linkCount(onAdapter: $0) > 0 } ?? false, at: now)
        case .powerUpAnswered(let address, let verdict):
            if verdict == .stalled { adapters[address]?.recovery.noteTimeout() }
        case .restartAnswered(let address, let isGranted):
            if isGranted {
                serviceRestarts += 1
            } else {
                adapters[address]?.recovery.noteRefusal(at: now)
            }
        case .kernelLinks(let counts):
            for address in adapters.keys { adapters[address]?.kernelLinks = counts[address] }
        case .claimRefused(let serial):
            monitors[serial] = nil
            rejectedSerials.insert(serial)
        case .release(let serial, let end):
            startRelease(serial, MonitorRelease(until: end))
        case .reclaim(let serial): endRelease(serial)
        case .stop: stop(at: now)
        case .tick: break
        }
        if isStopping { endLinks(at: now) } else { plan(at: now) }
        return actions
    }

    /// Updates the tree for an attribute that was added, removed or changed; false for another
    /// event.
    ///
    /// BlueZ announces about sixty of them for each connecting monitor, and none changes the plan.
    mutating func noteAttribute(_ event: Event) -> Bool {
        let subjects = [BlueZName.adapter, BlueZName.device]
        switch event {
        case .added(let path, let interfaces):
            guard subjects.allSatisfy({ interfaces[$0] == nil }) else { return false }
            tree.add(path, interfaces)
        case .removed(let path, let interfaces):
            guard subjects.allSatisfy({ !interfaces.contains($0) }) else { return false }
            tree.remove(path, interfaces)
        case .changed(_, let interface, _, _): return !subjects.contains(interface)
        default: return false
        }
        return true
    }

    /// Passes an event to a monitor's machine, and updates the room accordingly.
    mutating func drive(_ serial: String, _ event: LinkMachine.Event, at now: BootInstant) {
        guard var machine = monitors[serial] else { return }
        let before = machine
        if case .tick = event, machine.isUnanswered(at: now) {
            updateAdapter(of: machine.attempt) { $0.recovery.noteTimeout() }
        }
        actions += machine.handle(event, at: now).map(Action.link)
        monitors[serial] = machine
        if before.isEngaged, !machine.isEngaged { noteEnd(of: before, now: machine, at: now) }
        if case .connectAnswered(nil) = event, before.isConnecting {
            let others = otherLinks(than: before.attempt)
            updateAdapter(of: before.attempt) {
                $0.slots.noteSuccess(links: max(others + 1, $0.kernelLinks ?? 0))
            }
        }
    }

    /// Updates the state of an attempt's adapter.
    private mutating func updateAdapter(
        of attempt: LinkAttempt, _ update: (inout AdapterMachine) -> Void
    ) {
        guard let address = tree.adapters[Self.adapterPath(of: attempt)]?.address,
            var adapter = adapters[address]
        else { return }
        update(&adapter)
        adapters[address] = adapter
    }

    /// Records an arrived status or stroke without planning.
    mutating func noteArrival(
        _ event: LinkMachine.Event, of attempt: LinkAttempt, at instant: BootInstant
    ) {
        guard monitors[attempt.serial]?.attempt == attempt else { return }
        _ = monitors[attempt.serial]?.handle(event, at: instant)
    }

    /// Returns the path of the adapter that an attempt uses.
    static func adapterPath(of attempt: LinkAttempt) -> String {
        let components = attempt.path.split(separator: "/").dropLast()
        return "/" + components.joined(separator: "/")
    }

    /// Returns the links that bluetoothd reports on the attempt's adapter, without the attempt's
    /// own.
    private func otherLinks(than attempt: LinkAttempt) -> Int {
        let own = tree.devices[attempt.path]?.isConnected == true ? 1 : 0
        return tree.linkCount(onAdapter: Self.adapterPath(of: attempt)) - own
    }

    /// Returns the number of existing and starting links of an adapter, from the higher of two
    /// counts.
    ///
    /// A link that the kernel has and bluetoothd does not show yet counts twice for a moment. This
    /// errs on the safe side for free slots; `AdapterSlots` learns the capacity independently.
    func links(onAdapter path: String) -> Int {
        let engaged = monitors.values.count { machine in
            machine.isEngaged && tree.devices[machine.attempt.path]?.isConnected != true
                && Self.adapterPath(of: machine.attempt) == path
        }
        let known = tree.linkCount(onAdapter: path)
        let kernel = tree.adapters[path].flatMap { adapters[$0.address]?.kernelLinks } ?? 0
        return max(known, kernel) + engaged
    }

    // MARK: - Events

    private mutating func resynchronize(_ objects: BusObjectTree, at now: BootInstant) {
        if !isServicePresent { servicePresentSince = now }
        isServicePresent = true
        tree = ObjectTree(objects)
        for device in tree.devices.values where device.rssi != nil {
            noteSighting(device.path, rssi: device.rssi.map { .int32(Int32($0)) }, at: now)
        }
    }

    private mutating func loseService(at now: BootInstant) {
        isServicePresent = false
        tree = ObjectTree()
        lastSeen = [:]
        for serial in monitors.keys.sorted() { drive(serial, .serviceLost, at: now) }
        for address in adapters.keys { adapters[address]?.forgetScan(at: now) }
    }

    /// Records an advertisement, which also shows that the radio works.
    private mutating func noteAdvertisement(
        _ path: String, rssi: BusValue?, at now: BootInstant
    ) {
        noteSighting(path, rssi: rssi, at: now)
        guard rssi?.integer != nil, let adapter = tree.devices[path]?.adapter,
            let address = tree.adapters[adapter]?.address
        else { return }
        adapters[address]?.recovery.noteAnswer()
    }

    private mutating func noteSighting(_ path: String, rssi: BusValue?, at now: BootInstant) {
        guard let rssi = rssi?.integer, let device = tree.devices[path] else { return }
        lastSeen[path] = now
        unseenSinceLink.remove(path)
        guard let serial = device.serial else { return }
        lastRSSI[serial] = rssi
        sleepingMonitors[serial]?.noteSighting(at: now)
        claimDecisions.noteSighting(serial, signal: rssi, at: now)
    }

    private mutating func answer(
        _ attempt: LinkAttempt, _ event: LinkMachine.Event, at now: BootInstant
    ) {
        guard monitors[attempt.serial]?.attempt == attempt else { return }
        // bluetoothd answers a cancelled Connect, not the radio.
        let state = monitors[attempt.serial]?.state
        if case .connectAnswered(let failure) = event, case .connecting(_, nil)? = state {
            updateAdapter(of: attempt) { adapter in
                switch failure?.kind {
                case nil, .connectRefused, .noSlot: adapter.recovery.noteAnswer()
                case .stalled: adapter.recovery.noteTimeout()
                // Answered by bluetoothd, or not at all: this shows nothing about the radio.
                default: break
                }
            }
        }
        drive(attempt.serial, event, at: now)
    }

    /// Records a failed connect: the adapter may be full.
    private mutating func noteFailedConnect(
        _ attempt: LinkAttempt, _ failure: LinkFailure, at now: BootInstant
    ) {
        let others = otherLinks(than: attempt)
        updateAdapter(of: attempt) { adapter in
            let links = max(others, adapter.kernelLinks ?? 0)
            switch failure.kind {
            case .connectRefused:
                adapter.slots.noteRefusal(of: attempt.serial, links: links, at: now)
            case .noSlot: adapter.slots.noteFull(links: links, at: now)
            default: break
            }
        }
    }

    /// A monitor whose link just ended may be connected without a scan; after an unanswered connect
    /// it must advertise first.
    private mutating func noteEnd(
        of before: LinkMachine, now after: LinkMachine, at now: BootInstant
    ) {
        let path = before.attempt.path
        if before.isConnecting, after.failures > before.failures, let failure = after.lastFailure {
            noteFailedConnect(before.attempt, failure, at: now)
        }
        if case .streaming = before.state {
            lastSeen[path] = now
            unseenSinceLink.insert(path)
            if releases[before.serial] == nil, sleepingMonitors[before.serial] == nil {
                claimDecisions.noteLost(before.serial, at: now)
            }
        } else if after.failures > before.failures, after.lastFailure?.kind == .unreachable {
            lastSeen[path] = nil
        }
    }

    private mutating func stop(at now: BootInstant) {
        isStopping = true
        for machine in monitors.values.sorted(by: { $0.serial < $1.serial }) {
            endLooseLink(of: machine)
        }
        for adapter in adapters.values.sorted(by: { $0.address < $1.address }) {
            guard let object = adapter.object, !adapter.isQuiet else { continue }
            actions.append(.stopScan(object, requestedAt: now))
        }
    }

    /// Ends the links while stopping, instead of planning.
    private mutating func endLinks(at now: BootInstant) {
        for serial in monitors.keys.sorted() { drive(serial, .released, at: now) }
    }

    /// Whether a Connect that was not cancelled may still be answered.
    var awaitsConnects: Bool {
        monitors.values.contains { machine in
            if case .connecting(_, nil) = machine.state { true } else { false }
        }
    }
}
