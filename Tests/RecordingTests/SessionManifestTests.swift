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

/// What the end of a session costs those who row on, and what its manifest says when the ring was
/// lost under it. In stepped time, so that work on each queue can be counted.
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
        await recorder.start(outlet: RecorderOutlet(recordsAvailable: {}, retain: { _, _ in }))
        return recorder
    }

    // MARK: What is rowed

    private static func session(of erg: StationID) -> SessionID {
        SessionID("01HF000000000000000000000\(erg.slug.suffix(1))")
    }

    static func edge(
        _ kind: SessionEdge.Kind, at erg: StationID, _ machine: SteppedRuntime
    ) -> StationNews {
        let edge = SessionEdge(
            kind: kind, session: session(of: erg), startedAt: machine.now(),
            workout: Workout(type: .justRowWithoutSplits, target: .none), at: machine.now())
        return StationNews(
            station: erg, at: machine.now(), events: [.session(edge)], checkpoint: [])
    }

    /// A stroke of each erg, and raw values of `rawBytes` beside it.
    static func strokes(
        _ number: Int, of ergs: [StationID], rawBytes: Int = 0, _ machine: SteppedRuntime
    ) -> [StationNews] {
        ergs.map { erg in
            let stroke = Stroke(
                session: session(of: erg), at: machine.now(), number: number,
                elapsed: .seconds(number * 2), distance: Meters(Int64(number) * 10))
            var news = StationNews(
                station: erg, at: machine.now(), events: [.stroke(stroke)], checkpoint: [])
            let value = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 100)
            for _ in 0..<rawBytes / value.count {
                value.withUnsafeBytes {
                    news.raw.append($0, of: .generalStatus, station: erg, at: machine.now())
                }
            }
            return news
        }
    }

    /// Everything that a publisher gets from `cursor` on, and the place behind it.
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

    /// How a subscriber's account of it all comes out.
    static func verdict(_ records: [OutgoingRecord]) -> DeliveryVerdict {
        var ledger = DeliveryLedger(digest: SHA256Digest.hexadecimal(of:))
        let topics = TopicMap(gateway: GatewayID("boathouse")!)
        for record in records {
            ledger.take(
                topic: topics.topic(of: record.stream),
                payload: RecordEncoder.published(record.payload, historical: false))
        }
        return ledger.verdict()
    }

    // MARK: What it costs

    private static let expected = Dictionary(
        uniqueKeysWithValues: (1...8).map { ("erg-\($0)", 100) })

    /// Eight sessions with 8 MB of raw values among their records.
    private static func rowLong(
        _ recorder: Recorder, _ ergs: [StationID], _ machine: SteppedRuntime
    ) async {
        await recorder.record(ergs.map { edge(.started, at: $0, machine) })
        for number in 1...100 {
            await recorder.record(strokes(number, of: ergs, rawBytes: 10_000, machine))
            await machine.sleep(for: .seconds(2))
        }
    }

    /// Goal: eight long pieces that end at once, in a ring full of raw values, hold up nobody: the
    /// log queue reads little in each turn, and the manifests are right. Method: bytes read are
    /// counted by turn; also where a process that was killed left the sessions to another one, and
    /// where that one is killed just behind their ends.
    @Test(arguments: [0, 1, 2])
    func theEndOfLongPiecesHoldsUpNobody(kills: Int) async throws {
        let ergs = ergs
        let (records, most, owed) = try await SteppedLoop.run(seed: 1) { machine in
            var owed = 0
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
                owed = await recorder.numbering.state.ended.count
                await machine.enter()
                program.kill()
                program = machine.program()
                recorder = try await Self.recorder(ergs, on: program, files)
            }
            await machine.sleep(for: .seconds(10))
            let most = reads.most
            return (try await Self.published(recorder).records, most, owed)
        }
        #expect(owed == (kills > 1 ? 8 : 0))
        #expect(most <= CountedReads.limit, "bytes in one turn of the log queue")
        #expect(try Self.strokeCounts(records) == Self.expected)
        let verdict = Self.verdict(records)
        #expect(verdict.sessions.map(\.proof) == Array(repeating: .proven, count: 8))
    }

    /// Goal: who reads far back holds up nobody either: a backlog that is caught up with, a replay,
    /// a birth, a look at the figures. Method: as above, all of it read from the beginning.
    @Test func readingFarBackHoldsUpNobody() async throws {
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

    // MARK: What it says

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

    /// Goal: a manifest names what was recorded and published, whatever became of the ring since.
    /// Method: in the middle of a piece the file is deleted, cut to nothing, or its disk exchanged
    /// for an empty one; a subscriber has what came before.
    @Test(arguments: Loss.allCases)
    func theRingIsLostInMidPiece(loss: Loss) async throws {
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

    /// Goal: a disk that refuses after a kill costs few declarations, and none of what the broker
    /// has. Method: eight ergs row, all is acknowledged; killed; the next process finds the ring on
    /// a disk that takes nothing, and records of kinds that were not there before.
    @Test func aRefusingDiskAfterAKillIsDeclaredOnce() async throws {
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
                    StationNews(
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
