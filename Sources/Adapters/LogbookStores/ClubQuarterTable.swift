/// 91 days, about a quarter of a year, counted from the beginning of 1970 in UTC.
package struct ClubQuarter: Hashable, Sendable {
    /// Of one quarter.
    static let milliseconds: Int64 = 91 * 86_400_000

    package let number: Int64

    package init(number: Int64) { self.number = number }

    /// - Parameter unixMilliseconds: an instant in it.
    package init(of unixMilliseconds: Int64) { number = unixMilliseconds / Self.milliseconds }

    /// Its instants in Unix milliseconds.
    package var instants: Range<Int64> { number * Self.milliseconds..<(number + 1) * Self.milliseconds }
}

/// What the statistics of the club need of the sessions whose first record is in a quarter, at most one row for each
/// quarter.
///
/// The triggers of `ClubQuarterMigration` delete the row when one of its sessions changes or a session is added, in the
/// transaction of the change. A row that is missing is computed again.
///
/// Uses the table `club_quarter`.
package final class ClubQuarterTable {
    package struct Row: Sendable {
        package var quarter: ClubQuarter
        /// The days of its first and last session, counted from 1970-01-01; nil if no session of it counts.
        package var days: ClosedRange<Int64>?
        /// All sessions, in the form of the module that computes them.
        package var sessions: [UInt8]
        /// Those of them that statistics of other seasons need, in the same form.
        package var selected: [UInt8]

        package init(
            _ quarter: ClubQuarter, days: ClosedRange<Int64>?, sessions: [UInt8], selected: [UInt8]
        ) {
            (self.quarter, self.days, self.sessions, self.selected) = (quarter, days, sessions, selected)
        }
    }

    private let connection: StoreConnection

    init(_ connection: StoreConnection) { self.connection = connection }

    /// Returns the sessions of each stored quarter: all of a quarter with a session in `days`, and the selected ones of
    /// the others.
    ///
    /// - Parameters:
    ///   - version: of the formulas and of the club's calendar.
    ///   - days: counted from 1970-01-01.
    package func sessions(
        version: String, in days: ClosedRange<Int64>
    ) throws(StoreFailure) -> [ClubQuarter: [UInt8]] {
        let found = try connection.live().rows(
            """
            SELECT quarter, CASE WHEN first_day <= ? AND last_day >= ? THEN sessions ELSE selected END
            FROM club_quarter WHERE version = ?
            """, [.whole(days.upperBound), .whole(days.lowerBound), .text(version)]
        ) { row in (ClubQuarter(number: row.whole(0) ?? 0), row.bytes(1)) }
        return Dictionary(found, uniquingKeysWith: { first, _ in first })
    }

    /// The stored quarters.
    package func quarters(version: String) throws(StoreFailure) -> Set<ClubQuarter> {
        Set(
            try connection.live().rows(
                "SELECT quarter FROM club_quarter WHERE version = ?", [.text(version)]
            ) { row in ClubQuarter(number: row.whole(0) ?? 0) })
    }

    /// The quarters that have sessions, in order.
    package func quartersWithSessions() throws(StoreFailure) -> [ClubQuarter] {
        let database = try connection.live()
        var (found, next): ([ClubQuarter], Int64) = ([], .min)
        while let first = try database.number(
            "SELECT min(first_ms) FROM session WHERE first_ms >= ?", [.whole(next)])
        {
            let quarter = ClubQuarter(of: first)
            found.append(quarter)
            next = quarter.instants.upperBound
        }
        return found
    }

    /// Stores a quarter, and replaces the stored one.
    ///
    /// Call it within `atomically`, and compute the row there too, so that no session changes meanwhile.
    package func save(_ row: Row, version: String) throws(StoreFailure) {
        let database = try connection.live()
        try database.run("DELETE FROM club_quarter WHERE quarter = ?", [.whole(row.quarter.number)])
        try database.run(
            """
            INSERT INTO club_quarter (quarter, version, first_day, last_day, sessions, selected)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            [
                .whole(row.quarter.number), .text(version), row.days.map { .whole($0.lowerBound) } ?? .null,
                row.days.map { .whole($0.upperBound) } ?? .null, .bytes(row.sessions), .bytes(row.selected),
            ])
    }
}

/// The table of `ClubQuarterTable`, and the triggers that delete its rows.
///
/// A session also counts for the quarter after its own: whether the first piece there began with a turning flywheel
/// depends on the session before it.
enum ClubQuarterMigration {
    /// In the language of SQLite.
    static let table = """
        CREATE TABLE club_quarter (
            quarter INTEGER PRIMARY KEY, version TEXT NOT NULL, first_day INTEGER, last_day INTEGER,
            sessions BLOB NOT NULL, selected BLOB NOT NULL);
        """

    static let sqlite =
        table + """

            CREATE TRIGGER club_quarter_session_added AFTER INSERT ON session BEGIN \(remove("NEW")) END;
            CREATE TRIGGER club_quarter_session_removed AFTER DELETE ON session BEGIN \(remove("OLD")) END;
            CREATE TRIGGER club_quarter_session_changed AFTER UPDATE OF \(columns.joined(separator: ", ")) ON session
                WHEN \(values("OLD")) IS NOT \(values("NEW"))
                BEGIN \(remove("OLD")) \(remove("NEW")) END;
            CREATE TRIGGER club_quarter_metrics_added AFTER INSERT ON session_metrics
                BEGIN \(removeOfMetrics("NEW")) END;
            CREATE TRIGGER club_quarter_metrics_removed AFTER DELETE ON session_metrics
                BEGIN \(removeOfMetrics("OLD")) END;
            """

    static let postgreSQLTriggers =
        function("club_quarter_remove", remove) + function("club_quarter_remove_of_metrics", removeOfMetrics)
            + """
            CREATE TRIGGER club_quarter_session_set AFTER INSERT OR DELETE ON session
                FOR EACH ROW EXECUTE FUNCTION club_quarter_remove();
            CREATE TRIGGER club_quarter_session_changed AFTER UPDATE OF \(columns.joined(separator: ", ")) ON session
                FOR EACH ROW WHEN (\(values("OLD")) IS DISTINCT FROM \(values("NEW")))
                EXECUTE FUNCTION club_quarter_remove();
            CREATE TRIGGER club_quarter_metrics AFTER INSERT OR DELETE ON session_metrics
                FOR EACH ROW EXECUTE FUNCTION club_quarter_remove_of_metrics();

            """

    /// What changes the place of a session in the statistics.
    private static let columns = ["athlete_id", "erg", "first_ms", "ended_ms"]

    private static func values(_ row: String) -> String {
        "(" + columns.map { "\(row).\($0)" }.joined(separator: ", ") + ")"
    }

    /// A function of PostgreSQL for the triggers of a table.
    private static func function(_ name: String, _ remove: (String) -> String) -> String {
        """
        CREATE FUNCTION \(name)() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF TG_OP <> 'INSERT' THEN \(remove("OLD")) END IF;
            IF TG_OP <> 'DELETE' THEN \(remove("NEW")) END IF;
            RETURN NULL;
        END $$;

        """
    }

    private static func remove(_ row: String) -> String {
        """
        DELETE FROM club_quarter WHERE quarter IN (
            \(row).first_ms / \(ClubQuarter.milliseconds), \(row).first_ms / \(ClubQuarter.milliseconds) + 1);
        """
    }

    private static func removeOfMetrics(_ row: String) -> String {
        """
        DELETE FROM club_quarter WHERE quarter IN (
            SELECT s.first_ms / \(ClubQuarter.milliseconds) + n.later
            FROM session s CROSS JOIN (SELECT 0 AS later UNION ALL SELECT 1) n WHERE s.id = \(row).session);
        """
    }
}
