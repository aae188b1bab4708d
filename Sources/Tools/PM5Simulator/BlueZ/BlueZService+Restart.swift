import SDBus

/// Stops bluetoothd and starts another one. Changes `bus` and `stopCount`.
///
/// A stop while it is already stopped decides when it returns: there is one return at a time,
/// because two would compete for the name.
extension BlueZService {
    /// bluetoothd stops: sockets end, objects are removed, the name is lost after 3 s. A new one
    /// owns it a second later and remembers the devices that were connected.
    func restart() {
        stopCount += 1
        let stopNumber = stopCount
        clearObjects()
        after(3) { [self] in
            if stopNumber == stopCount { returnToBus(after: 1) }
        }
    }

    /// bluetoothd dies, without any signal: its sockets end, its name is lost, and with it every
    /// object. The controller drops the links, which belonged to its sockets.
    func crash(back: Double) {
        stopCount += 1
        let old = bus
        bus = nil  // later signals are not sent
        for device in adapters.flatMap(\.devices.values) { forgetConnect(device) }
        clearObjects()
        bus = old
        returnToBus(after: back * timing.linkSpeed)
    }

    private func clearObjects() {
        for adapter in adapters where adapter.isPresent {
            for device in adapter.devices.values where device.isConnected {
                device.isStored = true
            }
            clearLinks(adapter)
            for device in adapter.devices.values {
                retractAll(of: device)
                device.rssi = nil
                cancel(device.expiry)
            }
            adapter.storedDevices.merge(adapter.devices.filter(\.value.isStored)) { $1 }
            adapter.devices = [:]
            retract(adapter)
        }
    }

    private func returnToBus(after delay: Double) {
        let stopNumber = stopCount
        let old = bus
        bus = nil
        Task {
            await old?.stop()
            after(delay) { [self] in
                guard stopNumber == stopCount else { return }
                readStorage()
                Task { await reconnectToBus(after: stopNumber) }
            }
        }
    }

    /// Nothing is read about an adapter that is not there.
    private func readStorage() {
        for adapter in adapters where adapter.isPresent {
            adapter.devices.merge(adapter.storedDevices) { $1 }
            adapter.storedDevices = [:]
        }
    }

    private func reconnectToBus(after stopNumber: Int) async {
        guard stopNumber == stopCount else { return }
        do {
            try await connect()
        } catch {
            // It was stopped again before it had its name.
            guard stopNumber == stopCount else { return }
            log.error("org.bluez could not be owned again: \(error)")
        }
    }
}

/// The behaviour of bluetoothd 5.82 with a controller that executes no command, as observed with an
/// emulated radio.
extension BlueZService {
    /// Seconds before a scan is given up: the kernel's timeouts of two commands, at any speed.
    private static let scanTimeout = 4.0

    /// The adapter that a call on this path needs, if it is frozen.
    func frozenAdapter(of path: String) -> AdapterObject? {
        adapters.first { $0.isFrozen && (path == $0.path || path.hasPrefix($0.path + "/")) }
    }

    func frozenMethod(_ call: BusInvocation, _ adapter: AdapterObject) throws {
        switch (object(at: call.path), call.member) {
        case (is AdapterObject, "SetDiscoveryFilter"), (is AdapterObject, "GetDiscoveryFilters"):
            try adapterMethod(call, adapter)  // bluetoothd's own business
        case (is AdapterObject, "StartDiscovery"):
            at(seconds + Self.scanTimeout) { [self] in fail(call, .discoveryInProgress) }
        case (is AdapterObject, "StopDiscovery"): throw BlueZError.inProgress
        case (let device as DeviceObject, "Connect") where device.pendingConnect == nil:
            cancel(device.expiry)
            device.pendingConnect = call
        case (let device as DeviceObject, "Disconnect") where device.pendingConnect != nil:
            failConnect(device, .canceled)
            reply(call)
        default: break  // No answer: the caller waits until its timeout.
        }
    }
}
