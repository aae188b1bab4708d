/// All PM5 monitors in range, configured or not: the reply of `Scan`.
package struct ScanReply: JSONReply, Equatable, Sendable {
    /// One PM5 in range.
    package struct Monitor: Codable, Equatable, Sendable {
        /// Nine digits.
        package var serial: String
        /// Slug of its erg; nil for a monitor that is not configured.
        package var erg: String?
        /// Phase of the link; nil for a monitor that is not configured.
        package var phase: StatusReply.LinkPhase?
        /// The adapter with the strongest signal, `hci0`.
        package var adapter: String
        /// Signal strength of the last advertisement; nil if it was connected before the scan began.
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

    /// Whether an adapter scans or soon will. rowgate scans, with pauses, while a monitor is missing.
    package var isScanning: Bool
    /// Sorted by signal strength, strongest first.
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
