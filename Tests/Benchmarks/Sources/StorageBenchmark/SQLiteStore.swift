import CSQLite

/// A table of blobs in a write-ahead log; how far a reader has come is a row of another.
class SQLiteStore: RecordStore {
    class var synchronous: String { "FULL" }

    private var database: OpaquePointer?
    private var insert: OpaquePointer?
    private var isInTransaction = false

    required init(path: String, capacity: Int) throws {
        try check(sqlite3_open(path, &database))
        try run("PRAGMA journal_mode=WAL")
        try run("PRAGMA synchronous=\(Self.synchronous)")
        try run("CREATE TABLE IF NOT EXISTS record(id INTEGER PRIMARY KEY, bytes BLOB NOT NULL)")
        try run("CREATE TABLE IF NOT EXISTS cursor(one INTEGER PRIMARY KEY, id INTEGER)")
        let text = "INSERT INTO record(bytes) VALUES(?)"
        try check(sqlite3_prepare_v2(database, text, -1, &insert, nil))
    }

    deinit {
        sqlite3_finalize(insert)
        sqlite3_close(database)
    }

    func append(_ record: [UInt8]) throws {
        if !isInTransaction { try run("BEGIN") }
        isInTransaction = true
        try record.withUnsafeBytes { bytes in
            // No destructor: SQLITE_STATIC.
            try check(sqlite3_bind_blob(insert, 1, bytes.baseAddress, Int32(bytes.count), nil))
            guard sqlite3_step(insert) == SQLITE_DONE else { throw failure }
        }
        try check(sqlite3_reset(insert))
    }

    func commit() throws {
        try run("INSERT OR REPLACE INTO cursor VALUES(1, (SELECT max(id) FROM record))")
        try run("COMMIT")
        isInTransaction = false
    }

    func readAll() throws -> Int {
        var select: OpaquePointer?
        let text = "SELECT bytes FROM record ORDER BY id"
        try check(sqlite3_prepare_v2(database, text, -1, &select, nil))
        defer { sqlite3_finalize(select) }
        var bytes = 0
        while sqlite3_step(select) == SQLITE_ROW {
            let count = Int(sqlite3_column_bytes(select, 0))
            // A copy, as a publisher needs it.
            bytes +=
                Array(
                    UnsafeRawBufferPointer(start: sqlite3_column_blob(select, 0), count: count)
                ).count
        }
        return bytes
    }

    private func run(_ text: String) throws {
        try check(sqlite3_exec(database, text, nil, nil, nil))
    }

    private func check(_ result: Int32) throws {
        if result != SQLITE_OK { throw failure }
    }

    private var failure: StoreFailure {
        StoreFailure(description: "sqlite: " + String(cString: sqlite3_errmsg(database)))
    }
}

/// Syncs at checkpoints alone: a power cut takes the transactions since the last one.
final class NormalSQLiteStore: SQLiteStore {
    override class var synchronous: String { "NORMAL" }
}
