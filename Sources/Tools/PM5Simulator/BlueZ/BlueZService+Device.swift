import SDBus

extension BlueZService {
    /// How long the kernel looks for a monitor that does not advertise, in seconds.
    private static let connectTimeout = 40.4

    func deviceMethod(_ call: BusInvocation, _ device: DeviceObject) throws {
        switch call.member {
        case "Connect": try connect(call, device)
        case "Disconnect": try disconnect(call, device)
        default: throw BlueZError.unknownMethod(call)
        }
    }

    // MARK: - Connecting

    private func connect(_ call: BusInvocation, _ device: DeviceObject) throws {
        guard device.adapter.isPowered else { throw BlueZError.notReady }
        if device.isConnected { return reply(call) }
        guard device.pendingConnect == nil else { throw BlueZError.inProgress }
        cancel(device.expiry)
        if adapter(device.adapter, isBusyConnecting: call.sender) {
            device.adapter.harmfulCalls.overlappingConnects += 1
        }
        if device.adapter.sessions[call.sender] != nil {
            device.adapter.harmfulCalls.connectsWhileScanning += 1
        }
        device.pendingConnect = call
        if device.radio.faults.aborts > 0 {
            device.radio.faults.aborts -= 1
            after(0.25) { [self] in failConnect(device, .abortedLocally) }
            return
        }
        device.connectTimeout = after(Self.connectTimeout) { [self] in
            failConnect(device, .abortedLocally)
        }
        establish(device)
    }

    /// Whether a client waits for a link through an adapter.
    func adapter(_ adapter: AdapterObject, isBusyConnecting client: String) -> Bool {
        adapter.devices.values.contains { $0.pendingConnect?.sender == client }
    }

    /// Starts a link if the monitor advertises; otherwise the call keeps waiting.
    func establish(_ device: DeviceObject) {
        let adapter = device.adapter
        guard device.pendingConnect != nil, device.radio.isAdvertising, adapter.isPowered,
            !adapter.isFrozen
        else { return }
        guard adapter.linkCount < adapter.linkLimit else {
            after(0.3) { [self] in refuseForFullAdapter(device) }
            return
        }
        device.isEstablishing = true
        device.radio.establishing = device
        // A controller that scans gives little time to an initiator.
        let cost = adapter.isDiscovering ? 8.6 : randomDelay(0.3...0.5)
        let time = reserve(&adapter.nextEstablishment, cost: cost)
        let link = device.linkNumber
        at(time) { [self] in
            guard device.linkNumber == link, device.isEstablishing else { return }
            device.isEstablishing = false
            device.radio.establishing = nil
            guard device.pendingConnect != nil else { return }
            // Switched off meanwhile: the connection request finds no monitor.
            guard device.radio.isAdvertising else { return }
            linkUp(device)
        }
    }

    /// The controller has no free slot. bluetoothd 5.82 then removes the device, and never answers
    /// the call; other versions pass on the kernel's error (EMLINK).
    private func refuseForFullAdapter(_ device: DeviceObject) {
        guard device.pendingConnect != nil else { return }
        if device.adapter.reportsLimit || device.isPersistent {
            failConnect(device, .linkLimit)
        } else {
            forgetConnect(device)
            remove(device)
        }
    }

    private func linkUp(_ device: DeviceObject) {
        let radio = device.radio
        let isDead = radio.faults.deadLinks > 0
        device.isConnected = true
        device.linkNumber += 1
        radio.link = device
        changed(device, ["Connected": .boolean(true)])
        if isDead {
            radio.faults.deadLinks -= 1
            let error: BlueZError = generator.integer(0...1) == 0 ? .abortedLocally : .canceled
            after(0.6) { [self] in
                cutLink(device)
                failConnect(device, error)
            }
            return
        }
        catchUp(radio)
        radio.monitor.setConnected(true)
        radio.counters.connections += 1
        device.hasBeenConnected = true
        cancel(device.connectTimeout)
        if let call = device.pendingConnect { reply(call) }
        device.pendingConnect = nil
        resolveServices(device)
        scheduleTimer()
    }

    /// Answers a pending Connect with an error, also of a removed device.
    func failConnect(_ device: DeviceObject, _ error: BlueZError) {
        let pending = device.pendingConnect
        forgetConnect(device)
        guard let pending else { return }
        fail(pending, error)
        if device.hasBeenConnected, !device.isPersistent, !device.isConnected {
            after(0.3) { [self] in
                if !device.isConnected, device.pendingConnect == nil { remove(device) }
            }
        } else {
            expireLater(device)
        }
    }

    /// Drops a pending Connect whose caller is gone.
    func forgetConnect(_ device: DeviceObject) {
        cancel(device.connectTimeout)
        device.pendingConnect = nil
        device.isEstablishing = false
        if device.radio.establishing === device { device.radio.establishing = nil }
    }

    // MARK: - Services

    private func resolveServices(_ device: DeviceObject) {
        let isCached = !device.knownServices.isEmpty
        // The first discovery reads the whole table; later ones use the cache.
        let cost = isCached ? randomDelay(0.35...0.45) : randomDelay(1.6...2.0)
        let time = reserve(&device.adapter.nextServiceDiscovery, cost: cost)
        let link = device.linkNumber
        at(time + 0.15 / timing.linkSpeed) { [self] in
            guard device.isConnected, device.linkNumber == link else { return }
            if let delay = device.radio.faults.servicesDelay {
                device.knownServices = device.radio.layout.services.map(\.uuid)
                announceResolved(device)
                after(delay * timing.linkSpeed) { [self] in
                    if device.isConnected, device.linkNumber == link { exportServices(device) }
                }
            } else {
                exportServices(device)
                announceResolved(device)
            }
        }
    }

    /// On a reconnect the objects still exist, and nothing is announced.
    private func exportServices(_ device: DeviceObject) {
        guard device.attributes.isEmpty else { return }
        device.exploreServices()
        for object in device.attributes { announce(object) }
    }

    private func announceResolved(_ device: DeviceObject) {
        device.hasResolvedServices = true
        changed(device, ["ServicesResolved": .boolean(true), "UUIDs": device.uuids])
    }

    // MARK: - Disconnecting

    private func disconnect(_ call: BusInvocation, _ device: DeviceObject) throws {
        if device.pendingConnect != nil {
            failConnect(device, .canceled)
            return reply(call)
        }
        guard device.isConnected else { throw BlueZError.deviceNotConnected }
        let link = device.linkNumber
        after(randomDelay(1.9...2.3)) { [self] in
            if device.isConnected, device.linkNumber == link { cutLink(device) }
            reply(call)
        }
    }

    /// Handles the end of a link, whichever side ended it: the sockets end first, then the signals
    /// follow.
    func cutLink(_ device: DeviceObject) {
        guard device.isConnected else { return }
        let radio = device.radio
        catchUp(radio)
        radio.monitor.setConnected(false)
        radio.link = nil
        device.isConnected = false
        device.linkNumber += 1
        var properties: BusProperties = ["Connected": .boolean(false)]
        if device.hasResolvedServices { properties["ServicesResolved"] = .boolean(false) }
        device.hasResolvedServices = false
        for characteristic in device.characteristics {
            closeNotifySocket(of: characteristic)
            closeWriteSocket(of: characteristic)
        }
        changed(device, properties)
        for characteristic in device.characteristics where !characteristic.notifyClients.isEmpty {
            characteristic.notifyClients = []
            changed(characteristic, ["Notifying": .boolean(false)])
        }
        expireLater(device)
        advertised(radio)
    }

    /// A monitor advertises again: a waiting client may connect.
    func advertised(_ radio: MonitorRadio) {
        guard radio.isAdvertising else { return }
        let waiting = adapters.compactMap { $0.devices[radio.number] }
        for device in waiting where device.pendingConnect != nil { establish(device) }
    }
}
