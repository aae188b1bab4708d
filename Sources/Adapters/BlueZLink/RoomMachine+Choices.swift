import Rowing
import Timeline

/// What the room needs, read from its state: missing monitors, the next connects, deadlines.
extension RoomMachine {
    /// The next time at which the state changes without an event.
    func deadline(after now: BootInstant) -> BootInstant? {
        var candidates = monitors.values.compactMap(\.deadline)
        candidates += radios.deadlines
        for machine in monitors.values {
            guard case .connecting(let since, nil) = machine.state else { continue }
            candidates.append(since.advanced(by: LinkMachine.Limit.earliestCancel))
            let connectLimits = connectLimits(with: machine)
            candidates.append(since.advanced(by: connectLimits.whileOthersAreReady))
            candidates.append(since.advanced(by: connectLimits.whileOthersAreMissing))
        }
        candidates.append(
            servicePresentSince.advanced(by: AdapterMachine.Limit.offUntilReported))
        candidates += releases.deadlines
        candidates += idleEnds.map(\.1)
        candidates += claimDeadlines
        return candidates.filter { $0 > now }.min()
    }

    // MARK: - Links

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
        let kernel = tree.adapters[path].flatMap { radios[$0.address]?.kernelLinks } ?? 0
        return max(known, kernel) + engaged
    }

    /// Returns the objects of a monitor, one per adapter that has seen it.
    func devices(of serial: String) -> [DeviceObject] {
        let devices = tree.devices.values.filter { $0.serial == serial }
        return devices.count > 1 ? devices.sorted { $0.path < $1.path } : devices
    }

    func isConnecting(onAdapter path: String) -> Bool {
        monitors.values.contains {
            $0.isConnecting && Self.adapterPath(of: $0.attempt) == path
        }
    }

    func freeSlots(_ path: String, at now: BootInstant) -> Int {
        usableAdapter(path)?.slots.free(links: links(onAdapter: path), at: now) ?? 0
    }

    func usableAdapter(_ path: String) -> AdapterMachine? {
        guard let address = tree.adapters[path]?.address, let adapter = radios[address],
            adapter.isUsable
        else { return nil }
        return adapter
    }

    // MARK: - Missing monitors

    /// Whether a monitor is missing that a scan may find.
    func isAnyMonitorMissing(at now: BootInstant) -> Bool {
        if case .any(let limit) = rules.membership, monitors.count < limit { return true }
        for machine in monitors.values where !machine.isEngaged {
            // A scan also has to detect that a sleeping monitor stopped advertising.
            if releases[machine.serial] == nil, releases.isAsleep(machine.serial) { return true }
            guard mayConnect(machine.serial, at: now) else { continue }
            let isLinked = devices(of: machine.serial).contains(where: \.isConnected)
            if !isLinked, connectCandidates(for: machine.serial, at: now).isEmpty { return true }
        }
        return false
    }

    func needsScan(_ path: String, at now: BootInstant) -> Bool {
        freeSlots(path, at: now) > 0 && isAnyMonitorMissing(at: now)
    }

    /// Whether a monitor may be connected: it is not released, it does not sleep, and no other gateway
    /// repeatedly connects to it.
    func mayConnect(_ serial: String, at now: BootInstant) -> Bool {
        releases[serial] == nil && !releases.isAsleep(serial) && !isContested(serial, at: now)
    }

    /// When each open link will have been unused for too long.
    var idleEnds: [(String, BootInstant)] {
        guard let rule = rules.idleRelease else { return [] }
        return monitors.values.sorted { $0.serial < $1.serial }.compactMap { machine in
            guard case .streaming = machine.state, releases.isWanted(machine.serial)
            else { return nil }
            return (machine.serial, machine.lastUse.advanced(by: rule.after))
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

    /// The devices through which a monitor can be linked: seen recently by a radio that is on and has a
    /// free slot.
    func connectCandidates(for serial: String, at now: BootInstant) -> [DeviceObject] {
        devices(of: serial).filter {
            !$0.isConnected && sightings.wasSeenRecently($0.path, at: now)
                && freeSlots($0.adapter, at: now) > 0
        }
    }

    /// The adapter with the lowest rank is used: fewest failures, then most free slots, then the
    /// strongest signal.
    ///
    /// The signal seldom decides: BlueZ removes the RSSI from a device when a scan ends, and
    /// connects follow scans.
    func rank(
        of device: DeviceObject, for serial: String, at now: BootInstant
    ) -> (Int, Int, Int, Int, String) {
        let hasFailed = monitors[serial]?.failedPath == device.path
        return (
            usableAdapter(device.adapter)?.connectPenalty ?? 0, hasFailed ? 1 : 0,
            -freeSlots(device.adapter, at: now), -(device.rssi ?? -128), device.path
        )
    }

    /// How long a connect may block a radio. A monitor that advertises answers within half a
    /// second; for another one BlueZ blocks the radio for 40 s.
    struct ConnectLimits {
        /// While other monitors could connect and have no other adapter.
        let whileOthersAreReady: Duration
        /// While other monitors are missing and need a scan.
        let whileOthersAreMissing: Duration

        static let seen = ConnectLimits(
            whileOthersAreReady: .seconds(8), whileOthersAreMissing: .seconds(15))
        /// After a lost link: the monitor may return at once, or may have been switched off.
        static let unseen = ConnectLimits(
            whileOthersAreReady: .seconds(3), whileOthersAreMissing: .seconds(6))
        /// While another program scans, each connect takes 8.6 s; a shorter limit would never
        /// succeed.
        static let duringForeignScan = ConnectLimits(
            whileOthersAreReady: .seconds(20), whileOthersAreMissing: .seconds(30))
    }

    func connectLimits(with machine: LinkMachine) -> ConnectLimits {
        let adapter = usableAdapter(Self.adapterPath(of: machine.attempt))
        if adapter?.foreignScanSince != nil { return .duringForeignScan }
        return sightings.isUnseenSinceLink(machine.attempt.path) ? .unseen : .seen
    }

    // MARK: - Claims

    /// When contested monitors are tried again.
    var claimDeadlines: [BootInstant] {
        guard case .any = rules.membership else { return [] }
        return monitors.keys.compactMap(claims.contestEnd)
    }

    /// Whether another gateway repeatedly takes a monitor, so that this room leaves it alone.
    func isContested(_ serial: String, at now: BootInstant) -> Bool {
        guard case .any = rules.membership, let end = claims.contestEnd(serial) else { return false }
        return now < end
    }

    func claimCandidates(at now: BootInstant) -> [DeviceObject] {
        let eligible = tree.devices.values.filter { device in
            guard let serial = device.serial, monitors[serial] == nil,
                !rejectedSerials.contains(serial), let adapter = usableAdapter(device.adapter)
            else { return false }
            return device.isConnected
                || adapter.hasGathered(at: now) && claims.mayClaim(serial, at: now)
        }
        return eligible.sorted { first, second in
            (first.isConnected ? 0 : 1, -(first.rssi ?? -128), first.path)
                < (second.isConnected ? 0 : 1, -(second.rssi ?? -128), second.path)
        }
    }
}
