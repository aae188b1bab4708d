import Bytes
import CPostgreSQL
import Timeline

/// The monthly partitions of the table `record`. The store creates them for incoming records and for the
/// following month.
///
/// Records with an implausible time, such as 1970 or two years ahead, are in `record_other`. They move if
/// their month is created later.
struct PostgreSQLPartitions {
    /// Partition names; nil until read.
    private var known: Set<String>?

    /// Earlier times come from a clock that was not set.
    private static let first = CivilTime.midnight("2015-01-01") ?? 0
    /// A month, and one more.
    private static let ahead: Int64 = 62 * 86_400_000

    /// Creates the partitions for these records.
    mutating func make(
        for records: [RecordRow], on connection: PostgreSQLConnection
    ) throws(StoreFailure) {
        guard let now = records.first?.storedAt else { return }
        var names: Set<String>
        if let known { names = known } else { names = try Self.existing(connection) }
        var wanted: [String: Month] = [:]
        for time in records.map(\.unixMilliseconds) + [now, now + Self.ahead / 2]
        where time >= Self.first && time < now + Self.ahead {
            let month = Month(of: time)
            wanted[month.partition] = month
        }
        for (name, month) in wanted.sorted(by: { $0.key < $1.key }) where !names.contains(name) {
            try connection.execute(month.statements)
            names.insert(name)
        }
        known = names
    }

    private static func existing(
        _ connection: PostgreSQLConnection
    ) throws(StoreFailure) -> Set<String> {
        let result = try connection.result(
            """
            SELECT c.relname::text FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
            WHERE i.inhparent = 'record'::regclass
            """, [], "read")
        defer { PQclear(result) }
        return Set(
            (0..<PQntuples(result)).map { String(cString: PQgetvalue(result, $0, 0)) })
    }

    /// A calendar month in UTC.
    struct Month: Equatable {
        /// `2026-11`.
        let name: String
        /// Unix milliseconds.
        let times: Range<Int64>

        init(of unixMilliseconds: Int64) {
            let time = CivilTime(unixMilliseconds: unixMilliseconds)
            name = String(time.rfc3339.prefix(7))
            let next =
                time.month == 12
                ? "\(time.year + 1)-01"
                : "\(time.year)-\(time.month < 9 ? "0" : "")\(time.month + 1)"
            times =
                (CivilTime.midnight(name + "-01") ?? 0)..<(CivilTime.midnight(next + "-01") ?? 0)
        }

        /// `record_2026_11`.
        var partition: String { "record_" + name.split(separator: "-").joined(separator: "_") }

        /// Moves existing records of the month into the new partition.
        var statements: String {
            let (first, end) = (times.lowerBound, times.upperBound)
            return """
                CREATE TABLE \(partition) (LIKE record INCLUDING ALL);
                WITH moved AS (DELETE FROM record_other
                    WHERE ts_ms >= \(first) AND ts_ms < \(end) RETURNING *)
                INSERT INTO \(partition) SELECT * FROM moved;
                ALTER TABLE record ATTACH PARTITION \(partition)
                    FOR VALUES FROM (\(first)) TO (\(end));
                """
        }
    }
}

/// Values in PostgreSQL's binary format: fixed-length values with the highest byte first, others unchanged.
///
/// Source: PostgreSQL 15, COPY, "Binary Format"; `pg_proc` names the functions, `int8send` and so on.
enum PostgreSQLCopy {
    /// The signature, no flags, and no extension.
    static let head: [UInt8] =
        Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00] + [UInt8](repeating: 0, count: 8)
    /// Replaces the column count at the end.
    static let end: [UInt8] = [0xFF, 0xFF]

    /// Appends a row: the column count, then each value with its length, -1 for NULL.
    static func append(_ row: [SQLValue], to bytes: inout [UInt8]) {
        append(UInt16(row.count), to: &bytes)
        for value in row {
            guard let field = value.field else {
                append(UInt32.max, to: &bytes)
                continue
            }
            append(UInt32(field.count), to: &bytes)
            bytes += field
        }
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
    }
}

extension SQLValue {
    /// Binary format of `bigint`, `double precision`, `text` and `bytea`; nil for NULL. PostgreSQL texts
    /// cannot contain NUL characters: they are removed here, and remain in the record.
    var field: [UInt8]? {
        switch self {
        case .null: nil
        case .whole(let number): withUnsafeBytes(of: number.bigEndian) { Array($0) }
        case .decimal(let number): withUnsafeBytes(of: number.bitPattern.bigEndian) { Array($0) }
        case .text(let text): text.utf8.filter { $0 != 0 }
        case .bytes(let bytes): bytes
        }
    }
}
