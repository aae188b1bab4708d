import Bytes
import Contract

/// Permanently removes an athlete's data from a store, even while a logbook writes to it, together with the data of
/// all ids that were merged into the athlete.
///
/// The data includes the records that name the athlete, and records of the athlete's sessions without a
/// name, as at a gateway (`AthleteErasure`). Alerts of other athletes that they acknowledged stay without
/// the name. After the first step no data of the athlete is stored any more. The last step rewrites the
/// store, because deleted data stays in database files until it is overwritten.
package final class StoreErasure {
    /// The amount of data that was erased.
    package struct Outcome: Equatable, Sendable {
        package var records = 0
        package var sessions = 0
        /// Alerts of other athletes that they had acknowledged.
        package var acknowledgements = 0
        /// The gateways that recorded their sessions and still have the records in their rings.
        package var gateways: [GatewayID] = []

        package init() {}
    }

    private struct Session {
        let row: Int64
        let name: SessionName
        /// Whether it counts for the athlete by a correction. Then its records name another athlete, and are
        /// erased too.
        let isTheirsByCorrection: Bool
    }

    /// Records per step.
    private static let step = 200
    /// Tables whose rows may name an athlete and do name a session.
    private static let naming: [StreamKind] = [.stroke, .split, .alert, .rollup]

    private let store: SQLStore
    /// The athlete's id, and the ids that were merged into it.
    private let ids: [String]
    private var outcome = Outcome()
    private var database: any SQLDatabase { store.database }

    /// - Parameter athlete: An id that is not merged into another one.
    package init(of athlete: String, in store: SQLStore) throws(StoreFailure) {
        precondition(store.access != .readOnly, "a store that is only looked at stays as it is")
        ids = [athlete] + (try store.merges.ids(of: athlete))
        self.store = store
    }

    /// The ids as SQL values, and as many marks for them.
    private var values: [SQLValue] { ids.map { .text($0) } }
    private var marks: String { "(" + ids.map { _ in "?" }.joined(separator: ", ") + ")" }

    /// - Parameters:
    ///   - now: Unix milliseconds; later sessions are stored again.
    ///   - progress: called with the number of erased sessions and the total.
    package func run(
        at now: Int64, progress: (_ sessions: Int64, _ all: Int64) -> Void
    ) throws(StoreFailure) -> Outcome {
        try forget(until: now)
        let sessions = try sessions()
        try forget(sessions)
        for (index, session) in sessions.enumerated() {
            try erase(session)
            progress(Int64(index + 1), Int64(sessions.count))
        }
        try eraseAlerts()
        try eraseConflicts(of: Set(sessions.map(\.name)))
        try eraseStatusMessages()
        try eraseNotices(at: now)
        try database.run("DELETE FROM suggestion WHERE athlete_id IN \(marks)", values)
        try database.run(
            """
            DELETE FROM assignment_correction
            WHERE former_athlete_id IN \(marks) OR new_athlete_id IN \(marks)
            """, values + values)
        for id in ids {
            try store.removeHeartLimits(of: id)
            _ = try store.removeProfile(of: id)
            try store.users.removeUser(ofAthlete: id)
        }
        try store.merges.removeAll(of: ids)
        try store.pieceLinks.removeThoseWithoutSessions()
        try database.transaction { () throws(StoreFailure) in
            try database.lockOutWriters()
            try store.raceDocuments.removeAthletes(ids)
            try store.pieceAdditions.removeAll(of: ids)
            try store.uploads.removeAll(of: ids)
            try store.uploadAccounts.removeAll(of: ids)
        }
        try database.rewrite()
        outcome.sessions = sessions.count
        outcome.gateways = Set(sessions.map(\.name.gateway)).sorted()
        return outcome
    }

    // MARK: New records

    private func forget(until now: Int64) throws(StoreFailure) {
        try database.transaction { () throws(StoreFailure) in
            try database.lockOutWriters()
            for id in ids {
                try database.run(
                    """
                    INSERT INTO forgotten_athlete (digest, until_ms) VALUES (?, ?)
                    ON CONFLICT (digest) DO UPDATE SET until_ms = excluded.until_ms
                    """, [.text(ForgottenAthletes.digest(of: id)), .whole(now)])
            }
        }
    }

    private func sessions() throws(StoreFailure) -> [Session] {
        let named = Self.naming.map {
            "SELECT session FROM \(ReadingTable.of($0).name) WHERE athlete_id IN \(marks)"
        }
        let found = try database.rows(
            """
            SELECT id, gw, session_id, CASE WHEN athlete_id IN \(marks) THEN is_corrected ELSE 0 END FROM session
            WHERE athlete_id IN \(marks) OR recorded_athlete_id IN \(marks)
                OR id IN (\(named.joined(separator: " UNION "))) ORDER BY first_ms, id
            """, Array(repeating: values, count: 3 + named.count).flatMap(\.self)
        ) { row throws(StoreFailure) in
            row.text(1).flatMap { GatewayID($0) }.map {
                Session(
                    row: row.whole(0) ?? 0,
                    name: SessionName(gateway: $0, session: row.text(2) ?? ""),
                    isTheirsByCorrection: row.whole(3) == 1)
            }
        }
        return found.compactMap(\.self)
    }

    private func forget(_ sessions: [Session]) throws(StoreFailure) {
        try database.transaction { () throws(StoreFailure) in
            try database.lockOutWriters()
            for session in sessions {
                try database.run(
                    """
                    INSERT INTO forgotten_session (gw, session_id, is_whole) VALUES (?, ?, ?)
                    ON CONFLICT (gw, session_id) DO UPDATE
                    SET is_whole = CASE excluded.is_whole WHEN 1 THEN 1 ELSE forgotten_session.is_whole END
                    """,
                    [
                        .text(session.name.gateway.slug), .text(session.name.session),
                        .whole(session.isTheirsByCorrection ? 1 : 0),
                    ])
            }
        }
    }

    // MARK: Stored records

    private func erase(_ session: Session) throws(StoreFailure) {
        var remains = false
        for kind in StreamKind.allCases where kind.hasOwnRow && !kind.isGatewayOnly {
            let table = ReadingTable.of(kind).name
            let others = try eraseRecordsOfAthlete(kind, all: session.isTheirsByCorrection) {
                last throws(StoreFailure) in
                try self.records(
                    "\(table) t JOIN record r ON \(self.database.recordOfRow) WHERE t.session = ?",
                    [.whole(session.row)], behind: last)
            }
            if others { remains = true }
        }
        try eraseEdges(of: session)
        let row: [SQLValue] = [.whole(session.row)]
        try database.transaction { () throws(StoreFailure) in
            try database.lockOutWriters()
            try store.sessionMetrics.remove(of: [session.row])
            try eraseRow(row, remains: remains)
        }
    }

    /// - Parameter remains: whether records of another athlete name the session.
    private func eraseRow(_ row: [SQLValue], remains: Bool) throws(StoreFailure) {
        if remains {
            try database.run(
                """
                UPDATE session SET
                    athlete_id = CASE WHEN is_corrected = 1 AND athlete_id NOT IN \(marks) THEN athlete_id END,
                    merged_athlete_id = CASE WHEN is_corrected = 1 AND athlete_id NOT IN \(marks)
                        THEN merged_athlete_id END,
                    recorded_athlete_id = NULL, thinned = 1
                WHERE id = ?
                """, values + values + row)
        } else {
            // Begin and end records that name another athlete stay, without a session row.
            try database.run("DELETE FROM session_record WHERE session = ?", row)
            try database.run("DELETE FROM session WHERE id = ?", row)
        }
    }

    /// Erases the records of one kind that name the athlete, page by page. `next` returns the page of records
    /// after a row. Returns whether some records stay, because they name another athlete.
    private func eraseRecordsOfAthlete(
        _ kind: StreamKind, all: Bool = false, _ next: (Int64) throws(StoreFailure) -> [Found]
    ) throws(StoreFailure) -> Bool {
        var last: Int64 = 0
        var remains = false
        while case let found = try next(last), let end = found.last {
            let doomed = found.filter { all || isTheirs($0.body) }
            try delete(doomed.map { $0.record(of: kind) })
            if doomed.count < found.count { remains = true }
            last = end.row
        }
        return remains
    }

    /// Erases the records behind a session's row.
    private func eraseEdges(of session: Session) throws(StoreFailure) {
        let time = database.rowsHaveTimes ? ", manifest_ms = NULL" : ""
        try database.run(
            "UPDATE session SET manifest = NULL\(time) WHERE id = ?", [.whole(session.row)])
        for kind in StreamKind.allCases where !kind.hasOwnRow {
            var last: Int64 = 0
            while case let found = try records(
                """
                \(kind.rows) t JOIN record r ON \(database.recordOfRow)
                JOIN stream s ON s.id = r.stream WHERE t.session = ? AND s.kind = ?
                """, [.whole(session.row), .text(kind.topicName)], behind: last),
                let end = found.last
            {
                let doomed = found.filter { session.isTheirsByCorrection || isTheirs($0.body) }
                try delete(doomed.map { $0.record(of: kind) })
                last = end.row
            }
        }
    }

    /// Whether a record of one of the athlete's sessions names the athlete or no one.
    private func isTheirs(_ body: [UInt8]) -> Bool {
        StoredRecord.text(of: "athlete_id", in: body).map(ids.contains) ?? true
    }

    private func delete(_ records: [RecordToDelete]) throws(StoreFailure) {
        if records.isEmpty { return }
        try database.transaction { () throws(StoreFailure) in try store.recordTable.delete(records) }
        outcome.records += records.count
    }

    // MARK: Outside of their sessions

    private func eraseAlerts() throws(StoreFailure) {
        let table = "alert t JOIN record r ON \(database.recordOfRow) WHERE"
        _ = try eraseRecordsOfAthlete(.alert) { last throws(StoreFailure) in
            try self.records("\(table) t.athlete_id IN \(self.marks)", self.values, behind: last)
        }
        var last: Int64 = 0
        while case let found = try records(
            "\(table) t.acknowledged_by IN \(marks)", values, behind: last),
            let end = found.last
        {
            try database.transaction { () throws(StoreFailure) in
                for alert in found { try removeName(from: alert) }
            }
            last = end.row
        }
    }

    private func removeName(from alert: Found) throws(StoreFailure) {
        let bodies = ids.lazy.compactMap { StoredRecord.withoutAcknowledger($0, in: alert.body) }
        guard let body = bodies.first else { return }
        try database.run(
            "UPDATE record SET body = ? WHERE id = ? AND ts_ms = ?",
            [.bytes(body), .whole(alert.row), .whole(alert.unixMilliseconds)])
        try database.run(
            "UPDATE alert SET acknowledged_by = NULL WHERE record = ?", [.whole(alert.row)])
        outcome.acknowledgements += 1
    }

    /// Erases different contents that arrived for an existing number.
    private func eraseConflicts(of sessions: Set<SessionName>) throws(StoreFailure) {
        let found = try database.rows(
            "SELECT c.id, s.gw, c.body FROM conflict c JOIN stream s ON s.id = c.stream", []
        ) { row throws(StoreFailure) in
            (row: row.whole(0) ?? 0, gateway: row.text(1) ?? "", body: row.bytes(2))
        }
        for conflict in found {
            let session = StoredRecord.text(of: "session_id", in: conflict.body).flatMap { id in
                GatewayID(conflict.gateway).map { SessionName(gateway: $0, session: id) }
            }
            let isOfTheirs = session.map(sessions.contains) ?? false
            guard isOfTheirs || names(conflict.body) else { continue }
            try database.run("DELETE FROM conflict WHERE id = ?", [.whole(conflict.row)])
        }
    }

    /// Erases status messages. Connected gateways send them again.
    private func eraseStatusMessages() throws(StoreFailure) {
        for message in try store.statusMessages() where names(message.payload) {
            try database.run(
                "DELETE FROM said WHERE gw = ? AND kind = ?",
                [.text(message.gateway.slug), .text(message.kind.rawValue)])
        }
    }

    /// Withdraws the logbook's notices about the athlete; a running logbook publishes the withdrawals.
    private func eraseNotices(at now: Int64) throws(StoreFailure) {
        try database.transaction { () throws(StoreFailure) in
            try database.lockOutWriters()
            var changes = NoticeChanges()
            for kind in NoticeKind.allCases {
                for id in ids {
                    changes.withdrawn += try store.notices(of: kind, about: id).map(\.sequence)
                }
            }
            try store.noticeTable.apply(changes, at: now)
        }
    }

    private func names(_ bytes: [UInt8]) -> Bool { ids.contains { bytes.range(of: "\"\($0)\"") != nil } }

    // MARK: Reading

    private struct Found {
        let row: Int64
        let stream: Int64
        let sequence: UInt64
        let unixMilliseconds: Int64
        let body: [UInt8]

        func record(of kind: StreamKind) -> RecordToDelete {
            RecordToDelete(
                kind: kind, row: row, stream: stream, sequence: sequence,
                unixMilliseconds: unixMilliseconds)
        }
    }

    /// The next records of a query that ends in a condition.
    private func records(
        _ query: String, _ values: [SQLValue], behind last: Int64
    ) throws(StoreFailure) -> [Found] {
        try database.rows(
            """
            SELECT r.id, r.stream, r.seq, r.ts_ms, r.body FROM \(query) AND r.id > ?
            ORDER BY r.id LIMIT ?
            """, values + [.whole(last), .whole(Int64(Self.step))]
        ) { row throws(StoreFailure) in
            Found(
                row: row.whole(0) ?? 0, stream: row.whole(1) ?? 0, sequence: row.natural(2),
                unixMilliseconds: row.whole(3) ?? 0, body: try row.record(4))
        }
    }
}
