import Glibc
import HostRuntime
import PM5Codec
import SDBus
import Synchronization
import TestSupport

@testable import PM5Simulator

/// A bus, a simulated bluetoothd on it, and a client that keeps every signal in order.
final class SimulatedRoom: Sendable {
    let bus: PrivateBus
    let service: BlueZService
    let client: BlueZClient

    /// - Parameters:
    ///   - linkSpeed: what bluetoothd waits for is divided by it too: at 8 a device is forgotten
    ///     3.75 s after it was last seen, and an unanswered Connect ends after 5 s. A busy machine needs
    ///     that much between two calls.
    ///   - bus: a bus without org.bluez; nil for a private one.
    convenience init(
        ergs: Int = 1, adapters: String = "hci0:7", workout: String = "just-row",
        generation: MonitorGeneration = .new, speed: Double = 1, linkSpeed: Double = 8,
        on bus: PrivateBus? = nil
    ) async throws {
        let script = try WorkoutScript(parsing: workout)
        let monitors = (1...ergs).map { number in
            SimulatedErg(
                SimulatedIdentity(serial: "43000000\(number)", generation: generation),
                script: script, calendar: MonitorCalendar(minutesAtStart: 29_700_000),
                seed: UInt64(number), startDelayMilliseconds: 500)
        }
        try await self.init(
            monitors: monitors, adapters: adapters,
            timing: .init(rowingSpeed: speed, linkSpeed: linkSpeed), on: bus)
    }

    init(
        monitors: [any SimulatedMonitor], adapters: String, timing: BlueZService.Timing,
        on given: PrivateBus? = nil
    ) async throws {
        let bus = if let given { given } else { try await PrivateBus() }
        self.bus = bus
        client = try await BlueZClient(bus)
        service = BlueZService(
            monitors: monitors, adapters: try unwrapped(AdapterPlan.list(parsing: adapters)),
            timing: timing, seed: 1, busAddress: bus.address, truth: nil)
        try await service.start { _ in }
        let powered = await eventually {
            let tree = try? await self.client.managedObjects()
            return tree?["/org/bluez/hci0"]?[InterfaceName.adapter]?["Powered"] == .boolean(true)
        }
        guard powered else { throw TestSupportError("the adapter was not powered") }
    }

    /// A room whose monitors are known and trusted, so that none is removed during a long test;
    /// `connected` of them are connected.
    static func known(
        ergs: Int = 1, connected: Int = 0, workout: String = "just-row", speed: Double = 1,
        linkSpeed: Double = 8
    ) async throws -> SimulatedRoom {
        let room = try await SimulatedRoom(
            ergs: ergs, workout: workout, speed: speed, linkSpeed: linkSpeed)
        try await room.scan(ergs)
        // Ahead of the scan's end, from which on they are forgotten.
        for number in 1...ergs { try await room.trust(number) }
        try await room.stopScan()
        for number in 0..<connected { try await room.connect(number + 1) }
        return room
    }

    func stop() async {
        await client.stop()
        await service.stop()
    }

    /// A test that throws leaves its room like this.
    deinit {
        Task { [client, service, bus] in
            await client.stop()
            await service.stop()
            _ = bus
        }
    }

    /// Sends a request to the control socket's handler.
    @discardableResult
    func control(_ line: String) async -> String { await service.control(line) }

    func device(_ number: Int = 1, on adapter: String = "hci0") -> String {
        "/org/bluez/\(adapter)/dev_F4_30_00_00_00_0\(number)"
    }

    /// Scans on when the monitors are known.
    func scan(_ count: Int, on adapter: String = "hci0") async throws {
        let path = "/org/bluez/\(adapter)"
        try await client.call(path, InterfaceName.adapter, "StartDiscovery")
        let found = await eventually {
            let tree = try? await self.client.managedObjects()
            return tree?.keys.filter { $0.hasPrefix(path + "/dev_") && !$0.contains("service") }
                .count ?? 0 >= count
        }
        guard found else { throw TestSupportError("not all monitors were found") }
    }

    /// Has bluetoothd remember a monitor, or no longer.
    func trust(_ number: Int, _ trusted: Bool = true, on adapter: String = "hci0") async throws {
        try await client.set(
            device(number, on: adapter), InterfaceName.device, "Trusted", .boolean(trusted))
    }

    func stopScan(on adapter: String = "hci0") async throws {
        try await client.call("/org/bluez/\(adapter)", InterfaceName.adapter, "StopDiscovery")
    }

    /// Connects and waits for the services.
    func connect(_ number: Int = 1, on adapter: String = "hci0") async throws {
        let path = device(number, on: adapter)
        try await client.call(path, InterfaceName.device, "Connect")
        let resolved = await eventually {
            await self.property(path, InterfaceName.device, "ServicesResolved") == .boolean(true)
        }
        guard resolved else { throw TestSupportError("services were not resolved") }
    }

    func property(_ path: String, _ interface: String, _ name: String) async -> BusValue? {
        try? await client.managedObjects()[path]?[interface]?[name]
    }

    /// The path of a characteristic of a device.
    func characteristic(
        _ id: CharacteristicID, of number: Int = 1, on adapter: String = "hci0"
    ) async throws -> String {
        let tree = try await client.managedObjects()
        let found = tree.first { path, interfaces in
            path.hasPrefix(device(number, on: adapter) + "/")
                && interfaces[InterfaceName.characteristic]?["UUID"] == .string(PM5UUID.text(id))
        }
        guard let found else { throw TestSupportError("no characteristic \(id)") }
        return found.key
    }
}

/// `#require` for initializers, where the macro of the testing library cannot be used.
private func unwrapped<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw TestSupportError("nil where a value was expected") }
    return value
}

/// A plain D-Bus client of org.bluez.
final class BlueZClient: Sendable {
    struct Signal: Equatable, Sendable {
        var member: String
        /// The object it is about.
        var path: String
        /// The interface whose properties changed; empty for others.
        var interface = ""
        var changed: BusProperties = [:]
        /// Invalidated properties, or interfaces removed.
        var names: [String] = []
        /// Interfaces that appeared, with their properties at that moment.
        var added: BusInterfaces = [:]
    }

    let connection: BusConnection
    private let recorded = RecordedSignals()

    init(_ bus: PrivateBus) async throws {
        connection = BusConnection(on: SerialQueueExecutor(label: "client"))
        try await connection.start(address: bus.address) { _ in }
        let recorded = recorded
        try await connection.match("type='signal',sender='org.bluez'") { message in
            if let signal = BlueZClient.signal(message) { recorded.append(signal) }
        }
    }

    func stop() async { await connection.stop() }

    /// Also for a test that ends by an error.
    deinit {
        Task { [connection] in await connection.stop() }
    }

    private static func signal(_ message: borrowing BusMessage) -> Signal? {
        let (path, member) = (message.path ?? "", message.member ?? "")
        do throws(BusError) {
            switch member {
            case "PropertiesChanged":
                let interface = try message.readString()
                let changed = try message.readProperties()
                return Signal(
                    member: member, path: path, interface: interface, changed: changed,
                    names: try message.readStrings())
            case "InterfacesAdded":
                let path = try message.readObjectPath()
                let added = try message.readInterfaces()
                return Signal(
                    member: member, path: path, names: added.keys.sorted(), added: added)
            case "InterfacesRemoved":
                let path = try message.readObjectPath()
                return Signal(member: member, path: path, names: try message.readStrings())
            default: return nil
            }
        } catch {
            return nil
        }
    }

    var signals: [Signal] { recorded.all }
    func forgetSignals() { recorded.clear() }

    /// Waits for a signal among those recorded.
    func saw(_ isWanted: @Sendable (Signal) -> Bool) async -> Bool {
        await eventually { self.signals.contains(where: isWanted) }
    }

    func managedObjects() async throws(BusError) -> BusObjectTree {
        try await connection.call(
            "org.bluez", "/", InterfaceName.objectManager, "GetManagedObjects",
            reading: { message throws(BusError) in try message.readObjectTree() })
    }

    func call(
        _ path: String, _ interface: String, _ member: String,
        writing: @Sendable (borrowing BusMessage) throws(BusError) -> Void = {
            (_: borrowing BusMessage) throws(BusError) in
        }
    ) async throws(BusError) {
        try await connection.call("org.bluez", path, interface, member, writing: writing)
    }

    /// The signals before the call's answer, in the order of the bus: the caller
    /// itself may run much later than that.
    func signalsBeforeAnswer(
        _ path: String, _ interface: String, _ member: String
    ) async throws(BusError) -> [Signal] {
        try await connection.call(
            "org.bluez", path, interface, member,
            reading: { [recorded] _ throws(BusError) in recorded.all })
    }

    /// The refusal of a call as `name: text`; nil when it was carried out.
    func refusal(
        _ path: String, _ interface: String, _ member: String,
        writing: @Sendable (borrowing BusMessage) throws(BusError) -> Void = {
            (_: borrowing BusMessage) throws(BusError) in
        }
    ) async -> String? {
        do throws(BusError) {
            try await call(path, interface, member, writing: writing)
            return nil
        } catch {
            return "\(error.name ?? "local"): \(error.message)"
        }
    }

    /// A descriptor of the caller's own and the MTU.
    func acquire(_ member: String, _ path: String) async throws(BusError) -> (Int32, UInt16) {
        try await connection.call(
            "org.bluez", path, InterfaceName.characteristic, member,
            writing: { message throws(BusError) in try message.append(properties: [:]) },
            reading: { message throws(BusError) in
                (try message.readFileDescriptor(), try message.readUInt16())
            })
    }

    func read(_ path: String) async throws(BusError) -> [UInt8] {
        try await connection.call(
            "org.bluez", path, InterfaceName.characteristic, "ReadValue",
            writing: { message throws(BusError) in try message.append(properties: [:]) },
            reading: { message throws(BusError) in try message.readBytes() })
    }

    func write(_ bytes: [UInt8], _ path: String, type: String = "request") async throws(BusError) {
        try await call(path, InterfaceName.characteristic, "WriteValue") {
            message throws(BusError) in
            try message.append(bytes: bytes)
            try message.append(properties: ["type": .string(type)])
        }
    }

    func set(
        _ path: String, _ interface: String, _ name: String, _ value: BusValue
    ) async throws(BusError) {
        try await call(path, InterfaceName.properties, "Set") { message throws(BusError) in
            try message.append(string: interface)
            try message.append(string: name)
            try message.append(variant: value)
        }
    }
}

private final class RecordedSignals: Sendable {
    private let signals = Mutex<[BlueZClient.Signal]>([])
    var all: [BlueZClient.Signal] { signals.withLock { $0 } }
    func append(_ signal: BlueZClient.Signal) { signals.withLock { $0.append(signal) } }
    func clear() { signals.withLock { $0 = [] } }
}

/// Whether a socket reaches its end, ignoring all data before it.
func ends(_ descriptor: Int32) async -> Bool {
    var last = await packet(from: descriptor)
    while last?.isEmpty == false { last = await packet(from: descriptor) }
    return last == []
}

/// The next packet of a socket: nil if none arrives, empty at the end.
func packet(from descriptor: Int32) async -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 64)
    var result: [UInt8]?
    _ = await eventually {
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        if count >= 0 { result = Array(buffer[..<count]) }
        return count >= 0
    }
    return result
}
