import Timeline

/// The use of the radios: scans, slow connects, and radios that do not answer.
///
/// Changes `adapters` and `actions`; links through `drive`.
extension RoomMachine {
    /// How long a connect may block a radio. A monitor that advertises answers within half a
    /// second; for another one BlueZ blocks the radio for 40 s.
    struct Patience {
        /// While other monitors were heard and have no other adapter.
        let whileOthersAreReady: Duration
        /// While other monitors are missing and need a scan.
        let whileOthersAreSought: Duration

        static let heard = Patience(
            whileOthersAreReady: .seconds(8), whileOthersAreSought: .seconds(15))
        /// After a lost link: the monitor may return at once, or may have been switched off.
        static let unheard = Patience(
            whileOthersAreReady: .seconds(3), whileOthersAreSought: .seconds(6))
        /// While another program scans, each connect takes 8.6 s; a shorter limit would never
        /// succeed.
        static let besideAScan = Patience(
            whileOthersAreReady: .seconds(20), whileOthersAreSought: .seconds(30))
    }

    func patience(with machine: LinkMachine) -> Patience {
        let adapter = usableAdapter(Self.adapterPath(of: machine.attempt))
        if adapter?.strangersScanSince != nil { return .besideAScan }
        return unheardSinceLink.contains(machine.attempt.path) ? .unheard : .heard
    }

    /// Cancels slow connects: a monitor that is off blocks BlueZ for 40 s, and the others must not
    /// wait.
    mutating func interruptConnects(at now: BootInstant) {
        for machine in monitors.values.sorted(by: { $0.serial < $1.serial }) {
            guard case .connecting(let since, nil) = machine.state else { continue }
            let path = Self.adapterPath(of: machine.attempt)
            let patience = patience(with: machine)
            let age = since.duration(to: now)
            let othersAreReady = idleSerials(at: now).contains { serial in
                let choices = options(for: serial, at: now)
                return choices.contains { $0.adapter == path }
            }
            // Other monitors may be missing because this connect holds the last slot of the
            // adapter.
            let isInTheWay =
                othersAreReady && age >= patience.whileOthersAreReady
                || age >= patience.whileOthersAreSought && isAnyoneSought(at: now)
            if isInTheWay { drive(machine.serial, .cancelConnect, at: now) }
        }
    }

    /// Whether a monitor is missing that a scan may find.
    func isAnyoneSought(at now: BootInstant) -> Bool {
        if case .any(let limit) = rules.guests, monitors.count < limit { return true }
        for machine in monitors.values where !machine.isEngaged {
            // A sleeping monitor is scanned for even while it is heard: its silence wakes it.
            if loans[machine.serial] == nil, isResting(machine.serial) { return true }
            guard isOurs(machine.serial, at: now) else { continue }
            let isLinked = sightings(of: machine.serial).contains(where: \.isConnected)
            if !isLinked, options(for: machine.serial, at: now).isEmpty { return true }
        }
        return false
    }

    func needsScan(_ path: String, at now: BootInstant) -> Bool {
        freeSlots(path, at: now) > 0 && isAnyoneSought(at: now)
    }

    mutating func steerScans(besides waitingForQuiet: Set<String>, at now: BootInstant) {
        for adapter in usableAdapters {
            guard let object = adapter.object else { continue }
            let mustBeQuiet =
                waitingForQuiet.contains(adapter.address) || isConnecting(onAdapter: object.path)
            let isNeeded = needsScan(object.path, at: now)
            switch adapter.scan {
            case .off(let restUntil) where adapter.mayScanUnasked && object.isDiscovering:
                guard now >= restUntil else { continue }
                adapters[adapter.address]?.scan = .stopping(since: now)
                actions.append(.stopScan(object, asked: now))
            case .off(let restUntil):
                guard isNeeded, !mustBeQuiet, now >= restUntil, !isHeldUp(adapter) else { continue }
                adapters[adapter.address]?.scan = .starting(since: now)
                adapters[adapter.address]?.isKnownToScan = true
                actions.append(.startScan(object, asked: now))
            case .on(let since):
                // Heard by another radio is not enough: this radio may have more room.
                let isDone = !isNeeded && adapter.hasGathered(at: now)
                let isOver = since.duration(to: now) >= AdapterMachine.Limit.scan
                guard mustBeQuiet || isDone || isOver else { continue }
                noteScan(since: since, at: now)
                adapters[adapter.address]?.scan = .stopping(since: now)
                actions.append(.stopScan(object, asked: now))
            case .starting(let since), .stopping(let since):
                guard since.duration(to: now) >= AdapterMachine.Limit.answer else { continue }
                adapters[adapter.address]?.giveUpScan(at: now)
            }
        }
    }

    /// Whether an adapter must be freed of a leftover scan first. An adapter with links is used as
    /// it is, because the links are worth more than quick connects.
    func isHeldUp(_ adapter: AdapterMachine) -> Bool {
        guard let object = adapter.object else { return false }
        return adapter.hasLeftoverScan && tree.linkCount(onAdapter: object.path) == 0
    }

    /// Power-cycles the adapter once: no call ends a scan whose owner is gone.
    mutating func clearLeftoverScans(at now: BootInstant) {
        for adapter in usableAdapters where isHeldUp(adapter) {
            guard let object = adapter.object, let since = adapter.strangersScanSince,
                since.duration(to: now) >= AdapterMachine.Limit.strangersScan
            else { continue }
            adapters[adapter.address]?.notePowerCycle()
            actions.append(.powerDown(object, .leftoverScan))
        }
    }

    /// Checks adapters that are off too: a hung adapter may not power on again.
    mutating func mendAdapters(at now: BootInstant) {
        let isWorthARestart = isAnyoneSought(at: now)
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
