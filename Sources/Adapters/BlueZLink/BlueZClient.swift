import PM5Codec
import SDBus

/// The calls that this program makes to bluetoothd.
///
/// They run on the caller's executor, which is also that of the bus. Without `isolation` they would wait for
/// one of Swift's shared threads, and a busy process would answer bluetoothd late.
struct BlueZClient: Sendable {
    let bus: BusConnection

    /// Reads every object; `taking` receives them on the bus queue before any later signal is
    /// handled.
    func managedObjects(
        taking: @escaping @Sendable (BusObjectTree) -> Void,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(BusError) {
        try await bus.call(
            BlueZName.service, "/", BlueZName.objectManager, "GetManagedObjects",
            timeout: .seconds(10),
            reading: { message throws(BusError) in taking(try message.readObjectTree()) })
    }

    // MARK: - Adapter

    func setPower(
        _ isOn: Bool, of adapter: String, isolation: isolated (any Actor)? = #isolation
    ) async throws(BusError) {
        try await set("Powered", to: .boolean(isOn), of: adapter)
    }

    /// Sets a property of an adapter.
    func set(
        _ property: String, to value: BusValue, of adapter: String,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(BusError) {
        try await bus.call(
            BlueZName.service, adapter, BlueZName.properties, "Set",
            writing: { message throws(BusError) in
                try message.append(string: BlueZName.adapter)
                try message.append(string: property)
                try message.append(variant: value)
            })
    }

    // MARK: - Server

    /// Presents the services below `root`; bluetoothd reads them before it answers.
    func registerApplication(
        _ root: String, on adapter: String, isolation: isolated (any Actor)? = #isolation
    ) async throws(BusError) {
        try await register(root, on: adapter, BlueZName.gattManager, "RegisterApplication")
    }

    func unregisterApplication(
        _ root: String, on adapter: String, isolation: isolated (any Actor)? = #isolation
    ) async throws(BusError) {
        try await unregister(root, on: adapter, BlueZName.gattManager, "UnregisterApplication")
    }

    /// Starts the advertisement at `path`.
    func registerAdvertisement(
        _ path: String, on adapter: String, isolation: isolated (any Actor)? = #isolation
    ) async throws(BusError) {
        try await register(path, on: adapter, BlueZName.advertisingManager, "RegisterAdvertisement")
    }

    func unregisterAdvertisement(
        _ path: String, on adapter: String, isolation: isolated (any Actor)? = #isolation
    ) async throws(BusError) {
        try await unregister(path, on: adapter, BlueZName.advertisingManager, "UnregisterAdvertisement")
    }

    private func register(
        _ path: String, on adapter: String, _ interface: String, _ member: String,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(BusError) {
        do throws(BusError) {
            try await bus.call(
                BlueZName.service, adapter, interface, member,
                writing: { message throws(BusError) in
                    try message.append(objectPath: path)
                    try message.append(properties: [:])
                })
        } catch  where error.name == "org.bluez.Error.AlreadyExists" {
            // An answer got lost.
        }
    }

    private func unregister(
        _ path: String, on adapter: String, _ interface: String, _ member: String,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(BusError) {
        do throws(BusError) {
            try await bus.call(
                BlueZName.service, adapter, interface, member,
                writing: { message throws(BusError) in try message.append(objectPath: path) })
        } catch  where error.name == "org.bluez.Error.DoesNotExist" {
            // bluetoothd removed it by itself.
        }
    }

    /// Restarts bluetoothd. systemd asks polkit (`org.freedesktop.systemd1.manage-units`), which
    /// refuses by default.
    func restartService(
        isolation: isolated (any Actor)? = #isolation
    ) async throws(BusError) {
        try await bus.call(
            "org.freedesktop.systemd1", "/org/freedesktop/systemd1",
            "org.freedesktop.systemd1.Manager", "RestartUnit",
            writing: { message throws(BusError) in
                try message.append(string: "bluetooth.service")
                try message.append(string: "replace")
            })
    }

    /// Scans for monitors. Their service is in the scan response, so BlueZ scans actively.
    func startScan(
        _ adapter: String, isolation: isolated (any Actor)? = #isolation
    ) async throws(BusError) {
        let filter: BusProperties = [
            "Transport": .string("le"),
            "UUIDs": .array([.string(PM5UUID.text(.discovery))], of: "s"),
        ]
        try await bus.call(
            BlueZName.service, adapter, BlueZName.adapter, "SetDiscoveryFilter",
            writing: { message throws(BusError) in try message.append(properties: filter) })
        try await bus.call(BlueZName.service, adapter, BlueZName.adapter, "StartDiscovery")
    }

    func stopScan(
        _ adapter: String, timeout: Duration, isolation: isolated (any Actor)? = #isolation
    ) async throws(BusError) {
        try await bus.call(
            BlueZName.service, adapter, BlueZName.adapter, "StopDiscovery", timeout: timeout)
    }

    func remove(
        _ device: String, from adapter: String, isolation: isolated (any Actor)? = #isolation
    ) async throws(BusError) {
        try await bus.call(
            BlueZName.service, adapter, BlueZName.adapter, "RemoveDevice",
            writing: { message throws(BusError) in try message.append(objectPath: device) })
    }

    // MARK: - Device

    func connect(
        _ device: String, timeout: Duration, isolation: isolated (any Actor)? = #isolation
    ) async throws(BusError) {
        try await bus.call(
            BlueZName.service, device, BlueZName.device, "Connect", timeout: timeout)
    }

    func disconnect(
        _ device: String, timeout: Duration, isolation: isolated (any Actor)? = #isolation
    ) async throws(BusError) {
        try await bus.call(
            BlueZName.service, device, BlueZName.device, "Disconnect", timeout: timeout)
    }

    // MARK: - Characteristic

    /// ATT gives up an operation after 30 s (Core 5.4, Vol 3, Part F, 3.3.3), which is too long for
    /// a monitor in range.
    private static let attTimeout = Duration.seconds(15)

    func read(
        _ characteristic: CharacteristicObject, isolation: isolated (any Actor)? = #isolation
    ) async throws(BusError) -> [UInt8] {
        try await read(at: characteristic.path)
    }

    /// - Parameter path: of a characteristic.
    func read(
        at path: String, isolation: isolated (any Actor)? = #isolation
    ) async throws(BusError) -> [UInt8] {
        try await bus.call(
            BlueZName.service, path, BlueZName.characteristic, "ReadValue",
            timeout: Self.attTimeout,
            writing: { message throws(BusError) in try message.append(properties: [:]) },
            reading: { message throws(BusError) in try message.readBytes() })
    }

    func write(
        _ value: [UInt8], to characteristic: CharacteristicObject,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(BusError) {
        try await write(value, at: characteristic.path, type: characteristic.writeType)
    }

    /// - Parameters:
    ///   - path: of a characteristic.
    ///   - type: `request` or `command`.
    func write(
        _ value: [UInt8], at path: String, type: String,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(BusError) {
        let options: BusProperties = ["type": .string(type)]
        try await bus.call(
            BlueZName.service, path, BlueZName.characteristic, "WriteValue",
            timeout: Self.attTimeout,
            writing: { message throws(BusError) in
                try message.append(bytes: value)
                try message.append(properties: options)
            })
    }

    /// Subscribes; values arrive through the socket, one per recv.
    func acquireNotify(
        _ characteristic: CharacteristicObject,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(BusError) -> LinkDescriptor {
        try await acquireNotify(at: characteristic.path)
    }

    /// - Parameter path: of a characteristic.
    func acquireNotify(
        at path: String, isolation: isolated (any Actor)? = #isolation
    ) async throws(BusError) -> LinkDescriptor {
        try await bus.call(
            BlueZName.service, path, BlueZName.characteristic, "AcquireNotify",
            timeout: Self.attTimeout,
            writing: { message throws(BusError) in try message.append(properties: [:]) },
            reading: { message throws(BusError) in
                LinkDescriptor(owning: try message.readFileDescriptor())
            })
    }

    /// Subscribes; values arrive as PropertiesChanged.
    /// - Parameter onReply: called on the bus queue before any message behind the reply is handled.
    func startNotify(
        _ characteristic: CharacteristicObject, onReply: @escaping @Sendable () -> Void = {},
        isolation: isolated (any Actor)? = #isolation
    ) async throws(BusError) {
        try await bus.call(
            BlueZName.service, characteristic.path, BlueZName.characteristic, "StartNotify",
            timeout: Self.attTimeout,
            reading: { (_: borrowing BusMessage) throws(BusError) in onReply() })
    }

    func stopNotify(
        _ characteristic: CharacteristicObject, isolation: isolated (any Actor)? = #isolation
    ) async throws(BusError) {
        try await bus.call(
            BlueZName.service, characteristic.path, BlueZName.characteristic, "StopNotify",
            timeout: Self.attTimeout)
    }
}
