import Bytes
import Contract
import Foundation
import RingLog
import Synchronization
import TestSupport
import Testing

@testable import HostRuntime
@testable import Recording
@testable import Rowing
@testable import Timeline

struct RecorderTests {
    private let folder: TemporaryFolder
    private let gateway: GatewayID
    private let erg: StationID

    init() throws {
        folder = try TemporaryFolder()
        gateway = try #require(GatewayID("boathouse"))
        erg = try #require(StationID("erg-1"))
    }

    private func recorder(
        path: String? = nil, mebibytes: Int = 4
    ) async throws -> Recorder {
        let settings = RingSettings(
            path: path ?? folder.path("ring.log"), sizeBytes: mebibytes << 20,
            commitInterval: .seconds(3600), keepsRaw: false)
        return try await Recorder.reopened {
            try Recorder(
                gateway: gateway, stations: [erg], settings: settings,
                log: SystemLog(subsystem: "test", threshold: .error), runtime: SystemRuntime())
        }
    }

    private func update(_ events: [SessionEvent], checkpoint: [UInt8] = []) -> StationUpdate {
        StationUpdate(
            station: erg, monitorSerial: "430000001", at: SystemRuntime().now(), events: events,
            checkpoint: checkpoint)
    }

    private let session = SessionID("01HF0000000000000000000000")

    private func edge(
        _ kind: SessionTransition.Kind, of session: SessionID? = nil
    ) -> SessionEvent {
        .session(
            SessionTransition(
                kind: kind, session: session ?? self.session, startedAt: SystemRuntime().now(),
                workout: Workout(type: .justRowWithoutSplits, target: .none),
                at: SystemRuntime().now()))
    }

    private func stroke(_ number: Int, of session: SessionID? = nil) -> SessionEvent {
        .stroke(
            Stroke(
                session: session ?? self.session, at: SystemRuntime().now(), number: number,
                elapsed: .seconds(number * 2), distance: Meters(Int64(number) * 10)))
    }

    private func fields(_ record: OutgoingRecord) throws -> [String: Any] {
        try #require(
            try JSONSerialization.jsonObject(with: Data(record.payload)) as? [String: Any])
    }

    private func hexadecimalDigest(_ pieces: [[UInt8]]) -> String {
        var digest = SHA256Digest()
        for piece in pieces { digest.update(piece) }
        return digest.hexadecimal()
    }

    @Test func ignoresUpdatesAfterTheStop() async throws {
        let first = try await recorder()
        await first.start(callbacks: RecorderCallbacks(recordsAvailable: {}, retain: { _, _ in }))
        await first.record([update([edge(.started), stroke(1)])])
        await first.stop()
        await first.record([update([stroke(2), edge(.ended)])])
        await first.doHousekeeping()
        var reader = try LogReader(
            device: try FileBlockDevice.reading(path: folder.path("ring.log")))
        while try reader.next() != nil {}
        let isClosed = reader.endsClosed
        #expect(isClosed)
    }

    @Test func manifestMatchesTheSession() async throws {
        let recorder = try await recorder()
        await recorder.start(callbacks: .silent)
        await recorder.record([update([edge(.started)] + (1...3).map { stroke($0) } + [edge(.ended)])]
        )
        let batch = await recorder.records(after: nil, limit: 100)
        #expect(
            batch.records.map(\.stream.kind) == [
                .session, .stroke, .stroke, .stroke, .session, .manifest,
            ])
        #expect(batch.records.map(\.sequence) == [1, 1, 2, 3, 2, 1])
        let strokes = batch.records.filter { $0.stream.kind == .stroke }.map(\.payload)
        let manifest = try fields(#require(batch.records.last))
        #expect(manifest["stroke_sha256"] as? String == hexadecimalDigest(strokes))
        #expect(manifest["stroke_first_seq"] as? Int == 1)
        #expect(manifest["stroke_last_seq"] as? Int == 3)
        #expect(manifest["stroke_count"] as? Int == 3)
        await recorder.stop()
    }

    /// Assigned until the session ends, with a kill in the middle. The next athlete is assigned before
    /// the summary arrives.
    @Test func recordsKeepTheirAthlete() async throws {
        do {
            let recorder = try await recorder()
            await recorder.start(callbacks: .silent)
            await recorder.record([update([edge(.started), stroke(1)])])
            await recorder.assign("a-1", until: .sessionEnd, to: erg)
            await recorder.record([update([stroke(2)])])
        }
        let recorder = try await recorder()
        await recorder.start(callbacks: .silent)
        await recorder.record([update([stroke(3), edge(.ended)])])
        #expect(await recorder.athlete(at: erg) == nil)
        await recorder.assign("a-2", until: .changed, to: erg)
        await recorder.record([update([summary])])
        let records = await recorder.records(after: nil, limit: 100).records
        let athletes = try records.map { record in
            "\(record.stream.kind.topicName) \(try fields(record)["athlete_id"] as? String ?? "-")"
        }
        #expect(
            athletes == [
                "session -", "stroke -", "stroke a-1", "event -", "stroke a-1", "session a-1",
                "manifest -", "summary a-1",
            ])
        await recorder.stop()
    }

    private var summary: SessionEvent {
        .summary(
            Summary(
                revision: 1, session: session,
                workout: Workout(type: .justRowWithoutSplits, target: .none),
                startedAt: SystemRuntime().now(), endedAt: SystemRuntime().now(),
                at: SystemRuntime().now(),
                result: .seconds(6), distance: Meters(30), strokes: 3, splits: 0,
                isComplete: false))
    }

    /// The recorder is dropped without `stop`.
    @Test func continuesAfterAKill() async throws {
        do {
            let recorder = try await recorder()
            await recorder.start(callbacks: .silent)
            await recorder.record([
                update([edge(.started), stroke(1), stroke(2)], checkpoint: [9, 9])
            ])
        }
        let second = try await recorder()
        #expect(await second.state.stationStates[erg]?.checkpoint == [9, 9])
        #expect(second.interruptedSessions.isEmpty, "no version of it decodes")
        await second.start(callbacks: .silent)
        await second.record([update([stroke(3), edge(.ended)])])
        let batch = await second.records(after: nil, limit: 100)
        #expect(batch.records.map(\.sequence) == [1, 1, 2, 1, 3, 2, 1])
        #expect(try fields(batch.records[3])["event"] as? String == "ring_recovered")
        let manifest = try fields(#require(batch.records.last))
        #expect(manifest["stroke_first_seq"] as? Int == 1)
        #expect(manifest["stroke_count"] as? Int == 3)
        #expect(await second.state.stationStates[erg]?.checkpoint == [])
        await second.stop()
    }

    @Test func cursorSurvivesARestart() async throws {
        do {
            let first = try await recorder()
            await first.start(callbacks: .silent)
            await first.record([update((1...10).map { stroke($0) })])
            let batch = await first.records(after: nil, limit: 4)
            #expect(batch.records.count == 4)
            await first.acknowledged(through: batch.records[3].cursor)
            #expect(await first.snapshot().backlog == 6)
            await first.stop()
        }
        let second = try await recorder()
        await second.start(callbacks: .silent)
        #expect(await second.snapshot().backlog == 6)
        #expect(
            await second.records(after: nil, limit: 100).records.map(\.sequence) == Array(5...10))
        await second.stop()
    }

    @Test func batchesAreContiguous() async throws {
        let recorder = try await recorder()
        await recorder.start(callbacks: .silent)
        await recorder.record([update((1...50).map { stroke($0) })])
        var seen: [UInt64] = []
        var cursor: UInt64?
        while true {
            let batch = await recorder.records(after: cursor, limit: 7)
            guard let through = batch.through else { break }
            seen += batch.records.map(\.sequence)
            cursor = through
        }
        #expect(seen == Array(1...50))
        #expect(await recorder.records(after: nil, limit: 3).records.map(\.sequence) == [1, 2, 3])
        await recorder.stop()
    }

    /// 4 MiB of strokes twice over, without acknowledgements. `durable` keeps the numbers within the
    /// limit ahead of the medium.
    @Test func declaresOverwrittenRecords() async throws {
        let recorder = try await recorder()
        await recorder.start(callbacks: .silent)
        var number = 0
        for _ in 0..<43 {
            await recorder.record([update((0..<500).map { stroke(number + $0 + 1) })])
            number += 500
            await recorder.durable()
        }
        await recorder.record([update([edge(.ended)])])
        var missing = Set(UInt64(1)...UInt64(number))
        var cursor: UInt64?
        while true {
            let batch = await recorder.records(after: cursor, limit: 500)
            guard let through = batch.through else { break }
            cursor = through
            for record in batch.records {
                if record.stream.kind == .stroke { missing.remove(record.sequence) }
                guard record.stream.kind == .gatewayEvent else { continue }
                let event = try fields(record)
                guard event["event"] as? String == "ring_dropped" else { continue }
                let range =
                    try #require(event["from_seq"] as? Int)...#require(event["to_seq"] as? Int)
                missing.subtract(range.map(UInt64.init))
            }
        }
        #expect(missing.isEmpty)
        #expect(await recorder.snapshot().droppedTotal > 0)
        await recorder.stop()
    }

    @Test func storesRawValuesWithoutPublishingThem() async throws {
        let recorder = try await recorder()
        await recorder.start(callbacks: .silent)
        var quiet = update([])
        for value in 1...3 as ClosedRange<UInt8> {
            [value, 0xF1].withUnsafeBytes {
                quiet.raw.append($0, of: .generalStatus, station: erg, at: SystemRuntime().now())
            }
        }
        await recorder.record([quiet, update([stroke(1)])])
        await recorder.stop()
        #expect(await recorder.records(after: nil, limit: 10).records.count == 1)
        var reader = try LogReader(device: FileBlockDevice.reading(path: folder.path("ring.log")))
        var stored: [[UInt8]] = []
        while let item = try reader.next() {
            guard case .record(let record) = item, record.kind == RingRecordKind.entry,
                case .notification(let raw)? = try RingEntry.decode(record.bytes)
            else { continue }
            #expect(raw.characteristic == .generalStatus)
            stored.append(raw.bytes)
        }
        #expect(stored == [[1, 0xF1], [2, 0xF1], [3, 0xF1]])
    }

    @Test func ignoresClockJitter() {
        func mapping(_ milliseconds: Int64, synced: Bool = false) -> WallClock {
            WallClock(
                bootID: "b", unixMillisecondsAtBoot: milliseconds, isSynchronized: synced)
        }
        var clock = SteadyWallClock()
        #expect(clock.read(mapping(1000)) == mapping(1000))
        #expect(clock.read(mapping(1001)) == mapping(1000))
        #expect(clock.read(mapping(1500)) == mapping(1500))
        #expect(clock.read(mapping(1501, synced: true)) == mapping(1501, synced: true))
    }

    @Test func birthNamesEveryStream() async throws {
        let recorder = try await recorder()
        await recorder.start(callbacks: .silent)
        await recorder.record([update([stroke(1), stroke(2)])])
        let birth = await recorder.birth()
        #expect(birth.nextSequences[StreamID(station: erg, kind: .stroke)] == 3)
        let text = String(decoding: birth.payload, as: UTF8.self)
        #expect(text.contains("erg-1"))
        await recorder.stop()
    }
}

extension RecorderCallbacks {
    fileprivate static let silent = RecorderCallbacks(recordsAvailable: {}, retain: { _, _ in })
}
