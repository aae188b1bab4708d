import Contract
import DeliveryProof
import Foundation
import Glibc
import RingLog
import TestSupport
import Testing

@testable import HostRuntime
@testable import Recording
@testable import Rowing

/// The cost of ending sessions, and the content of manifests after the ring was lost. In stepped time, so
/// that the work of each queue can be counted.
struct SessionManifestTests {
    let ergs = (1...8).compactMap { StationID("erg-\($0)") }

    static func recorder(
        _ ergs: [StationID], on machine: SteppedRuntime, _ files: FallbackBlockDevice.FileSystem
    ) async throws -> Recorder {
        let recorder = try Recorder(
            gateway: #require(GatewayID("boathouse")), stations: ergs,
            settings: RingSettings(
                path: "ring.log", sizeBytes: 16 << 20, commitInterval: .seconds(1), keepsRaw: true),
            log: SystemLog(subsystem: "test", threshold: .critical), runtime: machine,
            fileSystem: files)
        await recorder.start(callbacks: RecorderCallbacks(recordsAvailable: {}, retain: { _, _ in }))
        return recorder
    }

    // MARK: Updates

    private static func session(of erg: StationID) -> SessionID {
        SessionID("01HF000000000000000000000\(erg.slug.suffix(1))")
    }

    static func edge(
        _ kind: SessionTransition.Kind, at erg: StationID, _ machine: SteppedRuntime
    ) -> StationUpdate {
        let edge = SessionTransition(
            kind: kind, session: session(of: erg), startedAt: machine.now(),
            workout: Workout(type: .justRowWithoutSplits, target: .none), at: machine.now())
        return StationUpdate(
            station: erg, at: machine.now(), events: [.session(edge)], checkpoint: [])
    }

    /// A stroke of each erg, with `rawBytes` bytes of raw values.
    static func strokes(
        _ number: Int, of ergs: [StationID], rawBytes: Int = 0, _ machine: SteppedRuntime
    ) -> [StationUpdate] {
        ergs.map { erg in
            let stroke = Stroke(
                session: session(of: erg), at: machine.now(), number: number,
                elapsed: .seconds(number * 2), distance: Meters(Int64(number) * 10))
            var update = StationUpdate(
                station: erg, at: machine.now(), events: [.stroke(stroke)], checkpoint: [])
            let value = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 100)
            for _ in 0..<rawBytes / value.count {
                value.withUnsafeBytes {
                    update.raw.append($0, of: .generalStatus, station: erg, at: machine.now())
                }
            }
            return update
        }
    }

    /// Reads all records after `cursor`. Returns them with the cursor of the last one.
    static func published(
        _ recorder: Recorder, after cursor: UInt64? = nil
    ) async throws -> (records: [OutgoingRecord], through: UInt64?) {
        var (records, through): ([OutgoingRecord], UInt64?) = ([], cursor)
        while true {
            let batch = await recorder.records(after: through, limit: 256)
            guard let last = batch.through else { return (records, through) }
            records += batch.records
            through = last
        }
    }

    private static func fields(_ records: [OutgoingRecord]) throws -> [[String: Any]] {
        try records.map {
            try #require(
                try JSONSerialization.jsonObject(with: Data($0.payload))
                    as? [String: Any])
        }
    }

    static func strokeCounts(_ records: [OutgoingRecord]) throws -> [String: Int] {
        let manifests = try fields(records.filter { $0.stream.kind == .manifest })
        return Dictionary(
            manifests.map { ($0["erg"] as? String ?? "", $0["stroke_count"] as? Int ?? -1) }
        ) { _, _ in -2 }
    }

    /// The verdict of a subscriber that received `records`.
    static func verdict(_ records: [OutgoingRecord]) -> DeliveryVerdict {
        var ledger = DeliveryLedger()
        let topics = TopicMap(gateway: GatewayID("boathouse")!, below: .standard)
        for record in records {
            ledger.apply(
                topic: topics.topic(of: record.stream),
                payload: RecordEncoder.published(record.payload, historical: false))
        }
        return ledger.verdict()
    }

    // MARK: Cost

    private static let expected = Dictionary(
        uniqueKeysWithValues: (1...8).map { ("erg-\($0)", 100) })

    /// Records eight sessions with 8 MB of raw values in total.
    private static func rowLong(
        _ recorder: Recorder, _ ergs: [StationID], _ machine: SteppedRuntime
    ) async {
        await recorder.record(ergs.map { edge(.started, at: $0, machine) })
        for number in 1...100 {
            await recorder.record(strokes(number, of: ergs, rawBytes: 10_000, machine))
            await machine.sleep(for: .seconds(2))
        }
    }

    /// Eight long sessions end together in a ring full of raw values. `kills` 1: another process began
    /// them. `kills` 2: the process dies after the end.
    @Test(arguments: [0, 1, 2])
    func manifestsReadLittlePerTurn(kills: Int) async throws {
        let ergs = ergs
        let (records, most, pendingManifests) = try await SteppedLoop.run(seed: 1) { machine in
            var pendingManifests = 0
            let reads = CountedReads(machine)
            let files = reads.counting(MemoryDisk().fileSystem)
            var program = machine.program()
            var recorder = try await Self.recorder(ergs, on: program, files)
            await Self.rowLong(recorder, ergs, machine)
            if kills > 0 {
                await machine.enter()
                program.kill()
                program = machine.program()
                recorder = try await Self.recorder(ergs, on: program, files)
            }
            await recorder.record(ergs.map { Self.edge(.ended, at: $0, machine) })
            if kills > 1 {
                await recorder.durable()
                pendingManifests = await recorder.state.ended.count
                await machine.enter()
                program.kill()
                program = machine.program()
                recorder = try await Self.recorder(ergs, on: program, files)
            }
            await machine.sleep(for: .seconds(10))
            let most = reads.most
            return (try await Self.published(recorder).records, most, pendingManifests)
        }
        #expect(pendingManifests == (kills > 1 ? 8 : 0))
        #expect(most <= CountedReads.limit, "bytes in one turn of the log queue")
        #expect(try Self.strokeCounts(records) == Self.expected)
        let verdict = Self.verdict(records)
        #expect(verdict.sessions.map(\.proof) == Array(repeating: .proven, count: 8))
    }

    @Test func readingFarBackReadsLittlePerTurn() async throws {
        let ergs = ergs
        let (records, replayed, most) = try await SteppedLoop.run(seed: 1) { machine in
            let reads = CountedReads(machine)
            let recorder = try await Self.recorder(
                ergs, on: machine, reads.counting(MemoryDisk().fileSystem))
            await Self.rowLong(recorder, ergs, machine)
            reads.most = 0
            let records = try await Self.published(recorder).records
            let request = ReplayRequest(
                stream: StreamID(station: ergs[0], kind: .stroke), sequences: 1...100)
            var replayed: [OutgoingRecord] = []
            var cursor: UInt64?
            repeat {
                let batch = await recorder.records(of: request, after: cursor, limit: 256)
                replayed += batch.records
                cursor = batch.through
            } while cursor != nil
            _ = await recorder.birth()
            _ = await recorder.snapshot()
            return (records, replayed, reads.most)
        }
        #expect(most <= CountedReads.limit, "bytes in one turn of the log queue")
        #expect(records.count { $0.stream.kind == .stroke } == 800)
        #expect(replayed.map(\.sequence) == Array(1...100))
    }

    // MARK: Content

    enum Loss: CaseIterable {
        case deleted, truncated, exchanged

        func happen(to disk: MemoryDisk) {
            switch self {
            case .deleted: disk.delete("ring.log")
            case .truncated: disk.truncate("ring.log")
            case .exchanged: disk.exchange("ring.log")
            }
        }
    }

    @Test(arguments: Loss.allCases)
    func manifestSurvivesTheLossOfTheRing(loss: Loss) async throws {
        let ergs = Array(ergs.prefix(2))
        let records = try await SteppedLoop.run(seed: 1) { machine in
            let disk = MemoryDisk()
            let recorder = try await Self.recorder(ergs, on: machine, disk.fileSystem)
            await recorder.record(ergs.map { Self.edge(.started, at: $0, machine) })
            for number in 1...46 {
                await recorder.record(Self.strokes(number, of: ergs, machine))
                await machine.sleep(for: .seconds(2))
            }
            let (before, cursor) = try await Self.published(recorder)
            if let cursor { await recorder.acknowledged(through: cursor) }
            loss.happen(to: disk)
            await machine.sleep(for: .seconds(60))
            await recorder.record(Self.strokes(47, of: ergs, machine))
            await recorder.record(ergs.map { Self.edge(.ended, at: $0, machine) })
            await machine.sleep(for: .seconds(10))
            return try await before + Self.published(recorder, after: cursor).records
        }
        #expect(try Self.strokeCounts(records) == ["erg-1": 47, "erg-2": 47])
        let verdict = Self.verdict(records)
        #expect(verdict.sessions.map(\.proof) == [.proven, .proven])
        #expect(verdict.missingCount == 0)
    }

    /// Every record was acknowledged before the kill. The next process records kinds that were not there
    /// before.
    @Test func declaresLittleOnARefusingDiskAfterAKill() async throws {
        let ergs = ergs
        let records = try await SteppedLoop.run(seed: 1) { machine in
            let disk = MemoryDisk()
            let program = machine.program()
            let first = try await Self.recorder(ergs, on: program, disk.fileSystem)
            await first.record(ergs.map { Self.edge(.started, at: $0, machine) })
            for number in 1...20 {
                await first.record(Self.strokes(number, of: ergs, machine))
                await machine.sleep(for: .seconds(2))
            }
            let (before, cursor) = try await Self.published(first)
            if let cursor { await first.acknowledged(through: cursor) }
            await machine.sleep(for: .seconds(20))
            program.kill()
            disk.fail(writing: EIO)
            let second = try await Self.recorder(ergs, on: machine.program(), disk.fileSystem)
            for number in 21...40 {
                let gaps = ergs.map { erg in
                    StationUpdate(
                        station: erg, at: machine.now(),
                        events: [
                            .gap(
                                Gap(
                                    session: Self.session(of: erg), at: machine.now(),
                                    reason: .linkLost, duration: .seconds(1), isRecovered: true))
                        ], checkpoint: [])
                }
                await second.record(gaps + Self.strokes(number, of: ergs, machine))
                await machine.sleep(for: .seconds(2))
            }
            disk.fail(writing: nil)
            await machine.sleep(for: .seconds(60))
            return try await before + Self.published(second).records
        }
        let dropped = try Self.fields(records.filter { $0.stream.kind == .gatewayEvent })
            .filter { $0["event"] as? String == "ring_dropped" }
        #expect(dropped.filter { $0["reason"] as? String == "earlier_epoch" }.isEmpty)
        let begun = try Self.fields(records.filter { $0.stream.kind == .gatewayEvent })
            .filter { $0["event"] as? String == "epoch_began" }
        #expect(begun.count == 1)
        #expect(Set(records.map(\.epoch)).count == 2)
        #expect(Self.verdict(records).lost.isEmpty)
    }
}
