import PM5Codec

/// What is known of a monitor once its link is up.
package struct MonitorIdentity: Equatable, Sendable {
    /// Nine digits.
    package var serial: String
    /// Bluetooth device address, `F4:30:00:00:00:01`.
    package var address: String
    /// The adapter that holds the link, by its kernel name at this moment (`hci0`).
    package var adapter: String
    /// 0x0011, `PM5`; nil on firmware without it.
    package var model: String?
    /// 0x0013, three digits; nil until read.
    package var hardwareRevision: String?
    /// 0x0014, `8200-000320-020.000`; nil until read.
    package var firmwareRevision: String?
    /// 0x0015, `Concept2`; nil until read.
    package var manufacturer: String?
    /// 0x0016; nil on firmware without it, and then 0x0032 tells.
    package var machineType: ErgMachineType?
    /// How full its batteries were when it last said so; nil before.
    package var batteryPercent: Int?
    /// The characteristics that this firmware has and that notify us.
    package var notifying: [CharacteristicID]

    /// A monitor of which nothing has been read and that does not notify yet.
    package init(serial: String, address: String, adapter: String) {
        self.serial = serial
        self.address = address
        self.adapter = adapter
        notifying = []
    }
}
