import Rowing
import SDBus
import Timeline

/// Decides everything about a room's links: receives events and the time, returns actions.
///
/// It stores BlueZ's objects (the tree), one machine per monitor and one per adapter. After each
/// event it looks at all of them and decides the next actions (`plan`). Radios, sightings, releases and
/// claims have their own state; the room passes events on to them and combines their answers.
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
    private(set) var tree = ObjectTree()
    private(set) var radios: RadioSet
    private(set) var sightings = SightingTracker()
    private(set) var releases: MonitorReleases
    /// Decides which monitors in range this gateway may claim; used only in a room without a list.
    private(set) var claims: MonitorClaims
    /// By serial number.
    private(set) var monitors: [String: LinkMachine] = [:]
    private(set) var isServicePresent = false
    /// Valid only while the service is present.
    private(set) var servicePresentSince = BootInstant(nanoseconds: 0)
    private(set) var isStopping = false
    /// Claimed monitors for which no station was free.
    private(set) var rejectedSerials: Set<String> = []
    /// How often systemd restarted bluetooth.service at our request.
    private(set) var serviceRestarts = 0
    /// The last status published to each station, by serial number.
    private(set) var published: [String: LinkStatus] = [:]
    /// The actions of the current event, in order.
    private var actions: [Action] = []
    private var seed: UInt64

    init(rules: RoomRules, seed: UInt64, at now: BootInstant) {
        self.rules = rules
        self.seed = seed
        radios = RadioSet(rules)
        releases = MonitorReleases(rules.idleRelease)
        claims = MonitorClaims(weakestSignal: rules.weakestSignal)
        if case .listed(let serials) = rules.membership {
            for serial in serials.sorted() { admit(serial, at: now) }
        }
    }

    private mutating func admit(_ serial: String, at now: BootInstant) {
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
            let path = radios[address]?.object?.path
            let hasLinks = path.map { tree.linkCount(onAdapter: $0) > 0 } ?? false
            radios.update(address) {
                $0.noteScanAnswer(
                    isStart: isStart, requestedAt: requestedAt, verdict, hasLinks: hasLinks, at: now)
            }
        case .powerUpAnswered(let address, let verdict):
            if verdict == .stalled { radios.update(address) { $0.recovery.noteTimeout() } }
        case .restartAnswered(let address, let isGranted):
            if isGranted {
                serviceRestarts += 1
            } else {
                radios.update(address) { $0.recovery.noteRefusal(at: now) }
            }
        case .kernelLinks(let counts):
            radios.setKernelLinks(counts)
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
    private mutating func drive(_ serial: String, _ event: LinkMachine.Event, at now: BootInstant) {
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
        guard let address = tree.adapters[Self.adapterPath(of: attempt)]?.address else { return }
        radios.update(address, update)
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

    // MARK: - Events

    private mutating func resynchronize(_ objects: BusObjectTree, at now: BootInstant) {
        if !isServicePresent { servicePresentSince = now }
        isServicePresent = true
        tree = ObjectTree(objects, replacing: tree)
        for device in tree.devices.values where device.rssi != nil {
            noteSighting(device.path, rssi: device.rssi.map { .int32(Int32($0)) }, at: now)
        }
    }

    private mutating func loseService(at now: BootInstant) {
        isServicePresent = false
        tree = ObjectTree()
        sightings.loseService()
        for serial in monitors.keys.sorted() { drive(serial, .serviceLost, at: now) }
        radios.forgetScans(at: now)
    }

    /// Records an advertisement, which also shows that the radio works.
    private mutating func noteAdvertisement(
        _ path: String, rssi: BusValue?, at now: BootInstant
    ) {
        noteSighting(path, rssi: rssi, at: now)
        guard rssi?.integer != nil, let adapter = tree.devices[path]?.adapter,
            let address = tree.adapters[adapter]?.address
        else { return }
        radios.update(address) { $0.recovery.noteAnswer() }
    }

    private mutating func noteSighting(_ path: String, rssi: BusValue?, at now: BootInstant) {
        guard let rssi = rssi?.integer, let device = tree.devices[path] else { return }
        sightings.note(path, of: device.serial, signal: rssi, at: now)
        guard let serial = device.serial else { return }
        releases.noteSighting(serial, at: now)
        claims.noteSighting(serial, signal: rssi, at: now)
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
            sightings.noteStreamEnd(path, at: now)
            if releases.isWanted(before.serial) { claims.noteLost(before.serial, at: now) }
        } else if after.failures > before.failures, after.lastFailure?.kind == .unreachable {
            sightings.forget(path)
        }
    }

    private mutating func stop(at now: BootInstant) {
        isStopping = true
        for machine in monitors.values.sorted(by: { $0.serial < $1.serial }) {
            endLooseLink(of: machine)
        }
        for adapter in radios.all {
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

    // MARK: - Planning

    /// Runs after every event, so that each rule describes the present and none depends on a particular
    /// signal.
    ///
    /// First the changes by time: released and sleeping monitors. Then the radios and links, because
    /// the rest depends on them. Then which monitor gets a link, and last what each radio does: it
    /// scans for missing monitors, unless a connect waits for it to be quiet.
    private mutating func plan(at now: BootInstant) {
        updateReleases(at: now)
        updateSleepingMonitors(at: now)
        actions += radios.match(tree, at: now)
        guard isServicePresent else { return publish(at: now) }
        observeLinks(at: now)
        claimNewcomers(at: now)
        adoptLinks(at: now)
        let waitingForQuiet = startConnects(at: now)
        interruptConnects(at: now)
        actions += radios.clearLeftoverScans(tree, at: now)
        updateScans(keepingQuiet: waitingForQuiet, at: now)
        actions += radios.recover(isWorthARestart: isAnyMonitorMissing(at: now), at: now)
        publish(at: now)
    }

    private mutating func observeLinks(at now: BootInstant) {
        sightings.retain { tree.devices[$0] != nil }
        for serial in monitors.keys.sorted() {
            guard let machine = monitors[serial] else { continue }
            if machine.isEngaged {
                let path = machine.attempt.path
                if usableAdapter(Self.adapterPath(of: machine.attempt)) == nil {
                    drive(serial, .adapterLost, at: now)
                } else {
                    drive(serial, .observed(tree.devices[path]), at: now)
                }
            }
            drive(serial, .tick, at: now)
        }
    }

    private mutating func adoptLinks(at now: BootInstant) {
        for serial in idleSerials(at: now) {
            let linked = devices(of: serial).first { device in
                device.isConnected && usableAdapter(device.adapter) != nil
            }
            if let linked { drive(serial, .adopted(linked), at: now) }
        }
    }

    /// Starts connects: one at a time per adapter, and only while the adapter does not scan, because a
    /// connect during a scan takes seconds longer. `rank` chooses the adapter.
    ///
    /// An adapter that is quiet anyway is used at once. A scan is ended for a connect only after
    /// every radio has listened for a while: otherwise the first radio to hear a monitor would get
    /// all links.
    ///
    /// Returns the addresses of adapters whose scan must end before a connect can start.
    private mutating func startConnects(at now: BootInstant) -> Set<String> {
        var waitingForQuiet: Set<String> = []
        let adapters = radios.usable
        let hasGathered =
            adapters.allSatisfy { $0.hasGathered(at: now) }
            || adapters.count == 1 && !isAnyMonitorMissing(at: now)
        for serial in idleSerials(at: now) {
            let choices = connectCandidates(for: serial, at: now).filter {
                !isConnecting(onAdapter: $0.adapter)
            }
            let best = choices.min {
                rank(of: $0, for: serial, at: now) < rank(of: $1, for: serial, at: now)
            }
            guard let best, let adapter = usableAdapter(best.adapter) else { continue }
            if adapter.isQuiet, !adapter.isBlockedByLeftoverScan(tree),
                !waitingForQuiet.contains(adapter.address)
            {
                drive(serial, .granted(best), at: now)
            } else if hasGathered {
                waitingForQuiet.insert(adapter.address)
            }
        }
        return waitingForQuiet
    }

    /// Cancels slow connects: a monitor that is off blocks BlueZ for 40 s, and the others must not
    /// wait.
    private mutating func interruptConnects(at now: BootInstant) {
        for machine in monitors.values.sorted(by: { $0.serial < $1.serial }) {
            guard case .connecting(let since, nil) = machine.state else { continue }
            let path = Self.adapterPath(of: machine.attempt)
            let connectLimits = connectLimits(with: machine)
            let age = since.duration(to: now)
            let othersAreReady = idleSerials(at: now).contains { serial in
                let choices = connectCandidates(for: serial, at: now)
                return choices.contains { $0.adapter == path }
            }
            // Other monitors may be missing because this connect holds the last slot of the
            // adapter.
            let blocksOthers =
                othersAreReady && age >= connectLimits.whileOthersAreReady
                || age >= connectLimits.whileOthersAreMissing && isAnyMonitorMissing(at: now)
            if blocksOthers { drive(machine.serial, .cancelConnect, at: now) }
        }
    }

    private mutating func updateScans(keepingQuiet waitingForQuiet: Set<String>, at now: BootInstant) {
        var demands: [String: RadioSet.ScanDemand] = [:]
        for adapter in radios.usable {
            guard let object = adapter.object else { continue }
            demands[adapter.address] = RadioSet.ScanDemand(
                isNeeded: needsScan(object.path, at: now),
                mustBeQuiet: waitingForQuiet.contains(adapter.address)
                    || isConnecting(onAdapter: object.path))
        }
        let (scanActions, endedScans) = radios.updateScans(demands, at: now, tree)
        actions += scanActions
        for start in endedScans { releases.noteScan(since: start, at: now) }
    }

    // MARK: - Claims and releases

    /// Claims monitors that are linked already, then the strongest.
    private mutating func claimNewcomers(at now: BootInstant) {
        guard case .any(let limit) = rules.membership else { return }
        for machine in monitors.values {
            if case .streaming = machine.state { claims.noteLinked(machine.serial, at: now) }
        }
        for device in claimCandidates(at: now) {
            guard let serial = device.serial, monitors[serial] == nil,
                monitors.count < limit || makeRoom(for: serial, at: now)
            else { continue }
            admit(serial, at: now)
            actions.append(.claim(serial: serial))
        }
        claims.dropOutdated(except: monitors.keys, at: now)
    }

    /// Gives up the claim on the monitor that has been away longest, if `serial` may replace it.
    private mutating func makeRoom(for serial: String, at now: BootInstant) -> Bool {
        let replaceable = monitors.values.filter { machine in
            !machine.isEngaged && releases[machine.serial] == nil
                && claims.mayReplace(machine.serial, with: serial, at: now)
        }
        let longest = replaceable.max {
            (claims.absence(of: $0.serial, at: now), $0.serial)
                < (claims.absence(of: $1.serial, at: now), $1.serial)
        }
        guard let longest else { return false }
        monitors[longest.serial] = nil
        published[longest.serial] = nil
        actions.append(.abandonClaim(serial: longest.serial))
        return true
    }

    private mutating func startRelease(_ serial: String, _ release: MonitorRelease) {
        guard let machine = monitors[serial], releases.start(release, of: serial) else { return }
        actions.append(.noteRelease(serial: serial, release))
        endLooseLink(of: machine)
    }

    /// Ends a link whose streams just ended: no machine owns it.
    private mutating func endLooseLink(of machine: LinkMachine) {
        guard !machine.isEngaged, tree.devices[machine.attempt.path]?.isConnected == true else {
            return
        }
        actions.append(.link(.disconnect(machine.attempt)))
    }

    /// Ends a release; scans look for a sleeping monitor like for any other from now on.
    private mutating func endRelease(_ serial: String) {
        guard releases.end(serial) else { return }
        actions.append(.noteRelease(serial: serial, nil))
    }

    /// Ends expired releases, and the links of released monitors.
    private mutating func updateReleases(at now: BootInstant) {
        for (serial, release) in releases.active {
            if let end = release.until, now >= end {
                endRelease(serial)
            } else if monitors[serial]?.isEngaged == true {
                drive(serial, .released, at: now)
            }
        }
    }

    /// Releases monitors that were idle for too long, and ends the sleep of monitors that are
    /// linked again.
    private mutating func updateSleepingMonitors(at now: BootInstant) {
        guard let rule = rules.idleRelease else { return }
        for (serial, instant) in idleEnds where now >= instant {
            releases.startSleep(of: serial, at: now)
            actions.append(.noteSleep(serial: serial, after: rule.after))
            drive(serial, .released, at: now)
        }
        for (serial, isAwake) in releases.sleepers {
            guard let machine = monitors[serial] else {
                releases.endSleep(of: serial)
                continue
            }
            if isAwake, case .streaming = machine.state {
                releases.endSleep(of: serial)
                actions.append(.noteSleep(serial: serial, after: nil))
            } else if !isAwake, machine.isEngaged {
                drive(serial, .released, at: now)
            }
        }
    }

    private mutating func publish(at now: BootInstant) {
        for serial in monitors.keys.sorted() {
            let status = status(of: serial, at: now)
            guard published[serial] != status else { continue }
            published[serial] = status
            actions.append(.publish(serial: serial, status))
        }
    }
}
