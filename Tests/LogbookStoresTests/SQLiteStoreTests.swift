import Foundation
import TestSupport
import Testing

@testable import Contract
@testable import LogbookStores

/// What is SQLite's own: files, versions, disks.
@Suite struct SQLiteStoreTests {
    private let folder: TemporaryFolder
    private let path: String
    private var traffic = Traffic()

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("logbook.db")
    }

    private func failure(_ access: SQLiteStore.Access = .keeping) -> StoreFailure? {
        do throws(StoreFailure) {
            try SQLiteStore(path, for: access).close()
            return nil
        } catch { return error }
    }

    private func change(_ sql: String) throws {
        let database = try SQLiteDatabase(path, for: .making)
        try database.execute(sql)
        database.close()
    }

    @Test func tablesHaveTheColumnsOfTheContract() throws {
        // Goal: no field without a place. Method: the columns of each table beside those of the file.
        try SQLiteStore(path, for: .keeping).close()
        let database = try SQLiteDatabase(path, for: .reading)
        for kind in StreamKind.allCases {
            let table = ReadingTable.of(kind)
            let found = try database.rows("SELECT name FROM pragma_table_info('\(table.name)')") {
                $0.text(0) ?? ""
            }
            let wanted = table.kept.map(\.name).filter {
                kind.isOfGatewayAlone || !["session_id", "event"].contains($0)
            }
            #expect(wanted.filter { !found.contains($0) } == [], "\(table.name)")
        }
    }

    @Test mutating func anOlderStoreIsBroughtUpToDate() throws {
        // Goal: what is added later has its place in a file that is there. Method: a file of version 1,
        // which a command that only looks refuses; then every kind has its table, and records come in.
        try change(SQLiteMigrations.all[0])
        try change(
            "PRAGMA application_id = \(SQLiteMigrations.applicationID); PRAGMA user_version = 1")
        #expect(failure(.looking)?.cause == "it is of an older version")
        let store = try SQLiteStore(path, for: .keeping)
        let session = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 3)
        #expect(try store.commit(StoreBatch(session)).added == session.count)
        for kind in StreamKind.allCases {
            let name = ReadingTable.of(kind).name
            #expect(try store.database.number("SELECT count(*) FROM \(name)") != nil)
        }
    }

    @Test func alertsAndRollupsHaveTheirRows() throws {
        // Goal: what a coach is told can be asked for. Method: an alert of a session, one of an erg,
        // and a rollup, as a gateway publishes them.
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
        let store = try SQLiteStore(path, for: .keeping)
        #expect(try store.commit(StoreBatch(records: records, now: 1)).added == 3)
        let alerts = try store.database.rows(
            "SELECT rule || ' ' || value || ' ' || (session IS NOT NULL) FROM alert"
        ) { $0.text(0) ?? "" }
        #expect(alerts == ["stopped 7.5 1", "battery_low 14.0 0"])
        let rollups = try store.database.rows(
            "SELECT span || ' ' || number || ' ' || strokes || ' ' || avg_power_w FROM rollup"
        ) { $0.text(0) ?? "" }
        #expect(rollups == ["minute 2 24 180.5"])
    }

    @Test func minutesOfARoomHaveTheirRows() throws {
        // Goal: what a room and a crew come to can be asked for. Method: a minute of each.
        let minute = #""from_ms":1788627000000,"strokes":190,"pace_s_per_500m":121.50,"ergs":["1"]"#
        let records = try [
            traffic.record(.roomRollup, 1, minute),
            traffic.record(.crewRollup, 1, #""crew":"bow","members":["1"],"# + minute),
        ]
        let store = try SQLiteStore(path, for: .keeping)
        #expect(try store.commit(StoreBatch(records: records, now: 1)).added == 2)
        let rows = try store.database.rows(
            "SELECT ifnull(crew, '-') || ' ' || strokes || ' ' || pace_s_per_500m FROM room_rollup"
        ) { $0.text(0) ?? "" }
        #expect(rows == ["- 190 121.5", "bow 190 121.5"])
    }

    @Test func aNewerStoreIsRefusedWithItsRemedy() throws {
        // Goal: an older program spoils nothing. Method: a file of the next version.
        try SQLiteStore(path, for: .keeping).close()
        let next = SQLiteMigrations.newest + 1
        try change("PRAGMA user_version = \(next)")
        for access in [SQLiteStore.Access.keeping, .looking] {
            let failure = failure(access)
            #expect(failure?.kind == .newer)
            #expect(
                failure?.description
                    == "the store \(path): cannot open: it is of version \(next), and this program "
                    + "knows \(next - 1); install the rowgate-logbook that wrote it, or a newer one"
            )
        }
    }

    @Test func whatIsNoStoreIsRefused() throws {
        // Goal: nothing is written into a stranger's file. Method: another program's database, a text,
        // a folder that is not there, and none at all for a command that looks.
        #expect(failure(.looking)?.kind == .absent)
        try change("CREATE TABLE theirs (a)")
        #expect(failure()?.cause == "it is a database of another program")
        try Data(repeating: 65, count: 8192).write(to: URL(fileURLWithPath: path))
        #expect(failure()?.kind == .corrupt)
        let lost = #expect(throws: StoreFailure.self) {
            try SQLiteStore("/nowhere/logbook.db", for: .keeping)
        }
        #expect(lost?.remedy == "make it, for the user that runs this")
    }

    @Test mutating func aFullDiskLosesNothing() throws {
        // Goal: a batch that did not fit is taken when there is room. Method: a limit on the file's
        // pages stands for the disk.
        let store = try SQLiteStore(path, for: .keeping)
        _ = try store.commit(StoreBatch(traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 3)))
        let before = try (store.streams(), store.size().records)
        let pages = try store.database.number("PRAGMA page_count") ?? 0
        _ = try store.database.rows("PRAGMA max_page_count = \(pages)") { _ in }
        let batch = try StoreBatch(
            traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DF", strokes: 200))
        let failure = #expect(throws: StoreFailure.self) { try store.commit(batch) }
        #expect(failure?.kind == .full && failure?.isPassing == true)
        #expect(
            failure?.description
                == "the store \(path): cannot write: the disk is full; make room on it; nothing is "
                + "lost as long as the gateways have it")
        #expect(try store.streams() == before.0 && store.size().records == before.1)
        _ = try store.database.rows("PRAGMA max_page_count = 1000000") { _ in }
        #expect(try store.commit(batch).added == batch.records.count)
        #expect(try store.faults() == [])
    }

    @Test mutating func aDamagedFileIsSaid() throws {
        // Goal: a broken card is no silent loss. Method: the pages of a full store are overwritten.
        let store = try SQLiteStore(path, for: .keeping)
        _ = try store.commit(
            StoreBatch(traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 500)))
        store.close()
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seek(toOffset: 4096 * 20)
        try file.write(contentsOf: Data(repeating: 0x5A, count: 4096 * 20))
        try file.close()
        do throws(StoreFailure) {
            let damaged = try SQLiteStore(path, for: .keeping)
            #expect(try damaged.faults() != [])
        } catch {
            #expect(error.kind == .corrupt)
            #expect(error.remedy?.hasPrefix("move it away and start again") == true)
        }
    }

    @Test mutating func aStoreThatIsHeldIsSaid() throws {
        // Goal: two programs on one file are told so. Method: another connection writes meanwhile; our
        // patience is over at once.
        let store = try SQLiteStore(path, for: .keeping)
        let other = try SQLiteDatabase(path, for: .writing)
        try other.execute("BEGIN IMMEDIATE")
        _ = try store.database.rows("PRAGMA busy_timeout = 1") { _ in }
        let batch = try StoreBatch(traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 1))
        let failure = #expect(throws: StoreFailure.self) { try store.commit(batch) }
        #expect(failure?.kind == .busy && failure?.cause == "another program holds it")
        try other.execute("ROLLBACK")
        #expect(try store.commit(batch).added == batch.records.count)
    }

    @Test mutating func aReaderBesideTheWriterSeesWhatIsDurable() throws {
        // Goal: a command looks while the program keeps. Method: one of each on the same file.
        let store = try SQLiteStore(path, for: .keeping)
        let session = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 20)
        _ = try store.commit(StoreBatch(session))
        let reader = try SQLiteStore(path, for: .looking)
        #expect(try reader.size().records == session.count)
        #expect(try reader.sessions(SessionFilter(limit: 1)).first?.strokes == 20)
        #expect(try reader.faults() == [])
    }

    // MARK: Files

    @Test func causeOfAFileThatCannotBeOpenedIsFound() throws {
        let file = folder.path("file")
        try Data([1]).write(to: URL(fileURLWithPath: file))
        func cause(_ path: String, _ code: Int32 = 0, isWriting: Bool = true) -> String? {
            FileTrouble(at: path, isWriting: isWriting, code: code)?.cause
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

    @Test func storeHasOneWriterAndManyReaders() throws {
        let writer = try SQLiteStore(path, for: .keeping)
        let refusal = #expect(throws: StoreFailure.self) { try SQLiteStore(path, for: .keeping) }
        #expect(refusal?.kind == .busy)
        let process = ProcessInfo.processInfo.processIdentifier
        #expect(refusal?.cause == "process \(process) has it open")
        for access in [SQLStore.Access.looking, .changing] {
            try SQLiteStore(path, for: access).close()
        }
        writer.close()
        try SQLiteStore(path, for: .keeping).close()
    }

    @Test(arguments: ["removed", "moved", "replaced"])
    mutating func storeWhoseFileIsTakenAwayOpensWhatIsThereThen(_ what: String) throws {
        let first = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 4)
        let second = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DF", strokes: 3)
        let (aside, other) = (folder.path("aside.db"), folder.path("other.db"))
        let replacing = try SQLiteStore(other, for: .keeping)
        _ = try replacing.commit(StoreBatch(Array(first.prefix(2))))
        replacing.close()
        let store = try SQLiteStore(path, for: .keeping)
        _ = try store.commit(StoreBatch(first))
        let reader = try SQLiteStore(path, for: .looking)
        try store.verifyPlace()
        #expect(store.replacement.count == 0)
        let files = FileManager.default
        if what == "removed" { try files.removeItem(atPath: path) } else {
            try files.moveItem(atPath: path, toPath: aside)
        }
        if what == "replaced" { try files.moveItem(atPath: other, toPath: path) }
        let failure = #expect(throws: StoreFailure.self) { try reader.streams() }
        #expect(failure?.kind == .moved)
        reader.close()

        #expect(try store.commit(StoreBatch(second)).added == second.count)
        #expect(store.replacement.count == 1)
        #expect(store.replacement.last == (what == "replaced" ? .another : .new))
        let kept = second.count + (what == "replaced" ? 2 : 0)
        #expect(try store.size().records == kept && store.faults() == [])
        let again = try SQLiteStore(path, for: .looking)
        #expect(try again.size().records == kept)
        again.close()
        store.close()
        if what == "removed" { return }
        // Alone, without its write-ahead log.
        #expect(!files.fileExists(atPath: aside + "-wal"))
        let old = try SQLiteStore(aside, for: .looking)
        #expect(try old.size().records == first.count && old.faults() == [])
        old.close()
    }

    @Test mutating func storeWhoseFolderIsAwayComesBack() throws {
        let nested = folder.path("nested")
        try FileManager.default.createDirectory(atPath: nested, withIntermediateDirectories: false)
        let store = try SQLiteStore(nested + "/logbook.db", for: .keeping)
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
