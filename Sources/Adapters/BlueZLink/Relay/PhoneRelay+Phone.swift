import HostRuntime
import PM5Codec
import Relay
import Rowing
import SDBus

/// An error of bluetoothd's interface for servers, which bluetoothd turns into an ATT error for the phone.
///
/// Source: bluez src/gatt-database.c, `dbus_error_to_att_ecode`.
struct RelayError: Error, Equatable {
    let name: String
    let message: String

    static func failed(_ message: String) -> Self {
        Self(name: "org.bluez.Error.Failed", message: message)
    }
    static let notSupported = Self(name: "org.bluez.Error.NotSupported", message: "not supported")
    static let invalidOffset = Self(name: "org.bluez.Error.InvalidOffset", message: "invalid offset")
    static let noMonitor = Self.failed("the monitor is not connected")
    static let tooManyWrites = Self.failed("too many requests wait for the monitor")

    private init(name: String, message: String) {
        self.name = name
        self.message = message
    }

    /// The monitor's own error. bluetoothd's client puts an application error into a text, and its server
    /// expects the bare number.
    init(_ error: BusError) {
        let message = error.message
        let mark = "ATT error: "
        guard let name = error.name, name.hasPrefix("org.bluez.Error.") else {
            self = .failed(message)
            return
        }
        let words = message.split(separator: " ")
        let isATT = message.hasPrefix("Operation failed with " + mark)
        self.init(name: name, message: isATT ? words.last.map(String.init) ?? message : message)
    }
}

/// What a connected phone does. Changes `constants`, `onDemand`, `pumps`, `made`, `writes`, `writeCount`,
/// `pieces`, `isWriting` and `sampleRate`, which belong to the phone.
extension PhoneRelay {
    /// ReadValue, WriteValue, AcquireNotify and what belongs to them.
    func handle(
        _ call: BusInvocation, of characteristic: RelayTable.Characteristic
    ) throws(BusError) {
        switch call.member {
        case "ReadValue":
            read(call, characteristic, offset: try Self.offset(in: call.message.readProperties()))
        case "WriteValue":
            let value = try call.message.readBytes()
            let options = try call.message.readProperties()
            guard Self.offset(in: options) == 0 else { return refuse(call, .invalidOffset) }
            write(call, value, characteristic)
        case "AcquireNotify":
            try subscribe(call, characteristic, options: try call.message.readProperties())
        case "StopNotify", "Confirm": try call.reply()
        default: refuse(call, .notSupported)
        }
    }

    private static func offset(in options: BusProperties) -> Int { options["offset"]?.integer ?? 0 }

    func refuse(_ call: BusInvocation, _ error: RelayError) {
        do throws(BusError) {
            try call.fail(name: error.name, message: error.message)
        } catch { log.debug("relay: \(error)", fields) }
    }

    // MARK: - Reading

    private func read(
        _ call: BusInvocation, _ characteristic: RelayTable.Characteristic, offset: Int
    ) {
        if let value = constants[characteristic.uuid] { return answer(call, value, from: offset) }
        guard let client, let link, let path = monitorPaths[characteristic.uuid] else {
            return refuse(call, .noMonitor)
        }
        Task {
            do throws(BusError) {
                let value = try await client.read(at: path)
                if characteristic.isConstant, self.link?.attempt == link.attempt {
                    constants[characteristic.uuid] = value
                }
                answer(call, value, from: offset)
            } catch { refuse(call, RelayError(error)) }
        }
    }

    private func answer(_ call: BusInvocation, _ value: [UInt8], from offset: Int) {
        guard offset <= value.count else { return refuse(call, .invalidOffset) }
        do throws(BusError) {
            try call.reply { message throws(BusError) in
                try message.append(bytes: Array(value.dropFirst(offset)))
            }
        } catch { log.debug("relay: \(error)", fields) }
    }

    // MARK: - Writing

    private func write(
        _ call: BusInvocation, _ value: [UInt8], _ characteristic: RelayTable.Characteristic
    ) {
        if characteristic.isMade { return control(call, value) }
        guard let link, let tap, let path = monitorPaths[characteristic.uuid] else {
            return refuse(call, .noMonitor)
        }
        let value = characteristic.writeLimit.map { Array(value.prefix($0)) } ?? value
        if characteristic.id == .csafeIn {
            writeCount += 1
            writes[writeCount] = call
            return tap.enqueue(value, write: writeCount)
        }
        var sent = value
        if characteristic.id == .sampleRate, let byte = value.first { sent = [sampleRate.setPhone(byte)] }
        Task { [sent] in
            await answer(call, with: write(sent, to: path, characteristic.flags, of: link))
        }
    }

    /// Answers a write to the control point of the fitness machine that the relay makes.
    private func control(_ call: BusInvocation, _ value: [UInt8]) {
        answer(call, with: nil)
        guard let answer = FitnessMachineValues.answer(to: value) else { return }
        _ = answer.withUnsafeBytes { made[FitnessMachineValues.controlPointUUID]?.send($0) }
    }

    /// Returns nil when the monitor has accepted the value.
    private func write(
        _ value: [UInt8], to path: String, _ flags: [String], of link: RelayedLink
    ) async -> RelayError? {
        guard let room else { return .noMonitor }
        let type = flags.contains("write") ? "request" : "command"
        return await room.relay(value, to: path, type: type, of: link.attempt)
    }

    private func answer(_ call: BusInvocation, with error: RelayError?) {
        if let error { return refuse(call, error) }
        do throws(BusError) { try call.reply() } catch { log.debug("relay: \(error)", fields) }
    }

    /// Handles an event of the tap.
    func handle(_ event: RelayTap.Event, of attempt: LinkAttempt) {
        switch event {
        case .write(let number, let value, let isLast):
            guard link?.attempt == attempt else {
                if let call = writes.removeValue(forKey: number) { refuse(call, .noMonitor) }
                return
            }
            pieces.append((number, value, isLast))
            writePieces()
        case .refused(let number):
            if let call = writes.removeValue(forKey: number) { refuse(call, .tooManyWrites) }
        case .unsubscribed(let id):
            if onDemand.remove(id) != nil { link?.stream.stopListening(to: id) }
        }
    }

    /// Writes the values for 0x0021 one after the other, and answers a write of the phone after its last one.
    private func writePieces() {
        guard !isWriting else { return }
        isWriting = true
        Task {
            while !pieces.isEmpty {
                let piece = pieces.removeFirst()
                let error = await write(piece: piece.value)
                guard error != nil || piece.isLast else { continue }
                if error != nil { pieces.removeAll { $0.number == piece.number } }
                if let call = writes.removeValue(forKey: piece.number) { answer(call, with: error) }
            }
            isWriting = false
        }
    }

    private func write(piece: [UInt8]) async -> RelayError? {
        let uuid = PM5UUID.text(.csafeIn)
        guard let link, let path = monitorPaths[uuid] else { return .noMonitor }
        let flags = objects.characteristics.values.first { $0.uuid == uuid }?.flags ?? []
        return await write(piece, to: path, flags, of: link)
    }

    // MARK: - Subscribing

    private func subscribe(
        _ call: BusInvocation, _ characteristic: RelayTable.Characteristic, options: BusProperties
    ) throws(BusError) {
        guard let link, let tap, characteristic.notifies else { return refuse(call, .notSupported) }
        guard let (own, peer) = PhoneSocket.pair() else {
            return refuse(call, .failed("no descriptor is left"))
        }
        // First our end, so that no value is lost until bluetoothd has its own.
        if characteristic.isMade {
            attachMade(characteristic.uuid, own, tap)
        } else if let id = characteristic.id {
            tap.attach(id, own)
            if !link.held.contains(id), onDemand.insert(id).inserted { acquire(id, characteristic) }
        } else {
            pump(characteristic, own)
        }
        let mtu = options["mtu"]?.integer.flatMap(UInt16.init(exactly:)) ?? 23
        try call.reply { message throws(BusError) in
            try message.append(fileDescriptor: peer.number)
            try message.append(uint16: mtu)
        }
    }

    /// Starts a subscription of the fitness machine that the relay makes.
    private func attachMade(_ uuid: String, _ own: LinkDescriptor, _ tap: RelayTap) {
        guard uuid != FitnessMachineValues.rowerDataUUID else { return tap.attachRower(own) }
        made[uuid]?.close()
        made[uuid] = PhoneSocket(own, on: executor) { [weak self] in
            self?.assumeIsolated { $0.made.removeValue(forKey: uuid)?.close() }
        }
    }

    /// Subscribes a characteristic at the monitor that rowgate does not need.
    private func acquire(_ id: CharacteristicID, _ characteristic: RelayTable.Characteristic) {
        Task {
            guard let link, let socket = await acquire(characteristic) else { return }
            // Otherwise the phone went in the meantime, and the socket closes.
            if onDemand.contains(id) { link.stream.listen(to: id, on: socket) }
        }
    }

    private func pump(_ characteristic: RelayTable.Characteristic, _ own: LinkDescriptor) {
        let uuid = characteristic.uuid
        pumps[uuid]?.end()
        let pump = RelayPump(to: own, on: executor) { [weak self] in
            self?.assumeIsolated { $0.pumps.removeValue(forKey: uuid)?.end() }
        }
        pumps[uuid] = pump
        Task {
            guard let socket = await acquire(characteristic) else { return }
            if pumps[uuid] === pump { pump.start(from: socket) }
        }
    }

    private func acquire(_ characteristic: RelayTable.Characteristic) async -> LinkDescriptor? {
        guard let client, let path = monitorPaths[characteristic.uuid] else { return nil }
        do throws(BusError) {
            return try await client.acquireNotify(at: path)
        } catch {
            log.info(
                "the relay cannot subscribe \(characteristic.uuid) at the monitor: \(error.message)", fields)
            return nil
        }
    }

    // MARK: - The end

    /// The phone is gone: nothing of it stays at the monitor.
    func endPhone() {
        tap?.detachPhone()
        for id in onDemand { link?.stream.stopListening(to: id) }
        onDemand = []
        for pump in pumps.values { pump.end() }
        pumps = [:]
        for socket in made.values { socket.close() }
        made = [:]
        for call in writes.values { refuse(call, .noMonitor) }
        writes = [:]
        guard let byte = sampleRate.removePhone(), let link,
            let path = monitorPaths[PM5UUID.text(.sampleRate)]
        else { return }
        Task { _ = await write([byte], to: path, ["write"], of: link) }
    }
}

/// Copies the notifications of one characteristic that the station does not need.
///
/// Confined to the bus queue, hence the unchecked conformance.
final class RelayPump: @unchecked Sendable {
    private let executor: SerialQueueExecutor
    private let phone: PhoneSocket
    private var source: ReadinessSource?
    private var isEnded = false

    /// - Parameter ended: called when the phone unsubscribes.
    init(to own: LinkDescriptor, on executor: SerialQueueExecutor, ended: @escaping @Sendable () -> Void) {
        self.executor = executor
        phone = PhoneSocket(own, on: executor, ended: ended)
    }

    func start(from socket: LinkDescriptor) {
        guard !isEnded, source == nil else { return }
        let descriptor = socket.release()
        source = ReadinessSource(.read, descriptor: descriptor, on: executor, closing: true) {
            @Sendable [weak self] in self?.copy(descriptor)
        }
        source?.resume()
    }

    private func copy(_ descriptor: Int32) {
        while let value = LinkDescriptor.receive(descriptor) {
            guard !value.isEmpty else { return end() }
            value.withUnsafeBytes { _ = phone.send($0) }
        }
    }

    /// Unsubscribes at the monitor and closes the phone's socket. Idempotent.
    func end() {
        isEnded = true
        source?.cancel()
        source = nil
        phone.close()
    }
}
