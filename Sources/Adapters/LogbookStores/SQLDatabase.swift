/// A database that SQL is spoken to, on one connection and one queue: what `SQLStore` needs of it, and
/// where databases differ.
///
/// Values stand as `?` in a text, in their order, and never in the text itself.
protocol SQLDatabase: AnyObject {
    /// As messages name it.
    var place: String { get }
    /// What joins `r`, a record, to `t`, a row that was made of it.
    var recordOfRow: String { get }
    /// The same for `session` and its manifest.
    var recordOfManifest: String { get }
    /// Whether a row that was made of a record has its time too, by which the database finds it.
    var rowsHaveTimes: Bool { get }

    /// Comes back to a database that was lost. Whether it did: what is known of it may be of the past.
    func revive() throws(StoreFailure) -> Bool

    /// Carries out one statement.
    func run(_ sql: String, _ values: [ReadValue]) throws(StoreFailure)

    /// What a query brings, row by row.
    func rows<Value>(
        _ sql: String, _ values: [ReadValue],
        _ read: (any SQLRow) throws(StoreFailure) -> Value
    ) throws(StoreFailure) -> [Value]

    /// Runs `body` as one transaction: all of it is durable afterwards, or nothing of it is there.
    ///
    /// A failure that leaves open which of the two it is has the kind `.inDoubt`.
    func transaction<Value>(
        _ body: () throws(StoreFailure) -> Value
    ) throws(StoreFailure) -> Value

    /// Whether the transaction that was left in doubt became durable.
    func settleDoubt() throws(StoreFailure) -> Bool

    /// As many row numbers for records as are to be added in this transaction.
    func newRecordRows(_ count: Int) throws(StoreFailure) -> [Int64]

    /// Adds records that are not there yet, in the columns of `RecordRow`.
    func add(_ records: [RecordRow]) throws(StoreFailure)

    /// Adds rows to any other table, in the order of its columns here.
    func add(
        _ rows: [[ReadValue]], to table: String, _ columns: [String]
    ) throws(StoreFailure)

    /// Indices of the records that are there under the same number with another content.
    func differing(_ records: [RecordRow]) throws(StoreFailure) -> [Int]

    /// Gives some of what was deleted back to the disk, where that can be done bit by bit.
    func giveBack() throws(StoreFailure)

    /// Writes anew what there is, so that nothing of what was deleted is left in its files.
    func rewrite() throws(StoreFailure)

    /// Keeps everybody from adding records until the transaction ends, once those who do are done.
    func holdOthers() throws(StoreFailure)

    /// Bytes on the disk.
    func bytes() throws(StoreFailure) -> Int64

    /// What is wrong inside, in words: the database's own check.
    func faults() throws(StoreFailure) -> [String]

    /// Lets go of it.
    func close()
}

extension SQLDatabase {
    func rows<Value>(
        _ sql: String, _ read: (any SQLRow) throws(StoreFailure) -> Value
    ) throws(StoreFailure) -> [Value] {
        try rows(sql, [], read)
    }

    /// The first column of the first row, as a number; nil where there is none.
    func number(_ sql: String, _ values: [ReadValue] = []) throws(StoreFailure) -> Int64? {
        try rows(sql, values) { row throws(StoreFailure) in row.whole(0) }.first ?? nil
    }
}

/// A row of a query, valid until the next one.
protocol SQLRow {
    /// nil for NULL, as everywhere below.
    func whole(_ column: Int32) -> Int64?
    func decimal(_ column: Int32) -> Double?
    func text(_ column: Int32) -> String?
    /// Empty for NULL.
    func bytes(_ column: Int32) -> [UInt8]
    /// Of whatever type it is.
    func value(_ column: Int32) -> ReadValue
}

extension SQLRow {
    /// As a number that is never below 0; 0 where there is none.
    func natural(_ column: Int32) -> UInt64 { UInt64(clamping: whole(column) ?? 0) }
}

/// A row of the table `record`.
struct RecordRow {
    /// Its own number; 0 where it has none yet.
    var row: Int64 = 0
    /// Of the table `stream`.
    var stream: Int64
    var sequence: UInt64
    /// When it happened, and when it was stored.
    var unixMilliseconds: Int64
    var storedAt: Int64
    /// As published, without `historical`.
    var body: [UInt8]

    static let columns = ["id", "stream", "seq", "ts_ms", "stored_ms", "body"]

    var values: [ReadValue] {
        [
            .whole(row), .whole(stream), .whole(Int64(sequence)), .whole(unixMilliseconds),
            .whole(storedAt), .bytes(body),
        ]
    }
}
