import Dispatch
import Foundation
import RingLog
import TestSupport
import Testing

@testable import AvahiClient
@testable import BlueZLink
@testable import Gateway
@testable import HostRuntime
@testable import MQTTClient

/// A gateway with real parts, in which a part hangs, or which gets a second signal. A hung part resumes only
/// after the expectations, so that a stop that waits for it would never end.
struct ServiceStepsHangTests {
    private static let names = [
        "recorder", "publisher", "stations", "health", "control socket", "announcer", "room link",
    ]
    private struct Refusal: Error {}

    private let folder: TemporaryFolder
    private let disk = MemoryDisk()
    private let log = SystemLog(subsystem: "test", threshold: .critical)
    /// Not among the queues of its part, because it may hang.
    private let announcerQueue = SerialQueueExecutor(label: "announcer")

    init() throws { folder = try TemporaryFolder() }

    // MARK: - Signals

    /// When a further signal arrives.
    enum Moment: CaseIterable { case beforePart, afterPart, both }

    @Test func stopsEachPartOnceDespiteFurtherSignals() async throws {
        for name in Self.names {
            for moment in Moment.allCases {
                try await stop(moment, name, failingLast: false)
                if name != "room link" { try await stop(moment, name, failingLast: true) }
            }
        }
    }

    private func stop(_ moment: Moment, _ name: String, failingLast: Bool) async throws {
        let (diary, request) = (Diary(), StopRequest())
        var parts = try parts(diary) { part in
            if part == name, moment != .afterPart { request.make(SIGTERM) }
        } behind: { part in
            if part == name, moment != .beforePart { request.make(SIGINT) }
        }
        if failingLast { parts[parts.count - 1].start = { throw Refusal() } }
        var steps = ServiceSteps(parts, runtime: SystemRuntime(), log: log)
        if failingLast {
            await #expect(throws: Refusal.self) { _ = try await steps.start(until: request) }
        } else {
            #expect(try await steps.start(until: request))
            request.make(SIGTERM)
            await steps.stop()
        }
        let stopped = Self.names.dropLast(failingLast ? 1 : 0).reversed()
        #expect(diary.stops == stopped.map { "-\($0)" })
        try expectRingClosed()
    }

    @Test(arguments: names)
    func stopsStartedPartsAfterASignal(_ name: String) async throws {
        let (diary, request) = (Diary(), StopRequest())
        var parts = try parts(diary)
        let index = try #require(Self.names.firstIndex(of: name))
        let start = parts[index].start
        parts[index].start = {
            request.make(SIGTERM)
            try await start()
        }
        var steps = ServiceSteps(parts, runtime: SystemRuntime(), log: log)
        #expect(try await !steps.start(until: request))
        await steps.stop()
        let begun = Self.names[...index]
        #expect(
            diary.all == begun.map { "+\($0)" } + begun.reversed().map { "-\($0)" })
        try expectRingClosed()
    }

    // MARK: - Hanging parts

    @Test(arguments: names)
    func abandonsAPartThatHangsAtTheStart(_ name: String) async throws {
        let index = try #require(Self.names.firstIndex(of: name))
        let diary = Diary()
        let parts = try parts(diary, hanging: name)
        let hold = hang(parts[index])
        defer { hold.signal() }
        let request = StopRequest()
        let run = Task {
            var steps = ServiceSteps(parts, runtime: SystemRuntime(), log: log)
            let isWhole = try await steps.start(until: request)
            await steps.stop()
            return isWhole
        }
        #expect(await eventually { diary.all.last == "+\(name)" })
        request.make(SIGTERM)
        #expect(try await !run.value)
        let before = Self.names[..<index]
        #expect(diary.stops == before.reversed().map { "-\($0)" })
        if index > 0 { try expectRingClosed() }
    }

    @Test(arguments: names)
    func abandonsAPartThatHangsAtTheStop(_ name: String) async throws {
        let diary = Diary()
        let parts = try parts(diary, hanging: name)
        var steps = ServiceSteps(parts, runtime: SystemRuntime(), log: log)
        #expect(try await steps.start(until: StopRequest()))
        let index = try #require(Self.names.firstIndex(of: name))
        let hold = hang(parts[index])
        defer { hold.signal() }
        await steps.stop()
        #expect(
            diary.stops
                == Self.names.reversed().map { "-\($0)" })
        if index > 0 { try expectRingClosed() }
    }

    @Test func endsWhileTheRingDoesNotOpen() async throws {
        let (reached, hold) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        var environment = environment
        let fileSystem = environment.fileSystem
        environment.fileSystem = .init(
            openForWriting: { (path) throws(RingLogError) in
                reached.signal()
                hold.wait()
                return try fileSystem.openForWriting(path)
            }, openForReading: fileSystem.openForReading, rename: fileSystem.rename,
            remove: fileSystem.remove)
        let path = folder.path("rowgate.toml")
        try oneErg(in: folder).write(toFile: path, atomically: true, encoding: .utf8)
        let (request, world) = (StopRequest(), environment)
        let run = Task { await Launch(configurationPath: path).serve(in: world, until: request) }
        await withCheckedContinuation { waiter in
            DispatchQueue.global().async {
                reached.wait()
                waiter.resume()
            }
        }
        request.make(SIGTERM)
        #expect(await run.value == 0)
        hold.signal()
    }

    // MARK: - The gateway

    /// The parts of a daemon, which log each start and stop. Only the hanging part has its real deadline,
    /// because the machine may be busy.
    private func parts(
        _ diary: Diary, hanging: String? = nil,
        ahead: @escaping @Sendable (String) -> Void = { _ in },
        behind: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> [ServiceStep] {
        let daemon = try Daemon(configuration(oneErg(in: folder)), readFrom: "", in: environment)
        return daemon.parts.map { part in
            var logged = part
            if part.name != hanging { logged.stopDeadline = .seconds(60) }
            logged.start = {
                diary.note("+\(part.name)")
                try await part.start()
            }
            logged.stop = {
                diary.note("-\(part.name)")
                ahead(part.name)
                await part.stop()
                behind(part.name)
            }
            return logged
        }
    }

    /// Blocks the queue of a part until the semaphore is signalled.
    private func hang(_ part: ServiceStep) -> DispatchSemaphore {
        let hold = DispatchSemaphore(value: 0)
        (part.queues().first ?? announcerQueue).async { hold.wait() }
        return hold
    }

    private var environment: GatewayEnvironment {
        var environment = GatewayEnvironment.machine
        environment.fileSystem = disk.fileSystem
        environment.makeRoom = { _, _, _ in QuietRoom() }
        environment.makeAnnouncer = { [announcerQueue] log, announcement in
            ServiceAnnouncer(executor: announcerQueue, log: log, announcement: announcement)
        }
        environment.logDestination = .reader { _, _, _ in }
        return environment
    }

    private func expectRingClosed() throws {
        var reader = try LogReader(
            device: try disk.fileSystem.openForReading(folder.path("ring.log")))
        while try reader.next() != nil {}
        #expect(reader.recordCount > 0 && reader.endsClosed)
    }
}

/// A room without monitors.
private actor QuietRoom: RoomPort {
    nonisolated let executor = SerialQueueExecutor(label: "rowgate.bus")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func start() {}

    func stop() {}

    func release(_ serial: String, for duration: Duration?) -> Bool { false }

    func reclaim(_ serial: String) -> Bool { false }

    func moveRelay(to serial: String?, adapter: String) -> Bool { false }

    func snapshot() -> RoomSnapshot {
        RoomSnapshot(
            isServicePresent: false, serviceRestarts: 0, isMonitorMissing: false, adapters: [],
            monitors: [], problems: [], sightings: [])
    }
}
