import SDBus

/// BlueZ's names on the bus.
///
/// Source: bluez 5.82, doc/org.bluez.*.rst.
enum BlueZName {
    static let service = "org.bluez"
    static let adapter = "org.bluez.Adapter1"
    static let device = "org.bluez.Device1"
    static let service1 = "org.bluez.GattService1"
    static let characteristic = "org.bluez.GattCharacteristic1"
    static let gattManager = "org.bluez.GattManager1"
    static let advertisingManager = "org.bluez.LEAdvertisingManager1"
    static let advertisement = "org.bluez.LEAdvertisement1"
    static let objectManager = "org.freedesktop.DBus.ObjectManager"
    static let properties = "org.freedesktop.DBus.Properties"

    /// `hci0` of `/org/bluez/hci0`.
    static func lastComponent(of path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    /// `/org/bluez/hci0/dev_X` of a characteristic below it; nil for any other path.
    static func device(ofCharacteristic path: String) -> String? {
        let components = path.split(separator: "/", maxSplits: 4)
        guard components.count == 5, components[3].hasPrefix("dev_") else { return nil }
        return "/" + components[0...3].joined(separator: "/")
    }
}

extension BusError {
    /// Whether the part after the last dot of the D-Bus error name, for example `InProgress`, is
    /// among `names`.
    private func isNamed(_ names: String...) -> Bool {
        name?.split(separator: ".").last.map { names.contains(String($0)) } ?? false
    }

    var isInProgress: Bool { name == "org.bluez.Error.InProgress" }
    var isNotReady: Bool { name == "org.bluez.Error.NotReady" }
    var isNotConnected: Bool { name == "org.bluez.Error.NotConnected" }
    var isAlreadyConnected: Bool { name == "org.bluez.Error.AlreadyConnected" }

    /// BlueZ's message for EMLINK, which the kernel uses only for the controller's error
    /// "connection limit exceeded" (0x09).
    var isOutOfLinks: Bool { message == "le-connection-concurrent-connection-limit" }

    /// The object is gone; only a new scan brings it back.
    var isObjectGone: Bool {
        isNamed("UnknownObject", "UnknownMethod", "UnknownInterface", "DoesNotExist")
    }

    /// Denied by polkit or by the bus.
    var isDenied: Bool { isNamed("AccessDenied", "InteractiveAuthorizationRequired", "AuthFailed") }

    /// No answer: bluetoothd or the controller hangs.
    var isUnanswered: Bool {
        name == nil ? errno == 110 : isNamed("NoReply", "Timeout", "TimedOut")  // ETIMEDOUT
    }

    /// Why bluetoothd cannot be used, for users; contains no D-Bus names.
    var serviceCause: String {
        if isServiceLost { return "no program owns its name on the bus" }
        if isUnanswered { return "it does not answer" }
        if isDenied { return "the bus denies access to it" }
        return message
    }

    /// bluetoothd or the bus is gone.
    var isServiceLost: Bool {
        isDisconnected || isNamed("ServiceUnknown", "NameHasNoOwner", "NoSuchUnit", "Disconnected")
    }
}
