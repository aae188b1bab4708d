import SDBus

extension BlueZService {
    func adapterMethod(_ call: BusInvocation, _ adapter: AdapterObject) throws {
        switch call.member {
        case "SetDiscoveryFilter": try setDiscoveryFilter(call, adapter)
        case "StartDiscovery": try startDiscovery(call, adapter)
        case "StopDiscovery": try stopDiscovery(call, adapter)
        case "GetDiscoveryFilters":
            let names = ["UUIDs", "RSSI", "Pathloss", "Transport", "DuplicateData"]
            reply(call) { message throws(BusError) in try message.append(strings: names) }
        case "RemoveDevice": try removeDevice(call, adapter)
        default: throw BlueZError.unknownMethod(call)
        }
    }

    // MARK: - Power

    func powerOnSoon(_ adapter: AdapterObject) {
        guard !adapter.isPowered else { return }
        after(0.2) { [self] in
            guard adapter.isPresent, !adapter.isPowered, !adapter.isBlocked else { return }
            adapter.isPowered = true
            changed(adapter, ["Powered": .boolean(true), "PowerState": adapter.powerState])
        }
    }

    func powerOff(_ adapter: AdapterObject) {
        adapter.isFrozen = false
        guard adapter.isPowered else { return }
        adapter.isPowered = false
        adapter.server.advertisement = nil
        cutPhones(adapter)
        endAllDiscovery(adapter)
        for device in adapter.devices.values {
            if device.pendingConnect != nil { failConnect(device, .abortedLocally) }
            if device.isConnected { cutLink(device) }
        }
        changed(adapter, ["Powered": .boolean(false), "PowerState": adapter.powerState])
    }

    // MARK: - Discovery

    private func setDiscoveryFilter(_ call: BusInvocation, _ adapter: AdapterObject) throws {
        guard adapter.isPowered else { throw BlueZError.notReady }
        let options = try call.message.readProperties()
        let filter = DiscoveryFilter(
            uuids: (options["UUIDs"]?.strings ?? []).map { $0.lowercased() },
            transport: options["Transport"]?.string ?? "auto")
        guard ["auto", "le", "bredr"].contains(filter.transport) else {
            throw BlueZError.invalidArguments
        }
        adapter.filters[call.sender] = filter
        if adapter.sessions[call.sender] != nil { adapter.sessions[call.sender] = filter }
        reply(call)
    }

    private func startDiscovery(_ call: BusInvocation, _ adapter: AdapterObject) throws {
        guard adapter.isPowered else { throw BlueZError.notReady }
        guard adapter.sessions[call.sender] == nil, !adapter.hasLeftoverScan else {
            throw BlueZError.discoveryInProgress
        }
        if self.adapter(adapter, isBusyConnecting: call.sender) {
            adapter.harmfulCalls.scansWhileConnecting += 1
        }
        adapter.sessions[call.sender] = adapter.filters[call.sender] ?? DiscoveryFilter()
        reply(call)
        guard !adapter.isDiscovering else { return }
        beginScan(adapter)
        for radio in radios { scheduleAdvertisement(radio, adapter, within: 0.05...0.4) }
    }

    private func stopDiscovery(_ call: BusInvocation, _ adapter: AdapterObject) throws {
        guard adapter.isPowered else { throw BlueZError.notReady }
        guard adapter.sessions[call.sender] != nil else { throw BlueZError.noDiscovery }
        endDiscovery(of: call.sender, on: adapter)
        reply(call)
    }

    /// Each client has its own session; the scan continues until the last one has ended.
    func endDiscovery(of client: String, on adapter: AdapterObject) {
        adapter.filters[client] = nil
        guard adapter.sessions.removeValue(forKey: client) != nil, adapter.sessions.isEmpty else {
            return
        }
        endScan(adapter)
    }

    /// The scan of a client that has gone continues, hears nothing, and blocks other scans.
    func leaveScan(_ adapter: AdapterObject) {
        guard adapter.isPowered else { return }
        endAllDiscovery(adapter)
        adapter.hasLeftoverScan = true
        beginScan(adapter)
    }

    private func beginScan(_ adapter: AdapterObject) {
        adapter.isDiscovering = true
        adapter.scanNumber += 1
        changed(adapter, ["Discovering": .boolean(true)])
    }

    private func endAllDiscovery(_ adapter: AdapterObject) {
        adapter.hasLeftoverScan = false
        adapter.sessions = [:]
        adapter.filters = [:]
        if adapter.isDiscovering { endScan(adapter) }
    }

    private func endScan(_ adapter: AdapterObject) {
        adapter.isDiscovering = false
        for device in adapter.devices.values where device.rssi != nil {
            device.rssi = nil
            changed(device, [:], invalidated: ["RSSI"])
        }
        changed(adapter, ["Discovering": .boolean(false)])
    }

    /// The scan receives an advertisement, and another one a while later.
    func scheduleAdvertisement(
        _ radio: MonitorRadio, _ adapter: AdapterObject, within delay: ClosedRange<Double>
    ) {
        let scan = adapter.scanNumber
        after(randomDelay(delay)) { [self] in
            guard adapter.isDiscovering, adapter.scanNumber == scan else { return }
            if radio.isAdvertising { receiveAdvertisement(radio, adapter) }
            scheduleAdvertisement(radio, adapter, within: 1...2)
        }
    }

    private func receiveAdvertisement(_ radio: MonitorRadio, _ adapter: AdapterObject) {
        guard adapter.sessions.values.contains(where: \.matchesMonitors) else { return }
        let rssi = radio.rssi + Int16(generator.integer(-4...4))
        let known = adapter.devices[radio.number]
        let device = known ?? DeviceObject(radio, on: adapter)
        let hasChanged = device.rssi != rssi
        device.rssi = rssi
        if known == nil {
            adapter.devices[radio.number] = device
            announce(device)
        } else if hasChanged {
            changed(device, ["RSSI": .int16(rssi)])
        }
        expireLater(device)
    }

    // MARK: - Lifetime of devices

    /// bluetoothd removes a device half a minute after it was last heard or connected
    /// (TemporaryTimeout), unless it is trusted.
    func expireLater(_ device: DeviceObject) {
        cancel(device.expiry)
        device.expiry = nil
        guard !device.isConnected, !device.isPersistent, device.pendingConnect == nil else { return }
        device.expiry = after(30) { [self] in remove(device) }
    }

    func setTrusted(_ trusted: Bool, _ device: DeviceObject) {
        guard device.isTrusted != trusted else { return }
        device.isTrusted = trusted
        changed(device, ["Trusted": .boolean(trusted)])
        expireLater(device)
    }

    private func removeDevice(_ call: BusInvocation, _ adapter: AdapterObject) throws {
        let path = try call.message.readObjectPath()
        guard let device = adapter.devices.values.first(where: { $0.path == path }) else {
            throw BlueZError.doesNotExist
        }
        if device.pendingConnect != nil { failConnect(device, .canceled) }
        after(device.isConnected ? randomDelay(2.8...3.0) : 0.02) { [self] in
            if device.isConnected { cutLink(device) }
            remove(device)
            reply(call)
        }
    }

    /// Removes the object and everything below it, children first.
    func remove(_ device: DeviceObject) {
        guard device.adapter.devices[device.radio.number] === device else { return }
        cancel(device.expiry)
        cancel(device.connectTimeout)
        device.adapter.devices[device.radio.number] = nil
        retractAll(of: device)
    }

    /// Retracts the objects of a device, children first.
    func retractAll(of device: DeviceObject) {
        for object in device.attributes.reversed() { retract(object) }
        device.forgetServices()
        retract(device)
    }

    // MARK: - Clients

    /// A client has left the bus: its discovery and subscriptions end, the links stay.
    func clientLeft(_ name: String) {
        guard name.hasPrefix(":") else { return }
        for adapter in adapters {
            endDiscovery(of: name, on: adapter)
            endRegistrations(of: name, on: adapter)
            for device in adapter.devices.values {
                for characteristic in device.characteristics
                where characteristic.notifyClients.contains(name) {
                    endNotify(of: name, characteristic)
                }
            }
        }
    }
}
