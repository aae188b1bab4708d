import PM5Codec

/// A monitor and its radio: who holds the link, and what has been scripted to go wrong.
///
/// Confined to the queue of the service that owns it, hence the unchecked conformance.
final class RadioMonitor: @unchecked Sendable {
    /// What a fault script has switched on.
    struct Faults {
        /// How many of the next links die as they are made (0x3e).
        var deadLinks = 0
        /// How many of the next Connect calls fail without a link.
        var aborts = 0
        /// Connected, and silent: no notification, no answer.
        var isHanging = false
        /// How many of the next notifications are lost on the air.
        var losses = 0
        var muted: Set<CharacteristicID> = []
        /// Too busy for its timed values, by themselves or multiplexed; the others come.
        var isStarved = false
        /// How long after ServicesResolved the objects come; nil for before it, as it should be.
        var servicesDelay: Double?
        /// AcquireNotify answers NotSupported.
        var lacksAcquireNotify = false
        /// Values that come before the answer to a subscription.
        var early: [CharacteristicID: [UInt8]] = [:]
        /// Values that come directly behind it.
        var prompt: [CharacteristicID: [UInt8]] = [:]
    }

    /// What a monitor sends by its clock: 0x0031 to 0x0033 and 0x003E.
    private static let timed: Set<CharacteristicID> = [
        .generalStatus, .additionalStatus1, .additionalStatus2, .additionalStatus3,
    ]

    /// Whether a fault keeps a value from being sent.
    func withholds(_ bytes: [UInt8], of id: CharacteristicID) -> Bool {
        if faults.isHanging || faults.muted.contains(id) { return true }
        let number = id == .multiplexed ? UInt16(bytes.first ?? 0) : id.rawValue
        return faults.isStarved && Self.timed.contains(CharacteristicID(rawValue: number))
    }

    struct Counters {
        var sent = 0
        /// The reader did not keep up and its socket was full.
        var dropped = 0
        var connections = 0
        var writes = 0
    }

    let number: Int
    let address: String
    private(set) var layout: GattLayout
    var monitor: any SimulatedMonitor
    /// Switched on, within reach.
    var isPresent = true
    /// On a screen where it may be connected to.
    var wantsToAdvertise = true
    weak var link: DeviceObject?
    /// A central whose connection request was heard and is being answered.
    weak var establishing: DeviceObject?
    var faults = Faults()
    var counters = Counters()
    var rssi: Int16
    /// A packet of the stroke in progress was not delivered.
    var lostPartOfStroke = false
    /// The last bytes of the control characteristic: what a read of it gives.
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

    /// Another firmware, whose attributes begin elsewhere.
    func updateFirmware(to version: String) {
        monitor.updateFirmware(to: version)
        layout = Self.layout(
            of: monitor, number, firstHandle: GattLayout.usualFirstHandle + 0x10)
    }

    /// A PM5 serves one central and is not to be found meanwhile.
    var isAdvertising: Bool {
        isPresent && wantsToAdvertise && monitor.isAdvertising && link == nil
            && establishing == nil
    }
}
