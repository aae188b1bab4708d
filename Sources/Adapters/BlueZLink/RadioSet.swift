import Timeline

/// The radios of a room: which are plugged in and powered, which scan, and which hang.
struct RadioSet: Sendable {
    /// The demands of the room on one radio.
    struct ScanDemand {
        /// A monitor is missing that its scan may find.
        let isNeeded: Bool
        /// A connect runs on it, or waits for it.
        let mustBeQuiet: Bool
    }

    private let rules: RoomRules
    /// By address; unplugged adapters stay, with their learnt limits.
    private var adapters: [String: AdapterMachine] = [:]

    init(_ rules: RoomRules) { self.rules = rules }

    /// All that were ever plugged in, by address.
    var all: [AdapterMachine] { adapters.values.sorted { $0.address < $1.address } }

    /// Plugged in, powered or not.
    var present: [AdapterMachine] { all.filter { $0.object != nil } }

    var usable: [AdapterMachine] { present.filter(\.isUsable) }

    subscript(address: String) -> AdapterMachine? { adapters[address] }

    /// The times at which the state changes without an event.
    var deadlines: [BootInstant] {
        adapters.values.flatMap { adapter in
            var deadlines = [adapter.deadline, adapter.recovery.deadline]
            if case .on(let since) = adapter.scan {
                deadlines.append(since.advanced(by: AdapterMachine.Limit.gathering))
            }
            deadlines.append(adapter.offSince?.advanced(by: AdapterMachine.Limit.offUntilReported))
            return deadlines.compactMap(\.self)
        }
    }

    // MARK: - Events

    /// Updates the state of an adapter, if it is known.
    mutating func update(_ address: String, _ change: (inout AdapterMachine) -> Void) {
        guard var adapter = adapters[address] else { return }
        change(&adapter)
        adapters[address] = adapter
    }

    /// - Parameter counts: by address.
    mutating func setKernelLinks(_ counts: [String: Int]) {
        for address in adapters.keys { adapters[address]?.kernelLinks = counts[address] }
    }

    /// bluetoothd is gone, and its scans with it.
    mutating func forgetScans(at now: BootInstant) {
        for address in adapters.keys { adapters[address]?.forgetScan(at: now) }
    }

    // MARK: - Planning

    /// Updates the adapters from BlueZ's objects, and powers them on.
    mutating func match(_ tree: ObjectTree, at now: BootInstant) -> [RoomMachine.Action] {
        var actions: [RoomMachine.Action] = []
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
        return actions
    }

    private func isWanted(_ object: AdapterObject) -> Bool {
        !object.address.isEmpty && !rules.relayAdapters.contains { $0.matches(object) }
            && (rules.adapters.isEmpty || rules.adapters.contains(object.address))
    }

    /// Power-cycles the adapter once: no call ends a scan whose owner is gone.
    mutating func clearLeftoverScans(
        _ tree: ObjectTree, at now: BootInstant
    ) -> [RoomMachine.Action] {
        var actions: [RoomMachine.Action] = []
        for adapter in usable where adapter.isBlockedByLeftoverScan(tree) {
            guard let object = adapter.object, let since = adapter.foreignScanSince,
                since.duration(to: now) >= AdapterMachine.Limit.foreignScan
            else { continue }
            adapters[adapter.address]?.notePowerCycle()
            actions.append(.powerDown(object, .leftoverScan))
        }
        return actions
    }

    /// Starts and stops scans.
    ///
    /// - Parameter demands: by adapter address.
    /// - Returns: the actions, and the starts of the scans that end now.
    mutating func updateScans(
        _ demands: [String: ScanDemand], at now: BootInstant, _ tree: ObjectTree
    ) -> (actions: [RoomMachine.Action], endedScans: [BootInstant]) {
        var actions: [RoomMachine.Action] = []
        var endedScans: [BootInstant] = []
        for adapter in usable {
            guard let object = adapter.object, let demand = demands[adapter.address] else { continue }
            switch adapter.scan {
            case .off(let restUntil) where adapter.mayStillScan && object.isDiscovering:
                guard now >= restUntil else { continue }
                adapters[adapter.address]?.scan = .stopping(since: now)
                actions.append(.stopScan(object, requestedAt: now))
            case .off(let restUntil):
                guard demand.isNeeded, !demand.mustBeQuiet, now >= restUntil,
                    !adapter.isBlockedByLeftoverScan(tree)
                else { continue }
                adapters[adapter.address]?.scan = .starting(since: now)
                adapters[adapter.address]?.isKnownToScan = true
                actions.append(.startScan(object, requestedAt: now))
            case .on(let since):
                // A sighting by another radio is not enough: this radio may have more free slots.
                let isDone = !demand.isNeeded && adapter.hasGathered(at: now)
                let isOver = since.duration(to: now) >= AdapterMachine.Limit.scan
                guard demand.mustBeQuiet || isDone || isOver else { continue }
                endedScans.append(since)
                adapters[adapter.address]?.scan = .stopping(since: now)
                actions.append(.stopScan(object, requestedAt: now))
            case .starting(let since), .stopping(let since):
                guard since.duration(to: now) >= AdapterMachine.Limit.answer else { continue }
                adapters[adapter.address]?.giveUpScan(at: now)
            }
        }
        return (actions, endedScans)
    }

    /// Checks adapters that are off too: a hung adapter may not power on again.
    mutating func recover(isWorthARestart: Bool, at now: BootInstant) -> [RoomMachine.Action] {
        var actions: [RoomMachine.Action] = []
        for adapter in present {
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
        return actions
    }
}

extension AdapterMachine {
    /// Whether the adapter must be freed of a leftover scan first. An adapter with links is used as
    /// it is, because the links are worth more than quick connects.
    func isBlockedByLeftoverScan(_ tree: ObjectTree) -> Bool {
        guard let object else { return false }
        return hasLeftoverScan && tree.linkCount(onAdapter: object.path) == 0
    }
}
