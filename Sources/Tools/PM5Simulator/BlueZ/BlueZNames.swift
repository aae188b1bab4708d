import SDBus

/// Names of the D-Bus interfaces of org.bluez and of the bus itself.
enum InterfaceName {
    static let objectManager = "org.freedesktop.DBus.ObjectManager"
    static let properties = "org.freedesktop.DBus.Properties"
    static let introspectable = "org.freedesktop.DBus.Introspectable"
    static let adapter = "org.bluez.Adapter1"
    static let device = "org.bluez.Device1"
    static let service = "org.bluez.GattService1"
    static let characteristic = "org.bluez.GattCharacteristic1"
    static let gattManager = "org.bluez.GattManager1"
    static let advertisingManager = "org.bluez.LEAdvertisingManager1"
    static let advertisement = "org.bluez.LEAdvertisement1"
    static let descriptor = "org.bluez.GattDescriptor1"
}

/// An error reply with the text of bluetoothd 5.82.
struct BlueZError: Error, Equatable {
    let name: String
    let text: String

    private init(_ name: String, _ text: String) { (self.name, self.text) = (name, text) }

    private static func bluez(_ name: String, _ text: String) -> BlueZError {
        .init("org.bluez.Error." + name, text)
    }
    static func failed(_ text: String) -> BlueZError { bluez("Failed", text) }

    static let notReady = bluez("NotReady", "Resource Not Ready")
    static let blocked = bluez("Blocked", "Blocked through rfkill")
    static let discoveryInProgress = bluez("InProgress", "Operation already in progress")
    static let inProgress = bluez("InProgress", "In Progress")
    static let noDiscovery = failed("No discovery started")
    static let abortedLocally = failed("le-connection-abort-by-local")
    /// The text of the other transport, used on LE too.
    static let canceled = failed("br-connection-canceled")
    static let linkLimit = failed("le-connection-concurrent-connection-limit")
    static let notConnected = failed("Not connected")
    static let deviceNotConnected = bluez("NotConnected", "Not Connected")
    static let attributeNotFound = failed("Operation failed with ATT error: 0x0a")
    static let notifyAcquired = bluez("NotPermitted", "Notify acquired")
    static let writeAcquired = bluez("NotPermitted", "Write acquired")
    static let readNotPermitted = bluez("NotPermitted", "Read not permitted")
    static let notSupported = bluez("NotSupported", "Operation is not supported")
    static let noNotifySession = failed("No notify session started")
    static let alreadyExists = bluez("AlreadyExists", "Already Exists")
    static let invalidValueLength = bluez("InvalidValueLength", "Invalid value length")
    static let doesNotExist = bluez("DoesNotExist", "Does Not Exist")
    static let invalidArguments = bluez("InvalidArguments", "Invalid arguments in method call")

    /// The replies of bluetoothd's D-Bus library for unknown objects, methods and properties.
    static func unknownObject(_ call: BusInvocation) -> BlueZError { noSuchMethod("Object", call) }
    static func unknownMethod(_ call: BusInvocation) -> BlueZError { noSuchMethod("Method", call) }
    static func noSuchInterface(_ name: String) -> BlueZError {
        dbus("InvalidArgs", "No such interface '\(name)'")
    }
    static func noSuchProperty(_ name: String) -> BlueZError {
        dbus("InvalidArgs", "No such property '\(name)'")
    }
    static func readOnly(_ name: String) -> BlueZError {
        dbus("PropertyReadOnly", "Property '\(name)' is not writable")
    }

    private static func dbus(_ name: String, _ text: String) -> BlueZError {
        .init("org.freedesktop.DBus.Error." + name, text)
    }

    private static func noSuchMethod(_ what: String, _ call: BusInvocation) -> BlueZError {
        dbus(
            "Unknown" + what,
            "Method \"\(call.member)\" with signature \"\(call.message.signature)\" on interface "
                + "\"\(call.interface)\" doesn't exist")
    }
}
