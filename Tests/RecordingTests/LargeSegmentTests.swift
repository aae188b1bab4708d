import Contract
import Foundation
import RingLog
import TestSupport
import Testing

@testable import HostRuntime
@testable import Recording
@testable import Rowing

/// Bytes that the log queue reads in one turn with segments of 4 MiB, as in a ring of 1 GiB.
struct LargeSegmentTests {
    private static let erg = StationID("erg-1")!
    private static let session = SessionID("01HF0000000000000000000000")

    private static func recorder(
        on machine: SteppedRuntime, _ files: FallbackBlockDevice.FileSystem
    ) async throws -> Recorder {
        let log = SystemLog(subsystem: "test", threshold: .critical)
        let geometry = LogGeometry(segmentSize: 4 << 20, segmentCount: 4)
        let storage = try RingStorage.open(
            "ring.log", geometry: geometry, fileSystem: files, runtime: machine, log: log)
        let ring = OpenedRing(storage, highWater: nil, bootID: machine.wall().bootID, log: log)
        let recorder = try Recorder(
            gateway: #require(GatewayID("boathouse")), stations: [erg],
            settings: RingSettings(
                path: "ring.log", sizeBytes: 16 << 20, commitInterval: .seconds(1), keepsRaw: true),
            ring: ring, log: log, runtime: machine, writesBehind: true)
        await recorder.start(callbacks: RecorderCallbacks(recordsAvailable: {}, retain: { _, _ in }))
        return recorder
    }

    private static func edge(_ kind: SessionTransition.Kind, _ machine: SteppedRuntime) -> StationUpdate {
        let edge = SessionTransition(
            kind: kind, session: session, startedAt: machine.now(),
            workout: Workout(type: .justRowWithoutSplits, target: .none), at: machine.now())
        return StationUpdate(
            station: erg, at: machine.now(), events: [.session(edge)], checkpoint: [])
    }

    /// Records a stroke with 60 KB of raw values every two seconds.
    private static func row(
        _ numbers: ClosedRange<Int>, _ recorder: Recorder, _ machine: SteppedRuntime
    ) async {
        for number in numbers {
            let stroke = Stroke(
                session: session, at: machine.now(), number: number,
                elapsed: .seconds(number * 2), distance: Meters(Int64(number) * 10))
            var update = StationUpdate(
                station: erg, at: machine.now(), events: [.stroke(stroke)], checkpoint: [])
            let value = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 100)
            for _ in 0..<600 {
                value.withUnsafeBytes {
                    update.raw.append($0, of: .generalStatus, station: erg, at: machine.now())
                }
            }
            await recorder.record([update])
            await machine.sleep(for: .seconds(2))
        }
    }

    private static func published(_ recorder: Recorder) async throws -> [[String: Any]] {
        var (records, cursor): ([OutgoingRecord], UInt64?) = ([], nil)
        while true {
            let batch = await recorder.records(after: cursor, limit: 256)
            guard let last = batch.through else { break }
            records += batch.records
            cursor = last
        }
        return try records.map {
            try #require(
                try JSONSerialization.jsonObject(with: Data($0.payload)) as? [String: Any])
        }
    }

    private static func strokes(_ records: [[String: Any]]) -> [Int] {
        records.compactMap { $0["kind"] as? String == "stroke" ? $0["stroke"] as? Int : nil }
    }

    /// Nothing is published until the ring has wrapped around. Each overwritten number is declared.
    @Test func overwritingReadsLittlePerTurn() async throws {
        try await SteppedLoop.run(seed: 1) { machine in
            let reads = CountedReads(machine)
            let recorder = try await Self.recorder(
                on: machine, reads.counting(MemoryDisk().fileSystem))
            await recorder.record([Self.edge(.started, machine)])
            await Self.row(1...400, recorder, machine)
            #expect(reads.most <= CountedReads.limit, "bytes in one turn of the log queue")
            let records = try await Self.published(recorder)
            var gone: Set<Int> = []
            for record in records where record["stream"] as? String == "erg/erg-1/stroke" {
                let (from, to) = (record["from_seq"] as? Int, record["to_seq"] as? Int)
                gone.formUnion(try #require(from)...#require(to))
            }
            #expect(gone.count > 50)
            #expect(gone.sorted() + Self.strokes(records) == Array(1...400))
        }
    }

    @Test func erasureReadsLittlePerTurn() async throws {
        try await SteppedLoop.run(seed: 1) { machine in
            let (reads, disk) = (CountedReads(machine), MemoryDisk())
            let recorder = try await Self.recorder(on: machine, reads.counting(disk.fileSystem))
            await recorder.assign("zoe-forgotten", until: .changed, to: Self.erg)
            await recorder.record([Self.edge(.started, machine)])
            await Self.row(1...400, recorder, machine)
            await recorder.record([Self.edge(.ended, machine)])
            await machine.sleep(for: .seconds(5))
            reads.most = 0
            guard case .done(let count, 0) = await recorder.erase("zoe-forgotten") else {
                Issue.record("not erased")
                return
            }
            #expect(count > 100)
            #expect(reads.most <= CountedReads.limit, "bytes in one turn of the log queue")
            #expect(disk.bytes("ring.log").firstRange(of: Array("zoe-forgotten".utf8)) == nil)
            await Self.row(401...402, recorder, machine)
            #expect(Self.strokes(try await Self.published(recorder)).suffix(2) == [401, 402])
        }
    }

    /// The disk is absent at the start and returns with a ring when memory has 8 MB. Strokes continue.
    @Test func mergingReadsLittlePerTurn() async throws {
        try await SteppedLoop.run(seed: 1) { machine in
            let (reads, disk) = (CountedReads(machine), MemoryDisk())
            let files = reads.counting(disk.fileSystem)
            let first = try await Self.recorder(on: machine, files)
            await first.record([Self.edge(.started, machine)])
            await Self.row(1...30, first, machine)
            await first.record([Self.edge(.ended, machine)])
            await first.stop()
            disk.isAway = true
            let second = try await Self.recorder(on: machine, files)
            await second.record([Self.edge(.started, machine)])
            await Self.row(31...140, second, machine)
            reads.most = 0
            disk.isAway = false
            await Self.row(141...160, second, machine)
            #expect(await second.snapshot().failure == nil)
            #expect(reads.most <= CountedReads.limit, "bytes in one turn of the log queue")
            let records = try await Self.published(second)
            #expect(Self.strokes(records) == Array(1...160))
            #expect(records.contains { $0["event"] as? String == "epoch_began" })
        }
    }
}
