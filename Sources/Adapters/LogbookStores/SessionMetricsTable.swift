import Contract
import DeliveryProof

/// What the logbook has computed from the records of a session.
///
/// It is stored with the version of the formulas, so that a new program computes it again.
package struct StoredSessionMetrics: Sendable {
    /// The values that a list of many sessions needs.
    package struct Summary: Equatable, Sendable {
        /// Start in Unix milliseconds.
        package var startedAt: Int64
        /// Work time in hundredths of a second, and distance in tenths of a metre.
        package var centiseconds: Int64
        package var decimetres: Int64
        /// The kind of machine; nil if the records do not name it.
        package var machine: String?
        /// The event of which it is a ranked result; nil if it is none.
        package var rankedEvent: String?

        package init(
            startedAt: Int64, centiseconds: Int64, decimetres: Int64, machine: String?, rankedEvent: String?
        ) {
            (self.startedAt, self.centiseconds, self.decimetres) = (startedAt, centiseconds, decimetres)
            (self.machine, self.rankedEvent) = (machine, rankedEvent)
        }
    }

    /// nil for a session without rowing.
    package var summary: Summary?
    /// The workout in notation; empty for a session without a set workout. nil if another session can have the same
    /// workout in other words, as intervals that differ and were not rowed to the end.
    package var workout: String?
    /// All metrics, in the form of the module that computes them; empty for a session without rowing.
    package var body: [UInt8]

    package init(summary: Summary?, workout: String? = nil, body: [UInt8]) {
        (self.summary, self.workout, self.body) = (summary, workout, body)
    }
}

/// The metrics of sessions, at most one row for each session.
///
/// Every change of a session's records, or of its comparison with the manifest, deletes its row in the same
/// transaction. A row that is missing is computed again.
///
/// Uses the table `session_metrics`.
package final class SessionMetricsTable {
    /// A session in a list, with its metrics.
    package struct Entry: Sendable {
        package var name: SessionName
        package var station: StationID
        /// An opaque slug.
        package var athlete: String?
        /// Unix milliseconds: of its first record, and of its end.
        package var firstAt: Int64
        package var endedAt: Int64?
        /// Whether its metrics are stored.
        package var hasMetrics: Bool
        /// nil without metrics, and for a session without rowing.
        package var summary: StoredSessionMetrics.Summary?
    }

    /// A session of an athlete.
    package struct AthleteSession: Sendable {
        package var name: SessionName
        package var station: StationID
        /// Unix milliseconds of its first record.
        package var firstAt: Int64
        /// Empty for a session without rowing; nil if its metrics are not stored.
        package var body: [UInt8]?
        /// Unix milliseconds at which the session before on its erg ended; nil if that is not known, and for a
        /// session without a stored ranked result.
        package var endBefore: Int64?
    }

    private let connection: StoreConnection
    private var database: any SQLDatabase { connection.database }

    init(_ connection: StoreConnection) { self.connection = connection }

    // MARK: Reading

    /// Returns all sessions of an athlete, the newest first.
    package func sessions(
        of athlete: String, version: Int
    ) throws(StoreFailure) -> [AthleteSession] {
        try connection.live().rows(
            """
            SELECT s.gw, s.session_id, s.erg, s.first_ms, m.session, m.body,
                CASE WHEN m.ranked_event IS NOT NULL THEN (
                    SELECT p.ended_ms FROM session p WHERE p.gw = s.gw AND p.erg = s.erg
                        AND (p.first_ms, p.session_id) < (s.first_ms, s.session_id)
                    ORDER BY p.first_ms DESC, p.session_id DESC LIMIT 1) END
            FROM session s LEFT JOIN session_metrics m ON m.session = s.id AND m.version = ?
            WHERE s.athlete_id = \(MergeTable.currentAthlete)
            ORDER BY s.first_ms DESC, s.session_id DESC, s.gw DESC
            """, [.whole(Int64(version)), .text(athlete), .text(athlete)], AthleteSession.init(row:)
        ).compactMap(\.self)
    }

    /// Returns the `body` of a session; nil if it is not stored.
    package func body(of session: SessionName, version: Int) throws(StoreFailure) -> [UInt8]? {
        try connection.live().rows(
            """
            SELECT m.body FROM session s JOIN session_metrics m ON m.session = s.id
            WHERE s.gw = ? AND s.session_id = ? AND m.version = ?
            """, [.text(session.gateway.slug), .text(session.session), .whole(Int64(version))]
        ) { row in row.bytes(0) }.first
    }

    /// Returns the sessions whose first record is in a range of Unix milliseconds, the oldest first.
    package func list(
        version: Int, firstAt range: Range<Int64> = 0..<Int64.max
    ) throws(StoreFailure) -> [Entry] {
        try connection.live().rows(
            """
            SELECT s.gw, s.session_id, s.erg, s.athlete_id, s.ended_ms, m.version,
                m.started_ms, m.centiseconds, m.decimetres, m.machine, m.ranked_event, s.first_ms
            FROM session s LEFT JOIN session_metrics m ON m.session = s.id AND m.version = ?
            WHERE s.first_ms >= ? AND s.first_ms < ?
            ORDER BY s.first_ms, s.session_id, s.gw
            """, [.whole(Int64(version)), .whole(range.lowerBound), .whole(range.upperBound)],
            Entry.init(row:)
        ).compactMap(\.self)
    }

    /// The number of an athlete's sessions without a row of this version.
    package func missingCount(of athlete: String, version: Int) throws(StoreFailure) -> Int {
        let count = try connection.live().number(
            """
            SELECT count(*) FROM session s LEFT JOIN session_metrics m ON m.session = s.id AND m.version = ?
            WHERE s.athlete_id = \(MergeTable.currentAthlete) AND m.session IS NULL
            """, [.whole(Int64(version)), .text(athlete), .text(athlete)])
        return Int(count ?? 0)
    }

    /// Looks at the next `count` sessions after a cursor, the newest first, and returns those without a row of this
    /// version, and the next cursor; nil after the last session.
    package func missing(
        version: Int, after cursor: SessionCursor?, count: Int
    ) throws(StoreFailure) -> (sessions: [SessionName], next: SessionCursor?) {
        let after = cursor.map { _ in "WHERE (s.first_ms, s.session_id, s.gw) < (?, ?, ?)" } ?? ""
        let values: [SQLValue] =
            cursor.map { [.whole($0.firstAt), .text($0.name.session), .text($0.name.gateway.slug)] } ?? []
        let found = try connection.live().rows(
            """
            SELECT s.gw, s.session_id, s.first_ms, m.session
            FROM session s LEFT JOIN session_metrics m ON m.session = s.id AND m.version = ?
            \(after) ORDER BY s.first_ms DESC, s.session_id DESC, s.gw DESC LIMIT ?
            """, [.whole(Int64(version))] + values + [.whole(Int64(count))]
        ) { row in
            SessionName(row).map { name in
                (
                    cursor: SessionCursor(firstAt: row.whole(2) ?? 0, name: name),
                    isMissing: row.whole(3) == nil
                )
            }
        }.compactMap(\.self)
        let missing = found.filter(\.isMissing).map(\.cursor.name)
        return (missing, found.count < count ? nil : found.last?.cursor)
    }

    // MARK: Changing

    /// Stores the metrics of a session, and replaces earlier ones.
    ///
    /// Call it within `atomically`, and compute them there too, so that no record is added meanwhile.
    ///
    /// - Parameter session: as the store has it now.
    package func save(
        _ metrics: StoredSessionMetrics, of session: StoredSession, version: Int
    ) throws(StoreFailure) {
        let key: [SQLValue] = [.text(session.name.gateway.slug), .text(session.name.session)]
        guard let row = try database.number("SELECT id FROM session WHERE gw = ? AND session_id = ?", key)
        else { return }
        try remove(of: [row])
        try database.run(
            """
            INSERT INTO session_metrics (session, version, strokes, foreign_strokes, started_ms, centiseconds,
                decimetres, machine, ranked_event, workout, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .whole(row), .whole(Int64(version)), .whole(Int64(session.strokes)),
                .whole(Int64(session.foreignStrokes)),
            ] + (metrics.summary?.columns ?? Array(repeating: .null, count: 5))
                + [metrics.workout.map { .text($0) } ?? .null, .bytes(metrics.body)])
    }

    /// Deletes the metrics of sessions that change, within the transaction of the change.
    ///
    /// - Parameter rows: of the table `session`.
    func remove(of rows: some Collection<Int64>) throws(StoreFailure) {
        if rows.isEmpty { return }
        let numbers = rows.map { "\($0)" }.joined(separator: ", ")
        try database.run("DELETE FROM session_metrics WHERE session IN (\(numbers))", [])
    }

    /// Like `remove(of:)`, for the session with this name.
    func remove(of name: SessionName) throws(StoreFailure) {
        try database.run(
            "DELETE FROM session_metrics WHERE session = (SELECT id FROM session WHERE gw = ? AND session_id = ?)",
            [.text(name.gateway.slug), .text(name.session)])
    }
}

extension SessionName {
    /// From the columns `gw` and `session_id`, the first two.
    fileprivate init?(_ row: any SQLRow) {
        guard let gateway = row.text(0).flatMap(GatewayID.init), let session = row.text(1) else { return nil }
        self.init(gateway: gateway, session: session)
    }
}

extension StoredSessionMetrics.Summary {
    fileprivate var columns: [SQLValue] {
        [.whole(startedAt), .whole(centiseconds), .whole(decimetres)]
            + [machine, rankedEvent].map { $0.map { .text($0) } ?? .null }
    }
}

extension SessionMetricsTable.Entry {
    fileprivate init?(row: any SQLRow) {
        guard let name = SessionName(row), let station = row.text(2).flatMap(StationID.init) else {
            return nil
        }
        (self.name, self.station, athlete, endedAt) = (name, station, row.text(3), row.whole(4))
        (firstAt, hasMetrics) = (row.whole(11) ?? 0, row.whole(5) != nil)
        summary = row.whole(6).map { startedAt in
            StoredSessionMetrics.Summary(
                startedAt: startedAt, centiseconds: row.whole(7) ?? 0, decimetres: row.whole(8) ?? 0,
                machine: row.text(9), rankedEvent: row.text(10))
        }
    }
}

extension SessionMetricsTable.AthleteSession {
    fileprivate init?(row: any SQLRow) {
        guard let name = SessionName(row), let station = row.text(2).flatMap(StationID.init) else {
            return nil
        }
        (self.name, self.station, firstAt) = (name, station, row.whole(3) ?? 0)
        (body, endBefore) = (row.whole(4) == nil ? nil : row.bytes(5), row.whole(6))
    }
}
