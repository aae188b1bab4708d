import PM5Codec
import SDBus

/// An adapter, as BlueZ describes it.
struct AdapterObject: Equatable, Sendable {
    let path: String
    /// BD_ADDR in upper case. The path is not stable: hci1 may become hci0 after a reset.
    var address = ""
    var isPowered = false
    var isDiscovering = false
    /// BlueZ 5.65 and later; `off-blocked` means rfkill.
    var powerState: String?

    var name: String { BlueZName.lastComponent(of: path) }
    var isBlocked: Bool { powerState == "off-blocked" }

    mutating func apply(_ properties: BusProperties) {
        if let text = properties["Address"]?.string { address = text.uppercased() }
        if let flag = properties["Powered"]?.boolean { isPowered = flag }
        if let flag = properties["Discovering"]?.boolean { isDiscovering = flag }
        if let text = properties["PowerState"]?.string { powerState = text }
    }
}

/// A remote device of BlueZ; a monitor that two adapters hear has two of them.
struct DeviceObject: Equatable, Sendable {
    let path: String
    /// Path of the adapter that heard it.
    var adapter = ""
    var address = ""
    /// The advertised name; nil if it is not a PM5, or has no name yet.
    var monitorName: AdvertisedName?
    /// The serial number in the advertised name; nil for a relay.
    var serial: String? { isRelay ? nil : monitorName?.serial }
    /// It presents a monitor that a gateway holds: this one or another.
    var isRelay = false
    /// In dBm while a scan hears it; BlueZ removes it when the scan ends.
    var rssi: Int?
    var isConnected = false
    var areServicesResolved = false

    mutating func apply(_ properties: BusProperties, invalidated: [String] = []) {
        if let text = properties["Adapter"]?.string { adapter = text }
        if let text = properties["Address"]?.string { address = text.uppercased() }
        if let text = properties["Name"]?.string, let name = AdvertisedName(text),
            name.serial != monitorName?.serial || name.machineHint != nil
        {
            // After a connection bluetoothd has the name of the GAP service, which lacks the machine.
            monitorName = name
        }
        if RelayMarker.isIn(properties) { isRelay = true }
        if let flag = properties["Connected"]?.boolean { isConnected = flag }
        if let flag = properties["ServicesResolved"]?.boolean { areServicesResolved = flag }
        if let dBm = properties["RSSI"]?.integer { rssi = dBm }
        if invalidated.contains("RSSI") { rssi = nil }
    }
}

/// A Concept2 characteristic of a connected monitor.
struct CharacteristicObject: Equatable, Sendable {
    let path: String
    let id: CharacteristicID
    let flags: [String]

    /// AcquireNotify also works for indications: bluetoothd confirms them.
    var notifies: Bool { flags.contains("notify") || flags.contains("indicate") }
    var isReadable: Bool { flags.contains("read") }
    /// With response if possible, so that a refusal is reported.
    var writeType: String { flags.contains("write") ? "request" : "command" }
}

/// bluetoothd's objects, updated by its signals.
///
/// Only the properties that this program uses are stored. Decisions look at the whole tree, not at
/// single changes, so a lost or reordered signal has no lasting effect.
struct ObjectTree: Sendable {
    /// By path.
    private(set) var adapters: [String: AdapterObject] = [:]
    /// By path.
    private(set) var devices: [String: DeviceObject] = [:]
    /// By path; Concept2 characteristics only.
    private var characteristics: [String: CharacteristicObject] = [:]

    /// Creates the tree from the answer of GetManagedObjects.
    ///
    /// - Parameter old: the tree so far. It knows the advertised names of connected devices, where bluetoothd has
    ///   only that of the GAP service.
    init(_ objects: BusObjectTree = [:], replacing old: ObjectTree? = nil) {
        for (path, interfaces) in objects { add(path, interfaces) }
        for (path, device) in devices {
            guard let name = old?.devices[path]?.monitorName, name.serial == device.monitorName?.serial,
                device.monitorName?.machineHint == nil
            else { continue }
            devices[path]?.monitorName = name
        }
    }

    /// InterfacesAdded.
    mutating func add(_ path: String, _ interfaces: BusInterfaces) {
        if let properties = interfaces[BlueZName.adapter] {
            adapters[path, default: AdapterObject(path: path)].apply(properties)
            markOwnRelays()
        }
        if let properties = interfaces[BlueZName.device] {
            devices[path, default: DeviceObject(path: path)].apply(properties)
            markOwnRelays()
        }
        if let properties = interfaces[BlueZName.characteristic],
            let id = properties["UUID"]?.string.flatMap(PM5UUID.id)
        {
            characteristics[path] = CharacteristicObject(
                path: path, id: id, flags: properties["Flags"]?.strings ?? [])
        }
    }

    /// A device with the address of an adapter of this machine is a relay of our own.
    private mutating func markOwnRelays() {
        guard adapters.count > 1 else { return }
        let own = Set(adapters.values.map(\.address))
        for (path, device) in devices where !device.isRelay && own.contains(device.address) {
            devices[path]?.isRelay = true
        }
    }

    /// InterfacesRemoved. Objects below a device or an adapter are removed with it, because
    /// bluetoothd does not always report each (seen at a restart).
    mutating func remove(_ path: String, _ interfaces: [String]) {
        if interfaces.contains(BlueZName.adapter) {
            adapters[path] = nil
            devices = devices.filter { $0.value.adapter != path }
        }
        if interfaces.contains(BlueZName.device) { devices[path] = nil }
        if interfaces.contains(BlueZName.characteristic) { characteristics[path] = nil }
        if interfaces.contains(BlueZName.device) || interfaces.contains(BlueZName.adapter) {
            characteristics = characteristics.filter { !$0.key.hasPrefix(path + "/") }
        }
    }

    /// PropertiesChanged. Objects that were never announced are ignored.
    mutating func change(
        _ path: String, _ interface: String, _ changed: BusProperties, invalidated: [String]
    ) {
        switch interface {
        case BlueZName.adapter: adapters[path]?.apply(changed)
        case BlueZName.device: devices[path]?.apply(changed, invalidated: invalidated)
        default: break
        }
    }

    /// Concept2 characteristics below a device, by their 16-bit id.
    func characteristics(of device: String) -> [CharacteristicID: CharacteristicObject] {
        let below = characteristics.values.filter { $0.path.hasPrefix(device + "/") }
        return Dictionary(below.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// How many links an adapter has according to bluetoothd, whatever their kind.
    func linkCount(onAdapter path: String) -> Int {
        devices.values.count { $0.adapter == path && $0.isConnected }
    }
}
