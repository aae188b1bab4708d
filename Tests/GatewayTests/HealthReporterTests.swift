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

/// Only the recorder records clock steps.
struct HealthReporterTests {
    @Test func recordsAClockStepOnce() async throws {
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
            log: log, runtime: InjectedWallClock { wall.withLock { $0 } })
        await recorder.start(callbacks: RecorderCallbacks(recordsAvailable: {}, retain: { _, _ in }))
        let observer = try observer(gateway, recorder, log)
        let reporter = HealthReporter(observer, log: log)
        for boot in [Int64(0), 1_788_627_000_000] {
            wall.withLock { $0.unixMillisecondsAtBoot = boot }
            await recorder.doHousekeeping()
            var snapshot = await observer.snapshot()
            snapshot.clock = wall.withLock { $0 }
            await reporter.publishClock(snapshot)
        }
        // Waits for the work on the reporter's queue, and then on the recorder's.
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
            runtime: SystemRuntime(), hostStatus: { _ in HostStatus() },
            recorder: recorder,
            publisher: Publisher(
                configuration: BrokerConfiguration(
                    host: "127.0.0.1", port: 1, clientID: "rowgate-boathouse"),
                connector: MQTTConnection.init, topics: TopicMap(gateway: gateway, below: .standard),
                source: recorder, runtime: SystemRuntime(), log: log),
            registry: registry, ticks: StationTicks(registry, runtime: SystemRuntime()),
            roomPipeline: RoomPipeline(
                gateway: gateway, registry: registry, crews: CrewRoster(configured: []),
                outputs: RoomOutputs(
                    canPublishLive: { false }, live: { _, _ in }, record: { _ in }),
                runtime: SystemRuntime()),
            room: RoomLink(
                configuration: RoomLinkConfiguration(roster: .listed([:])),
                executor: SerialQueueExecutor(label: "bus"), clock: SystemRuntime(), log: log),
            commands: CommandCounters(),
            alerts: AlertWatch(
                GatewayAlerts(AlertSettings()) { "" }, of: gateway, record: { _ in },
                retain: { _, _ in }),
            athletes: GatewayAthletes(
                try configuration(anyErg), received: nil,
                file: StateFile(path: "/nonexistent/roster"), runtime: SystemRuntime(), log: log))
    }
}
