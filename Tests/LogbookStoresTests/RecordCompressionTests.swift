import Bytes
import Foundation
import TestSupport
import Testing

@testable import Contract
@testable import DeliveryProof
@testable import LogbookStores

/// Compressed records of a SQLite store: every answer stays equal, at each moment and after each end of the process.
@Suite struct RecordCompressionTests {
    private static let now: Int64 = 1_788_627_100_000
    private static let athlete = "anna-katharina-27"
    private static let strokes = 700

    private let folder: TemporaryFolder
    private let path: String
    private var traffic = Traffic()

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("logbook.db")
    }

    private static func id(_ number: Int) -> String { "01J7ZK3Q5XQ4W8G9T2V6B0C1\(number + 10)" }

    private func name(_ number: Int) -> SessionName {
        SessionName(gateway: traffic.gateway, session: Self.id(number))
    }

    /// Sessions of two athletes, enough for the dictionaries of strokes and force curves.
    private mutating func sessions(_ numbers: ClosedRange<Int>) -> [[Traffic.Message]] {
        numbers.map { number in
            traffic.session(Self.id(number), strokes: Self.strokes)
                .named(number % 2 == 1 ? Self.athlete : "ben")
        }
    }

    private func store(_ sessions: [[Traffic.Message]], in store: any LogbookStore) throws {
        for session in sessions { _ = try store.commit(try StoreBatch(session, now: Self.now)) }
    }

    /// Everything that the store answers about records.
    private func answers(_ store: any LogbookStore) throws -> [[[UInt8]]] {
        try store.everySession(SessionFilter(limit: 100)).flatMap { session in
            let evidence = try #require(try store.evidence(of: session.name))
            return try StreamKind.allCases.map { try store.records(of: $0, in: session.name) }
                + [evidence.strokes]
        }
    }

    /// The number of records in the file that are stored as published, and of all others.
    private func forms() throws -> (published: Int64, compressed: Int64) {
        let database = try SQLiteDatabase(path, for: .readOnly)
        defer { database.close() }
        let condition = "substr(body, 1, 1) = CAST('{' AS BLOB)"
        return (
            try database.number("SELECT count(*) FROM record WHERE \(condition)") ?? 0,
            try database.number("SELECT count(*) FROM record WHERE NOT \(condition)") ?? 0
        )
    }

    // MARK: Answers

    @Test mutating func answersStayEqual() throws {
        // A reader that was open before, a pass in steps, and records that arrive during and after the pass.
        let recorder = try SQLiteStore(path, for: .recording)
        let reader = try SQLiteStore(path, for: .readOnly)
        let old = sessions(1...8)
        let (during, after) = (sessions(9...9), sessions(10...10))
        try store(old, in: recorder)
        let before = try answers(reader)
        var (pass, steps) = (CompressionPass(), 0)
        while !pass.isDone {
            try recorder.compress(&pass)
            if steps % 3 == 0 { #expect(try answers(reader) == before) }
            steps += 1
        }
        let compressed = try forms()
        #expect(steps > 12 && pass.records == 2 * 8 * Self.strokes)
        #expect(compressed.compressed == Int64(pass.records) && compressed.published == 3 * 8)
        #expect(pass.storedBytes * 2 < pass.publishedBytes)
        #expect(try answers(reader) == before && answers(recorder) == before)

        try store(during, in: recorder)
        #expect(try forms().published == 3 * 9, "new records are compressed at once")
        #expect(try recorder.compressAll().records == 0)
        // A stroke that arrives again, and one with other content.
        let again = try recorder.commit(try StoreBatch(old[2] + during[0], now: Self.now))
        #expect((again.added, again.conflicts, again.repeats) == (0, 0, old[2].count + during[0].count))
        var altered = old[2][1]
        altered.payload = Array(
            String(decoding: altered.payload, as: UTF8.self).replacingText(
                "\"stroke\":1,", by: "\"stroke\":2,"
            ).utf8)
        #expect(try recorder.commit(try StoreBatch([altered], now: Self.now)).conflicts == 1)
        let conflict = try #require(try reader.conflicts(limit: 9).first)
        #expect(conflict.first == (try ValidatedRecord(old[2][1])).stored)
        #expect(conflict.other == (try ValidatedRecord(altered)).stored)

        reader.close()
        recorder.close()
        let reopened = try SQLiteStore(path, for: .recording)
        try store(after, in: reopened)
        #expect(try forms().published == 3 * 10)
        #expect(try answers(reopened).suffix(before.count) == before[...])
        #expect(try reopened.faults() == [])
        reopened.close()
    }

    @Test mutating func continuesAfterEachEndOfTheProcess() throws {
        var recorder = try SQLiteStore(path, for: .recording)
        // Rows of sessions with 1, 2 and 4 bytes.
        for (numbers, row) in [(1...2, 125), (3...4, 16_382), (5...8, 3_000_000)] {
            try store(sessions(numbers), in: recorder)
            try change(
                "INSERT INTO session (id, gw, session_id, erg, first_ms) VALUES (\(row), 'x', '\(row)', 'x', 0)"
            )
        }
        try store(sessions(9...9), in: recorder)
        try change("DELETE FROM session WHERE gw = 'x'")
        let before = try answers(recorder)
        var (records, runs) = (0, 0)
        while try forms().published > 3 * 9, runs < 100 {
            var pass = CompressionPass()
            for _ in 0..<2 where !pass.isDone { try recorder.compress(&pass) }
            records += pass.records
            runs += 1
            recorder.close()
            recorder = try SQLiteStore(path, for: .recording)
        }
        #expect(records == 2 * 9 * Self.strokes && runs > 5)
        #expect(try answers(recorder) == before)
        recorder.close()
    }

    @Test mutating func leavesFewRecordsAsPublished() throws {
        let recorder = try SQLiteStore(path, for: .recording)
        try store(sessions(1...2), in: recorder)
        #expect(try recorder.compressAll().records == 0)
        #expect(try forms().compressed == 0)
        recorder.close()
    }

    // MARK: Other files

    @Test mutating func usesTheDictionariesOfTheFileAtThePath() throws {
        // Two stores with other dictionaries change places under an open recorder.
        let otherPath = folder.path("other.db")
        let other = try SQLiteStore(otherPath, for: .recording)
        var boat = Traffic(gateway: "boat", epoch: "01J0EP0CH000000000000000BB")
        for number in 1...8 {
            _ = try other.commit(
                try StoreBatch(
                    boat.session(Self.id(number), strokes: Self.strokes).named("dora"), now: Self.now))
        }
        try other.compressAll()
        let expected = try answers(other)
        other.close()
        let recorder = try SQLiteStore(path, for: .recording)
        try store(sessions(1...8), in: recorder)
        try recorder.compressAll()
        _ = try answers(recorder)
        try FileManager.default.moveItem(atPath: path, toPath: folder.path("old.db"))
        try FileManager.default.moveItem(atPath: otherPath, toPath: path)
        #expect(try answers(recorder) == expected)
        recorder.close()
    }

    @Test mutating func copiesCompressedRecords() throws {
        let recorder = try SQLiteStore(path, for: .recording)
        try store(sessions(1...8), in: recorder)
        try recorder.compressAll()
        let before = try answers(recorder)
        let backup = try StoreBackup(of: path, to: folder.path("backup.db"))
        let copy = try backup.copy { _, _ in }
        #expect(try answers(copy) == before)
        try backup.finish(copy, isGood: true)
        recorder.close()
    }

    @Test(.enabled(if: InstalledPrograms.areAllowed)) mutating func movesCompressedRecords() async throws {
        let recorder = try SQLiteStore(path, for: .recording)
        try store(sessions(1...8), in: recorder)
        try recorder.compressAll()
        let before = try answers(recorder)
        recorder.close()
        let address = try PostgreSQLAddress(try await PrivatePostgreSQL.shared.value.makeDatabase())
        for _ in 0..<2 {
            let move = try StoreMove(from: path, to: address, patience: .seconds(60))
            try move.copy { _, _ in }
            #expect(try answers(move.target) == before)
            move.source.close()
            move.target.close()
        }
    }

    // MARK: Erasure

    @Test mutating func leavesNothingOfAnErasedAthlete() throws {
        let recorder = try SQLiteStore(path, for: .recording)
        try store(sessions(1...9), in: recorder)
        try recorder.compressAll()
        let reader = try SQLiteStore(path, for: .readOnly)
        _ = try answers(reader)
        let dictionaries = try recorder.database.rows("SELECT bytes FROM record_dictionary") { $0.bytes(0) }
        #expect(dictionaries.count == 2)
        for bytes in dictionaries {
            #expect(bytes.range(of: Self.athlete) == nil && bytes.range(of: "01J7ZK") == nil)
        }
        let eraser = try SQLiteStore(path, for: .editing)
        let outcome = try StoreErasure(of: Self.athlete, in: eraser).run(at: Self.now) { _, _ in }
        eraser.close()
        #expect(outcome.records == 5 * (2 * Self.strokes + 3) && outcome.sessions == 5)
        #expect(try recorder.athletes(after: nil, limit: 9).map(\.slug) == ["ben"])
        // The next sessions get the rows of erased ones.
        let others = try answers(reader)
        let later = (10...13).flatMap { traffic.session(Self.id($0), strokes: Self.strokes).named("dora") }
        _ = try recorder.commit(try StoreBatch(later, now: Self.now))
        let found = try answers(reader)
        #expect(others.allSatisfy(found.contains))
        let strokes = try later.filter { $0.stream?.kind == .stroke }.map { try ValidatedRecord($0).stored }
        #expect(try (10...13).flatMap { try reader.records(of: .stroke, in: name($0)) } == strokes)
        reader.close()
        recorder.close()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("."))
        for file in names {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path(file)))
            #expect(bytes.range(of: Data(Self.athlete.utf8)) == nil, "\(file)")
        }
    }

    // MARK: Damage

    private func change(_ sql: String) throws {
        let database = try SQLiteDatabase(path, for: .readWrite)
        try database.execute(sql)
        database.close()
    }

    @Test(arguments: [
        "DELETE FROM record_dictionary", "UPDATE record_dictionary SET bytes = x'01'",
        "UPDATE record SET body = x'01'", "UPDATE record SET body = substr(body, 1, 20)",
        "UPDATE record SET body = zeroblob(50)",
    ])
    mutating func reportsADamagedRecord(_ damage: String) throws {
        let recorder = try SQLiteStore(path, for: .recording)
        try store(sessions(1...8), in: recorder)
        try recorder.compressAll()
        recorder.close()
        try change(damage)
        let reader = try SQLiteStore(path, for: .readOnly)
        do throws(StoreFailure) {
            _ = try reader.records(of: .stroke, in: name(3))
            Issue.record("the record was read")
        } catch {
            #expect(error.kind == .corrupt && error.place == path)
            #expect(error.cause.hasPrefix("a compressed record is damaged"))
            #expect(error.remedy?.contains("rowgate-logbook restore") == true)
        }
        reader.close()
    }

    // MARK: A dictionary alone

    @Test func restoresAnyRecord() throws {
        var (random, traffic) = (SeededGenerator(seed: 7), Traffic())
        let records = try (1...3).flatMap {
            try traffic.session(Self.id($0), strokes: 1000).map { try ValidatedRecord($0).stored }
        }
        let bytes = try #require(RecordDictionary.train(on: records))
        #expect(bytes.count <= RecordDictionary.capacity)
        let dictionary = try #require(RecordDictionary(number: 3, kind: .stroke, bytes: bytes))
        let context = try #require(RecordDictionary.Context())
        for _ in 0..<3000 {
            var record = records.randomElement(using: &random)!
            for _ in 0..<Int.random(in: 0...20, using: &random) {
                record[Int.random(in: 0..<record.count, using: &random)] = .random(
                    in: 0...255, using: &random)
            }
            let frame = try #require(dictionary.compress(record, context))
            #expect(dictionary.decompress(frame, context) == record)
            // Damaged bytes are an error or another record, and never a crash.
            var damaged = frame
            damaged[.random(in: frame.indices, using: &random)] ^= .random(in: 1...255, using: &random)
            _ = dictionary.decompress(damaged, context)
            _ = dictionary.decompress(frame.prefix(.random(in: 0...frame.count, using: &random)), context)
        }
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: 2 << 20)
        #expect(dictionary.compress(long, context).flatMap { dictionary.decompress($0, context) } == nil)
    }
}
