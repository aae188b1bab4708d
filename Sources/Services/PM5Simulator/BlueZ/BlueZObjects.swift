import PM5Codec
import SDBus

// The classes here are confined to the queue of the service that owns them, hence their unchecked
// conformances: delayed actions of that queue hold on to them.

/// What lives under a path of org.bluez.
enum BlueZObject: Sendable {
    case adapter(AdapterObject)
    case device(DeviceObject)
    case service(ServiceObject)
    case characteristic(CharacteristicObject)
    case descriptor(DescriptorObject)
}

/// What no client should do to a radio, although bluetoothd lets it: counted, not refused.
struct Missteps: Equatable {
    /// Connect while another Connect of the same client is under way on the adapter.
    var overlappingConnects = 0
    var connectsWhileScanning = 0
    var scansWhileConnecting = 0
}

/// An adapter and what it knows.
final class AdapterObject: @unchecked Sendable {  // see above
    private(set) var name: String
    let address: String
    /// How many links the controller can hold.
    let linkLimit: Int
    var isPresent = false
    var isPowered = false
    /// rfkill keeps it off.
    var isBlocked = false
    /// The controller has stopped answering.
    var isFrozen = false
    /// A Connect that finds the adapter full is refused in so many words.
    var reportsLimit = false
    var isDiscovering = false
    /// It discovers for a client that has gone.
    var hasLeftoverScan = false
    /// Filters by the client that discovers: each client has a session of its own.
    var sessions: [String: DiscoveryFilter] = [:]
    /// Filters that were set before a session began.
    var filters: [String: DiscoveryFilter] = [:]
    var devices: [Int: DeviceObject] = [:]
    var missteps = Missteps()
    /// Tells a running scan from one that has ended and begun again.
    var scanNumber = 0
    /// The controller establishes one link at a time, and discovery of services shares the air.
    var nextEstablishment = 0.0
    var nextServiceDiscovery = 0.0

    init(name: String, address: String, linkLimit: Int) {
        self.name = name
        self.address = address
        self.linkLimit = linkLimit
    }

    /// The kernel numbers adapters as they come.
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
            "Name": .string("boathouse"), "Alias": .string("boathouse"), "Class": .uint32(0),
            "Powered": .boolean(isPowered), "PowerState": powerState,
            "Discoverable": .boolean(false), "DiscoverableTimeout": .uint32(180),
            "Pairable": .boolean(false), "PairableTimeout": .uint32(0),
            "Discovering": .boolean(isDiscovering), "UUIDs": .array([], of: "s"),
            "Modalias": .string("usb:v1D6Bp0246d0552"),
            "Roles": .array([.string("central"), .string("peripheral")], of: "s"),
        ]
    }
}

/// What a client wants to hear of while it discovers.
struct DiscoveryFilter {
    /// Lower case; empty for everything.
    var uuids: [String] = []
    var transport = "auto"

    /// Concept2 monitors are LE and advertise one UUID.
    var hearsMonitors: Bool {
        transport != "bredr"
            && (uuids.isEmpty || uuids.contains(PM5UUID.text(.discovery)))
    }
}

/// A monitor as one adapter knows it.
final class DeviceObject: @unchecked Sendable {  // see above
    unowned let adapter: AdapterObject
    let radio: RadioMonitor
    var alias: String?
    var rssi: Int16?
    var isTrusted = false
    var isConnected = false
    var isEstablishing = false
    var hasResolvedServices = false
    var hasBeenConnected = false
    /// Kept in bluetoothd's storage over a restart.
    var isStored = false
    /// bluetoothd does not forget it by itself.
    var isKept: Bool { isTrusted || isStored }
    var services: [ServiceObject] = []
    /// What `services` were built from: bluetoothd's cache, right or not.
    private(set) var cachedLayout: GattLayout?
    var pendingConnect: BusInvocation?
    /// Delayed actions that end when the reason for them does.
    var connectTimeout: DelayedActions.Token?
    var expiry: DelayedActions.Token?
    /// Tells one link from the next, for answers that come late.
    var linkNumber = 0
    /// ATT has one request on the way.
    var nextRequest = 0.0
    /// Service UUIDs, known from the first connection on.
    var knownServices: [String] = []

    init(_ radio: RadioMonitor, on adapter: AdapterObject) {
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
        services.lazy.flatMap(\.characteristics).first { $0.layout.id == id }
    }

    /// Builds the objects of the attribute table.
    func exploreServices() {
        cachedLayout = radio.layout
        services = radio.layout.services.map { ServiceObject($0, of: self) }
        knownServices = radio.layout.services.map(\.uuid)
    }

    /// The paths under the device with their interfaces, parents first.
    var gattObjects: [(path: String, object: BlueZObject)] {
        services.flatMap { service -> [(path: String, object: BlueZObject)] in
            [(service.path, .service(service))]
                + service.characteristics.flatMap { characteristic in
                    [(characteristic.path, .characteristic(characteristic))]
                        + (characteristic.descriptor.map { [($0.path, .descriptor($0))] } ?? [])
                }
        }
    }
}

final class ServiceObject: @unchecked Sendable {  // see above
    let path: String
    let uuid: String
    let devicePath: String
    private(set) var characteristics: [CharacteristicObject] = []

    init(_ layout: GattLayout.Service, of device: DeviceObject) {
        path = device.path + "/service" + GattLayout.digits(layout.handle)
        uuid = layout.uuid
        devicePath = device.path
        characteristics = layout.characteristics.map {
            CharacteristicObject($0, service: path, device: device)
        }
    }

    var properties: BusProperties {
        [
            "UUID": .string(uuid), "Device": .objectPath(devicePath), "Primary": .boolean(true),
            "Includes": .array([], of: "o"),
        ]
    }
}

final class CharacteristicObject: @unchecked Sendable {  // see above
    let layout: GattLayout.Characteristic
    let servicePath: String
    unowned let device: DeviceObject
    private(set) var descriptor: DescriptorObject?
    var value: [UInt8] = []
    /// Clients with StartNotify.
    var notifyClients: Set<String> = []
    /// AcquireNotify has been called; the socket follows when the monitor has answered.
    var isNotifyAcquired = false
    var notifySocket: PacketSocket?
    var writeSocket: PacketSocket?

    init(_ layout: GattLayout.Characteristic, service: String, device: DeviceObject) {
        self.layout = layout
        self.device = device
        servicePath = service
        descriptor = layout.descriptorHandle.map { DescriptorObject($0, characteristic: path) }
    }

    /// What the monitor sends before it confirms a subscription.
    var earlyValue: [UInt8]? { layout.id.flatMap { device.radio.faults.early[$0] } }

    var path: String { servicePath + "/char" + GattLayout.digits(layout.handle) }
    var canNotify: Bool { layout.descriptorHandle != nil }
    var canWrite: Bool {
        layout.flags.contains("write") || layout.flags.contains("write-without-response")
    }

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
        if layout.flags.contains("write-without-response") {
            properties["WriteAcquired"] = .boolean(writeSocket != nil)
        }
        return properties
    }
}

final class DescriptorObject: @unchecked Sendable {  // see above
    let path: String
    private let characteristicPath: String

    init(_ handle: Int, characteristic: String) {
        path = characteristic + "/desc" + GattLayout.digits(handle)
        characteristicPath = characteristic
    }

    /// The client characteristic configuration.
    var properties: BusProperties {
        [
            "UUID": .string("00002902-0000-1000-8000-00805f9b34fb"),
            "Characteristic": .objectPath(characteristicPath), "Value": .bytes([]),
        ]
    }
}

extension BlueZObject {
    /// The interfaces that an object exports besides Introspectable and Properties.
    var interface: (name: String, properties: BusProperties) {
        switch self {
        case .adapter(let adapter): (InterfaceName.adapter, adapter.properties)
        case .device(let device): (InterfaceName.device, device.properties)
        case .service(let service): (InterfaceName.service, service.properties)
        case .characteristic(let object): (InterfaceName.characteristic, object.properties)
        case .descriptor(let object): (InterfaceName.descriptor, object.properties)
        }
    }

    var interfaces: BusInterfaces {
        let (name, properties) = interface
        return [
            name: properties, InterfaceName.introspectable: [:], InterfaceName.properties: [:],
        ]
    }
}
