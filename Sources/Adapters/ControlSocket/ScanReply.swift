/// Every PM5 in range, whoever it belongs to: the reply of `Scan`.
package struct ScanReply: JSONReply, Equatable, Sendable {
    /// One PM5 that was heard, configured or not.
    package struct Monitor: Codable, Equatable, Sendable {
        /// Nine digits.
        package var serial: String
        /// Its place in the room; nil for a monitor that is not ours.
        package var erg: String?
        /// How far our link to it is; nil for a monitor that is not ours.
        package var phase: StatusReply.LinkPhase?
        /// The adapter that heard it best, `hci0`.
        package var adapter: String
        /// When it last advertised; nil for one that was connected before we listened.
        package var rssiDBm: Int?

        package init(
            serial: String, erg: String? = nil, phase: StatusReply.LinkPhase? = nil,
            adapter: String, rssiDBm: Int? = nil
        ) {
            self.serial = serial
            self.erg = erg
            self.phase = phase
            self.adapter = adapter
            self.rssiDBm = rssiDBm
        }

        enum CodingKeys: String, CodingKey {
            case serial, erg, phase, adapter
            case rssiDBm = "rssi_dbm"
        }
    }

    /// Whether an adapter scans, or is going to: rowgate does, with rests, while it misses a monitor.
    package var isScanning: Bool
    /// The strongest first.
    package var monitors: [Monitor]

    package init(isScanning: Bool, monitors: [Monitor]) {
        self.isScanning = isScanning
        self.monitors = monitors.sorted {
            ($0.rssiDBm ?? .min, $1.serial) > ($1.rssiDBm ?? .min, $0.serial)
        }
    }

    enum CodingKeys: String, CodingKey {
        case isScanning = "scanning"
        case monitors
    }
}
