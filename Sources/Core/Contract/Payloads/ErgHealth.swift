import Bytes
import Rowing

/// The part of `health` about one erg's link.
package struct ErgHealth: Equatable, Sendable {
    /// The erg's slug.
    package var erg: String
    /// Signal strength of the last advertisement; nil before the first.
    package var rssiDBm: Int?
    /// Whole seconds since the link opened; nil without a link.
    package var linkAgeSeconds: Int?
    /// Mean rate over the last seconds; nil without a link.
    package var notificationRate: Rate?
    /// Tenths of a second since the last notification; nil without a link.
    package var silenceDeciseconds: Int?
    /// Links after the first, since the daemon started.
    package var reconnects: Int
    /// Last reported battery charge; nil before the first report.
    package var batteryPercent: Int?

    package init(erg: String, reconnects: Int) {
        self.erg = erg
        self.reconnects = reconnects
    }
}

/// The part of `health` about one Bluetooth adapter.
package struct AdapterHealth: Equatable, Sendable {
    /// BD_ADDR, which does not change.
    package var address: String
    /// Links in use, including those of other programs.
    package var links: Int
    /// Maximum number of links; nil if unknown.
    package var linkLimit: Int?
    /// Times that rowgate switched it off and on to recover it, since the daemon started.
    package var powerCycles: Int
    /// Kernel counter since the adapter came up; nil if unknown.
    package var bytesReceived: Int?
    /// Kernel counter since the adapter came up; nil if unknown.
    package var bytesSent: Int?
    /// Kernel counter of receive and send errors; nil if unknown.
    package var errors: Int?

    package init(address: String, links: Int, powerCycles: Int) {
        self.address = address
        self.links = links
        self.powerCycles = powerCycles
    }
}

extension Health {
    /// Writes objects with one member per erg or adapter.
    func writeParts(into json: inout JSONWriter) {
        json.object("erg_rssi_dbm", of: ergs, by: \.erg) { $0.rssiDBm }
        json.object("erg_link_age_s", of: ergs, by: \.erg) { $0.linkAgeSeconds }
        json.object("erg_notifications_per_s", of: ergs, by: \.erg, places: 1) {
            $0.notificationRate?.tenthsPerSecond
        }
        json.object("erg_silence_s", of: ergs, by: \.erg, places: 1) { $0.silenceDeciseconds }
        json.object("erg_reconnects_total", of: ergs, by: \.erg) { $0.reconnects }
        json.object("erg_battery_pct", of: ergs, by: \.erg) { $0.batteryPercent }
        json.object("adapter_links", of: adapters, by: \.address) { $0.links }
        json.object("adapter_links_max", of: adapters, by: \.address) { $0.linkLimit }
        json.object("adapter_power_cycles_total", of: adapters, by: \.address) { $0.powerCycles }
        json.object("adapter_rx_bytes", of: adapters, by: \.address) { $0.bytesReceived }
        json.object("adapter_tx_bytes", of: adapters, by: \.address) { $0.bytesSent }
        json.object("adapter_errors_total", of: adapters, by: \.address) { $0.errors }
    }
}

extension JSONWriter {
    /// Writes an object with the value of each part, by the part's name. The unit of `value` is 10 to the
    /// power of minus `places`.
    fileprivate mutating func object<Part>(
        _ name: StaticString, of parts: [Part], by key: KeyPath<Part, String>, places: Int = 0,
        value: (Part) -> Int?
    ) {
        object(name) { json in
            for part in parts {
                guard let number = value(part) else { continue }
                json.key(part[keyPath: key])
                json.value(Int64(number), places: places)
            }
        }
    }
}
