import PM5Codec

/// The radio of a simulated monitor, with its link and its scripted faults.
///
/// Confined to the queue of the service that owns it, hence the unchecked conformance.
final class MonitorRadio: @unchecked Sendable {
    /// The faults that a script has enabled.
    struct Faults {
        /// How many of the next links die while they are made (0x3e).
        var deadLinks = 0
        /// How many of the next Connect calls fail without a link.
        var aborts = 0
        /// Connected but silent: no notification, no answer.
        var isHanging = false
        /// How many of the next notifications are lost.
        var losses = 0
        var muted: Set<CharacteristicID> = []
        /// Too busy for its timed values, directly or multiplexed; other values are sent.
        var omitsTimedValues = false
        /// Delay of the objects after ServicesResolved; nil for before it, the correct order.
        var servicesDelay: Double?
        /// AcquireNotify answers NotSupported.
        var refusesAcquireNotify = false
        /// Values that arrive before the answer to a subscription.
        var earlyValues: [CharacteristicID: [UInt8]] = [:]
        /// Values that arrive directly after it.
        var promptValues: [CharacteristicID: [UInt8]] = [:]
    }

    /// The values sent by timer: 0x0031 to 0x0033 and 0x003E.
    private static let timed: Set<CharacteristicID> = [
        .generalStatus, .additionalStatus1, .additionalStatus2, .additionalStatus3,
    ]

    /// Whether a fault prevents a value from being sent.
    func suppresses(_ bytes: [UInt8], of id: CharacteristicID) -> Bool {
        if faults.isHanging || faults.muted.contains(id) { return true }
        let number = id == .multiplexed ? UInt16(bytes.first ?? 0) : id.rawValue
        return faults.omitsTimedValues && Self.timed.contains(CharacteristicID(rawValue: number))
    }

    struct Counters {
        var sent = 0
        /// Values dropped because the reader's socket was full.
        var dropped = 0
        var connections = 0
        var writes = 0
    }

    let number: Int
    let address: String
    private(set) var layout: GattLayout
    var monitor: any SimulatedMonitor
    /// Switched on and in range.
    var isPresent = true
    /// Whether the monitor shows a screen on which it allows connections, and thus advertises.
    var isOnConnectableScreen = true
    weak var link: DeviceObject?
    /// The central whose connection request is being answered.
    weak var establishing: DeviceObject?
    var faults = Faults()
    var counters = Counters()
    var rssi: Int16
    /// Whether a packet of the current stroke was not delivered.
    var lostPartOfStroke = false
    /// The last bytes of the control characteristic, which a read returns.
    var lastControlValue: [UInt8] = [0]

    init(number: Int, monitor: any SimulatedMonitor) {
        self.number = number
        self.monitor = monitor
        address = "F4:30:00:00:00:" + GattLayout.digits(number).suffix(2).uppercased()
        layout = Self.layout(of: monitor, number, firstHandle: GattLayout.usualFirstHandle)
        rssi = Int16(-48 - 3 * (number % 8))
    }

    private static func layout(
        of monitor: any SimulatedMonitor, _ number: Int, firstHandle: Int
    ) -> GattLayout {
        GattLayout(
            generation: monitor.identity.generation, commandsWithoutResponse: number % 2 == 1,
            firstHandle: firstHandle)
    }

    /// Installs another firmware, whose attributes have other handles.
    func updateFirmware(to version: String) {
        monitor.updateFirmware(to: version)
        layout = Self.layout(
            of: monitor, number, firstHandle: GattLayout.usualFirstHandle + 0x10)
    }

    /// A PM5 serves one central and does not advertise meanwhile.
    var isAdvertising: Bool {
        isPresent && isOnConnectableScreen && monitor.isAdvertising && link == nil
            && establishing == nil
    }
}
