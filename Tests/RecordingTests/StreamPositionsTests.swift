import Contract
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import HostRuntime
@testable import Recording
@testable import Rowing

/// `marks`: the last number of each stream, for a subscriber's proof of delivery.
struct StreamPositionsTests {
    private let folder: TemporaryFolder
    private let erg: StationID
    private let retained = Retained()

    private final class Retained: Sendable {
        private let all = Mutex<[RetainedTopic: [UInt8]]>([:])
        private let changes = Mutex<[RetainedTopic: Int]>([:])

        func set(_ topic: RetainedTopic, _ payload: [UInt8]) {
            all.withLock { $0[topic] = payload }
            changes.withLock { $0[topic, default: 0] += 1 }
        }

        /// How often the topic was set.
        func count(_ topic: RetainedTopic) -> Int { changes.withLock { $0[topic] ?? 0 } }

        func fields(_ topic: RetainedTopic) throws -> [String: Any] {
            let payload = try #require(all.withLock { $0[topic] })
            return try #require(
                try JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any])
        }
    }

    init() throws {
        folder = try TemporaryFolder()
        erg = try #require(StationID("erg-1"))
    }

    private func recorder() async throws -> Recorder {
        let recorder = try await Recorder.reopened {
            try Recorder(
                gateway: #require(GatewayID("boathouse")), stations: [erg],
                settings: .init(
                    path: folder.path("ring.log"), sizeBytes: 4 << 20,
                    commitInterval: .seconds(3600), keepsRaw: false),
                log: SystemLog(subsystem: "test", threshold: .error), runtime: SystemRuntime())
        }
        let retained = retained
        await recorder.start(
            callbacks: RecorderCallbacks(recordsAvailable: {}, retain: { retained.set($0, $1) }))
        return recorder
    }

    private let session = SessionID("01J7ZK3Q5XQ4W8G9T2V6B0C1DE")

    private func strokes(_ numbers: ClosedRange<Int>) -> [SessionEvent] {
        numbers.map { number in
            .stroke(
                Stroke(
                    session: session, at: SystemRuntime().now(), number: number,
                    elapsed: .seconds(number), distance: .zero))
        }
    }

    private func piece(strokes count: Int) -> StationUpdate {
        let now = SystemRuntime().now()
        func edge(_ kind: SessionTransition.Kind) -> SessionEvent {
            .session(
                SessionTransition(
                    kind: kind, session: session, startedAt: now,
                    workout: Workout(type: .justRowWithoutSplits, target: .none), at: now))
        }
        return StationUpdate(
            station: erg, at: now, events: [edge(.started)] + strokes(1...count) + [edge(.ended)],
            checkpoint: [])
    }

    @Test func publishesMarksWhileRowing() async throws {
        let recorder = try await recorder()
        let before = retained.count(.marks(erg))
        for lot in 1...3 {
            await recorder.record([
                StationUpdate(
                    station: erg, at: SystemRuntime().now(), events: strokes(lot * 4 - 3...lot * 4),
                    checkpoint: [])
            ])
            await recorder.doHousekeeping()
            #expect(retained.count(.marks(erg)) == before + lot)
            let marks = try retained.fields(.marks(erg))
            #expect(marks["stroke_last_seq"] as? Int == lot * 4)
        }
        for _ in 0..<2 { await recorder.doHousekeeping() }
        #expect(retained.count(.marks(erg)) == before + 3)
        #expect(Recorder.housekeepingPeriod == .seconds(10))
        await recorder.stop()
    }

    @Test func publishesMarksAtTheEndAndAfterARestart() async throws {
        do {
            let first = try await recorder()
            await first.record([piece(strokes: 7)])
            await first.stop()
        }
        let marks = try retained.fields(.marks(erg))
        #expect(marks["stroke_last_seq"] as? Int == 7)
        #expect(marks["session_last_seq"] as? Int == 2)
        #expect(marks["manifest_last_seq"] as? Int == 1)
        #expect(marks["split_last_seq"] == nil, "an empty stream is absent")

        retained.set(.marks(erg), [])
        let second = try await recorder()
        let republished = try retained.fields(.marks(erg))
        for name in ["epoch", "stroke_last_seq", "session_last_seq", "manifest_last_seq"] {
            #expect("\(republished[name] ?? "")" == "\(marks[name] ?? "absent")")
        }
        await second.stop()
    }
}
