import BlueZLink
import Contract
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
    var broker: Configuration.Broker
    var room: RoomSnapshot
    /// In the order of the configuration.
    var stations: [StationSnapshot]
    var ergsConfigured: Int
    var publisher: PublisherStatistics
    var recorder: RecorderSnapshot
    /// Commands that were refused or dropped.
    var commandsRejected: UInt64
    var host = HostFigures()
}
