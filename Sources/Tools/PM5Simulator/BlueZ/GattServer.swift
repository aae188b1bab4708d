import Glibc
import HostRuntime
import SDBus

// The classes here are confined to the queue of the service that owns them, hence their unchecked
// conformances.

/// What clients registered on an adapter: services and an advertisement, for phones.
final class GattServer: @unchecked Sendable {  // see above
    /// The objects of one client.
    struct Application {
        let owner: String
        let root: String
        let attributes: [ServedAttribute]
    }

    struct Advertisement {
        let owner: String
        let path: String
        let properties: BusProperties
        /// The controller stops a connectable advertisement when a central connects.
        var isOnAir = true
    }

    var applications: [Application] = []
    var advertisement: Advertisement?
    /// Connected phones, by name.
    var phones: [String: PhoneObject] = [:]
    /// How often an application was registered.
    var registrations = 0

    var attributes: [ServedAttribute] { applications.flatMap(\.attributes) }

    /// bluetoothd ended: it does not store registrations.
    func clear() {
        applications = []
        advertisement = nil
        for phone in phones.values { phone.closeSockets() }
        phones = [:]
    }
}

/// A characteristic of an application, with the handles that bluetoothd gave it.
package struct ServedAttribute: Equatable, Sendable {
    package let uuid: String
    package let service: String
    package let flags: [String]
    /// Of the value.
    package let handle: UInt16
    let path: String
    /// Whether the application has a socket for notifications.
    let canAcquire: Bool

    /// The characteristics of an application as bluetoothd enters them into its table; nil if it refuses them.
    ///
    /// It reserves as many handles for a service as it has attributes, follows the order of the objects, and
    /// puts the client configuration behind the value (bluez src/gatt-database.c, src/shared/gatt-db.c).
    static func list(of tree: BusObjectTree, below root: String) -> [ServedAttribute]? {
        var attributes: [ServedAttribute] = []
        let objects = tree.filter { $0.key.hasPrefix(root + "/") }.sorted { $0.key < $1.key }
        for (path, interfaces) in objects {
            guard let service = interfaces[InterfaceName.service] else { continue }
            guard let uuid = service["UUID"]?.string, let first = service["Handle"]?.integer else {
                return nil
            }
            let characteristics = objects.compactMap { child, interfaces in
                interfaces[InterfaceName.characteristic].map { (child, $0) }
            }.filter { $0.1["Service"]?.string == path }
            let sizes = characteristics.map { canSubscribe($0.1) ? 3 : 2 }
            let end = first + 1 + sizes.reduce(0, +)
            var free = first + 1
            for ((child, properties), size) in zip(characteristics, sizes) {
                guard let id = properties["UUID"]?.string, let handle = properties["Handle"]?.integer,
                    handle == free + 1, handle < end
                else { return nil }
                free += size
                attributes.append(
                    ServedAttribute(
                        uuid: id, service: uuid, flags: properties["Flags"]?.strings ?? [],
                        handle: UInt16(handle), path: child,
                        canAcquire: properties["NotifyAcquired"] != nil))
            }
        }
        return attributes
    }

    private static func canSubscribe(_ properties: BusProperties) -> Bool {
        let flags = properties["Flags"]?.strings ?? []
        return flags.contains("notify") || flags.contains("indicate")
    }
}

/// A phone that is connected to an adapter.
final class PhoneObject: BlueZObject, @unchecked Sendable {  // see above
    let interface = InterfaceName.device
    let path: String
    let adapter: String
    let address: String
    var isConnected = true
    /// By UUID.
    var sockets: [String: ValueReader] = [:]
    /// Notifications by UUID, in order.
    var received: [String: [[UInt8]]] = [:]

    init(number: Int, adapter: String) {
        address = "5A:00:00:00:00:" + GattLayout.digits(number).suffix(2).uppercased()
        self.adapter = adapter
        path = adapter + "/dev_" + address.split(separator: ":").joined(separator: "_")
    }

    var properties: BusProperties {
        [
            "Address": .string(address), "AddressType": .string("random"), "Alias": .string("phone"),
            "Paired": .boolean(false), "Bonded": .boolean(false), "Trusted": .boolean(false),
            "Connected": .boolean(isConnected), "Adapter": .objectPath(adapter),
            "ServicesResolved": .boolean(false), "UUIDs": .array([], of: "s"),
        ]
    }

    func closeSockets() {
        for socket in sockets.values { socket.close() }
        sockets = [:]
    }
}

/// bluetoothd's end of a socket for notifications: one packet is one value.
final class ValueReader: @unchecked Sendable {  // see above
    private var source: ReadinessSource?

    init(
        _ descriptor: Int32, on executor: SerialQueueExecutor,
        received: @escaping @Sendable ([UInt8]) -> Void
    ) {
        source = ReadinessSource(.read, descriptor: descriptor, on: executor, closing: true) {
            @Sendable in
            var buffer = [UInt8](repeating: 0, count: 512)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
                guard count > 0 else { return }
                received(Array(buffer[..<count]))
            }
        }
        source?.resume()
    }

    func close() {
        source?.cancel()
        source = nil
    }

    deinit { source?.cancel() }
}

/// The answer that a phone gets instead of a value: an ATT error code (Core 5.4, Vol 3, Part F, 3.4.1.1).
package struct ATTError: Error, Equatable {
    package let code: UInt8

    package static let attributeNotFound = Self(code: 0x0A)

    package init(code: UInt8) { self.code = code }

    /// The code into which bluetoothd turns an error of an application (bluez src/gatt-database.c,
    /// `dbus_error_to_att_ecode`).
    init(_ error: BusError, notPermitted: UInt8) {
        let number = error.message.hasPrefix("0x") ? UInt8(error.message.dropFirst(2), radix: 16) : nil
        code =
            switch error.name {
            case "org.bluez.Error.Failed":
                number.map { (0x80...0x9F).contains($0) ? $0 : 0x0E } ?? 0x80
            case "org.bluez.Error.NotSupported": 0x06
            case "org.bluez.Error.NotAuthorized": 0x08
            case "org.bluez.Error.InvalidValueLength": 0x0D
            case "org.bluez.Error.InvalidOffset": 0x07
            case "org.bluez.Error.NotPermitted": notPermitted
            default: 0x0E
            }
    }
}
