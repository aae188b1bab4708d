import BlueZLink
import Contract
import MQTTClient
import Synchronization
import TestSupport
import Testing

@testable import Gateway
@testable import HostRuntime
@testable import Insights
@testable import Publishing
@testable import Recording
@testable import Timeline

/// What the reporter of `health` and `clock` leaves to others.
struct HealthReporterTests {
    /// Goal: one `clock_stepped` for each step of the wall clock. Method: reporter and recorder see
    /// the same step, and whatever either of them began is done before records are counted.
    @Test func aStepIsRecordedOnce() async throws {
        let folder = try TemporaryFolder()
        let wall = Mutex(
            WallClock(bootID: "5b1f", unixMillisecondsAtBoot: 0, isSynchronized: false))
        let log = SystemLog(subsystem: "test", threshold: .error)
        let gateway = try #require(GatewayID("boathouse"))
        let recorder = try Recorder(
            gateway: gateway, stations: [],
            settings: .init(
                path: folder.path("ring.log"), sizeBytes: 4 << 20, commitInterval: .seconds(3600),
                keepsRaw: false),
            log: log, runtime: OwnWall { wall.withLock { $0 } })
        await recorder.start(outlet: RecorderOutlet(recordsAvailable: {}, retain: { _, _ in }))
        let observer = try observer(gateway, recorder, log)
        let reporter = HealthReporter(observer, log: log)
        for boot in [Int64(0), 1_788_627_000_000] {
            wall.withLock { $0.unixMillisecondsAtBoot = boot }
            await recorder.keepHouse()
            var snapshot = await observer.snapshot()
            snapshot.clock = wall.withLock { $0 }
            await reporter.publishClock(snapshot)
        }
        // Behind whatever it left on its queue, and then on the recorder's.
        await reporter.stop()
        let records = await recorder.records(after: nil, limit: 10).records
        #expect(records.count == 1)
        await recorder.stop()
    }

    /// A gateway without ergs, a bus or a broker.
    private func observer(
        _ gateway: GatewayID, _ recorder: Recorder, _ log: SystemLog
    ) throws -> GatewayObserver {
        let registry = StationRegistry { _ in preconditionFailure("there are no ergs") }
        return GatewayObserver(
            gateway: gateway, configuration: try configuration(anyErg),
            started: SystemRuntime().now(),
            runtime: SystemRuntime(), hostFigures: { _ in HostFigures() },
            recorder: recorder,
            publisher: Publisher(
                configuration: BrokerConfiguration(
                    host: "127.0.0.1", port: 1, clientID: "rowgate-boathouse"),
                connector: MQTTConnection.init, topics: TopicMap(gateway: gateway),
                source: recorder, runtime: SystemRuntime(), log: log),
            registry: registry, ticks: StationTicks(registry, runtime: SystemRuntime()),
            roomPipeline: RoomPipeline(
                gateway: gateway, registry: registry, crews: CrewRoster(configured: []),
                outlet: RoomOutlet(
                    isListenedTo: { false }, live: { _, _ in }, record: { _ in }),
                runtime: SystemRuntime()),
            room: RoomLink(
                configuration: RoomLinkConfiguration(roster: .listed([:])),
                executor: SerialQueueExecutor(label: "bus"), clock: SystemRuntime(), log: log),
            commands: CommandCounters(),
            alerts: AlertWatch(
                GatewayAlerts(AlertSettings()) { "" }, of: gateway, record: { _ in },
                retain: { _, _ in }))
    }
}
