import Contract
import HostRuntime
import Insights
import Timeline

/// Where the room's output goes. Called on the room's queue; none of them waits.
struct RoomOutlet: Sendable {
    /// Whether somebody could get `live` now.
    var isListenedTo: @Sendable () -> Bool
    var live: @Sendable (GatewayTopic, [UInt8]) -> Void
    var record: @Sendable ([RoomInsight]) -> Void
}

/// The whole room, and its crews: asks every erg once a second what it has, and tells what that comes to.
///
/// Nothing reaches this queue for a notification or a stroke. What an erg adds up between two
/// rounds is a few sums (`ErgShare`), so that neither a slow round nor a fast rower costs more.
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
    /// What the ergs of this round told so far; nil between two rounds.
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

    /// Names a crew. Returns what a process after this one has to know; nil where there are too many.
    func name(_ crew: Crew) -> [Crew]? { roster.name(crew) ? roster.commanded : nil }

    /// Forgets what commands said of a crew. Returns the same, and what is left of it.
    func forget(_ id: CrewID) -> (commanded: [Crew], left: Crew?) {
        let left = roster.forget(id)
        return (roster.commanded, left)
    }

    // MARK: - Rounds

    func start() {
        timer = makeTimer { $0.ask() }
        timer?.fire(every: Self.interval, leeway: Self.interval / 4)
    }

    /// The last strokes have their minute too: the stations have stopped by now.
    func stop() async {
        timer?.cancel()
        timer = nil
        var readings: [ErgReading] = []
        for station in registry.stations { readings.append(await station.takeReading()) }
        let now = runtime.now()
        outlet.record(insights.take(readings, at: now) + insights.end(at: now))
    }

    /// One station after the other, each on its own queue. While one of them lets wait, there is no
    /// other round.
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
