import PM5Codec

extension BlueZService {
    /// How long a central goes on believing in a link over which nothing comes.
    private static let supervisionTimeout = 0.42

    /// Opens the control socket; see `controlSyntax`.
    package func openControl(path: String) throws(ControlSocketError) {
        control = try ControlSocket(path: path, on: executor) { @Sendable [weak self] line in
            self?.assumeIsolated { $0.control(line) } ?? "{}"
        }
    }

    /// The requests of the control socket, for a help text.
    package static var controlSyntax: String { FaultCommand.syntax }

    /// Takes a request and gives its answer, both one line of JSON.
    package func control(_ line: String) -> String {
        guard let request = FlatJSON(line), let command = FaultCommand(request) else {
            return Self.answer(error: "no such request")
        }
        var chosen = radios
        if request.members["pm"] != nil {
            chosen = radios.filter { $0.number == request.integer("pm") }
            guard !chosen.isEmpty else { return Self.answer(error: "no such monitor") }
        }
        return carryOut(command, chosen)
    }

    private static func answer(error: String) -> String {
        FieldValue.object([Field("ok", .flag(false)), Field("error", .text(error))]).json
    }

    private func carryOut(_ command: FaultCommand, _ chosen: [RadioMonitor]) -> String {
        var fields = [Field("ok", .flag(true))]
        switch command {
        case .state: fields += state(chosen)
        case .removeAdapter(let name), .restoreAdapter(let name, _), .powerAdapter(let name, _),
            .blockAdapter(let name, _), .freezeAdapter(let name), .reportLimit(let name, _),
            .leaveScan(let name):
            guard let adapter = adapters.first(where: { $0.name == name }) else {
                return Self.answer(error: "no such adapter")
            }
            carryOut(command, adapter)
        case .restartService: restart()
        case .killService(let back): die(back: back)
        default: for radio in chosen { carryOut(command, radio) }
        }
        return FieldValue.object(fields).json
    }

    // MARK: - Monitors

    private func carryOut(_ command: FaultCommand, _ radio: RadioMonitor) {
        switch command {
        case .drop(let back): drop(radio, back: back)
        case .vanish(let back): vanish(radio, back: back)
        case .refuse(let count): radio.faults.refusals = count
        case .abort(let count): radio.faults.aborts = count
        case .hang(let on): radio.faults.isHanging = on
        case .advertise(let on):
            radio.wantsToAdvertise = on
            advertised(radio)
        case .garbage(let id, let count):
            for _ in 0..<count {
                let bytes = (0..<generator.integer(1...20)).map { _ in
                    UInt8(truncatingIfNeeded: generator.next())
                }
                _ = deliver(bytes, of: id, from: radio)
            }
        case .send(let id, let bytes): _ = deliver(bytes, of: id, from: radio)
        case .lose(let count): radio.faults.losses = count
        case .mute(let id, let on):
            if on { radio.faults.muted.insert(id) } else { radio.faults.muted.remove(id) }
        case .delayServices(let seconds): radio.faults.servicesDelay = seconds
        case .refuseAcquireNotify(let on): radio.faults.refusesAcquireNotify = on
        case .early(let id, let bytes): radio.faults.early[id] = bytes.isEmpty ? nil : bytes
        case .prompt(let id, let bytes): radio.faults.prompt[id] = bytes.isEmpty ? nil : bytes
        case .updateFirmware(let version):
            radio.updateFirmware(to: version)
            drop(radio, back: nil)
        case .pause(let seconds):
            catchUp(radio)
            radio.monitor.pause(forMilliseconds: Int(seconds * 1000))
        case .state, .removeAdapter, .restoreAdapter, .powerAdapter, .blockAdapter,
            .freezeAdapter, .reportLimit, .leaveScan, .restartService, .killService:
            break
        }
    }

    private func drop(_ radio: RadioMonitor, back: Double?) {
        if let back {
            radio.wantsToAdvertise = false
            after(back * timing.linkSpeed) { [self] in
                radio.wantsToAdvertise = true
                advertised(radio)
            }
        }
        if let device = radio.link { cutLink(device) }
    }

    private func vanish(_ radio: RadioMonitor, back: Double?) {
        radio.isPresent = false
        if let device = radio.link {
            let link = device.linkNumber
            after(Self.supervisionTimeout) { [self] in
                if device.linkNumber == link { cutLink(device) }
            }
        }
        guard let back else { return }
        after(back * timing.linkSpeed) { [self] in
            radio.isPresent = true
            advertised(radio)
        }
    }

    // MARK: - Adapters

    private func carryOut(_ command: FaultCommand, _ adapter: AdapterObject) {
        switch command {
        case .removeAdapter: removeAdapter(adapter)
        case .restoreAdapter(_, let name): restoreAdapter(adapter, as: name)
        case .blockAdapter(_, let on):
            adapter.isBlocked = on
            if on { powerOff(adapter) } else { powerOnSoon(adapter) }
        case .freezeAdapter: adapter.isFrozen = true
        case .reportLimit(_, let on): adapter.reportsLimit = on
        case .leaveScan: leaveScan(adapter)
        case .powerAdapter(_, let on):
            if on { powerOnSoon(adapter) } else { powerOff(adapter) }
        default: break
        }
    }

    /// Under a new name it must not meet another adapter's.
    private func restoreAdapter(_ adapter: AdapterObject, as name: String?) {
        guard !adapter.isPresent else { return }
        if let name, !adapters.contains(where: { $0.isPresent && $0.name == name }) {
            adapter.rename(name)
        }
        adapter.isPresent = true
        announce(adapter.path, .adapter(adapter))
        powerOnSoon(adapter)
    }

    /// Pulled out: the links, then the devices, then the adapter itself.
    private func removeAdapter(_ adapter: AdapterObject) {
        guard adapter.isPresent else { return }
        clearLinks(adapter)
        for device in adapter.devices.values.sorted(by: { $0.radio.number < $1.radio.number }) {
            remove(device)
        }
        adapter.isPresent = false
        retract(adapter.path, .adapter(adapter))
    }

    /// Everything that hangs on a controller ends, without a word about the adapter itself.
    private func clearLinks(_ adapter: AdapterObject) {
        adapter.isPowered = false
        adapter.isDiscovering = false
        adapter.hasLeftoverScan = false
        adapter.sessions = [:]
        adapter.filters = [:]
        for device in adapter.devices.values {
            if device.pendingConnect != nil { failConnect(device, .abortedLocally) }
            if device.isConnected { cutLink(device) }
        }
    }

    // MARK: - Restart

    /// bluetoothd goes: sockets end, objects are removed, the name is lost after 3 s; a new one
    /// owns it a second later and remembers the devices that were connected.
    private func restart() {
        let lastLink = adapters.flatMap(\.devices.values).filter(\.isConnected)
        for adapter in adapters where adapter.isPresent {
            clearLinks(adapter)
            for device in adapter.devices.values {
                for (path, object) in device.gattObjects.reversed() { retract(path, object) }
                device.services = []
                retract(device.path, .device(device))
                device.rssi = nil
                cancel(device.expiry)
            }
            adapter.devices = [:]
            retract(adapter.path, .adapter(adapter))
        }
        after(3) { [self] in reconnect(after: 1, remembering: lastLink) }
    }

    /// bluetoothd dies. Nothing is told: its sockets end, its name is lost, and with it every
    /// object; the controller drops the links, which belonged to its sockets.
    private func die(back: Double) {
        let old = bus
        bus = nil  // from here on signals reach nobody
        let lastLink = adapters.flatMap(\.devices.values).filter(\.isConnected)
        for adapter in adapters where adapter.isPresent {
            for device in adapter.devices.values { forgetConnect(device) }
            clearLinks(adapter)
            for device in adapter.devices.values {
                device.services = []
                device.rssi = nil
                cancel(device.expiry)
            }
            adapter.devices = [:]
        }
        bus = old
        reconnect(after: back * timing.linkSpeed, remembering: lastLink)
    }

    private func reconnect(after delay: Double, remembering devices: [DeviceObject]) {
        let old = bus
        bus = nil
        Task {
            await old?.stop()
            after(delay) { [self] in
                for device in devices {
                    device.isStored = true
                    device.adapter.devices[device.radio.number] = device
                }
                Task { await connectAgain() }
            }
        }
    }

    private func connectAgain() async {
        do {
            try await connect()
        } catch {
            log.error("org.bluez could not be owned again: \(error)")
        }
    }

    // MARK: - State

    private func state(_ chosen: [RadioMonitor]) -> [Field] {
        [
            Field(
                "adapters",
                .list(
                    adapters.map { adapter in
                        .object([
                            Field("hci", .text(adapter.name)),
                            Field("present", .flag(adapter.isPresent)),
                            Field("powered", .flag(adapter.isPowered)),
                            Field("discovering", .flag(adapter.isDiscovering)),
                            Field("links", adapter.linkCount),
                            Field("missteps", .object(Self.fields(adapter.missteps))),
                        ])
                    })),
            Field("monitors", .list(chosen.map { .object(state($0)) })),
        ]
    }

    private static func fields(_ missteps: Missteps) -> [Field] {
        [
            Field("overlapping_connects", missteps.overlappingConnects),
            Field("connects_while_scanning", missteps.connectsWhileScanning),
            Field("scans_while_connecting", missteps.scansWhileConnecting),
        ]
    }

    private func state(_ radio: RadioMonitor) -> [Field] {
        let subscribed = radio.monitor.subscriptions.sorted { $0.rawValue < $1.rawValue }
        return [
            Field("pm", radio.number),
            Field("name", .text(radio.monitor.identity.name)),
            Field("address", .text(radio.address)),
            Field("advertising", .flag(radio.isAdvertising)),
            Field("connected", .flag(radio.link != nil)),
            Field("adapter", radio.link.map { .text($0.adapter.name) } ?? .null),
            Field("subscribed", .list(subscribed.map { .text($0.description) })),
            Field("rate", .hex(radio.monitor.read(.sampleRate) ?? [])),
            Field("sent", radio.counters.sent),
            Field("dropped", radio.counters.dropped),
            Field("connections", radio.counters.connections),
            Field("writes", radio.counters.writes),
            Field("done", .flag(radio.monitor.isDone)),
        ]
    }
}
