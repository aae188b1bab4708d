import Contract
import DeliveryProof

/// The sessions, one row each, updated from the records that name them.
///
/// Uses the table `session`.
final class SessionTable {
    private let connection: StoreConnection
    private var database: any SQLDatabase { connection.database }

    init(_ connection: StoreConnection) { self.connection = connection }

    // MARK: Reading

    func sessions(_ filter: SessionFilter) throws(StoreFailure) -> [StoredSession] {
        let (condition, values) = filter.condition
        let order = "ORDER BY first_ms DESC, session_id DESC, gw DESC"
        let database = try connection.live()
        // The metrics of a session have its counts. Otherwise strokes are counted, only for the listed sessions. Most
        // have as many as their manifest names and no foreign ones; only the others need a look at each stroke.
        let found = try database.rows(
            """
            SELECT gw, session_id, erg, athlete_id, first_ms, started_ms, ended_ms,
                workout, distance_m, result_time_s,
                CASE WHEN own_strokes IS NOT NULL THEN own_strokes
                    WHEN stroke_count IS NULL OR (state = 'verified' AND stored = stroke_count)
                    THEN stored
                    ELSE (SELECT count(*) FROM stroke t
                        JOIN record r ON \(database.recordOfRow) JOIN stream s ON s.id = r.stream
                        WHERE t.session = session.id AND \(SessionMembership.condition))
                    END,
                state, thinned, stored, machine_type, avg_pace_s_per_500m, is_corrected
            FROM (SELECT found.*, m.strokes AS own_strokes,
                    CASE WHEN m.session IS NOT NULL THEN m.strokes + m.foreign_strokes
                        ELSE (SELECT count(*) FROM stroke WHERE stroke.session = found.id) END AS stored
                FROM (SELECT * FROM session \(condition) \(order) LIMIT ?) found
                LEFT JOIN session_metrics m ON m.session = found.id) session
            \(order)
            """, values + [.whole(Int64(filter.limit))], StoredSession.init(row:))
        return found.compactMap { $0 }
    }

    func athletes(
        after slug: String?, limit: Int
    ) throws(StoreFailure) -> [StoredAthlete] {
        try connection.live().rows(
            """
            SELECT athlete_id, count(*), min(first_ms), max(first_ms) FROM session
            WHERE athlete_id > ? GROUP BY athlete_id ORDER BY athlete_id LIMIT ?
            """, [.text(slug ?? ""), .whole(Int64(limit))], StoredAthlete.init(row:))
    }

    func athlete(_ slug: String) throws(StoreFailure) -> StoredAthlete? {
        try connection.live().rows(
            """
            SELECT athlete_id, count(*), min(first_ms), max(first_ms) FROM session
            WHERE athlete_id = ? GROUP BY athlete_id
            """, [.text(slug)], StoredAthlete.init(row:)
        ).first
    }

    func session(
        before cursor: SessionCursor, at station: StationID
    ) throws(StoreFailure) -> EarlierSession? {
        let gateway = cursor.name.gateway
        return try connection.live().rows(
            """
            SELECT session_id, ended_ms FROM session
            WHERE gw = ? AND erg = ? AND (first_ms, session_id) < (?, ?)
            ORDER BY first_ms DESC, session_id DESC LIMIT 1
            """,
            [
                .text(gateway.slug), .text(station.slug), .whole(cursor.firstAt),
                .text(cursor.name.session),
            ]
        ) { row in
            EarlierSession(
                name: SessionName(gateway: gateway, session: row.text(0) ?? ""), endedAt: row.whole(1))
        }.first
    }

    func sessions(named session: String) throws(StoreFailure) -> [SessionName] {
        let found = try connection.live().rows(
            "SELECT gw FROM session WHERE session_id = ? ORDER BY gw", [.text(session)]
        ) { $0.text(0).flatMap { GatewayID($0) } }
        return found.compactMap(\.self).map { SessionName(gateway: $0, session: session) }
    }

    // MARK: Changing, within a transaction of the caller

    /// Returns the session's row; the first record that names the session creates it.
    ///
    /// - Parameter known: rows that this transaction has found so far.
    func row(
        of name: SessionName, creatingFrom record: ValidatedRecord, _ known: inout [SessionName: Int64]
    ) throws(StoreFailure) -> Int64 {
        if let row = known[name] { return row }
        let key: [SQLValue] = [.text(name.gateway.slug), .text(name.session)]
        let find = "SELECT id FROM session WHERE gw = ? AND session_id = ?"
        var row = try database.number(find, key)
        if row == nil {
            row = try database.number(
                """
                INSERT INTO session (gw, session_id, erg, first_ms) VALUES (?, ?, ?, ?)
                RETURNING id
                """,
                key + [
                    .text(record.stream.stream.station?.slug ?? ""),
                    .whole(record.unixMilliseconds),
                ])
        }
        known[name] = row
        return row ?? 0
    }

    /// Updates the session's row from a record.
    ///
    /// The result does not depend on the order of records. A summary replaces values of the begin and end
    /// records, and a later revision replaces an earlier one. Otherwise the first value stays. A manifest
    /// makes an open session `missing` until it is compared with its manifest.
    func update(
        _ session: Int64, from record: ValidatedRecord, _ row: Int64
    ) throws(StoreFailure) {
        let kind = record.stream.stream.kind
        let isSummary = kind == .summary
        func merged(_ column: String) -> String {
            isSummary ? "coalesce(?, \(column))" : "coalesce(\(column), ?)"
        }
        var (sets, values): ([String], [SQLValue]) = ([], [])
        for (column, value) in zip(ReadingTable.of(kind).rowColumns(of: kind), record.columnValues()) {
            guard column == "athlete_id" else {
                sets.append("\(column) = \(merged(column))")
                values.append(value)
                continue
            }
            // The athlete of a correction stays; the recorded one is stored beside it. `resolveAthletes`
            // replaces a merged athlete afterwards.
            let named = "coalesce(merged_athlete_id, athlete_id)"
            sets.append("athlete_id = CASE is_corrected WHEN 0 THEN \(merged(named)) ELSE athlete_id END")
            sets.append("merged_athlete_id = CASE is_corrected WHEN 0 THEN NULL ELSE merged_athlete_id END")
            let recorded = "recorded_athlete_id"
            sets.append("\(recorded) = CASE is_corrected WHEN 0 THEN NULL ELSE \(merged(recorded)) END")
            values += [value, value]
        }
        let time = SQLValue.whole(record.unixMilliseconds)
        sets.append("first_ms = CASE WHEN first_ms > ? THEN ? ELSE first_ms END")
        values += [time, time]
        if kind == .session, record.value("event") == .text("ended") {
            sets.append("ended_ms = coalesce(ended_ms, ?)")
            values.append(time)
        }
        if kind == .manifest {
            sets.append("manifest = coalesce(manifest, ?)")
            values.append(.whole(row))
            if database.rowsHaveTimes {
                sets.append("manifest_ms = coalesce(manifest_ms, ?)")
                values.append(time)
            }
            sets.append("state = CASE state WHEN 'open' THEN 'missing' ELSE state END")
            // The first record that named the session may come from another erg.
            sets.append("erg = CASE WHEN manifest IS NULL THEN ? ELSE erg END")
            values.append(.text(record.stream.stream.station?.slug ?? ""))
        }
        var condition = "id = ?"
        values.append(.whole(session))
        if isSummary {
            condition += " AND coalesce(revision, 0) <= ?"
            values.append(record.value("revision"))
        }
        try database.run(
            "UPDATE session SET \(sets.joined(separator: ", ")) WHERE \(condition)", values)
    }

    /// Replaces merged athlete ids of sessions, which then count for the kept athletes.
    func resolveAthletes(of sessions: Set<Int64>) throws(StoreFailure) {
        for session in sessions.sorted() {
            try MergeTable.resolveAthletes("id = ?", [.whole(session)], database)
        }
    }

    func set(_ state: SessionState, of name: SessionName) throws(StoreFailure) {
        try database.run(
            "UPDATE session SET state = ? WHERE gw = ? AND session_id = ?",
            [.text(state.rawValue), .text(name.gateway.slug), .text(name.session)])
    }

    /// Returns the sessions that have a manifest.
    func withManifest(
        _ sessions: [SessionName: Int64]
    ) throws(StoreFailure) -> Set<SessionName> {
        var found: Set<SessionName> = []
        for (name, row) in sessions {
            let manifest = try database.number(
                "SELECT manifest FROM session WHERE id = ?", [.whole(row)])
            if manifest != nil { found.insert(name) }
        }
        return found
    }
}

extension SessionFilter {
    /// The WHERE clause and its values.
    fileprivate var condition: (text: String, values: [SQLValue]) {
        var conditions: [String] = []
        var values: [SQLValue] = []
        func add(_ condition: String, _ more: SQLValue...) {
            conditions.append(condition)
            values += more
        }
        if let gateway { add("gw = ?", .text(gateway.slug)) }
        if let session { add("session_id = ?", .text(session)) }
        if let station { add("erg = ?", .text(station.slug)) }
        if let athlete { add("athlete_id = \(MergeTable.currentAthlete)", .text(athlete), .text(athlete)) }
        if hasNoAthlete { add("athlete_id IS NULL") }
        if let times {
            add(
                "first_ms >= ? AND first_ms < ?", .whole(times.lowerBound),
                .whole(times.upperBound))
        }
        if let after {
            add(
                "(first_ms, session_id, gw) < (?, ?, ?)", .whole(after.firstAt),
                .text(after.name.session), .text(after.name.gateway.slug))
        }
        if let workout {
            add(
                """
                NOT EXISTS (SELECT 1 FROM session_metrics m
                    WHERE m.session = session.id AND m.version = ? AND m.workout <> ?)
                """, .whole(Int64(workout.version)), .text(workout.notation))
        }
        if let states {
            // Our own words, without quotes in them.
            let words = states.map { "'\($0.rawValue)'" }.sorted().joined(separator: ", ")
            add("state IN (\(words))")
        }
        return (conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND "), values)
    }
}

extension StoredSession {
    fileprivate init?(row: any SQLRow) {
        guard let gateway = row.text(0).flatMap(GatewayID.init), let session = row.text(1),
            let station = row.text(2).flatMap(StationID.init),
            let state = row.text(11).flatMap(SessionState.init)
        else { return nil }
        self.init(
            name: SessionName(gateway: gateway, session: session), station: station,
            athlete: row.text(3), firstAt: row.whole(4) ?? 0, startedAt: row.whole(5),
            endedAt: row.whole(6), workout: row.text(7), machineType: row.text(14),
            distance: row.decimal(8), resultTime: row.decimal(9), averagePace: row.decimal(15),
            strokes: Int(row.whole(10) ?? 0),
            foreignStrokes: Int((row.whole(13) ?? 0) - (row.whole(10) ?? 0)), state: state,
            isThinned: row.whole(12) == 1, isCorrected: row.whole(16) == 1)
    }
}

extension StoredAthlete {
    fileprivate init(row: any SQLRow) {
        self.init(
            slug: row.text(0) ?? "", sessions: Int(row.whole(1) ?? 0), firstAt: row.whole(2) ?? 0,
            lastAt: row.whole(3) ?? 0)
    }
}

/// Defines which stroke records belong to the session that they name: records of its erg with numbers from
/// the manifest's `stroke_first_seq` to `stroke_last_seq`; all before a manifest arrives.
///
/// The others are foreign: stored and counted, but omitted from the session's strokes.
/// `ManifestClaim.includes` has the same rule for numbers.
enum SessionMembership {
    /// SQL condition for a record `r` of a stream `s` and its `session`.
    static let condition = """
        (session.stroke_count IS NULL OR (s.erg = session.erg
            AND r.seq BETWEEN session.stroke_first_seq AND session.stroke_last_seq))
        """
}
