import PM5Codec

/// Which monitors may be connected, and to which station each belongs.
package enum Roster: Sendable {
    /// Stations by serial number.
    case listed([String: StationEndpoint])
    /// Up to `limit` monitors in range, strongest first. `assign` is called on the bus queue for each
    /// claimed monitor; nil rejects the monitor.
    case any(limit: Int, assign: @Sendable (_ serial: String) -> StationEndpoint?)

    fileprivate var membership: RoomRules.Membership {
        switch self {
        case .listed(let stations): .listed(Set(stations.keys))
        case .any(let limit, _): .any(limit: limit)
        }
    }
}

/// How to subscribe to a monitor's values.
package enum NotificationCarrier: String, CaseIterable, Sendable {
    /// Every characteristic separately, and 0x0080 for values that exist only there.
    case dedicated
    /// Only 0x0080: one subscription instead of a dozen, and one byte less per payload.
    case multiplexed
    /// Dedicated characteristics if the firmware has them.
    case automatic
}

/// A relay to a phone: an adapter and the monitor that it presents.
package struct RelayConfiguration: Equatable, Sendable {
    package let adapter: RelayAdapter
    /// nil for a relay that presents no monitor yet.
    package let serial: String?
    /// Whether a monitor without a fitness machine service gets one.
    package let makesFitnessMachine: Bool

    package init(adapter: RelayAdapter, serial: String?, makesFitnessMachine: Bool = false) {
        self.adapter = adapter
        self.serial = serial
        self.makesFitnessMachine = makesFitnessMachine
    }
}

/// The configuration of a room link.
package struct RoomLinkConfiguration: Sendable {
    /// D-Bus address; nil for the system bus.
    package var busAddress: String?
    /// Written to 0x0034 after every connect, because a monitor does not store it.
    package var sampleRate = SampleRate.every500Milliseconds
    package var carrier = NotificationCarrier.automatic
    /// By serial number; `carrier` for any other monitor.
    package var carriers: [String: NotificationCarrier] = [:]
    /// The rules contain the same monitors.
    package var roster: Roster { didSet { rules.membership = roster.membership } }
    /// Seed for the jitter of retry delays.
    package var seed: UInt64 = 0
    package var rules: RoomRules
    /// The relays to phones. Their adapters are reserved by `rules.relayAdapters`.
    package var relays: [RelayConfiguration] = []

    package init(roster: Roster) {
        self.roster = roster
        rules = RoomRules(membership: roster.membership)
    }
}
