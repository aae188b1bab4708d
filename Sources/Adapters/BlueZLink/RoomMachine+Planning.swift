import Timeline

/// Decides the next actions from the current state of the room.
///
/// Runs after every event, so that each rule describes the present and none depends on a particular
/// signal. Changes `adapters`, `lastSeen`, `unseenSinceLink` and `actions`; links through
/// `drive`.
extension RoomMachine {
    /// How long a connect is useful after the last advertisement or the end of a link: as long as BlueZ
    /// keeps the device object after a scan (TemporaryTimeout, 30 s).
    static let sightingLifetime = Duration.seconds(30)

    /// First the changes by time: released and sleeping monitors. Then the radios and links, because
    /// the rest depends on them. Then which monitor gets a link, and last what each radio does: it
    /// scans for missing monitors, unless a connect waits for it to be quiet.
    mutating func plan(at now: BootInstant) {
        updateReleases(at: now)
        updateSleepingMonitors(at: now)
        matchAdapters(at: now)
        guard isServicePresent else { return publish(at: now) }
        observeLinks(at: now)
        claimNewcomers(at: now)
        adoptLinks(at: now)
        let waitingForQuiet = startConnects(at: now)
        interruptConnects(at: now)
        clearLeftoverScans(at: now)
        updateScans(keepingQuiet: waitingForQuiet, at: now)
        recoverAdapters(at: now)
        publish(at: now)
    }

    /// The next time at which the state changes without an event.
    func deadline(after now: BootInstant) -> BootInstant? {
        var candidates = monitors.values.compactMap(\.deadline)
        for adapter in adapters.values {
            if let deadline = adapter.deadline { candidates.append(deadline) }
            if case .on(let since) = adapter.scan {
                candidates.append(since.advanced(by: AdapterMachine.Limit.gathering))
            }
        }
        for machine in monitors.values {
            guard case .connecting(let since, nil) = machine.state else { continue }
            candidates.append(since.advanced(by: LinkMachine.Limit.earliestCancel))
            let connectLimits = connectLimits(with: machine)
            candidates.append(since.advanced(by: connectLimits.whileOthersAreReady))
            candidates.append(since.advanced(by: connectLimits.whileOthersAreMissing))
        }
        candidates += adapters.values.compactMap(\.recovery.deadline)
        candidates.append(
            servicePresentSince.advanced(by: AdapterMachine.Limit.offUntilReported))
        candidates += releaseDeadlines
        candidates += idleEnds.map(\.1)
        candidates += claimDeadlines
        candidates += adapters.values.compactMap {
            $0.offSince?.advanced(by: AdapterMachine.Limit.offUntilReported)
        }
        return candidates.filter { $0 > now }.min()
    }

    // MARK: - Radios and links

    private mutating func matchAdapters(at now: BootInstant) {
        for address in adapters.keys { adapters[address]?.object = nil }
        for object in tree.adapters.values where isWanted(object) {
            var adapter =
                adapters[object.address]
                ?? AdapterMachine(
                    address: object.address, configuredSlots: rules.slotsPerAdapter,
                    mayRestartService: rules.mayRestartService, at: now)
            adapter.object = object
            adapters[object.address] = adapter
        }
        for address in adapters.keys.sorted() {
            adapters[address]?.updatePowerState()
            adapters[address]?.trackForeignScan(at: now)
            guard let adapter = adapters[address] else { continue }
            guard !adapter.isUsable else {
                adapters[address]?.offSince = nil
                continue
            }
            adapters[address]?.forgetScan(at: now)
            adapters[address]?.offSince = adapter.object.map { _ in adapter.offSince ?? now }
            // A blocked radio cannot be powered on; BlueZ reports when the block is lifted.
            guard let object = adapter.object, !object.isBlocked, now >= adapter.nextPowerUp
            else { continue }
            adapters[address]?.nextPowerUp = now.advanced(
                by: AdapterMachine.Limit.betweenPowerUps)
            actions.append(.powerUp(object))
        }
    }

    private func isWanted(_ object: AdapterObject) -> Bool {
        !object.address.isEmpty
            && (rules.adapters.isEmpty || rules.adapters.contains(object.address))
    }

    func usableAdapter(_ path: String) -> AdapterMachine? {
        guard let address = tree.adapters[path]?.address, let adapter = adapters[address],
            adapter.isUsable
        else { return nil }
        return adapter
    }

    var usableAdapters: [AdapterMachine] { presentAdapters.filter(\.isUsable) }

    /// Plugged in, powered or not.
    var presentAdapters: [AdapterMachine] {
        adapters.values.filter { $0.object != nil }.sorted { $0.address < $1.address }
    }

    private mutating func observeLinks(at now: BootInstant) {
        lastSeen = lastSeen.filter { tree.devices[$0.key] != nil }
        unseenSinceLink.formIntersection(lastSeen.keys)
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

    // MARK: - Monitors of the room

    private mutating func adoptLinks(at now: BootInstant) {
        for serial in idleSerials(at: now) {
            let linked = sightings(of: serial).first { device in
                device.isConnected && usableAdapter(device.adapter) != nil
            }
            if let linked { drive(serial, .adopted(linked), at: now) }
        }
    }

    // MARK: - Next connect

    /// Idle monitors of the room whose delay is over: fewest failures, then longest wait.
    func idleSerials(at now: BootInstant) -> [String] {
        var waiting: [LinkMachine] = []
        for machine in monitors.values {
            guard case .idle(let readyAt) = machine.state, now >= readyAt,
                mayConnect(machine.serial, at: now)
            else { continue }
            waiting.append(machine)
        }
        return
            waiting
            .sorted {
                ($0.failures, $0.idleSince, $0.serial) < ($1.failures, $1.idleSince, $1.serial)
            }
            .map(\.serial)
    }

    /// Whether a monitor may be connected: it is not released, it does not sleep, and no other gateway
    /// repeatedly connects to it.
    func mayConnect(_ serial: String, at now: BootInstant) -> Bool {
        releases[serial] == nil && !isAsleep(serial) && !isContested(serial, at: now)
    }

    func sightings(of serial: String) -> [DeviceObject] {
        let devices = tree.devices.values.filter { $0.serial == serial }
        return devices.count > 1 ? devices.sorted { $0.path < $1.path } : devices
    }

    func wasSeenRecently(_ device: DeviceObject, at now: BootInstant) -> Bool {
        guard let instant = lastSeen[device.path] else { return false }
        return instant.duration(to: now) <= Self.sightingLifetime
    }

    func freeSlots(_ path: String, at now: BootInstant) -> Int {
        usableAdapter(path)?.slots.free(links: links(onAdapter: path), at: now) ?? 0
    }

    /// The devices through which a monitor can be linked: seen recently by a radio that is on and has a
    /// free slot.
    func connectCandidates(for serial: String, at now: BootInstant) -> [DeviceObject] {
        sightings(of: serial).filter {
            !$0.isConnected && wasSeenRecently($0, at: now) && freeSlots($0.adapter, at: now) > 0
        }
    }

    func isConnecting(onAdapter path: String) -> Bool {
        monitors.values.contains {
            $0.isConnecting && Self.adapterPath(of: $0.attempt) == path
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
        let radios = usableAdapters
        let hasGathered =
            radios.allSatisfy { $0.hasGathered(at: now) }
            || radios.count == 1 && !isAnyMonitorMissing(at: now)
        for serial in idleSerials(at: now) {
            let choices = connectCandidates(for: serial, at: now).filter {
                !isConnecting(onAdapter: $0.adapter)
            }
            let best = choices.min {
                rank(of: $0, for: serial, at: now) < rank(of: $1, for: serial, at: now)
            }
            guard let best, let adapter = usableAdapter(best.adapter) else { continue }
            if adapter.isQuiet, !isBlockedByLeftoverScan(adapter),
                !waitingForQuiet.contains(adapter.address)
            {
                drive(serial, .granted(best), at: now)
            } else if hasGathered {
                waitingForQuiet.insert(adapter.address)
            }
        }
        return waitingForQuiet
    }

    /// The adapter with the lowest rank is used: fewest failures, then most free slots, then the
    /// strongest signal.
    ///
    /// The signal seldom decides: BlueZ removes the RSSI from a device when a scan ends, and
    /// connects follow scans.
    private func rank(
        of device: DeviceObject, for serial: String, at now: BootInstant
    ) -> (Int, Int, Int, Int, String) {
        let hasFailed = monitors[serial]?.failedPath == device.path
        return (
            usableAdapter(device.adapter)?.connectPenalty ?? 0, hasFailed ? 1 : 0,
            -freeSlots(device.adapter, at: now), -(device.rssi ?? -128), device.path
        )
    }
}
