import PM5Codec

/// Faults requested by the control socket. Changes `control`; adapters, devices and radios are
/// separate objects, and BlueZService+Restart stops and starts the service itself.
extension BlueZService {
    /// How long a central assumes a link over which nothing arrives, in seconds.
    private static let supervisionTimeout = 0.42

    /// Opens the control socket; see `FaultRequest.syntax`.
    package func openControl(path: String) throws(ControlSocketError) {
        control = try ControlSocket(path: path, on: executor) { @Sendable [weak self] line in
            self?.assumeIsolated { $0.control(line) } ?? "{}"
        }
    }

    /// Handles a request and returns its answer, both one line of JSON.
    package func control(_ line: String) -> String {
        let fields: [Field]
        do throws(RequestProblem) {
            fields = [Field("ok", .flag(true))] + (try execute(FaultRequest(line)))
        } catch {
            fields = [Field("ok", .flag(false)), Field("error", .text(error.rawValue))]
        }
        return FieldValue.object(fields).json
    }

    /// Returns the fields of the answer besides "ok".
    private func execute(_ request: FaultRequest) throws(RequestProblem) -> [Field] {
        let number = try request.monitor
        let chosen = radios.filter { number == nil || $0.number == number }
        if number != nil, chosen.isEmpty { throw .monitor }
        switch request.name {
        case "state": return state(chosen)
        case "restart_service": restart()
        case "kill_service": crash(back: try request.back ?? 1)
        case "remove_adapter", "restore_adapter", "block_adapter", "power_adapter",
            "freeze_adapter", "leave_scan", "tell_limit":
            try execute(request, try adapter(meantBy: request))
        default: for radio in chosen { try execute(request, radio) }
        }
        return []
    }

    // MARK: - Monitors

    private func execute(
        _ request: FaultRequest, _ radio: MonitorRadio
    ) throws(RequestProblem) {
        switch request.name {
        case "drop": drop(radio, back: try request.back)
        case "vanish": vanish(radio, back: try request.back)
        case "refuse": radio.faults.deadLinks = try request.count
        case "abort": radio.faults.aborts = try request.count
        case "hang": radio.faults.isHanging = try request.on
        case "advertise":
            radio.isOnConnectableScreen = try request.on
            advertised(radio)
        case "garbage":
            let id = try request.id
            for _ in 0..<(try request.count) {
                let bytes = (0..<generator.integer(1...20)).map { _ in
                    UInt8(truncatingIfNeeded: generator.next())
                }
                _ = deliver(bytes, of: id, from: radio)
            }
        case "send": _ = deliver(try request.bytes, of: try request.id, from: radio)
        case "lose": radio.faults.losses = try request.count
        case "mute":
            let id = try request.id
            if try request.on {
                radio.faults.muted.insert(id)
            } else {
                radio.faults.muted.remove(id)
            }
        case "starve": radio.faults.omitsTimedValues = try request.on
        case "delay_services":
            let seconds = try request.figure("ms", upTo: 3_600_000) / 1000
            radio.faults.servicesDelay = seconds > 0 ? seconds : nil
        case "refuse_acquire": radio.faults.refusesAcquireNotify = try request.on
        // Without bytes the value is removed.
        case "early":
            let bytes = try request.bytes
            radio.faults.earlyValues[try request.id] = bytes.isEmpty ? nil : bytes
        case "prompt":
            let bytes = try request.bytes
            radio.faults.promptValues[try request.id] = bytes.isEmpty ? nil : bytes
        case "update_firmware":
            radio.updateFirmware(to: try request.version)
            drop(radio, back: nil)
        case "pause":
            let seconds = try request.figure("s", upTo: 36_000)
            catchUp(radio)
            radio.monitor.pause(forMilliseconds: Int(seconds * 1000))
        case "give":
            let (part, seconds) = (try request.part, try request.figure("s", upTo: 36_000))
            catchUp(radio)
            radio.monitor.fade(to: part, withinMilliseconds: Int(seconds * 1000))
        case "hold":
            let isHeld = try request.on
            touch(radio) { $0.hold(isHeld) }
        case "row":
            let seconds = try request.figure("s", upTo: 60)
            touch(radio) { $0.begin(afterMilliseconds: Int(seconds * 1000)) }
        case "belt":
            let isReceived = try request.on
            catchUp(radio)
            radio.monitor.setBelt(isReceived: isReceived)
        case "press":
            let key = try request.key
            touch(radio) { $0.press(key) }
        case "pull": touch(radio) { $0.pullHandle() }
        case "leave": touch(radio) { $0.leave() }
        case "battery":
            let percent = try request.figure("percent", upTo: 100)
            touch(radio) { $0.setBattery(percent: percent) }
        case "clock":
            let seconds = try request.clockAdvance
            catchUp(radio)
            radio.monitor.advanceClock(bySeconds: seconds)
        default: throw .request
        }
    }

    /// A person touches a monitor, which may wake it.
    private func touch(_ radio: MonitorRadio, _ body: (inout any SimulatedMonitor) -> Void) {
        catchUp(radio)
        body(&radio.monitor)
        advertised(radio)
        scheduleTimer()
    }

    private func drop(_ radio: MonitorRadio, back: Double?) {
        if let back {
            radio.isOnConnectableScreen = false
            after(back * timing.linkSpeed) { [self] in
                radio.isOnConnectableScreen = true
                advertised(radio)
            }
        }
        if let device = radio.link { cutLink(device) }
    }

    private func vanish(_ radio: MonitorRadio, back: Double?) {
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

    private func execute(
        _ request: FaultRequest, _ adapter: AdapterObject
    ) throws(RequestProblem) {
        switch request.name {
        case "remove_adapter": removeAdapter(adapter)
        case "restore_adapter": restoreAdapter(adapter, as: try request.newName)
        case "block_adapter":
            adapter.isBlocked = try request.on
            if adapter.isBlocked { powerOff(adapter) } else { powerOnSoon(adapter) }
        case "power_adapter": if try request.on { powerOnSoon(adapter) } else { powerOff(adapter) }
        // An adapter that is off cannot hang.
        case "freeze_adapter": adapter.isFrozen = adapter.isPowered
        case "leave_scan": leaveScan(adapter)
        case "tell_limit": adapter.reportsLimit = try request.on
        default: preconditionFailure("\(request.name) is not about an adapter")
        }
    }

    /// By its name; the name of an unplugged adapter may belong to another one now.
    private func adapter(
        meantBy request: FaultRequest
    ) throws(RequestProblem) -> AdapterObject {
        let name = try request.adapter
        let isPresent = request.name != "restore_adapter"
        let named = adapters.filter { $0.name == name }
        guard let adapter = named.first(where: { $0.isPresent == isPresent }) ?? named.first
        else { throw .adapter }
        return adapter
    }

    /// Under the requested name, its own, or the first free one.
    private func restoreAdapter(_ adapter: AdapterObject, as name: String?) {
        guard !adapter.isPresent else { return }
        let usedNames = Set(adapters.filter(\.isPresent).map(\.name))
        let names = [name ?? adapter.name, adapter.name] + (0...usedNames.count).map { "hci\($0)" }
        if let free = names.first(where: { !usedNames.contains($0) }) { adapter.rename(free) }
        adapter.isPresent = true
        announce(adapter)
        powerOnSoon(adapter)
    }

    /// Unplugs it: the links end first, then the devices, then the adapter. That mends a hanging controller; calls
    /// that it did not answer stay without an answer.
    private func removeAdapter(_ adapter: AdapterObject) {
        guard adapter.isPresent else { return }
        adapter.isFrozen = false
        clearLinks(adapter)
        for device in adapter.devices.values.sorted(by: { $0.radio.number < $1.radio.number }) {
            remove(device)
        }
        adapter.isPresent = false
        retract(adapter)
    }

    /// Ends everything on a controller, without a signal about the adapter itself.
    func clearLinks(_ adapter: AdapterObject) {
        adapter.isPowered = false
        adapter.isDiscovering = false
        adapter.hasLeftoverScan = false
        adapter.sessions = [:]
        adapter.filters = [:]
        for device in adapter.devices.values {
            if device.pendingConnect != nil { failConnect(device, .abortedLocally) }
            if device.isConnected { cutLink(device) }
        }
        for phone in adapter.server.phones.values { retract(phone) }
        adapter.server.clear()
    }

    // MARK: - State

    private func state(_ chosen: [MonitorRadio]) -> [Field] {
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
                            Field("missteps", .object(Self.fields(adapter.harmfulCalls))),
                        ])
                    })),
            Field("monitors", .list(chosen.map { .object(state($0)) })),
        ]
    }

    private static func fields(_ harmfulCalls: HarmfulCalls) -> [Field] {
        [
            Field("overlapping_connects", harmfulCalls.overlappingConnects),
            Field("connects_while_scanning", harmfulCalls.connectsWhileScanning),
            Field("scans_while_connecting", harmfulCalls.scansWhileConnecting),
        ]
    }

    private func state(_ radio: MonitorRadio) -> [Field] {
        let subscribed = radio.monitor.subscriptions.sorted { $0.rawValue < $1.rawValue }
        return [
            Field("pm", radio.number),
            Field("name", .text(radio.monitor.identity.name)),
            Field("address", .text(radio.address)),
            Field("on", .flag(radio.isPresent && radio.monitor.isOn)),
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
