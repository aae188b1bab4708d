import PM5Codec
import SDBus

extension BlueZService {
    func characteristicMethod(
        _ call: BusInvocation, _ characteristic: CharacteristicObject
    ) throws {
        switch call.member {
        case "ReadValue": try readValue(call, characteristic)
        case "WriteValue": try writeValue(call, characteristic)
        case "StartNotify": try startNotify(call, characteristic)
        case "StopNotify": try stopNotify(call, characteristic)
        case "AcquireNotify": try acquireNotify(call, characteristic)
        case "AcquireWrite": try acquireWrite(call, characteristic)
        default: throw BlueZError.unknownMethod(call)
        }
    }

    /// Sends a request to the monitor: one at a time per link, and without an answer over a dead
    /// one.
    ///
    /// A monitor that hangs never answers; BlueZ gives up the link after 30 s (ATT, Core
    /// specification vol. 3 part F 3.3.3).
    func request(
        _ call: BusInvocation, _ device: DeviceObject, _ answered: @escaping () -> Void
    ) throws {
        guard device.isConnected, device.hasResolvedServices else { throw BlueZError.notConnected }
        let link = device.linkNumber
        let time = reserve(&device.nextRequest, cost: randomDelay(0.03...0.12))
        at(time) { [self] in
            guard device.linkNumber == link else { return fail(call, .notConnected) }
            guard !device.radio.faults.isHanging else {
                after(30) { [self] in
                    fail(call, .notConnected)
                    if device.linkNumber == link { cutLink(device) }
                }
                return
            }
            catchUp(device.radio)
            defer { scheduleTimer() }
            // The handles in bluetoothd's cache belong to other attributes now.
            guard device.cachedLayout == device.radio.layout else {
                return fail(call, .attributeNotFound)
            }
            answered()
        }
    }

    // MARK: - Values

    private func readValue(_ call: BusInvocation, _ characteristic: CharacteristicObject) throws {
        try checkOffset(try call.message.readProperties())
        let radio = characteristic.device.radio
        try request(call, characteristic.device) { [self] in
            guard characteristic.layout.flags.contains("read") else {
                return fail(call, .readNotPermitted)
            }
            let id = characteristic.layout.id
            // Reading the control characteristic returns stale bytes, not the next answer.
            let value =
                id == .csafeOut
                ? radio.lastControlValue
                : id.flatMap(radio.monitor.read) ?? FitnessMachine.value(of: characteristic.layout.uuid)
            characteristic.value = value
            changed(characteristic, ["Value": .bytes(value)])
            reply(call) { message throws(BusError) in try message.append(bytes: value) }
        }
    }

    /// Values here fit into one packet, so no client needs to read or write at an offset.
    private func checkOffset(_ options: BusProperties) throws {
        if let offset = options["offset"]?.integer, offset != 0 {
            throw BlueZError.invalidArguments
        }
    }

    private func writeValue(_ call: BusInvocation, _ characteristic: CharacteristicObject) throws {
        let bytes = try call.message.readBytes()
        let options = try call.message.readProperties()
        try checkOffset(options)
        guard characteristic.canWrite else { throw BlueZError.notSupported }
        let isTooLong = characteristic.layout.id == .sampleRate && bytes.count != 1
        let device = characteristic.device
        if options["type"]?.string == "command" {
            guard device.isConnected else { throw BlueZError.notConnected }
            reply(call)
            return write(bytes, to: characteristic)
        }
        try request(call, device) { [self] in
            // A PM5 answers ATT 0x0D.
            if isTooLong { return fail(call, .invalidValueLength) }
            write(bytes, to: characteristic)
            reply(call)
        }
    }

    func write(_ bytes: [UInt8], to characteristic: CharacteristicObject) {
        let radio = characteristic.device.radio
        guard characteristic.device.isConnected, !radio.faults.isHanging else { return }
        radio.counters.writes += 1
        catchUp(radio)
        if let id = characteristic.layout.id { radio.monitor.write(bytes, to: id) }
        scheduleTimer()
    }

    // MARK: - Notifications by signal

    private func startNotify(_ call: BusInvocation, _ characteristic: CharacteristicObject) throws {
        guard characteristic.canNotify else { throw BlueZError.notSupported }
        guard !characteristic.isNotifyAcquired else { throw BlueZError.notifyAcquired }
        if characteristic.notifyClients.contains(call.sender) { return reply(call) }
        try request(call, characteristic.device) { [self] in
            guard !characteristic.isNotifyAcquired else { return fail(call, .notifyAcquired) }
            let isFirst = characteristic.notifyClients.isEmpty
            characteristic.notifyClients.insert(call.sender)
            if isFirst {
                if let earlyValues = characteristic.earlyValue { signal(earlyValues, of: characteristic) }
                subscribe(true, characteristic)
                changed(characteristic, ["Notifying": .boolean(true)])
            }
            reply(call)
            if isFirst { sendPromptValue(of: characteristic) }
        }
    }

    private func stopNotify(_ call: BusInvocation, _ characteristic: CharacteristicObject) throws {
        guard characteristic.notifyClients.contains(call.sender) else {
            throw BlueZError.noNotifySession
        }
        endNotify(of: call.sender, characteristic)
        reply(call)
    }

    func endNotify(of client: String, _ characteristic: CharacteristicObject) {
        characteristic.notifyClients.remove(client)
        guard characteristic.notifyClients.isEmpty else { return }
        subscribe(false, characteristic)
        changed(characteristic, ["Notifying": .boolean(false)])
    }

    func subscribe(_ on: Bool, _ characteristic: CharacteristicObject) {
        let radio = characteristic.device.radio
        guard characteristic.device.isConnected, let id = characteristic.layout.id else { return }
        catchUp(radio)
        radio.monitor.setSubscribed(on, to: id)
        scheduleTimer()
    }

    // MARK: - Delivery

    /// Delivers a notification to the client; false if it was lost on the way.
    func deliver(_ bytes: [UInt8], of id: CharacteristicID, from radio: MonitorRadio) -> Bool {
        guard let device = radio.link, !radio.suppresses(bytes, of: id),
            let characteristic = device.characteristic(id)
        else { return false }
        if id == .csafeOut { radio.lastControlValue = bytes }
        if id == .generalStatus { sendFitnessValue(bytes, from: device) }
        if radio.faults.losses > 0 {
            radio.faults.losses -= 1
            return false
        }
        if let socket = characteristic.notifySocket {
            if socket.send(bytes) { return true }
            radio.counters.dropped += 1
            return false
        }
        guard !characteristic.notifyClients.isEmpty else { return false }
        signal(bytes, of: characteristic)
        return true
    }

    /// Sends 0x2AD1 with the same distance.
    private func sendFitnessValue(_ status: [UInt8], from device: DeviceObject) {
        guard let value = FitnessMachine.rowerData(status) else { return }
        let rower = device.characteristics.first { $0.layout.uuid == FitnessMachine.rowerDataUUID }
        if let rower, let socket = rower.notifySocket { _ = socket.send(value) }
    }

    /// Sends a value together with the confirmation of a subscription.
    func sendPromptValue(of characteristic: CharacteristicObject) {
        let radio = characteristic.device.radio
        guard let id = characteristic.layout.id, let value = radio.faults.promptValues[id] else { return }
        _ = deliver(value, of: id, from: radio)
    }

    private func signal(_ bytes: [UInt8], of characteristic: CharacteristicObject) {
        characteristic.value = bytes
        changed(characteristic, ["Value": .bytes(bytes)])
    }
}
