import PM5Codec
import SDBus

/// The room's part of its relays: bluetoothd's objects and calls, and the links of the monitors.
extension RoomLink {
    /// Passes bluetoothd's calls to the relays. A room without relays exports no objects.
    func serveRelays(on bus: BusConnection) async throws(BusError) {
        guard !relays.isEmpty else { return }
        try await bus.serve { @Sendable [weak self] call in
            self?.assumeIsolated { room in
                room.relays.contains { relay in relay.assumeIsolated { $0.handle(call) } }
            } ?? false
        }
    }

    /// Shows the relays bluetoothd's current objects.
    func updateRelays() {
        guard !relays.isEmpty else { return }
        let present = machine.isServicePresent ? client : nil
        let tree = machine.tree
        for relay in relays { relay.assumeIsolated { $0.update(tree, present) } }
    }

    private func relay(of serial: String) -> PhoneRelay? {
        relays.first { relay in relay.assumeIsolated { $0.serial == serial } }
    }

    /// Starts to relay a link that has just opened, if its monitor has a relay.
    ///
    /// - Parameter held: the characteristics that rowgate has subscribed.
    func relay(_ attempt: LinkAttempt, holding held: [CharacteristicID]) {
        guard let relay = relay(of: attempt.serial), let stream = connections.stream(of: attempt),
            let station = connections.station(of: attempt.serial)
        else { return }
        let name = machine.tree.devices[attempt.path]?.monitorName
        let link = RelayedLink(
            attempt: attempt, station: station, stream: stream, held: Set(held),
            advertisedName: name?.text ?? AdvertisedName(serial: attempt.serial, machineHint: nil).text)
        let rate = configuration.sampleRate.rawValue
        relay.assumeIsolated {
            $0.monitorOpened(link)
            _ = $0.sampleRate.setOwn(rate)
        }
    }

    func endRelay(of attempt: LinkAttempt) {
        guard let relay = relay(of: attempt.serial) else { return }
        relay.assumeIsolated { if $0.link?.attempt == attempt { $0.monitorClosed() } }
    }

    /// Returns the value to write to 0x0034 if rowgate wants `value`.
    func sharedRate(_ value: [UInt8], of serial: String) -> [UInt8] {
        guard let byte = value.first, let relay = relay(of: serial) else { return value }
        return [relay.assumeIsolated { $0.sampleRate.setOwn(byte) }]
    }

    /// Writes a phone's value in turn with the station's; returns the monitor's error.
    ///
    /// - Parameters:
    ///   - path: the characteristic's object.
    ///   - type: `request` or `command`.
    func relay(
        _ value: [UInt8], to path: String, type: String, of attempt: LinkAttempt
    ) async -> RelayError? {
        let serial = attempt.serial
        guard connections.isOpen(attempt) else { return .noMonitor }
        guard !connections.hasFullWriteQueue(serial) else { return .tooManyWrites }
        if !connections.tryBeginWrite(to: serial) {
            await withCheckedContinuation { connections.enqueueWrite($0, to: serial) }
        }
        defer { connections.endWrite(to: serial) }
        guard let client, connections.isOpen(attempt) else { return .noMonitor }
        do throws(BusError) {
            try await client.write(value, at: path, type: type)
            return nil
        } catch { return RelayError(error) }
    }

    // MARK: - Moving a relay

    /// Makes the relay of an adapter present another monitor of the room; nil for none. A connected phone is
    /// disconnected. Valid until the next start.
    ///
    /// - Parameter adapter: as configured.
    /// - Returns: false without such an adapter or monitor.
    package func moveRelay(to serial: String?, adapter: String) -> Bool {
        let chosen = relays.first { $0.adapter.description == adapter }
        guard let chosen, serial.map({ machine.monitors[$0] != nil }) ?? true else { return false }
        if let serial, let other = relay(of: serial), other !== chosen {
            other.assumeIsolated { $0.present(nil) }
        }
        chosen.assumeIsolated { $0.present(serial) }
        guard let serial,
            let open = connections.streams.first(where: { $0.attempt.serial == serial })
        else { return true }
        relay(open.attempt, holding: connections.held(by: serial))
        return true
    }
}
