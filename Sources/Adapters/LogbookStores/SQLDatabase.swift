import Contract

/// An SQL database on one connection and one queue: the operations that `SQLStore` needs, and the
/// differences between databases.
///
/// Values are passed separately, as `?` in the text.
protocol SQLDatabase: AnyObject {
    /// The path of the file or the address of the server, for error messages.
    var place: String { get }
    /// Joins `r`, a record, with `t`, a row derived from it.
    var recordOfRow: String { get }
    /// Joins a record with the `session` whose manifest it is.
    var recordOfManifest: String { get }
    /// Whether derived rows also contain the record's time, which the database needs to find it.
    var rowsHaveTimes: Bool { get }

    /// Whether the read tables also have the values of frequent records, for queries that people write. The program
    /// itself reads the records.
    var storesAllValues: Bool { get }

    /// Reconnects to a database that was lost, except during a transaction. Returns whether it did; cached data is
    /// then stale.
    func reconnect() throws(StoreFailure) -> Bool

    /// Executes one statement.
    func run(_ sql: String, _ values: [SQLValue]) throws(StoreFailure)

    /// Returns the rows of a query.
    func rows<Value>(
        _ sql: String, _ values: [SQLValue],
        _ read: (any SQLRow) throws(StoreFailure) -> Value
    ) throws(StoreFailure) -> [Value]

    /// Runs `body` as one transaction: its changes are durable afterwards, or none of them are made.
    ///
    /// A transaction within another one is a part of that one. If the outcome is unknown, the failure has the kind
    /// `.inDoubt`.
    func transaction<Value>(
        _ body: () throws(StoreFailure) -> Value
    ) throws(StoreFailure) -> Value

    /// Whether the transaction with the unknown outcome was committed.
    func resolveUncertainCommit() throws(StoreFailure) -> Bool

    /// Allocates row numbers for the records of this transaction.
    func newRecordRows(_ count: Int) throws(StoreFailure) -> [Int64]

    /// Adds new records, in the columns of `RecordRow`.
    func add(_ records: [RecordRow]) throws(StoreFailure)

    /// Adds rows to another table, with values in the order of `columns`.
    func add(
        _ rows: [[SQLValue]], to table: String, _ columns: [String]
    ) throws(StoreFailure)

    /// Returns the indices of the records whose stream and sequence number are already stored with another body.
    func differing(_ records: [RecordRow]) throws(StoreFailure) -> [Int]

    /// Returns some free pages to the file system, if the database can do so in steps.
    func releaseFreePages() throws(StoreFailure)

    /// Rewrites the database, so that its files contain no deleted data.
    func rewrite() throws(StoreFailure)

    /// Prevents other connections from adding records until the transaction ends; waits for those in
    /// progress.
    func lockOutWriters() throws(StoreFailure)

    /// Bytes on disk.
    func bytes() throws(StoreFailure) -> Int64

    /// Results of the database's own integrity check.
    func faults() throws(StoreFailure) -> [String]

    /// Closes the connection.
    func close()
}

extension SQLDatabase {
    func rows<Value>(
        _ sql: String, _ read: (any SQLRow) throws(StoreFailure) -> Value
    ) throws(StoreFailure) -> [Value] {
        try rows(sql, [], read)
    }

    /// The first column of the first row as a number; nil without a row.
    func number(_ sql: String, _ values: [SQLValue] = []) throws(StoreFailure) -> Int64? {
        try rows(sql, values) { row throws(StoreFailure) in row.whole(0) }.first ?? nil
    }
}

/// A row of a query, valid until the next one is read.
protocol SQLRow {
    /// nil for NULL, as everywhere below.
    func whole(_ column: Int32) -> Int64?
    func decimal(_ column: Int32) -> Double?
    func text(_ column: Int32) -> String?
    /// Empty for NULL.
    func bytes(_ column: Int32) -> [UInt8]
    /// The bytes of a record as published, however they are stored. Empty for NULL.
    func record(_ column: Int32) throws(StoreFailure) -> [UInt8]
    /// With the type in the database.
    func value(_ column: Int32) -> SQLValue
}

extension SQLRow {
    /// Clamped to 0 and above; 0 for NULL.
    func natural(_ column: Int32) -> UInt64 { UInt64(clamping: whole(column) ?? 0) }
}

/// A row of the table `record`.
struct RecordRow {
    /// Row number; 0 before it is assigned.
    var row: Int64 = 0
    /// nil if it is not known; then the record is not compressed.
    var kind: StreamKind?
    /// The session that it names.
    var session: SessionReference?
    /// Row of the table `stream`.
    var stream: Int64
    var sequence: UInt64
    /// Time of the event, and time of storing.
    var unixMilliseconds: Int64
    var storedAt: Int64
    /// As published, without `historical`.
    var body: [UInt8]

    static let columns = ["id", "stream", "seq", "ts_ms", "stored_ms", "body"]

    var values: [SQLValue] { values(storing: body) }

    /// The values of the columns, with `body` as it is stored.
    func values(storing body: [UInt8]) -> [SQLValue] {
        [
            .whole(row), .whole(stream), .whole(Int64(sequence)), .whole(unixMilliseconds),
            .whole(storedAt), .bytes(body),
        ]
    }
}

/// The connection that the tables of a store share.
final class StoreConnection {
    /// Open, and of the newest version. For calls within a transaction; others use `live`.
    let database: any SQLDatabase
    /// Updates cached data after a reconnect, before the next call.
    private var onReconnect: () throws(StoreFailure) -> Void = { () throws(StoreFailure) in }

    init(_ database: any SQLDatabase) { self.database = database }

    /// - Parameter action: called after the connection was restored, or the database was replaced.
    func setReconnectAction(_ action: @escaping () throws(StoreFailure) -> Void) { onReconnect = action }

    /// Returns the database, after reconnecting if needed.
    func live() throws(StoreFailure) -> any SQLDatabase {
        if try database.reconnect() { try onReconnect() }
        return database
    }
}
