import CSQLite

/// One connection to a file of SQLite: statements by their text, values in, rows out.
///
/// Used on one queue. Statements are prepared once and kept.
final class SQLiteDatabase: SQLDatabase {
    let path: String
    var place: String { path }
    private let access: Access
    /// nil while the file is closed.
    private(set) var handle: OpaquePointer?
    private var statements: [String: OpaquePointer] = [:]
    /// See `SQLiteDatabase+Replacement.swift`.
    var replacement = Replacement()
    /// The lock of the one process that stores records; nil for all others.
    private var writerLock: WriterLock?

    /// How a file is opened.
    enum Access { case reading, writing, making }

    /// How long it waits for another program that writes.
    private static let patienceMilliseconds: Int32 = 5000

    /// Opens the file, which is made only where that is asked for; nothing is read of it yet.
    init(_ path: String, for access: Access) throws(StoreFailure) {
        (self.path, self.access) = (path, access)
        try open()
    }

    deinit { closeFile() }

    func open() throws(StoreFailure) {
        var handle: OpaquePointer?
        let flags =
            switch access {
            case .reading: SQLITE_OPEN_READONLY
            case .writing: SQLITE_OPEN_READWRITE
            case .making: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        let code = sqlite3_open_v2(
            path, &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, let handle else {
            let failure = failure(code, "open", handle)
            sqlite3_close_v2(handle)
            throw failure
        }
        self.handle = handle
        sqlite3_busy_timeout(handle, Self.patienceMilliseconds)
    }

    /// Keeps every other process from storing records in the file until this one closes it. Throws as busy
    /// with the number of the process that stores them now.
    ///
    /// Before anything is read: a lock of SQLite's would go with the descriptor of a lock that fails.
    func lockForWriter() throws(StoreFailure) { writerLock = try WriterLock(path) }

    func close() {
        replacement.prepare = nil
        closeFile()
    }

    func closeFile() {
        for statement in statements.values { sqlite3_finalize(statement) }
        statements = [:]
        sqlite3_close_v2(handle)
        handle = nil
        // Last, because a descriptor that is closed takes SQLite's own locks with it.
        writerLock?.release()
        writerLock = nil
    }

    // MARK: Statements

    /// Carries out several statements without values, as migrations are.
    func execute(_ sql: String, _ operation: String = "write") throws(StoreFailure) {
        guard let handle else { throw closed(operation) }
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code, operation) }
    }

    func run(_ sql: String, _ values: [ReadValue]) throws(StoreFailure) {
        let statement = try prepared(sql, values, "write")
        defer { sqlite3_reset(statement) }
        let code = sqlite3_step(statement)
        guard code == SQLITE_DONE || code == SQLITE_ROW else { throw failure(code, "write") }
    }

    func rows<Value>(
        _ sql: String, _ values: [ReadValue],
        _ read: (any SQLRow) throws(StoreFailure) -> Value
    ) throws(StoreFailure) -> [Value] {
        let statement = try prepared(sql, values, "read")
        defer { sqlite3_reset(statement) }
        var found: [Value] = []
        while true {
            let code = sqlite3_step(statement)
            if code == SQLITE_DONE { return found }
            guard code == SQLITE_ROW else { throw failure(code, "read") }
            found.append(try read(SQLiteRow(statement: statement)))
        }
    }

    func transaction<Value>(
        _ body: () throws(StoreFailure) -> Value
    ) throws(StoreFailure) -> Value {
        try execute("BEGIN IMMEDIATE")
        do throws(StoreFailure) {
            let value = try body()
            try execute("COMMIT")
            return value
        } catch {
            // A full disk has ended it already; the first failure is the one to be told.
            if let handle, sqlite3_get_autocommit(handle) == 0 {
                sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
            }
            throw error
        }
    }

    private func prepared(
        _ sql: String, _ values: [ReadValue], _ operation: String
    ) throws(StoreFailure) -> OpaquePointer {
        let statement = try statement(sql, operation)
        for (index, value) in values.enumerated() {
            let code = Self.bind(value, to: statement, at: Int32(index + 1))
            guard code == SQLITE_OK else { throw failure(code, operation) }
        }
        return statement
    }

    private func statement(
        _ sql: String, _ operation: String
    ) throws(StoreFailure) -> OpaquePointer {
        if let known = statements[sql] { return known }
        guard let handle else { throw closed(operation) }
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(
            handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw failure(code, operation) }
        statements[sql] = statement
        return statement
    }

    private static func bind(
        _ value: ReadValue, to statement: OpaquePointer, at index: Int32
    ) -> Int32 {
        switch value {
        case .null: return sqlite3_bind_null(statement, index)
        case .whole(let number): return sqlite3_bind_int64(statement, index, number)
        case .decimal(let number): return sqlite3_bind_double(statement, index, number)
        case .text(let text):
            var text = text
            return text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    rg_sqlite_bind_text(statement, index, $0.baseAddress, Int32($0.count))
                }
            }
        case .bytes(let bytes):
            return bytes.withUnsafeBytes {
                rg_sqlite_bind_blob(statement, index, $0.baseAddress, Int32($0.count))
            }
        }
    }

    // MARK: Records

    let recordOfRow = "r.id = t.record"
    let recordOfManifest = "r.id = session.manifest"
    let rowsHaveTimes = false

    /// A commit that was refused was rolled back.
    func settleDoubt() -> Bool { false }

    /// Nobody else adds any: the transaction has the file to itself.
    func newRecordRows(_ count: Int) throws(StoreFailure) -> [Int64] {
        let last = try number("SELECT max(id) FROM record") ?? 0
        return (0..<Int64(count)).map { last + 1 + $0 }
    }

    func add(_ records: [RecordRow]) throws(StoreFailure) {
        try add(records.map(\.values), to: "record", RecordRow.columns)
    }

    func add(
        _ rows: [[ReadValue]], to table: String, _ columns: [String]
    ) throws(StoreFailure) {
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        let sql = "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(marks))"
        for row in rows { try run(sql, row) }
    }

    func differing(_ records: [RecordRow]) throws(StoreFailure) -> [Int] {
        var found: [Int] = []
        for (index, record) in records.enumerated() {
            let bodies = try rows(
                "SELECT body FROM record WHERE stream = ? AND seq = ?",
                [.whole(record.stream), .whole(Int64(record.sequence))]
            ) { row throws(StoreFailure) in row.bytes(0) }
            if let first = bodies.first, first != record.body { found.append(index) }
        }
        return found
    }

    /// Pages of one time, so that nobody waits for it. A store that was made before there was retention
    /// gives none back, and uses them itself.
    func giveBack() throws(StoreFailure) {
        _ = try rows("PRAGMA incremental_vacuum(256)", []) { _ in }
    }

    /// Also of the write-ahead log, which ends up empty.
    func rewrite() throws(StoreFailure) {
        try execute("PRAGMA auto_vacuum = INCREMENTAL; VACUUM")
        let isBusy = try number("PRAGMA wal_checkpoint(TRUNCATE)") ?? 1
        guard isBusy == 0 else {
            throw StoreFailure(
                .busy, "write", path, "another program reads it, so its write-ahead log stays",
                remedy: "do it again, or stop the logbook before")
        }
    }

    /// A transaction has the file to itself.
    func holdOthers() {}

    func bytes() throws(StoreFailure) -> Int64 {
        let pages = try number("PRAGMA page_count") ?? 0
        return try pages * (number("PRAGMA page_size") ?? 0)
    }

    func faults() throws(StoreFailure) -> [String] {
        try rows("PRAGMA integrity_check(20)") { row throws(StoreFailure) in row.text(0) ?? "" }
            .filter { $0 != "ok" }
    }

    // MARK: Failures

    func failure(_ code: Int32, _ operation: String) -> StoreFailure {
        failure(code, operation, handle)
    }

    private func closed(_ operation: String) -> StoreFailure {
        StoreFailure(.moved, operation, path, "its file is closed, since it was removed or moved away")
    }

    private func failure(
        _ code: Int32, _ operation: String, _ handle: OpaquePointer?
    ) -> StoreFailure {
        let words = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "no memory"
        switch code & 0xFF {
        case SQLITE_FULL: return StoreFailure(FileTrouble.full, operation, path)
        case SQLITE_BUSY, SQLITE_LOCKED:
            return StoreFailure(
                .busy, operation, path, "another program holds it",
                remedy: "`fuser \(path)` names that program")
        case SQLITE_CORRUPT, SQLITE_NOTADB:
            return StoreFailure(
                .corrupt, operation, path, "it is damaged, or no store (\(words))",
                remedy: "move it away and start again: gateways send anew what they still have; "
                    + "`sqlite3 FILE .recover` reads what is whole in it")
        case SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH, SQLITE_IOERR:
            let trouble = FileTrouble(
                at: path, isWriting: access != .reading,
                code: handle.map { sqlite3_system_errno($0) } ?? 0)
            if let trouble { return StoreFailure(trouble, operation, path) }
            return StoreFailure(code & 0xFF == SQLITE_IOERR ? .ioError : .other, operation, path, words)
        default: return StoreFailure(.other, operation, path, words)
        }
    }
}

struct SQLiteRow: SQLRow {
    fileprivate let statement: OpaquePointer

    func whole(_ column: Int32) -> Int64? {
        isNull(column) ? nil : sqlite3_column_int64(statement, column)
    }

    func decimal(_ column: Int32) -> Double? {
        isNull(column) ? nil : sqlite3_column_double(statement, column)
    }

    func text(_ column: Int32) -> String? {
        sqlite3_column_text(statement, column).map { String(cString: $0) }
    }

    func bytes(_ column: Int32) -> [UInt8] {
        let count = Int(sqlite3_column_bytes(statement, column))
        guard count > 0, let start = sqlite3_column_blob(statement, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    func value(_ column: Int32) -> ReadValue {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: .whole(sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT: .decimal(sqlite3_column_double(statement, column))
        case SQLITE_TEXT: .text(text(column) ?? "")
        case SQLITE_BLOB: .bytes(bytes(column))
        default: .null
        }
    }

    private func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(statement, column) == SQLITE_NULL
    }
}
