import CPostgreSQL

/// A PostgreSQL database as the store uses it. It reconnects, resolves transactions whose outcome is
/// unknown, and uses COPY for bulk data.
final class PostgreSQLDatabase: SQLDatabase {
    let place: String
    /// Makes a connection with the right schema version and the writer lock.
    private let connect: () throws(StoreFailure) -> PostgreSQLConnection
    private var connection: PostgreSQLConnection
    private var partitions = PostgreSQLPartitions()
    private var isInTransaction = false
    /// The transaction whose commit was not answered.
    private var doubt: Int64?

    init(
        _ place: String, _ connect: @escaping () throws(StoreFailure) -> PostgreSQLConnection
    ) throws(StoreFailure) {
        (self.place, self.connect) = (place, connect)
        connection = try connect()
    }

    func close() { connection.close() }

    // MARK: Dialect

    // The time determines the partition.
    let recordOfRow = "r.id = t.record AND r.ts_ms = t.ts_ms"
    let recordOfManifest = "r.id = session.manifest AND r.ts_ms = session.manifest_ms"
    let rowsHaveTimes = true
    let storesAllValues = true

    // MARK: Statements

    func reconnect() throws(StoreFailure) -> Bool {
        guard !isInTransaction, connection.hasEnded else { return false }
        connection.close()
        connection = try connect()
        partitions = PostgreSQLPartitions()
        return true
    }

    func run(_ sql: String, _ values: [SQLValue]) throws(StoreFailure) {
        PQclear(try connection.result(sql, values, "write"))
    }

    func rows<Value>(
        _ sql: String, _ values: [SQLValue],
        _ read: (any SQLRow) throws(StoreFailure) -> Value
    ) throws(StoreFailure) -> [Value] {
        let result = try connection.result(sql, values, "read")
        defer { PQclear(result) }
        var found: [Value] = []
        for row in 0..<PQntuples(result) {
            found.append(try read(PostgreSQLRow(result: result, row: row)))
        }
        return found
    }

    func transaction<Value>(
        _ body: () throws(StoreFailure) -> Value
    ) throws(StoreFailure) -> Value {
        if isInTransaction { return try body() }
        try connection.execute("BEGIN")
        isInTransaction = true
        defer { isInTransaction = false }
        let value: Value
        do throws(StoreFailure) {
            value = try body()
            doubt = try number("SELECT txid_current()")
            try connection.execute("COMMIT")
        } catch {
            partitions = PostgreSQLPartitions()
            if connection.isLost, doubt != nil {
                throw StoreFailure(
                    .inDoubt, error.operation, error.place, error.cause, remedy: error.remedy)
            }
            doubt = nil
            rollBack()
            throw error
        }
        doubt = nil
        return value
    }

    /// A failed rollback changes nothing: the transaction ends with its connection anyway.
    private func rollBack() {
        if connection.isLost { return }
        do throws(StoreFailure) { try connection.execute("ROLLBACK") } catch { connection.close() }
    }

    func resolveUncertainCommit() throws(StoreFailure) -> Bool {
        guard let doubt else { return false }
        do throws(StoreFailure) {
            let status = try rows("SELECT txid_status(?)", [.whole(doubt)]) {
                row throws(StoreFailure) in row.text(0)
            }
            self.doubt = nil
            return status == ["committed"]
        } catch {
            // A replacement server may not know the transaction; its records then show the outcome.
            if connection.isLost { throw error }
            self.doubt = nil
            return false
        }
    }

    // MARK: Records

    func newRecordRows(_ count: Int) throws(StoreFailure) -> [Int64] {
        try rows(
            "SELECT nextval('record_id') FROM generate_series(1, ?::bigint)",
            [.whole(Int64(count))]
        ) { row throws(StoreFailure) in row.whole(0) ?? 0 }
    }

    func add(_ records: [RecordRow]) throws(StoreFailure) {
        try partitions.make(for: records, on: connection)
        let columns = RecordRow.columns.joined(separator: ", ")
        try copy(records.map(\.values), to: "incoming", columns)
        let result = try connection.result(
            "INSERT INTO record (\(columns)) SELECT \(columns) FROM incoming ON CONFLICT DO NOTHING",
            [], "write")
        defer { PQclear(result) }
        guard String(cString: PQcmdTuples(result)) == "\(records.count)" else {
            throw StoreFailure(
                .corrupt, "write", place,
                "it contains records without an entry: another program has written to it",
                remedy: "restore the database from its backup; rowgate-logbook check verifies it")
        }
    }

    func add(
        _ rows: [[SQLValue]], to table: String, _ columns: [String]
    ) throws(StoreFailure) {
        try copy(rows, to: table, columns.joined(separator: ", "))
    }

    private func copy(
        _ rows: [[SQLValue]], to table: String, _ columns: String
    ) throws(StoreFailure) {
        try connection.copy(rows, "COPY \(table) (\(columns)) FROM STDIN (FORMAT binary)")
    }

    /// A repeated record usually has the same time as before, so its partition is known; the others are
    /// searched in all partitions. `OFFSET 0` makes the planner use the index for a few records instead of
    /// reading all.
    func differing(_ records: [RecordRow]) throws(StoreFailure) -> [Int] {
        var rows = records
        for index in rows.indices { rows[index].row = Int64(index) }
        try copy(rows.map(\.values), to: "again", RecordRow.columns.joined(separator: ", "))
        return try self.rows(
            """
            SELECT a.id FROM again a
            LEFT JOIN LATERAL (SELECT r.body FROM record r WHERE r.stream = a.stream
                AND r.seq = a.seq AND r.ts_ms = a.ts_ms OFFSET 0) same ON true
            WHERE CASE WHEN same.body IS NULL THEN EXISTS (SELECT FROM record r
                    WHERE r.stream = a.stream AND r.seq = a.seq OFFSET 0)
                ELSE same.body <> a.body END
            """, []
        ) { row throws(StoreFailure) in Int(row.whole(0) ?? 0) }
    }

    /// Autovacuum does this.
    func releaseFreePages() {}

    /// Rewrites table by table; each is locked meanwhile.
    func rewrite() throws(StoreFailure) {
        let tables = try rows(
            """
            SELECT relname::text FROM pg_class WHERE relkind = 'r' AND relpersistence = 'p'
                AND relnamespace = current_schema()::regnamespace ORDER BY relname
            """, []
        ) { row throws(StoreFailure) in row.text(0) ?? "" }
        for table in tables { try connection.execute("VACUUM (FULL) \(table)") }
    }

    func lockOutWriters() throws(StoreFailure) {
        try connection.execute("LOCK TABLE record IN SHARE ROW EXCLUSIVE MODE")
    }

    func bytes() throws(StoreFailure) -> Int64 {
        try number("SELECT pg_database_size(current_database())") ?? 0
    }

    /// No index prevents a number in two months. The writer's ranges prevent it, and this checks for it.
    func faults() throws(StoreFailure) -> [String] {
        let count = try number(
            """
            SELECT count(*) FROM (SELECT FROM record GROUP BY stream, seq HAVING count(*) > 1) twice
            """)
        return count == 0 ? [] : ["\(count ?? 0) numbers have two records"]
    }
}

/// A row of a result with columns in binary format.
struct PostgreSQLRow: SQLRow {
    /// Must not be cleared while the row is used.
    fileprivate let result: OpaquePointer
    fileprivate let row: Int32

    func whole(_ column: Int32) -> Int64? {
        field(column)?.reduce(into: Int64(0)) { $0 = $0 << 8 | Int64($1) }
    }

    func decimal(_ column: Int32) -> Double? {
        whole(column).map { Double(bitPattern: UInt64(bitPattern: $0)) }
    }

    func text(_ column: Int32) -> String? {
        field(column).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The server compresses long values itself.
    func record(_ column: Int32) -> [UInt8] { bytes(column) }

    func bytes(_ column: Int32) -> [UInt8] { field(column).map { Array($0) } ?? [] }

    func value(_ column: Int32) -> SQLValue {
        guard let field = field(column) else { return .null }
        // Object ids of types, which never change: `pg_type`.
        switch PQftype(result, column) {
        case 20: return whole(column).map { .whole($0) } ?? .null
        case 701: return decimal(column).map { .decimal($0) } ?? .null
        case 17: return .bytes(Array(field))
        default: return .text(String(decoding: field, as: UTF8.self))
        }
    }

    private func field(_ column: Int32) -> UnsafeRawBufferPointer? {
        guard PQgetisnull(result, row, column) == 0 else { return nil }
        return UnsafeRawBufferPointer(
            start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
    }
}
