import PM5Codec

/// The identity of a monitor, read when its link opens.
package struct MonitorIdentity: Equatable, Sendable {
    /// Nine digits.
    package var serial: String
    /// Bluetooth device address, `F4:30:00:00:00:01`.
    package var address: String
    /// Kernel name of the adapter that currently holds the link (`hci0`).
    package var adapter: String
    /// 0x0011, `PM5`; nil on firmware without it.
    package var model: String?
    /// 0x0013, three digits; nil until read.
    package var hardwareRevision: String?
    /// 0x0014, `8200-000320-020.000`; nil until read.
    package var firmwareRevision: String?
    /// 0x0015, `Concept2`; nil until read.
    package var manufacturer: String?
    /// 0x0016; nil on firmware without it. 0x0032 reports it there.
    package var machineType: ErgMachineType?
    /// Charge of the batteries in the last report; nil before.
    package var batteryPercent: Int?
    /// The characteristics of this firmware to which rowgate is subscribed.
    package var notifying: [CharacteristicID]

    /// Creates an identity without read values or subscriptions.
    package init(serial: String, address: String, adapter: String) {
        self.serial = serial
        self.address = address
        self.adapter = adapter
        notifying = []
    }
}
