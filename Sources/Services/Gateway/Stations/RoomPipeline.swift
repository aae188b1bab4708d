import Contract
import HostRuntime
import Insights
import Timeline

/// Outputs of the room. Called on the room's queue; they must not wait.
struct RoomOutlet: Sendable {
    /// Whether a broker could receive `live` now.
    var isListenedTo: @Sendable () -> Bool
    var live: @Sendable (GatewayTopic, [UInt8]) -> Void
    var record: @Sendable ([RoomInsight]) -> Void
}

/// Aggregates the room and its crews: reads every erg once a second and publishes the result.
///
/// No notification or stroke reaches this queue. Each erg maintains a few sums between two rounds
/// (`ErgShare`), so that the cost does not depend on rounds or strokes.
actor RoomPipeline: QueueActor {
    nonisolated let executor: SerialQueueExecutor

    private static let interval = Duration.seconds(1)

    private let gateway: GatewayID
    private let registry: StationRegistry
    private let outlet: RoomOutlet
    private let runtime: any Runtime
    private var insights = RoomInsights()
    private var roster: CrewRoster {
        didSet { insights.crews = roster.all }
    }
    private var numbers: [GatewayTopic: UInt64] = [:]
    private var timer: QueueTimer?
    /// The readings of the current round; nil between two rounds.
    private var round: (readings: [ErgReading], asked: Int)?

    init(
        gateway: GatewayID, registry: StationRegistry, crews: CrewRoster, outlet: RoomOutlet,
        runtime: any Runtime
    ) {
        executor = runtime.makeQueue(label: "rowgate.room")
        self.gateway = gateway
        self.registry = registry
        self.outlet = outlet
        self.runtime = runtime
        roster = crews
        insights.crews = crews.all
    }

    // MARK: - Crews

    var crews: [Crew] { roster.all }

    /// Defines a crew. Returns the crews to store for a later process; nil if there are too many.
    func name(_ crew: Crew) -> [Crew]? { roster.name(crew) ? roster.commanded : nil }

    /// Removes a crew that a command defined. Returns the crews to store, and the configured crew
    /// that remains.
    func forget(_ id: CrewID) -> (commanded: [Crew], left: Crew?) {
        let left = roster.forget(id)
        return (roster.commanded, left)
    }

    // MARK: - Rounds

    func start() {
        timer = makeTimer { $0.ask() }
        timer?.fire(every: Self.interval, leeway: Self.interval / 4)
    }

    /// Completes the last minute: the stations have stopped by now.
    func stop() async {
        timer?.cancel()
        timer = nil
        var readings: [ErgReading] = []
        for station in registry.stations { readings.append(await station.takeReading()) }
        let now = runtime.now()
        outlet.record(insights.take(readings, at: now) + insights.end(at: now))
    }

    /// Reads one station after the other, each on its own queue. No other round starts while a
    /// station is slow.
    private func ask() {
        let stations = registry.stations
        guard round == nil, !stations.isEmpty else { return }
        round = ([], stations.count)
        for station in stations {
            station.executor.enter {
                let reading = station.assumeIsolated { $0.takeReading() }
                self.later { $0.take(reading) }
            }
        }
    }

    private func take(_ reading: ErgReading) {
        round?.readings.append(reading)
        guard let round, round.readings.count == round.asked else { return }
        self.round = nil
        FollowUp.run {
            let now = runtime.now()
            let found = insights.take(round.readings, at: now)
            if !found.isEmpty { outlet.record(found) }
            tell(at: now)
        }
    }

    private func tell(at now: BootInstant) {
        guard outlet.isListenedTo() else { return }
        let live =
            [insights.room.map { RoomLive($0) }]
            + insights.crews.map { crew in
                insights.figures(of: crew).map { RoomLive($0, of: crew) }
            }
        let clock = runtime.wall()
        for live in live.compactMap(\.self) {
            let number = numbers[live.topic, default: 0] + 1
            numbers[live.topic] = number
            outlet.live(
                live.topic,
                live.payload(gateway: gateway, number: number, at: now, clock: clock))
        }
    }
}
