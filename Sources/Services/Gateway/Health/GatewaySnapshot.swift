import BlueZLink
import Contract
import Insights
import Publishing
import Recording
import Timeline

/// Everything that status and health are made of, gathered from the queues that own it.
struct GatewaySnapshot: Sendable {
    var gateway: GatewayID
    var version: String
    var at: BootInstant
    var started: BootInstant
    var clock: WallClock
    var room: RoomSnapshot
    /// In the order of the configuration.
    var stations: [StationSnapshot]
    var ergsConfigured: Int
    var publisher: PublisherStatistics
    var recorder: RecorderSnapshot
    /// Commands that were refused or dropped.
    var commandsRejected: UInt64
    var host = HostFigures()
    /// The longest that an erg's queue let this look wait for its turn.
    var queueDelay = Duration.zero
    var load = LoadGauge.Reading()
    /// The gateway's own that fire.
    var alerts: [Alert] = []
    /// How many of its own began since the start.
    var alertsTotal = 0
    var crews: [Crew] = []
    /// For how long the clock has not been synchronised; nil while it is.
    var clockUnsynchronized: Duration?

    /// Adapters that are there and switched on.
    var adaptersUp: Int { room.adapters.count { $0.isPowered } }

    /// Ergs that were given up because nobody used them.
    var ergsAsleep: Int {
        stations.count { if case .asleep = $0.link.phase { true } else { false } }
    }
}
