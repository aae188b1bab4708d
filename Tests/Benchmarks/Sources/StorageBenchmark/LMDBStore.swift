import CLMDB

/// A B+ tree by record number, synced at every commit.
final class LMDBStore: RecordStore {
    private var environment: OpaquePointer?
    private var transaction: OpaquePointer?
    private var database: MDB_dbi = 0
    private var next: UInt64 = 1
    /// Before all records, which count from 1.
    private let cursorKey: UInt64 = 0

    init(path: String, capacity: Int) throws {
        try check(mdb_env_create(&environment))
        try check(mdb_env_set_mapsize(environment, capacity * 8))
        try check(mdb_env_open(environment, path, UInt32(MDB_NOSUBDIR), 0o640))
        try begin()
        try check(mdb_dbi_open(transaction, nil, 0, &database))
        try put(cursorKey, withUnsafeBytes(of: next) { Array($0) }, flags: 0)
        try check(mdb_txn_commit(transaction))
        transaction = nil
    }

    deinit {
        if let transaction { mdb_txn_abort(transaction) }
        mdb_env_close(environment)
    }

    func append(_ record: [UInt8]) throws {
        if transaction == nil { try begin() }
        try put(next, record, flags: MDB_APPEND)
        next += 1
    }

    func commit() throws {
        try put(cursorKey, withUnsafeBytes(of: next) { Array($0) }, flags: 0)
        try check(mdb_txn_commit(transaction))
        transaction = nil
    }

    func readAll() throws -> Int {
        try begin()
        defer {
            mdb_txn_abort(transaction)
            transaction = nil
        }
        var cursor: OpaquePointer?
        try check(mdb_cursor_open(transaction, database, &cursor))
        defer { mdb_cursor_close(cursor) }
        var bytes = 0
        var (key, value) = (MDB_val(), MDB_val())
        try check(mdb_cursor_get(cursor, &key, &value, MDB_FIRST))
        while mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == MDB_SUCCESS {
            bytes +=
                Array(
                    UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
                ).count
        }
        return bytes
    }

    private func begin() throws { try check(mdb_txn_begin(environment, nil, 0, &transaction)) }

    private func put(_ number: UInt64, _ record: [UInt8], flags: Int32) throws {
        var key = number.bigEndian
        try withUnsafeMutableBytes(of: &key) { keyBytes in
            try record.withUnsafeBytes { bytes in
                var name = MDB_val(mv_size: keyBytes.count, mv_data: keyBytes.baseAddress)
                var value = MDB_val(
                    mv_size: bytes.count,
                    mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
                try check(mdb_put(transaction, database, &name, &value, UInt32(flags)))
            }
        }
    }

    private func check(_ result: Int32) throws {
        if result != MDB_SUCCESS {
            throw StoreFailure(description: "lmdb: " + String(cString: mdb_strerror(result)))
        }
    }
}
