import Foundation
import TestSupport
import Testing

@testable import Contract
@testable import LogbookStores

/// Behaviour specific to SQLite: files, versions, disks.
@Suite struct SQLiteStoreTests {
    private let folder: TemporaryFolder
    private let path: String
    private var traffic = Traffic()

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("logbook.db")
    }

    private func failure(_ access: SQLiteStore.Access = .recording) -> StoreFailure? {
        do throws(StoreFailure) {
            try SQLiteStore(path, for: access).close()
            return nil
        } catch { return error }
    }

    private func change(_ sql: String) throws {
        let database = try SQLiteDatabase(path, for: .create)
        try database.execute(sql)
        database.close()
    }

    @Test func hasAColumnForEveryStoredField() throws {
        try SQLiteStore(path, for: .recording).close()
        let database = try SQLiteDatabase(path, for: .readOnly)
        for kind in StreamKind.allCases {
            let table = ReadingTable.of(kind)
            let found = try database.rows("SELECT name FROM pragma_table_info('\(table.name)')") {
                $0.text(0) ?? ""
            }
            let wanted = table.storedColumns.map(\.name).filter {
                kind.isGatewayOnly || !["session_id", "event"].contains($0)
            }
            #expect(wanted.filter { !found.contains($0) } == [], "\(table.name)")
        }
    }

    @Test mutating func migratesAnOlderStore() throws {
        try change(SQLiteMigrations.all[0])
        try change(
            "PRAGMA application_id = \(SQLiteMigrations.applicationID); PRAGMA user_version = 1")
        #expect(failure(.readOnly)?.cause == "it has an older version")
        let store = try SQLiteStore(path, for: .recording)
        let session = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 3)
        #expect(try store.commit(StoreBatch(session)).added == session.count)
        for kind in StreamKind.allCases {
            let name = ReadingTable.of(kind).name
            #expect(try store.database.number("SELECT count(*) FROM \(name)") != nil)
        }
    }

    @Test func addsRowsForAlertsAndRollups() throws {
        let session = #""session_id":"01J7ZK3Q5XQ4W8G9T2V6B0C1DE","#
        let alert = #""alert_id":"01J7ZK3Q5XQ4W8G9T2V6B0C1DF","state":"firing","#
        let records = try [
            traffic.record(
                .alert, 1, session + alert + #""rule":"stopped","value":7.50,"threshold":7.50"#),
            traffic.record(
                .alert, 2,
                alert
                    + #""rule":"battery_low","value":14.00,"since_ms":5,"acknowledged_by":"Coach-A.""#
            ),
            traffic.record(
                .rollup, 1,
                session + #""span":"minute","number":2,"strokes":24,"avg_power_w":180.5"#),
        ]
        let store = try SQLiteStore(path, for: .recording)
        #expect(try store.commit(StoreBatch(records: records, now: 1)).added == 3)
        let alerts = try store.database.rows(
            "SELECT rule || ' ' || value || ' ' || (session IS NOT NULL) FROM alert"
        ) { $0.text(0) ?? "" }
        #expect(alerts == ["stopped 7.5 1", "battery_low 14.0 0"])
        // Of frequent records, the file has the values only in the records.
        #expect(
            try store.database.number(
                "SELECT count(*) FROM rollup WHERE session IS NOT NULL AND span IS NULL AND avg_power_w IS NULL"
            ) == 1)
    }

    @Test mutating func estimatesTheBytesOfAYear() throws {
        // Many sessions in the first week, then one a day for eight weeks.
        let (begin, day) = (1_788_627_100_000 as Int64, 86_400_000 as Int64)
        let store = try SQLiteStore(path, for: .recording)
        #expect(try store.bytesPerYear(at: begin) == nil)
        for number in 0..<96 {
            let session = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C\(number + 100)", strokes: 10)
            _ = try store.commit(StoreBatch(session, now: begin + Int64(max(0, number - 40)) * day))
            if number == 40 { #expect(try store.bytesPerYear(at: begin + 6 * day) == nil) }
        }
        let size = try store.size()
        let expected = Double(size.bytes) * 28 / 96 * 365 / 28
        let found = try #require(try store.bytesPerYear(at: begin + 56 * day))
        #expect(abs(Double(found) / expected - 1) < 0.01)
        // Without rowing for a month.
        #expect(try store.bytesPerYear(at: begin + 90 * day) == nil)
        store.close()
    }

    @Test func addsRowsForRoomRollups() throws {
        let minute = #""from_ms":1788627000000,"strokes":190,"pace_s_per_500m":121.50,"ergs":["1"]"#
        let records = try [
            traffic.record(.roomRollup, 1, minute),
            traffic.record(.crewRollup, 1, #""crew":"bow","members":["1"],"# + minute),
        ]
        let store = try SQLiteStore(path, for: .recording)
        #expect(try store.commit(StoreBatch(records: records, now: 1)).added == 2)
        let rows = try store.database.rows(
            "SELECT ifnull(crew, '-') || ' ' || strokes || ' ' || pace_s_per_500m FROM room_rollup"
        ) { $0.text(0) ?? "" }
        #expect(rows == ["- 190 121.5", "bow 190 121.5"])
    }

    @Test func refusesANewerStoreWithARemedy() throws {
        try SQLiteStore(path, for: .recording).close()
        let next = SQLiteMigrations.newest + 1
        try change("PRAGMA user_version = \(next)")
        for access in [SQLiteStore.Access.recording, .readOnly] {
            let failure = failure(access)
            #expect(failure?.kind == .newer)
            #expect(
                failure?.description
                    == "the store \(path): cannot open: it has version \(next), but this program "
                    + "supports only \(next - 1); install the rowgate-logbook version that wrote it, "
                    + "or a newer one"
            )
        }
    }

    @Test func refusesOtherDatabases() throws {
        #expect(failure(.readOnly)?.kind == .absent)
        try change("CREATE TABLE theirs (a)")
        #expect(failure()?.cause == "it belongs to another program")
        try Data(repeating: 65, count: 8192).write(to: URL(fileURLWithPath: path))
        #expect(failure()?.kind == .corrupt)
        let lost = #expect(throws: StoreFailure.self) {
            try SQLiteStore("/nowhere/logbook.db", for: .recording)
        }
        #expect(lost?.remedy == "create it, owned by the user that runs this program")
    }

    @Test mutating func commitsOnceTheDiskHasRoom() throws {
        // A page limit of the file simulates the full disk.
        let store = try SQLiteStore(path, for: .recording)
        _ = try store.commit(StoreBatch(traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 3)))
        let before = try (store.streams(), store.size().records)
        let pages = try store.database.number("PRAGMA page_count") ?? 0
        _ = try store.database.rows("PRAGMA max_page_count = \(pages)") { _ in }
        let batch = try StoreBatch(
            traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DF", strokes: 200))
        let failure = #expect(throws: StoreFailure.self) { try store.commit(batch) }
        #expect(failure?.kind == .full && failure?.isTransient == true)
        #expect(
            failure?.description
                == "the store \(path): cannot write: the disk is full; free space on it; gateways "
                + "send the missing records again")
        #expect(try store.streams() == before.0 && store.size().records == before.1)
        _ = try store.database.rows("PRAGMA max_page_count = 1000000") { _ in }
        #expect(try store.commit(batch).added == batch.records.count)
        #expect(try store.faults() == [])
    }

    @Test mutating func detectsADamagedFile() throws {
        // Overwrites pages of the file.
        let store = try SQLiteStore(path, for: .recording)
        _ = try store.commit(
            StoreBatch(traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 500)))
        store.close()
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seek(toOffset: 4096 * 20)
        try file.write(contentsOf: Data(repeating: 0x5A, count: 4096 * 20))
        try file.close()
        do throws(StoreFailure) {
            let damaged = try SQLiteStore(path, for: .recording)
            #expect(try damaged.faults() != [])
        } catch {
            #expect(error.kind == .corrupt)
            #expect(error.remedy?.hasPrefix("move it away and restart") == true)
        }
    }

    @Test mutating func reportsALockedStore() throws {
        // Another connection holds the write lock; the busy timeout is 1 ms.
        let store = try SQLiteStore(path, for: .recording)
        let other = try SQLiteDatabase(path, for: .readWrite)
        try other.execute("BEGIN IMMEDIATE")
        _ = try store.database.rows("PRAGMA busy_timeout = 1") { _ in }
        let batch = try StoreBatch(traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 1))
        let failure = #expect(throws: StoreFailure.self) { try store.commit(batch) }
        #expect(failure?.kind == .busy && failure?.cause == "another program has locked it")
        try other.execute("ROLLBACK")
        #expect(try store.commit(batch).added == batch.records.count)
    }

    @Test mutating func seesCommittedRecordsInAParallelReader() throws {
        let store = try SQLiteStore(path, for: .recording)
        let session = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 20)
        _ = try store.commit(StoreBatch(session))
        let reader = try SQLiteStore(path, for: .readOnly)
        #expect(try reader.size().records == session.count)
        #expect(try reader.sessions(SessionFilter(limit: 1)).first?.strokes == 20)
        #expect(try reader.faults() == [])
    }

    // MARK: Files

    @Test func findsTheCauseOfAnUnusableFile() throws {
        let file = folder.path("file")
        try Data([1]).write(to: URL(fileURLWithPath: file))
        func cause(_ path: String, _ code: Int32 = 0, isWriting: Bool = true) -> String? {
            FileDiagnosis(at: path, isWriting: isWriting, code: code)?.cause
        }
        #expect(cause(file) == nil)
        #expect(cause(folder.path) == "it is a folder")
        #expect(cause(file + "/logbook.db") == "\(file) is not a folder")
        let absent = folder.path("absent/more")
        #expect(cause(absent + "/logbook.db") == "there is no folder \(absent)")
        #expect(cause(folder.path("other"), isWriting: false) == "there is no such file")
        #expect(cause(file, ENOSPC) == "the disk is full")
        #expect(cause(file, EROFS) == "the file system is read-only")
        #expect(cause(file, EIO) == "the disk has an I/O error (Input/output error)")
        #expect(cause(file, EMFILE) == "Too many open files")
    }

    @Test func allowsOneWriterAndManyReaders() throws {
        let writer = try SQLiteStore(path, for: .recording)
        let refusal = #expect(throws: StoreFailure.self) { try SQLiteStore(path, for: .recording) }
        #expect(refusal?.kind == .busy)
        let process = ProcessInfo.processInfo.processIdentifier
        #expect(refusal?.cause == "process \(process) has it open")
        for access in [SQLStore.Access.readOnly, .editing] {
            try SQLiteStore(path, for: access).close()
        }
        writer.close()
        try SQLiteStore(path, for: .recording).close()
    }

    @Test(arguments: ["removed", "moved", "replaced"])
    mutating func reopensAfterItsFileWasReplaced(_ what: String) throws {
        let first = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 4)
        let second = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DF", strokes: 3)
        let (aside, other) = (folder.path("aside.db"), folder.path("other.db"))
        let replacing = try SQLiteStore(other, for: .recording)
        _ = try replacing.commit(StoreBatch(Array(first.prefix(2))))
        replacing.close()
        let store = try SQLiteStore(path, for: .recording)
        _ = try store.commit(StoreBatch(first))
        let reader = try SQLiteStore(path, for: .readOnly)
        try store.verifyPlace()
        #expect(store.replacement.count == 0)
        let files = FileManager.default
        if what == "removed" {
            try files.removeItem(atPath: path)
        } else {
            try files.moveItem(atPath: path, toPath: aside)
        }
        if what == "replaced" { try files.moveItem(atPath: other, toPath: path) }
        let failure = #expect(throws: StoreFailure.self) { try reader.streams() }
        #expect(failure?.kind == .moved)
        reader.close()

        #expect(try store.commit(StoreBatch(second)).added == second.count)
        #expect(store.replacement.count == 1)
        #expect(store.replacement.last == (what == "replaced" ? .another : .new))
        let expectedCount = second.count + (what == "replaced" ? 2 : 0)
        #expect(try store.size().records == expectedCount && store.faults() == [])
        let reopened = try SQLiteStore(path, for: .readOnly)
        #expect(try reopened.size().records == expectedCount)
        reopened.close()
        store.close()
        if what == "removed" { return }
        // The old file is complete without its write-ahead log.
        #expect(!files.fileExists(atPath: aside + "-wal"))
        let old = try SQLiteStore(aside, for: .readOnly)
        #expect(try old.size().records == first.count && old.faults() == [])
        old.close()
    }

    @Test mutating func reopensAfterItsFolderReturned() throws {
        let nested = folder.path("nested")
        try FileManager.default.createDirectory(atPath: nested, withIntermediateDirectories: false)
        let store = try SQLiteStore(nested + "/logbook.db", for: .recording)
        let session = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 4)
        _ = try store.commit(StoreBatch(session))
        try FileManager.default.moveItem(atPath: nested, toPath: folder.path("away"))
        for _ in 0..<2 {
            let failure = #expect(throws: StoreFailure.self) { try store.verifyPlace() }
            #expect(failure?.kind == .misplaced)
            #expect(failure?.cause == "there is no folder \(nested)")
        }
        try FileManager.default.moveItem(atPath: folder.path("away"), toPath: nested)
        try store.verifyPlace()
        #expect(store.replacement.count == 1 && store.replacement.last == .same)
        #expect(try store.size().records == session.count)
        store.close()
    }
}
