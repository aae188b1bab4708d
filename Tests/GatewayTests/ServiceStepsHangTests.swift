import Dispatch
import Foundation
import RingLog
import TestSupport
import Testing

@testable import BlueZLink
@testable import Gateway
@testable import HostRuntime
@testable import MQTTClient

/// A gateway of real parts, in which a part hangs, or that is told to stop once more. What hangs is
/// let go only behind what is expected, so that a stop that waited for it would never end.
struct ServiceStepsHangTests {
    private static let names = [
        "recorder", "publisher", "stations", "health", "control socket", "room link",
    ]
    private struct Refusal: Error {}

    private let folder: TemporaryFolder
    private let disk = MemoryDisk()
    private let log = SystemLog(subsystem: "test", threshold: .critical)

    init() throws { folder = try TemporaryFolder() }

    // MARK: - Signals

    /// When a further signal comes.
    enum Moment: CaseIterable { case beforePart, afterPart, both }

    @Test func signalAtEveryStepOfTheStop() async throws {
        // Goal: whenever in the stop a further signal comes, each part is stopped once, in order, and
        // the ring is closed in order; also where no signal began the stop, but a part that cannot
        // start. Method: the request made again around the stop of each part in turn.
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
        if failingLast { parts[5].start = { throw Refusal() } }
        var steps = ServiceSteps(parts, runtime: SystemRuntime(), log: log)
        if failingLast {
            await #expect(throws: Refusal.self) { _ = try await steps.start(until: request) }
        } else {
            #expect(try await steps.start(until: request))
            request.make(SIGTERM)
            await steps.stop()
        }
        let stopped = Self.names.prefix(failingLast ? 5 : 6).reversed()
        #expect(diary.stops == stopped.map { "-\($0)" })
        try expectRingClosed()
    }

    @Test(arguments: names)
    func signalWhilePartStarts(_ name: String) async throws {
        // Goal: a signal during any part of the start stops what runs, starts nothing else, and
        // closes the ring in order. Method: the request while each part in turn starts.
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
    func partThatHangsAtTheStart(_ name: String) async throws {
        // Goal: a signal while a part hangs in its start stops the parts before it, in time; the
        // ring is closed in order, but for a recorder that hangs itself. Method: the queue of each
        // part in turn does not come to what it is given; then the request.
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
    func partThatHangsAtTheStop(_ name: String) async throws {
        // Goal: a part that hangs in its stop is left behind in time, and all others still stop; the
        // ring is closed in order, but for a recorder that hangs itself. Method: as above, with the
        // queue held up once everything has started.
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

    @Test func diskThatHangsAtTheOpening() async throws {
        // Goal: a signal while the ring does not open ends the program in time, with nothing started.
        // Method: a file system that waits in `open`, and goes on after the program has ended.
        let (reached, hold) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        var surroundings = surroundings
        let fileSystem = surroundings.fileSystem
        surroundings.fileSystem = .init(
            openForWriting: { (path) throws(RingLogError) in
                reached.signal()
                hold.wait()
                return try fileSystem.openForWriting(path)
            }, openForReading: fileSystem.openForReading, rename: fileSystem.rename,
            remove: fileSystem.remove)
        let path = folder.path("rowgate.toml")
        try oneErg(in: folder).write(toFile: path, atomically: true, encoding: .utf8)
        let (request, world) = (StopRequest(), surroundings)
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

    /// The parts of a daemon, which write down when each starts and stops. Only the one that is to
    /// hang has its own deadline: this machine may be busy.
    private func parts(
        _ diary: Diary, hanging: String? = nil,
        ahead: @escaping @Sendable (String) -> Void = { _ in },
        behind: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> [ServiceStep] {
        let daemon = try Daemon(configuration(oneErg(in: folder)), readFrom: "", in: surroundings)
        return daemon.parts.map { part in
            var noted = part
            if part.name != hanging { noted.stopDeadline = .seconds(60) }
            noted.start = {
                diary.note("+\(part.name)")
                try await part.start()
            }
            noted.stop = {
                diary.note("-\(part.name)")
                ahead(part.name)
                await part.stop()
                behind(part.name)
            }
            return noted
        }
    }

    /// Keeps a part's queue from whatever comes, until the semaphore is signalled.
    private func hang(_ part: ServiceStep) -> DispatchSemaphore {
        let hold = DispatchSemaphore(value: 0)
        part.queues().first?.async { hold.wait() }
        return hold
    }

    private var surroundings: Surroundings {
        var surroundings = Surroundings.machine
        surroundings.fileSystem = disk.fileSystem
        surroundings.makeRoom = { _, _, _ in QuietRoom() }
        surroundings.logDestination = .reader { _, _, _ in }
        return surroundings
    }

    private func expectRingClosed() throws {
        var reader = try LogReader(
            device: try disk.fileSystem.openForReading(folder.path("ring.log")))
        while try reader.next() != nil {}
        #expect(reader.recordCount > 0 && reader.endsClosed)
    }
}

/// A room in which nothing happens.
private actor QuietRoom: RoomPort {
    nonisolated let executor = SerialQueueExecutor(label: "rowgate.bus")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func start() {}

    func stop() {}

    func release(_ serial: String, for duration: Duration?) -> Bool { false }

    func reclaim(_ serial: String) -> Bool { false }

    func snapshot() -> RoomSnapshot {
        RoomSnapshot(
            isServicePresent: false, serviceRestarts: 0, isSeeking: false, adapters: [],
            monitors: [], problems: [], sightings: [])
    }
}
