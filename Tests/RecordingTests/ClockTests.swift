import Contract
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import HostRuntime
@testable import Recording
@testable import Rowing
@testable import Timeline

/// Timestamps of records while the wall clock is wrong or set: order and durations come from the boot clock.
struct ClockTests {
    private static let year = 365 * 86_400_000
    private let folder: TemporaryFolder
    private let erg: StationID
    private let recorder: Recorder
    private let clock: SharedClock

    init() async throws {
        folder = try TemporaryFolder()
        erg = try #require(StationID("erg-1"))
        let shared = SharedClock()
        clock = shared
        recorder = try Recorder(
            gateway: #require(GatewayID("boathouse")), stations: [erg],
            settings: .init(
                path: folder.path("ring.log"), sizeBytes: 4 << 20, commitInterval: .seconds(3600),
                keepsRaw: false),
            log: SystemLog(subsystem: "test", threshold: .error), runtime: InjectedWallClock { shared.now })
        await recorder.start(callbacks: RecorderCallbacks(recordsAvailable: {}, retain: { _, _ in }))
    }

    /// The wall clock that the recorder reads; the test sets it.
    private final class SharedClock: Sendable {
        /// 1970: no battery-backed clock.
        private let mapping = Mutex(
            WallClock(bootID: "5b1f", unixMillisecondsAtBoot: 0, isSynchronized: false))

        var now: WallClock { mapping.withLock { $0 } }

        /// Sets the wall clock so that the boot was at `milliseconds` of Unix time.
        func set(bootAt milliseconds: Int, isSynchronized: Bool) {
            mapping.withLock {
                $0.unixMillisecondsAtBoot = Int64(milliseconds)
                $0.isSynchronized = isSynchronized
            }
        }
    }

    private func row(at seconds: Int) async { await recorder.record([update(at: seconds)]) }

    /// A stroke completed `seconds` after the boot.
    private func update(at seconds: Int) -> StationUpdate {
        let at = BootInstant(nanoseconds: UInt64(seconds) * 1_000_000_000)
        let stroke = Stroke(
            session: SessionID("01J7ZK3Q5XQ4W8G9T2V6B0C1DE"), at: at, number: seconds,
            elapsed: .seconds(seconds), distance: Meters(Int64(seconds)))
        return StationUpdate(station: erg, at: at, events: [.stroke(stroke)], checkpoint: [])
    }

    private func records(_ kind: StreamKind) async throws -> [[String: Any]] {
        try await recorder.records(after: nil, limit: 1_000).records
            .filter { $0.stream.kind == kind }
            .map { record in
                try #require(
                    try JSONSerialization.jsonObject(with: Data(record.payload)) as? [String: Any])
            }
    }

    /// A stroke every two seconds. The clock shows 1970, then the present, a year less, and the present.
    @Test func timestampsIncreaseAcrossClockSteps() async throws {
        let present = 1_788_627_000_000
        var wanted: [Int] = []
        for seconds in stride(from: 2, through: 80, by: 2) {
            switch seconds {
            case 22: clock.set(bootAt: present, isSynchronized: true)
            case 42: clock.set(bootAt: present - Self.year, isSynchronized: true)
            case 62: clock.set(bootAt: present, isSynchronized: true)
            default: break
            }
            wanted.append(Int(clock.now.unixMillisecondsAtBoot) + seconds * 1000)
            await row(at: seconds)
        }
        let strokes = try await records(.stroke)
        let times = strokes.compactMap { $0["ts_ms"] as? Int }
        #expect(times.count == 40)
        let steps = zip(times, times.dropFirst()).map { $1 - $0 }
        // Every step is the two seconds that passed, except the one into the present.
        #expect(steps.count { $0 == 2000 } == 38)
        #expect(steps[9] == present + 2000)
        #expect(steps.allSatisfy { $0 > 0 })

        for (index, stroke) in strokes.enumerated() {
            let isTrue = times[index] == wanted[index] && index >= 10
            #expect(stroke["clock"] as? String == (isTrue ? "synced" : "unsynced"), "\(index)")
            // The mapping in `clock` converts the boot time to the right time.
            let boot = stroke["boot_ms"] as? Int
            #expect(boot == (isTrue ? nil : (index + 1) * 2000))
            #expect(stroke["boot_id"] as? String == (isTrue ? nil : "5b1f"))
        }
        #expect(strokes[20..<30].allSatisfy { $0["clock"] as? String == "unsynced" })
        #expect(strokes[30...].allSatisfy { $0["clock"] as? String == "synced" })

        let events = try await records(.gatewayEvent)
        #expect(
            events.map { $0["event"] as? String } == Array(repeating: "clock_stepped", count: 3))
        #expect(events.map { $0["step_ms"] as? Int } == [present, -Self.year, Self.year])
        await recorder.stop()
    }

    @Test func recordsAClockStepWithoutRowing() async throws {
        let calls = Mutex(0)
        let callbacks = RecorderCallbacks(
            recordsAvailable: { calls.withLock { $0 += 1 } }, retain: { _, _ in })
        await recorder.start(callbacks: callbacks)
        await recorder.doHousekeeping()
        #expect(calls.withLock { $0 } == 0)
        clock.set(bootAt: 1_788_627_000_000, isSynchronized: true)
        for _ in 0..<2 { await recorder.doHousekeeping() }
        #expect(calls.withLock { $0 } == 1)
        #expect(
            try await records(.gatewayEvent).map { $0["step_ms"] as? Int } == [1_788_627_000_000])
        await recorder.stop()
    }

    @Test func trustsTheClockAfterItCaughtUp() async throws {
        clock.set(bootAt: 1_788_627_010_000, isSynchronized: true)
        for seconds in 1...5 { await row(at: seconds) }
        clock.set(bootAt: 1_788_627_000_000, isSynchronized: true)
        for seconds in 6...10 { await row(at: seconds) }
        await row(at: 70)
        let strokes = try await records(.stroke)
        let words = strokes.compactMap { $0["clock"] as? String }
        #expect(
            words == Array(repeating: "synced", count: 5) + Array(repeating: "unsynced", count: 5)
                + ["synced"])
        #expect(strokes.last?["ts_ms"] as? Int == 1_788_627_070_000)
        let times = strokes.compactMap { $0["ts_ms"] as? Int }
        #expect(zip(times, times.dropFirst()).prefix(9).allSatisfy { $1 - $0 == 1000 })
        await recorder.stop()
    }

    @Test func timestampsIncreaseAfterARestartInThePast() async throws {
        await recorder.stop()
        let path = folder.path("restarted.log")
        do {
            let first = try await recorder(
                path, boot: "5b1f", at: 1_788_627_000_000, isSynchronized: true)
            await rowThree(first)
        }
        let second = try await recorder(path, boot: "6c20", at: 0, isSynchronized: false)
        await rowThree(second)
        let records = await second.records(after: nil, limit: 100).records
            .filter { $0.stream.kind == .stroke }
        let texts = records.map { String(decoding: $0.payload, as: UTF8.self) }
        #expect(texts.count == 6)
        #expect(
            texts.map { $0.firstMatch(of: #/"ts_ms":(\d+)/#).flatMap { Int($0.1) } } == [
                1_788_627_001_000, 1_788_627_002_000, 1_788_627_003_000, 1_788_627_003_001,
                1_788_627_004_001, 1_788_627_005_001,
            ])
        #expect(texts.suffix(3).allSatisfy { $0.contains(#""clock":"unsynced","boot_id":"6c20""#) })
    }

    private func recorder(
        _ path: String, boot: String, at milliseconds: Int64, isSynchronized: Bool
    ) async throws -> Recorder {
        let wall = WallClock(
            bootID: boot, unixMillisecondsAtBoot: milliseconds, isSynchronized: isSynchronized)
        return try await Recorder.reopened {
            try Recorder(
                gateway: #require(GatewayID("boathouse")), stations: [erg],
                settings: .init(
                    path: path, sizeBytes: 4 << 20, commitInterval: .seconds(3600),
                    keepsRaw: false),
                log: SystemLog(subsystem: "test", threshold: .error), runtime: InjectedWallClock { wall })
        }
    }

    /// Three strokes, at one to three seconds after the boot; the ring is closed in order.
    private func rowThree(_ recorder: Recorder) async {
        await recorder.start(callbacks: RecorderCallbacks(recordsAvailable: {}, retain: { _, _ in }))
        for seconds in 1...3 { await recorder.record([update(at: seconds)]) }
        await recorder.stop()
    }
}
