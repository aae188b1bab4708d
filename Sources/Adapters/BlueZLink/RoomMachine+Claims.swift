import Timeline

/// Claims monitors for a room without a list.
///
/// Changes `claimDecisions`, `monitors`, `published` and `actions`.
extension RoomMachine {
    /// Claims monitors that are linked already, then the strongest.
    mutating func claimNewcomers(at now: BootInstant) {
        guard case .any(let limit) = rules.membership else { return }
        for machine in monitors.values {
            if case .streaming = machine.state { claimDecisions.noteLinked(machine.serial, at: now) }
        }
        for device in claimCandidates(at: now) {
            guard let serial = device.serial, monitors[serial] == nil,
                monitors.count < limit || makeRoom(for: serial, at: now)
            else { continue }
            admit(serial, at: now)
            actions.append(.claim(serial: serial))
        }
        claimDecisions.dropOutdated(except: monitors.keys, at: now)
    }

    /// When contested monitors are tried again.
    var claimDeadlines: [BootInstant] {
        guard case .any = rules.membership else { return [] }
        return monitors.keys.compactMap(claimDecisions.contestEnd)
    }

    /// Whether another gateway repeatedly takes a monitor, so that this room leaves it alone.
    func isContested(_ serial: String, at now: BootInstant) -> Bool {
        guard case .any = rules.membership, let end = claimDecisions.contestEnd(serial) else { return false }
        return now < end
    }

    private func claimCandidates(at now: BootInstant) -> [DeviceObject] {
        let eligible = tree.devices.values.filter { device in
            guard let serial = device.serial, monitors[serial] == nil,
                !rejectedSerials.contains(serial), let adapter = usableAdapter(device.adapter)
            else { return false }
            return device.isConnected
                || adapter.hasGathered(at: now) && claimDecisions.mayClaim(serial, at: now)
        }
        return eligible.sorted { first, second in
            (first.isConnected ? 0 : 1, -(first.rssi ?? -128), first.path)
                < (second.isConnected ? 0 : 1, -(second.rssi ?? -128), second.path)
        }
    }

    /// Gives up the claim on the monitor that has been away longest, if `serial` may replace it.
    private mutating func makeRoom(for serial: String, at now: BootInstant) -> Bool {
        let replaceable = monitors.values.filter { machine in
            !machine.isEngaged && releases[machine.serial] == nil
                && claimDecisions.mayReplace(machine.serial, with: serial, at: now)
        }
        let longest = replaceable.max {
            (claimDecisions.absence(of: $0.serial, at: now), $0.serial)
                < (claimDecisions.absence(of: $1.serial, at: now), $1.serial)
        }
        guard let longest else { return false }
        monitors[longest.serial] = nil
        published[longest.serial] = nil
        actions.append(.abandonClaim(serial: longest.serial))
        return true
    }
}
