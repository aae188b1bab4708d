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
