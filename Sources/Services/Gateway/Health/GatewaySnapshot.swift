import BlueZLink
import Contract
import Insights
import Publishing
import Recording
import Timeline

/// All values for status and health, collected from the queues that own them.
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
    var host = HostStatus()
    /// The longest wait for an erg's queue during this snapshot.
    var queueDelay = Duration.zero
    var load = LoadMonitor.Reading()
    /// Firing alerts of the gateway.
    var alerts: [Alert] = []
    /// Number of alerts of the gateway since the start.
    var alertsTotal = 0
    var crews: [Crew] = []
    /// Time without synchronisation of the clock; nil if synchronised.
    var clockUnsynchronized: Duration?

    /// Number of powered adapters.
    var adaptersUp: Int { room.adapters.count { $0.isPowered } }

    /// Number of ergs released because of idleness.
    var ergsAsleep: Int {
        stations.count { if case .asleep = $0.link.phase { true } else { false } }
    }
}
