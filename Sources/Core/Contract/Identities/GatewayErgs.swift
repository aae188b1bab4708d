/// The ergs that a gateway may have: the configured ones, and with `discovery = "any"` any monitor that
/// it finds.
package struct GatewayErgs: Equatable, Sendable {
    /// The largest number of ergs of one gateway: a Bluetooth adapter of a Raspberry Pi holds eight
    /// connections. `config/schema/contract.toml` repeats it for the members of a crew.
    package static let maximum = 8

    /// Which monitors a gateway connects to.
    package enum Discovery: String, Sendable {
        /// The configured ones only.
        case listed
        /// Any monitor in range. A monitor without `[[erg]]` gets a name from its serial number.
        case any
    }

    /// The configured ergs.
    package var stations: Set<StationID>
    package var discovery: Discovery
    /// Serial numbers of monitors that have a configured erg.
    private var serials: Set<String>

    /// - Parameter serials: serial numbers of the monitors of `stations`.
    package init(
        _ stations: some Sequence<StationID>, discovery: Discovery = .listed,
        serials: some Sequence<String> = []
    ) {
        self.stations = Set(stations)
        self.discovery = discovery
        self.serials = Set(serials)
    }

    /// Whether an erg may exist.
    package func contains(_ station: StationID) -> Bool {
        if stations.contains(station) { return true }
        guard discovery == .any, let serial = station.monitorSerial else { return false }
        return !serials.contains(serial)
    }
}

extension StationID {
    private static let unnamed = "pm5-"

    /// Returns the erg for a monitor that is not configured.
    package static func ofMonitor(_ serial: String) -> StationID? {
        StationID(unnamed + serial)
    }

    /// Serial number of such an erg's monitor, nine digits; nil for any other erg.
    package var monitorSerial: String? {
        let serial = slug.dropFirst(Self.unnamed.count)
        let isSerial = serial.utf8.count == 9 && serial.allSatisfy(\.isNumber)
        return slug.hasPrefix(Self.unnamed) && isSerial ? String(serial) : nil
    }
}

/// The slug that names a crew in topics.
package struct CrewID: SlugIdentity {
    /// The largest number of ergs in a crew: all ergs of a gateway.
    package static let maximumMembers = GatewayErgs.maximum

    package let slug: String

    package init(valid slug: String) { self.slug = slug }
}
