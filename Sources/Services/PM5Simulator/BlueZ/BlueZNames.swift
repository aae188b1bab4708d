import SDBus

/// Bus names that org.bluez and D-Bus give their interfaces.
enum InterfaceName {
    static let objectManager = "org.freedesktop.DBus.ObjectManager"
    static let properties = "org.freedesktop.DBus.Properties"
    static let introspectable = "org.freedesktop.DBus.Introspectable"
    static let adapter = "org.bluez.Adapter1"
    static let device = "org.bluez.Device1"
    static let service = "org.bluez.GattService1"
    static let characteristic = "org.bluez.GattCharacteristic1"
    static let descriptor = "org.bluez.GattDescriptor1"
}

/// A refusal in the words of bluetoothd 5.82.
struct BlueZError: Error, Equatable {
    let name: String
    let text: String

    private init(_ name: String, _ text: String) { (self.name, self.text) = (name, text) }

    static func failed(_ text: String) -> BlueZError { .init("org.bluez.Error.Failed", text) }

    static let notReady = BlueZError("org.bluez.Error.NotReady", "Resource Not Ready")
    static let blocked = BlueZError("org.bluez.Error.Blocked", "Blocked through rfkill")
    static let discoveryInProgress = BlueZError(
        "org.bluez.Error.InProgress", "Operation already in progress")
    static let inProgress = BlueZError("org.bluez.Error.InProgress", "In Progress")
    static let noDiscovery = failed("No discovery started")
    static let abortedLocally = failed("le-connection-abort-by-local")
    /// The words of the other transport, on LE too.
    static let canceled = failed("br-connection-canceled")
    static let linkLimit = failed("le-connection-concurrent-connection-limit")
    static let notConnected = failed("Not connected")
    static let deviceNotConnected = BlueZError("org.bluez.Error.NotConnected", "Not Connected")
    static let attributeNotFound = failed("Operation failed with ATT error: 0x0a")
    static let notifyAcquired = BlueZError("org.bluez.Error.NotPermitted", "Notify acquired")
    static let writeAcquired = BlueZError("org.bluez.Error.NotPermitted", "Write acquired")
    static let readNotPermitted = BlueZError("org.bluez.Error.NotPermitted", "Read not permitted")
    static let notSupported = BlueZError(
        "org.bluez.Error.NotSupported", "Operation is not supported")
    static let noNotifySession = failed("No notify session started")
    static let doesNotExist = BlueZError("org.bluez.Error.DoesNotExist", "Does Not Exist")
    static let invalidArguments = BlueZError(
        "org.bluez.Error.InvalidArguments", "Invalid arguments in method call")

    /// What bluetoothd's D-Bus library says about objects, methods and properties it lacks.
    static func unknownObject(_ call: BusInvocation) -> BlueZError {
        .init("org.freedesktop.DBus.Error.UnknownObject", noSuchMethod(call))
    }
    static func unknownMethod(_ call: BusInvocation) -> BlueZError {
        .init("org.freedesktop.DBus.Error.UnknownMethod", noSuchMethod(call))
    }
    static func noSuchInterface(_ name: String) -> BlueZError {
        .init("org.freedesktop.DBus.Error.InvalidArgs", "No such interface '\(name)'")
    }
    static func noSuchProperty(_ name: String) -> BlueZError {
        .init("org.freedesktop.DBus.Error.InvalidArgs", "No such property '\(name)'")
    }
    static func readOnly(_ name: String) -> BlueZError {
        .init(
            "org.freedesktop.DBus.Error.PropertyReadOnly", "Property '\(name)' is not writable")
    }

    private static func noSuchMethod(_ call: BusInvocation) -> String {
        "Method \"\(call.member)\" with signature \"\(call.message.signature)\" on interface "
            + "\"\(call.interface)\" doesn't exist"
    }
}
