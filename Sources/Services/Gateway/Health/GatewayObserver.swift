import BlueZLink
import Contract
import ControlSocket
import HostRuntime
import Publishing
import Recording
import Timeline

/// Gathers what status and health are made of, from the queues that own it.
struct GatewayObserver: Sendable {
    let gateway: GatewayID
    let configuration: Configuration
    let started: BootInstant
    let runtime: any Runtime
    /// How the machine does, which holds the ring at this path.
    let hostFigures: @Sendable (_ ringPath: String) -> HostFigures
    let recorder: Recorder
    let publisher: Publisher
    let registry: StationRegistry
    let room: any RoomPort
    let commands: CommandCounters
    let load = LoadGauge()

    func scan() async -> ScanReply {
        ScanReply(await room.snapshot(), places: registry.places)
    }

    func snapshot() async -> GatewaySnapshot {
        var stations: [StationSnapshot] = []
        var queueDelay = Duration.zero
        for station in registry.stations {
            let asked = runtime.now()
            let snapshot = await station.snapshot()
            queueDelay = max(queueDelay, asked.duration(to: snapshot.taken))
            stations.append(snapshot)
        }
        let isListed = configuration.bluetooth.discovery == .listed
        return GatewaySnapshot(
            gateway: gateway, version: Release.version, at: runtime.now(), started: started,
            clock: runtime.wall(), broker: configuration.broker, room: await room.snapshot(),
            stations: stations,
            ergsConfigured: isListed ? configuration.ergs.count : configuration.bluetooth.limit,
            publisher: await publisher.statistics(), recorder: await recorder.snapshot(),
            commandsRejected: commands.rejected.load(ordering: .relaxed),
            host: hostFigures(configuration.ring.path), queueDelay: queueDelay,
            load: load.reading)
    }
}

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
    /// The longest that an erg's queue let this look wait for its turn.
    var queueDelay = Duration.zero
    var load = LoadGauge.Reading()

    /// Ergs that were given up because nobody used them.
    var ergsAsleep: Int {
        stations.count { if case .asleep = $0.link.phase { true } else { false } }
    }
}
