import HostRuntime
import PM5Codec
import Rowing

/// Where a monitor's values go: a station's queue, and who listens there.
package struct StationSeat: Sendable {
    /// The erg's, for the log.
    package let name: String
    /// The station's own queue; its sockets are read on it.
    package let executor: SerialQueueExecutor
    package let listener: any ErgLinkListener

    package init(name: String, executor: SerialQueueExecutor, listener: any ErgLinkListener) {
        self.name = name
        self.executor = executor
        self.listener = listener
    }
}

/// Which monitors may be connected, and where each belongs.
package enum Roster: Sendable {
    /// Seats by serial number.
    case listed([String: StationSeat])
    /// `limit` monitors of those around, strongest first. `seat` is asked for each that is claimed,
    /// on the bus queue; nil turns the monitor away.
    case any(limit: Int, seat: @Sendable (_ serial: String) -> StationSeat?)

    fileprivate var guests: RoomRules.Guests {
        switch self {
        case .listed(let seats): .listed(Set(seats.keys))
        case .any(let limit, _): .any(limit: limit)
        }
    }
}

/// How a monitor's values are asked for.
package enum NotificationCarrier: String, CaseIterable, Sendable {
    /// Every characteristic by itself, and 0x0080 for what exists only there.
    case dedicated
    /// Through 0x0080 alone: one subscription instead of a dozen, one byte less in each payload.
    case multiplexed
    /// Dedicated, where the firmware has the dedicated ones.
    case automatic
}

/// What a room link is told at its start.
package struct RoomLinkConfiguration: Sendable {
    /// D-Bus address; nil for the system bus.
    package var busAddress: String?
    /// Written to 0x0034 after every connect, because a monitor forgets it.
    package var sampleRate = SampleRate.every500Milliseconds
    package var carrier = NotificationCarrier.automatic
    /// By serial number; `carrier` for any other monitor.
    package var carriers: [String: NotificationCarrier] = [:]
    /// The rules name the same guests.
    package var roster: Roster { didSet { rules.guests = roster.guests } }
    /// For the jitter of back-offs.
    package var seed: UInt64 = 0
    package var rules: RoomRules

    package init(roster: Roster) {
        self.roster = roster
        rules = RoomRules(guests: roster.guests)
    }
}
