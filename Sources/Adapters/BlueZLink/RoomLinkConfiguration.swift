import HostRuntime
import PM5Codec
import Rowing

/// Where a monitor's values go: a station's queue, and who listens there.
package struct StationSeat: Sendable {
    /// The station's own queue; its sockets are read on it.
    package let executor: SerialQueueExecutor
    package let listener: any ErgLinkListener

    package init(executor: SerialQueueExecutor, listener: any ErgLinkListener) {
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
    /// BD_ADDRs of the adapters to use; empty for every adapter there is.
    package var adapters: [String] = []
    /// Links that one adapter may hold; nil to learn it.
    package var slotsPerAdapter: Int?
    /// Written to 0x0034 after every connect, because a monitor forgets it.
    package var sampleRate = SampleRate.every500Milliseconds
    package var carrier = NotificationCarrier.automatic
    /// By serial number; `carrier` for any other monitor.
    package var carriers: [String: NotificationCarrier] = [:]
    /// Whether bluetooth.service may be restarted when an adapter hangs; systemd asks polkit too.
    package var mayRestartService = false
    /// nil for never.
    package var idleRelease: IdleRelease?
    /// Unless the configuration says otherwise.
    package static let weakestSignal = RoomRules.usualWeakestSignal
    /// dBm; with a roster of `any`, weaker monitors are left alone.
    package var weakestSignal = Self.weakestSignal
    package var roster: Roster
    /// For the jitter of back-offs.
    package var seed: UInt64 = 0

    package init(roster: Roster) { self.roster = roster }

    var rules: RoomRules {
        let guests: RoomRules.Guests =
            switch roster {
            case .listed(let seats): .listed(Set(seats.keys))
            case .any(let limit, _): .any(limit: limit)
            }
        var rules = RoomRules(guests: guests)
        rules.adapters = Set(adapters.map { $0.uppercased() })
        rules.slotsPerAdapter = slotsPerAdapter
        rules.mayRestartService = mayRestartService
        rules.idleRelease = idleRelease
        rules.weakestSignal = weakestSignal
        return rules
    }
}
