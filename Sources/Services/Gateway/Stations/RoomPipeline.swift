import Contract
import HostRuntime
import Insights
import Timeline

/// Outputs of the room. Called on the room's queue; they must not wait.
struct RoomOutputs: Sendable {
    /// Whether a broker could receive `live` now.
    var canPublishLive: @Sendable () -> Bool
    var live: @Sendable (GatewayTopic, [UInt8]) -> Void
    var record: @Sendable ([RoomInsight]) -> Void
}

/// Aggregates the room and its crews: reads every erg once a second and publishes the result.
///
/// No notification or stroke reaches this queue. Each erg maintains a few sums between two rounds
/// (`ErgStrokeSums`), so that the cost does not depend on rounds or strokes.
actor RoomPipeline: QueueActor {
    nonisolated let executor: SerialQueueExecutor

    private static let interval = Duration.seconds(1)

    private let gateway: GatewayID
    private let registry: StationRegistry
    private let outputs: RoomOutputs
    private let runtime: any Runtime
    private var insights = RoomInsights()
    private var roster: CrewRoster {
        didSet { insights.crews = roster.all }
    }
    private var numbers: [GatewayTopic: UInt64] = [:]
    private var timer: QueueTimer?
    /// The readings of the current round, and from how many ergs they are expected; nil between two rounds.
    private var round: (readings: [ErgReading], expected: Int)?

    init(
        gateway: GatewayID, registry: StationRegistry, crews: CrewRoster, outputs: RoomOutputs,
        runtime: any Runtime
    ) {
        executor = runtime.makeQueue(label: "rowgate.room")
        self.gateway = gateway
        self.registry = registry
        self.outputs = outputs
        self.runtime = runtime
        roster = crews
        insights.crews = crews.all
    }

    // MARK: - Crews

    var crews: [Crew] { roster.all }

    /// Defines a crew. Returns the crews to store for a later process; nil if there are too many.
    func define(_ crew: Crew) -> [Crew]? { roster.define(crew) ? roster.commanded : nil }

    /// Removes a crew that a command defined. Returns the crews to store for a later process, and the
    /// configured crew with this id, which is used from now on.
    func removeCommanded(_ id: CrewID) -> (commanded: [Crew], configured: Crew?) {
        let configured = roster.removeCommanded(id)
        return (roster.commanded, configured)
    }

    // MARK: - Rounds

    func start() {
        timer = makeTimer { $0.readStations() }
        timer?.fire(every: Self.interval, leeway: Self.interval / 4)
    }

    /// Completes the last minute: the stations have stopped by now.
    func stop() async {
        timer?.cancel()
        timer = nil
        var readings: [ErgReading] = []
        for station in registry.stations { readings.append(await station.drainReading()) }
        let now = runtime.now()
        outputs.record(insights.add(readings, at: now) + insights.end(at: now))
    }

    /// Reads one station after the other, each on its own queue. No other round starts while a
    /// station is slow.
    private func readStations() {
        let stations = registry.stations
        guard round == nil, !stations.isEmpty else { return }
        round = ([], stations.count)
        for station in stations {
            station.executor.enter {
                let reading = station.assumeIsolated { $0.drainReading() }
                self.later { $0.collect(reading) }
            }
        }
    }

    private func collect(_ reading: ErgReading) {
        round?.readings.append(reading)
        guard let round, round.readings.count == round.expected else { return }
        self.round = nil
        FollowUp.run {
            let now = runtime.now()
            let found = insights.add(round.readings, at: now)
            if !found.isEmpty { outputs.record(found) }
            publishLive(at: now)
        }
    }

    private func publishLive(at now: BootInstant) {
        guard outputs.canPublishLive() else { return }
        let live =
            [insights.room.map { RoomLive($0) }]
            + insights.crews.map { crew in
                insights.statistics(of: crew).map { RoomLive($0, of: crew) }
            }
        let clock = runtime.wall()
        for live in live.compactMap(\.self) {
            let number = numbers[live.topic, default: 0] + 1
            numbers[live.topic] = number
            outputs.live(
                live.topic,
                live.payload(gateway: gateway, number: number, at: now, clock: clock))
        }
    }
}
