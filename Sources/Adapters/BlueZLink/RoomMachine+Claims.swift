import Timeline

/// Which monitors a room without a list takes.
///
/// Changes `claims`, `monitors`, `published` and `actions`.
extension RoomMachine {
    /// Claims monitors that are linked already, then the strongest.
    mutating func claimNewcomers(at now: BootInstant) {
        guard case .any(let limit) = rules.guests else { return }
        for machine in monitors.values {
            if case .streaming = machine.state { claims.noteHeld(machine.serial, at: now) }
        }
        for device in strangers(at: now) {
            guard let serial = device.serial, monitors[serial] == nil,
                monitors.count < limit || makeRoom(for: serial, at: now)
            else { continue }
            admit(serial, at: now)
            actions.append(.claim(serial: serial))
        }
        claims.forget(except: monitors.keys, at: now)
    }

    /// When contested monitors are tried again.
    var claimDeadlines: [BootInstant] {
        guard case .any = rules.guests else { return [] }
        return monitors.keys.compactMap(claims.restEnd)
    }

    /// Whether another gateway repeatedly takes a monitor, so that this room leaves it alone.
    func isContested(_ serial: String, at now: BootInstant) -> Bool {
        guard case .any = rules.guests, let end = claims.restEnd(serial) else { return false }
        return now < end
    }

    private func strangers(at now: BootInstant) -> [DeviceObject] {
        let eligible = tree.devices.values.filter { device in
            guard let serial = device.serial, monitors[serial] == nil,
                !unseated.contains(serial), let adapter = usableAdapter(device.adapter)
            else { return false }
            return device.isConnected
                || adapter.hasGathered(at: now) && claims.mayClaim(serial, at: now)
        }
        return eligible.sorted { first, second in
            (first.isConnected ? 0 : 1, -(first.rssi ?? -128), first.path)
                < (second.isConnected ? 0 : 1, -(second.rssi ?? -128), second.path)
        }
    }

    /// Gives up the claim on the monitor that has been away longest, if `serial` may replace it.
    private mutating func makeRoom(for serial: String, at now: BootInstant) -> Bool {
        let replaceable = monitors.values.filter { machine in
            !machine.isEngaged && loans[machine.serial] == nil
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
}
