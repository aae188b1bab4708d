import CSQLite

/// One connection to a SQLite file.
///
/// Use it on one queue. Statements are prepared once and cached.
final class SQLiteDatabase: SQLDatabase {
    let path: String
    var place: String { path }
    private let access: Access
    /// nil while the file is closed.
    private(set) var handle: OpaquePointer?
    private var statements: [String: OpaquePointer] = [:]
    /// The statements that were prepared so far.
    var preparedStatements: [String] { Array(statements.keys) }
    /// See `SQLiteDatabase+Replacement.swift`.
    var replacement = Replacement()
    private(set) var isInTransaction = false
    /// The dictionaries of the open file.
    private(set) lazy var compression = RecordCompression(of: self)
    /// Held only by the process that stores records.
    private var writerLock: WriterLock?

    /// The mode in which a file is opened.
    enum Access { case readOnly, readWrite, create }

    /// Time limit for the lock of another program.
    private static let patienceMilliseconds: Int32 = 5000

    /// Opens the file, and creates it only with `.create`; reads nothing yet.
    init(_ path: String, for access: Access) throws(StoreFailure) {
        (self.path, self.access) = (path, access)
        try open()
    }

    deinit { closeFile() }

    func open() throws(StoreFailure) {
        var handle: OpaquePointer?
        let flags =
            switch access {
            case .readOnly: SQLITE_OPEN_READONLY
            case .readWrite: SQLITE_OPEN_READWRITE
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        let code = sqlite3_open_v2(
            path, &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, let handle else {
            let failure = failure(code, "open", handle)
            sqlite3_close_v2(handle)
            throw failure
        }
        self.handle = handle
        compression = RecordCompression(of: self)
        sqlite3_busy_timeout(handle, Self.patienceMilliseconds)
    }

    /// Prevents other processes from storing records in the file until it is closed. If another process
    /// does already, throws `.busy` with its process id.
    ///
    /// Call it before reading: closing the descriptor of a failed lock would release SQLite's own locks.
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
        // Last, because closing this descriptor releases SQLite's own locks.
        writerLock?.release()
        writerLock = nil
    }

    // MARK: Statements

    /// Executes several statements without values, such as a migration.
    func execute(_ sql: String, _ operation: String = "write") throws(StoreFailure) {
        guard let handle else { throw closed(operation) }
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code, operation) }
    }

    func run(_ sql: String, _ values: [SQLValue]) throws(StoreFailure) {
        let statement = try prepared(sql, values, "write")
        defer { sqlite3_reset(statement) }
        let code = sqlite3_step(statement)
        guard code == SQLITE_DONE || code == SQLITE_ROW else { throw failure(code, "write") }
    }

    func rows<Value>(
        _ sql: String, _ values: [SQLValue],
        _ read: (any SQLRow) throws(StoreFailure) -> Value
    ) throws(StoreFailure) -> [Value] {
        let statement = try prepared(sql, values, "read")
        defer { sqlite3_reset(statement) }
        var found: [Value] = []
        let records = SQLiteRow.Records(compression)
        while true {
            let code = sqlite3_step(statement)
            if code == SQLITE_DONE { return found }
            guard code == SQLITE_ROW else { throw failure(code, "read") }
            found.append(try read(SQLiteRow(statement: statement, records: records)))
        }
    }

    func transaction<Value>(
        _ body: () throws(StoreFailure) -> Value
    ) throws(StoreFailure) -> Value {
        if isInTransaction { return try body() }
        try execute("BEGIN IMMEDIATE")
        isInTransaction = true
        defer { isInTransaction = false }
        do throws(StoreFailure) {
            let value = try body()
            try execute("COMMIT")
            return value
        } catch {
            // After a full disk, SQLite has rolled back already; the first failure is the one to report.
            if let handle, sqlite3_get_autocommit(handle) == 0 {
                sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
            }
            throw error
        }
    }

    private func prepared(
        _ sql: String, _ values: [SQLValue], _ operation: String
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
        _ value: SQLValue, to statement: OpaquePointer, at index: Int32
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
    /// They would need more space than the compressed records.
    let storesAllValues = false

    /// Returns false: a failed commit was rolled back, so its outcome is never uncertain.
    func resolveUncertainCommit() -> Bool { false }

    /// The transaction has exclusive access, so no other connection adds records.
    func newRecordRows(_ count: Int) throws(StoreFailure) -> [Int64] {
        let last = try number("SELECT max(id) FROM record") ?? 0
        return (0..<Int64(count)).map { last + 1 + $0 }
    }

    /// The number of records stored since a moment. Rows are in the order of storing, unless the clock was set back.
    func rowsStored(since unixMilliseconds: Int64) throws(StoreFailure) -> Int64 {
        var (low, high) = (Int64(0), try number("SELECT max(id) FROM record") ?? 0)
        while low < high {
            let middle = (low + high + 1) / 2
            let next = "SELECT stored_ms FROM record WHERE id >= ? ORDER BY id LIMIT 1"
            let storedAt = try number(next, [.whole(middle)]) ?? .max
            if storedAt < unixMilliseconds { low = middle } else { high = middle - 1 }
        }
        return try number("SELECT count(*) FROM record WHERE id > ?", [.whole(low)]) ?? 0
    }

    func add(_ records: [RecordRow]) throws(StoreFailure) {
        try compression.reloadIfChanged()
        var rows: [[SQLValue]] = []
        for record in records {
            rows.append(
                record.values(storing: compression.stored(record.body, of: record.kind, in: record.session)))
        }
        try add(rows, to: "record", RecordRow.columns)
    }

    func add(
        _ rows: [[SQLValue]], to table: String, _ columns: [String]
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
            ) { row throws(StoreFailure) in try row.record(0) }
            if let first = bodies.first, first != record.body { found.append(index) }
        }
        return found
    }

    /// Releases a limited number of pages, so that the call is short. Stores from before retention existed
    /// release none and reuse the pages themselves.
    func releaseFreePages() throws(StoreFailure) {
        _ = try rows("PRAGMA incremental_vacuum(256)", []) { _ in }
    }

    /// Also empties the write-ahead log.
    func rewrite() throws(StoreFailure) {
        try execute("PRAGMA auto_vacuum = INCREMENTAL; VACUUM")
        let isBusy = try number("PRAGMA wal_checkpoint(TRUNCATE)") ?? 1
        guard isBusy == 0 else {
            throw StoreFailure(
                .busy, "write", path, "another program reads it, so its write-ahead log cannot be removed",
                remedy: "repeat the command, or stop the logbook first")
        }
    }

    /// A transaction has exclusive access to the file.
    func lockOutWriters() {}

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
        StoreFailure(.moved, operation, path, "its file is closed, because it was removed or moved")
    }

    private func failure(
        _ code: Int32, _ operation: String, _ handle: OpaquePointer?
    ) -> StoreFailure {
        let message = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "no memory"
        switch code & 0xFF {
        case SQLITE_FULL: return StoreFailure(FileDiagnosis.full, operation, path)
        case SQLITE_BUSY, SQLITE_LOCKED:
            return StoreFailure(
                .busy, operation, path, "another program has locked it",
                remedy: "`fuser \(path)` shows that program")
        case SQLITE_CORRUPT, SQLITE_NOTADB:
            return StoreFailure(
                .corrupt, operation, path, "it is damaged, or not a store (\(message))",
                remedy: "move it away and restart: gateways send their records again; "
                    + "`sqlite3 FILE .recover` reads the intact data in it")
        case SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH, SQLITE_IOERR:
            let trouble = FileDiagnosis(
                at: path, isWriting: access != .readOnly,
                code: handle.map { sqlite3_system_errno($0) } ?? 0)
            if let trouble { return StoreFailure(trouble, operation, path) }
            return StoreFailure(code & 0xFF == SQLITE_IOERR ? .ioError : .other, operation, path, message)
        default: return StoreFailure(.other, operation, path, message)
        }
    }
}

struct SQLiteRow: SQLRow {
    fileprivate let statement: OpaquePointer
    fileprivate let records: Records

    /// Restores the records of a query.
    fileprivate final class Records {
        let compression: RecordCompression
        /// Rows of sessions may be deleted and used again, so it is not kept after the query.
        var lastSession: SessionReference?

        init(_ compression: RecordCompression) { self.compression = compression }
    }

    func record(_ column: Int32) throws(StoreFailure) -> [UInt8] {
        try records.compression.published(bytes(column), &records.lastSession)
    }

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

    func value(_ column: Int32) -> SQLValue {
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
