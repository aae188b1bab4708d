import Rowing
import Timeline

/// The state of the room for other parts.
extension RoomMachine {
    /// Every PM5 that bluetoothd knows. BlueZ reports a signal strength only while a monitor
    /// advertises; for a linked one this is the last value.
    var allSightings: [RoomSnapshot.Sighting] {
        tree.devices.values.sorted { $0.path < $1.path }.compactMap { device in
            device.serial.map {
                RoomSnapshot.Sighting(
                    serial: $0, adapter: BlueZName.lastComponent(of: device.adapter),
                    rssi: device.rssi ?? sightings.signal(of: $0))
            }
        }
    }

    func status(of serial: String, at now: BootInstant) -> LinkStatus {
        guard let machine = monitors[serial] else { return LinkStatus(phase: .searching) }
        var status = LinkStatus(phase: phase(of: machine, at: now))
        status.rssi = sightings.signal(of: serial)
        if machine.isEngaged {
            status.adapter = BlueZName.lastComponent(of: Self.adapterPath(of: machine.attempt))
        }
        status.connects = machine.connects
        status.resubscriptions = machine.resubscriptions
        status.failures = machine.failures
        status.lastFailure = machine.lastFailure?.message
        status.lastFailureDetail = machine.lastFailure?.detail
        status.removals = machine.removals
        return status
    }

    private func phase(of machine: LinkMachine, at now: BootInstant) -> LinkPhase {
        if let release = releases[machine.serial] { return .released(release) }
        if releases.isAsleep(machine.serial), let rule = rules.idleRelease {
            return .asleep(after: rule.after)
        }
        switch machine.state {
        case .connecting: return .connecting
        case .resolving, .checking: return .resolving
        case .settingUp: return .subscribing
        case .streaming: return .streaming
        case .disconnecting: return .waiting
        case .idle: break
        }
        if isContested(machine.serial, at: now) {
            return .parked(.contested)
        }
        let known = devices(of: machine.serial)
        if !connectCandidates(for: machine.serial, at: now).isEmpty || known.contains(where: \.isConnected) {
            return .waiting
        }
        if let full = fullAdaptersMessage(at: now) { return .parked(.noSlot(full)) }
        guard releases.isSleeper(machine.serial), let rule = rules.idleRelease else {
            return .searching
        }
        return .asleep(after: rule.after)
    }

    /// What prevents radios from working, worst first.
    func radioProblems(at now: BootInstant) -> [RoomProblem] {
        guard isServicePresent else { return [] }
        let present = radios.present
        // bluetoothd shows its adapters a moment after it starts.
        let isSettled =
            servicePresentSince.duration(to: now) >= AdapterMachine.Limit.offUntilReported
        if present.isEmpty, rules.adapters.isEmpty { return isSettled ? [.noAdapter] : [] }
        let missing =
            isSettled ? rules.adapters.subtracting(present.map(\.address)).sorted() : []
        let broken = present.compactMap { problem(of: $0, at: now) }
        let scanned =
            isAnyMonitorMissing(at: now) ? radios.usable.filter { $0.hasLongForeignScan(at: now) } : []
        return missing.map { .adapterMissing(address: $0) } + broken
            + scanned.compactMap(\.object).map { .adapterScanned(name: $0.name) }
    }

    /// A hung adapter may be on or off; that it is off is not reported separately.
    private func problem(of adapter: AdapterMachine, at now: BootInstant) -> RoomProblem? {
        guard let object = adapter.object else { return nil }
        if adapter.recovery.isStuck, !object.isBlocked { return .adapterStuck(name: object.name) }
        guard let since = adapter.offSince,
            since.duration(to: now) >= AdapterMachine.Limit.offUntilReported
        else { return nil }
        return object.isBlocked
            ? .adapterBlocked(name: object.name) : .adapterOff(name: object.name)
    }

    /// A message for a room whose radios are all full; nil if one has a slot, or none is on.
    private func fullAdaptersMessage(at now: BootInstant) -> String? {
        let parts = radios.usable.compactMap { adapter -> String? in
            guard let object = adapter.object, let limit = adapter.slots.limit(at: now),
                freeSlots(object.path, at: now) == 0
            else { return nil }
            return "\(object.name) holds \(links(onAdapter: object.path)) of \(limit) links"
        }
        return !parts.isEmpty && parts.count == radios.usable.count
            ? parts.joined(separator: ", ") : nil
    }
}
