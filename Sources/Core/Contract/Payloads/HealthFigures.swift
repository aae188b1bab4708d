import Bytes
import Rowing

/// One erg's link, as `health` tells of it.
package struct ErgFigures: Equatable, Sendable {
    /// The erg's slug.
    package var erg: String
    /// When the monitor last advertised; nil before.
    package var rssiDBm: Int?
    /// Whole seconds since the link opened; nil without a link.
    package var linkAgeSeconds: Int?
    /// Over the last seconds; nil without a link.
    package var notificationRate: Rate?
    /// Tenths of a second since the last notification; nil without a link.
    package var silenceDeciseconds: Int?
    /// Links after the first, since the start.
    package var reconnects: Int
    /// When the monitor last told; nil before.
    package var batteryPercent: Int?

    package init(erg: String, reconnects: Int) {
        self.erg = erg
        self.reconnects = reconnects
    }
}

/// One adapter, as `health` tells of it.
package struct AdapterFigures: Equatable, Sendable {
    /// BD_ADDR: the name that lasts.
    package var address: String
    /// Links in use, those of other programs included.
    package var links: Int
    /// The most it holds; nil while that is not known.
    package var linkLimit: Int?
    /// Times that it was switched off and on to mend it, since the start.
    package var powerCycles: Int
    /// By the kernel, since the adapter came up; nil where it does not tell.
    package var bytesReceived: Int?
    /// By the kernel, since the adapter came up; nil where it does not tell.
    package var bytesSent: Int?
    /// By the kernel, of both directions; nil where it does not tell.
    package var errors: Int?

    package init(address: String, links: Int, powerCycles: Int) {
        self.address = address
        self.links = links
        self.powerCycles = powerCycles
    }
}

extension Health {
    /// Objects by erg and by adapter: their keys are not known beforehand.
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
    /// A figure of each part that has it, by the part's name; `figure` is in 10 to the power of
    /// minus `places`.
    fileprivate mutating func object<Part>(
        _ name: StaticString, of parts: [Part], by key: KeyPath<Part, String>, places: Int = 0,
        figure: (Part) -> Int?
    ) {
        object(name) { json in
            for part in parts {
                guard let figure = figure(part) else { continue }
                json.key(part[keyPath: key])
                json.value(Int64(figure), places: places)
            }
        }
    }
}
