import Timeline

/// The use of the radios: scans, slow connects, and radios that do not answer.
///
/// Changes `adapters` and `actions`; links through `drive`.
extension RoomMachine {
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
        return unseenSinceLink.contains(machine.attempt.path) ? .unseen : .seen
    }

    /// Cancels slow connects: a monitor that is off blocks BlueZ for 40 s, and the others must not
    /// wait.
    mutating func interruptConnects(at now: BootInstant) {
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

    /// Whether a monitor is missing that a scan may find.
    func isAnyMonitorMissing(at now: BootInstant) -> Bool {
        if case .any(let limit) = rules.membership, monitors.count < limit { return true }
        for machine in monitors.values where !machine.isEngaged {
            // A scan also has to detect that a sleeping monitor stopped advertising.
            if releases[machine.serial] == nil, isAsleep(machine.serial) { return true }
            guard mayConnect(machine.serial, at: now) else { continue }
            let isLinked = sightings(of: machine.serial).contains(where: \.isConnected)
            if !isLinked, connectCandidates(for: machine.serial, at: now).isEmpty { return true }
        }
        return false
    }

    func needsScan(_ path: String, at now: BootInstant) -> Bool {
        freeSlots(path, at: now) > 0 && isAnyMonitorMissing(at: now)
    }

    mutating func updateScans(keepingQuiet waitingForQuiet: Set<String>, at now: BootInstant) {
        for adapter in usableAdapters {
            guard let object = adapter.object else { continue }
            let mustBeQuiet =
                waitingForQuiet.contains(adapter.address) || isConnecting(onAdapter: object.path)
            let isNeeded = needsScan(object.path, at: now)
            switch adapter.scan {
            case .off(let restUntil) where adapter.mayStillScan && object.isDiscovering:
                guard now >= restUntil else { continue }
                adapters[adapter.address]?.scan = .stopping(since: now)
                actions.append(.stopScan(object, requestedAt: now))
            case .off(let restUntil):
                guard isNeeded, !mustBeQuiet, now >= restUntil, !isBlockedByLeftoverScan(adapter)
                else { continue }
                adapters[adapter.address]?.scan = .starting(since: now)
                adapters[adapter.address]?.isKnownToScan = true
                actions.append(.startScan(object, requestedAt: now))
            case .on(let since):
                // A sighting by another radio is not enough: this radio may have more free slots.
                let isDone = !isNeeded && adapter.hasGathered(at: now)
                let isOver = since.duration(to: now) >= AdapterMachine.Limit.scan
                guard mustBeQuiet || isDone || isOver else { continue }
                noteScan(since: since, at: now)
                adapters[adapter.address]?.scan = .stopping(since: now)
                actions.append(.stopScan(object, requestedAt: now))
            case .starting(let since), .stopping(let since):
                guard since.duration(to: now) >= AdapterMachine.Limit.answer else { continue }
                adapters[adapter.address]?.giveUpScan(at: now)
            }
        }
    }

    /// Whether an adapter must be freed of a leftover scan first. An adapter with links is used as
    /// it is, because the links are worth more than quick connects.
    func isBlockedByLeftoverScan(_ adapter: AdapterMachine) -> Bool {
        guard let object = adapter.object else { return false }
        return adapter.hasLeftoverScan && tree.linkCount(onAdapter: object.path) == 0
    }

    /// Power-cycles the adapter once: no call ends a scan whose owner is gone.
    mutating func clearLeftoverScans(at now: BootInstant) {
        for adapter in usableAdapters where isBlockedByLeftoverScan(adapter) {
            guard let object = adapter.object, let since = adapter.foreignScanSince,
                since.duration(to: now) >= AdapterMachine.Limit.foreignScan
            else { continue }
            adapters[adapter.address]?.notePowerCycle()
            actions.append(.powerDown(object, .leftoverScan))
        }
    }

    /// Checks adapters that are off too: a hung adapter may not power on again.
    mutating func recoverAdapters(at now: BootInstant) {
        let isWorthARestart = isAnyMonitorMissing(at: now)
        for adapter in presentAdapters {
            guard let object = adapter.object, !object.isBlocked,
                let step = adapters[adapter.address]?.recovery.next(
                    at: now, isWorthARestart: isWorthARestart)
            else { continue }
            switch step {
            case .powerCycle:
                adapters[adapter.address]?.notePowerCycle()
                actions.append(.powerDown(object, .noAnswer))
            case .restartService:
                actions.append(.restartService(adapter: adapter.address))
            }
        }
    }
}
