/// Every PM5 in range, whoever it belongs to: the reply of `Scan`.
package struct ScanReply: Codable, Equatable, Sendable {
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

    /// As the socket sends it, with line breaks and a fixed order of keys.
    package func jsonText() throws -> String {
        String(decoding: try VarlinkMessage.encode(self, pretty: true), as: UTF8.self)
    }

    /// A line for each monitor, and what may be missing from the list.
    package var lines: [StyledLine] {
        monitors.isEmpty ? [StyledLine("no PM5 in range", .warning)] + remarks : table + remarks
    }

    private var table: [StyledLine] {
        var table = TextTable([
            ("SERIAL", .leading), ("SIGNAL", .trailing), ("ADAPTER", .leading), ("ERG", .leading),
            ("LINK", .leading),
        ])
        for monitor in monitors {
            table.add([
                StyledLine(monitor.serial),
                monitor.rssiDBm.map { StyledLine("\($0) dBm") },
                StyledLine(monitor.adapter),
                monitor.erg.map { StyledLine($0) } ?? StyledLine("not ours", .faint),
                monitor.phase.map {
                    StyledLine($0.rawValue, $0 == .streaming ? .good : .warning)
                },
            ])
        }
        return table.lines
    }

    private var remarks: [StyledLine] {
        let sleeping = StyledLine(
            "A monitor that sleeps, or serves a phone, is not heard: press Connect on it.", .faint)
        if isScanning { return [StyledLine(), sleeping] }
        return [
            StyledLine(),
            StyledLine("rowgate does not scan now, for it has every monitor it looks for.", .faint),
            sleeping,
        ]
    }
}
