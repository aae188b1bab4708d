import PM5Codec
import SDBus

// The classes here are confined to the queue of the service that owns them, hence their unchecked
// conformances: delayed actions of that queue refer to them.

/// An object under a path of org.bluez.
protocol BlueZObject: AnyObject, Sendable {
    var path: String { get }
    /// The interface that it exports, besides Introspectable and Properties.
    var interface: String { get }
    var properties: BusProperties { get }
}

extension BlueZObject {
    var interfaces: BusInterfaces {
        [
            interface: properties, InterfaceName.introspectable: [:], InterfaceName.properties: [:],
        ]
    }
}

/// Calls that bluetoothd accepts although they harm a radio: they are counted and carried out.
struct HarmfulCalls: Equatable {
    /// Connect while another Connect of the same client is running on the adapter.
    var overlappingConnects = 0
    var connectsWhileScanning = 0
    var scansWhileConnecting = 0
}

/// An adapter and its devices.
final class AdapterObject: BlueZObject, @unchecked Sendable {  // see above
    let interface = InterfaceName.adapter
    private(set) var name: String
    let address: String
    /// Maximum number of links of the controller.
    let linkLimit: Int
    var isPresent = false
    var isPowered = false
    /// Whether rfkill blocks it.
    var isBlocked = false
    /// Whether the controller has stopped answering.
    var isFrozen = false
    /// Whether a Connect on a full adapter fails with EMLINK.
    var reportsLimit = false
    var isDiscovering = false
    /// Whether it discovers for a client that has gone.
    var hasLeftoverScan = false
    /// Filters by discovering client: each client has its own session.
    var sessions: [String: DiscoveryFilter] = [:]
    /// Filters that were set before a session began.
    var filters: [String: DiscoveryFilter] = [:]
    var devices: [Int: DeviceObject] = [:]
    /// Devices that bluetoothd stored when it ended, for its next start.
    var storedDevices: [Int: DeviceObject] = [:]
    var harmfulCalls = HarmfulCalls()
    /// The services and the advertisement for phones.
    let server = GattServer()
    /// The name for connected centrals.
    var alias = "boathouse"
    var isPairable = true
    /// Distinguishes a running scan from a later scan.
    var scanNumber = 0
    /// The controller establishes one link at a time, and service discovery shares the air time.
    var nextEstablishment = 0.0
    var nextServiceDiscovery = 0.0

    init(name: String, address: String, linkLimit: Int) {
        self.name = name
        self.address = address
        self.linkLimit = linkLimit
    }

    /// The kernel numbers adapters in the order in which they appear.
    func rename(_ name: String) {
        precondition(!isPresent && devices.isEmpty, "objects keep the path they were made with")
        self.name = name
    }

    var powerState: BusValue {
        .string(isPowered ? "on" : isBlocked ? "off-blocked" : "off")
    }
    var path: String { "/org/bluez/" + name }
    var linkCount: Int { devices.values.count { $0.isConnected || $0.isEstablishing } }

    var properties: BusProperties {
        [
            "Address": .string(address), "AddressType": .string("public"),
            "Name": .string("boathouse"), "Alias": .string(alias), "Class": .uint32(0),
            "Powered": .boolean(isPowered), "PowerState": powerState,
            "Discoverable": .boolean(false), "DiscoverableTimeout": .uint32(180),
            "Pairable": .boolean(isPairable), "PairableTimeout": .uint32(0),
            "Discovering": .boolean(isDiscovering), "UUIDs": .array([], of: "s"),
            "Modalias": .string("usb:v1D6Bp0246d0552"),
            "Roles": .array([.string("central"), .string("peripheral")], of: "s"),
        ]
    }
}

/// The discovery filter of a client.
struct DiscoveryFilter {
    /// Lower case; empty for everything.
    var uuids: [String] = []
    var transport = "auto"

    /// Concept2 monitors are LE and advertise one UUID.
    var matchesMonitors: Bool {
        transport != "bredr"
            && (uuids.isEmpty || uuids.contains(PM5UUID.text(.discovery)))
    }
}

/// A monitor as one adapter knows it.
final class DeviceObject: BlueZObject, @unchecked Sendable {  // see above
    let interface = InterfaceName.device
    unowned let adapter: AdapterObject
    let radio: MonitorRadio
    var alias: String?
    var rssi: Int16?
    var isTrusted = false
    var isConnected = false
    var isEstablishing = false
    var hasResolvedServices = false
    var hasBeenConnected = false
    /// Whether bluetoothd stored it over a restart.
    var isStored = false
    /// Whether bluetoothd does not remove it by itself.
    var isPersistent: Bool { isTrusted || isStored }
    /// The objects of its services, parents first.
    private(set) var attributes: [any BlueZObject] = []
    /// Those of `attributes` that have values.
    private(set) var characteristics: [CharacteristicObject] = []
    /// The layout from which `attributes` were built: bluetoothd's cache, right or not.
    private(set) var cachedLayout: GattLayout?
    var pendingConnect: BusInvocation?
    /// Delayed actions that are cancelled when their reason ends.
    var connectTimeout: DelayedAction?
    var expiry: DelayedAction?
    /// Distinguishes links, for replies that arrive late.
    var linkNumber = 0
    /// ATT allows one pending request.
    var nextRequest = 0.0
    /// Service UUIDs, known after the first connection.
    var knownServices: [String] = []

    init(_ radio: MonitorRadio, on adapter: AdapterObject) {
        self.radio = radio
        self.adapter = adapter
    }

    var path: String {
        adapter.path + "/dev_" + radio.address.split(separator: ":").joined(separator: "_")
    }
    var name: String { radio.monitor.identity.name }

    var uuids: BusValue {
        let advertised = [PM5UUID.text(.discovery)]
        return .array((advertised + knownServices).sorted().map { .string($0) }, of: "s")
    }

    var properties: BusProperties {
        var properties: BusProperties = [
            "Address": .string(radio.address), "AddressType": .string("random"),
            "Name": .string(name), "Alias": .string(alias ?? name), "Paired": .boolean(false),
            "Bonded": .boolean(false), "Trusted": .boolean(isTrusted), "Blocked": .boolean(false),
            "LegacyPairing": .boolean(false), "CablePairing": .boolean(false),
            "Connected": .boolean(isConnected), "UUIDs": uuids,
            "Adapter": .objectPath(adapter.path),
            "ServicesResolved": .boolean(hasResolvedServices),
        ]
        if let rssi {
            properties["RSSI"] = .int16(rssi)
            properties["AdvertisingFlags"] = .bytes([0x06])
        }
        return properties
    }

    func characteristic(_ id: CharacteristicID) -> CharacteristicObject? {
        characteristics.first { $0.layout.id == id }
    }

    /// Creates the objects of the attribute table.
    func exploreServices() {
        cachedLayout = radio.layout
        knownServices = radio.layout.services.map(\.uuid)
        for service in radio.layout.services {
            let object = FixedObject(
                path + "/service" + GattLayout.digits(service.handle), InterfaceName.service,
                [
                    "UUID": .string(service.uuid), "Device": .objectPath(path),
                    "Primary": .boolean(true), "Includes": .array([], of: "o"),
                ])
            attributes.append(object)
            for layout in service.characteristics {
                add(CharacteristicObject(layout, service: object.path, device: self))
            }
        }
    }

    private func add(_ characteristic: CharacteristicObject) {
        characteristics.append(characteristic)
        attributes.append(characteristic)
        guard let handle = characteristic.layout.descriptorHandle else { return }
        // The client characteristic configuration.
        attributes.append(
            FixedObject(
                characteristic.path + "/desc" + GattLayout.digits(handle), InterfaceName.descriptor,
                [
                    "UUID": .string("00002902-0000-1000-8000-00805f9b34fb"),
                    "Characteristic": .objectPath(characteristic.path), "Value": .bytes([]),
                ]))
    }

    func forgetServices() {
        attributes = []
        characteristics = []
    }
}

/// A service or a descriptor, which never changes.
final class FixedObject: BlueZObject {
    let path: String
    let interface: String
    let properties: BusProperties

    init(_ path: String, _ interface: String, _ properties: BusProperties) {
        self.path = path
        self.interface = interface
        self.properties = properties
    }
}

final class CharacteristicObject: BlueZObject, @unchecked Sendable {  // see above
    let interface = InterfaceName.characteristic
    let path: String
    let layout: GattLayout.Characteristic
    private let servicePath: String
    unowned let device: DeviceObject
    var value: [UInt8] = []
    /// Clients that called StartNotify.
    var notifyClients: Set<String> = []
    /// AcquireNotify was called; the socket follows when the monitor has answered.
    var isNotifyAcquired = false
    var notifySocket: PacketSocket?
    var writeSocket: PacketSocket?

    init(_ layout: GattLayout.Characteristic, service: String, device: DeviceObject) {
        self.layout = layout
        self.device = device
        servicePath = service
        path = service + "/char" + GattLayout.digits(layout.handle)
    }

    /// The value that the monitor sends before it confirms a subscription.
    var earlyValue: [UInt8]? { layout.id.flatMap { device.radio.faults.earlyValues[$0] } }

    var canNotify: Bool { layout.descriptorHandle != nil }
    var canWrite: Bool { layout.flags.contains("write") || canWriteWithoutResponse }
    var canWriteWithoutResponse: Bool { layout.flags.contains("write-without-response") }

    var properties: BusProperties {
        var properties: BusProperties = [
            "UUID": .string(layout.uuid), "Service": .objectPath(servicePath),
            "Value": .bytes(value),
            "Flags": .array(layout.flags.map { .string($0) }, of: "s"), "MTU": .uint16(23),
        ]
        if canNotify {
            properties["Notifying"] = .boolean(!notifyClients.isEmpty)
            properties["NotifyAcquired"] = .boolean(notifySocket != nil)
        }
        if canWriteWithoutResponse {
            properties["WriteAcquired"] = .boolean(writeSocket != nil)
        }
        return properties
    }
}

/// A delayed action on the queue of the service.
struct DelayedAction {
    let number: Int
    let run: () -> Void
}
