import Contract
import DeliveryProof

/// An athlete id that was merged into another one, because both are one person.
package struct StoredMerge: Equatable, Sendable {
    /// The merged id. Records with it count for the kept one.
    package var athlete: String
    /// The id into which it was merged.
    package var kept: String
    /// The id for which its sessions count: `kept`, or the id into which that one was merged later.
    package var current: String
    /// Unix milliseconds.
    package var mergedAt: Int64
    /// The name of the token or user that sent it; nil for a command on the machine.
    package var by: String?
    /// JSON with the data that an undo restores; nil once the merge cannot be undone any more.
    package var saved: [UInt8]?

    package init(athlete: String, kept: String, mergedAt: Int64, by: String?, saved: [UInt8]?) {
        (self.athlete, self.kept, current) = (athlete, kept, kept)
        (self.mergedAt, self.by, self.saved) = (mergedAt, by, saved)
    }
}

/// Merged athlete ids, and the sessions that count for another id because of them. The records stay as the gateway
/// published them.
///
/// Uses the table `athlete_merge`, and the athlete columns of `session`. Change it within `atomically`.
package final class MergeTable {
    /// SQL for the id for which the sessions of an athlete count; has the athlete's id twice as its values.
    static let currentAthlete =
        "coalesce((SELECT current_athlete_id FROM athlete_merge WHERE athlete_id = ?), ?)"

    private let connection: StoreConnection

    init(_ connection: StoreConnection) { self.connection = connection }

    // MARK: Reading

    /// Merges in order of the merged id.
    package func all() throws(StoreFailure) -> [StoredMerge] {
        try connection.live().rows(
            """
            SELECT athlete_id, kept_athlete_id, merged_ms, merged_by, saved, current_athlete_id
            FROM athlete_merge ORDER BY athlete_id
            """
        ) { row in
            var merge = StoredMerge(
                athlete: row.text(0) ?? "", kept: row.text(1) ?? "", mergedAt: row.whole(2) ?? 0,
                by: row.text(3), saved: row.bytes(4))
            if merge.saved?.isEmpty ?? true { merge.saved = nil }
            merge.current = row.text(5) ?? merge.kept
            return merge
        }
    }

    /// Returns the id for which an athlete's sessions count: another one for a merged id.
    package func current(of athlete: String) throws(StoreFailure) -> String {
        try connection.live().rows(
            "SELECT current_athlete_id FROM athlete_merge WHERE athlete_id = ?", [.text(athlete)]
        ) { row in row.text(0) ?? athlete }.first ?? athlete
    }

    /// Returns the merged ids whose sessions count for an athlete, in order.
    package func ids(of athlete: String) throws(StoreFailure) -> [String] {
        try connection.live().rows(
            "SELECT athlete_id FROM athlete_merge WHERE current_athlete_id = ? ORDER BY athlete_id",
            [.text(athlete)]
        ) { row in row.text(0) ?? "" }
    }

    /// Returns the number of sessions that count for an athlete.
    package func sessionCount(of athlete: String) throws(StoreFailure) -> Int {
        Int(
            try connection.live().number(
                "SELECT count(*) FROM session WHERE athlete_id = ?", [.text(athlete)]) ?? 0)
    }

    /// Returns the sessions whose records or correction name a merged id, with that id, in order.
    package func sessions() throws(StoreFailure) -> [(session: SessionName, athlete: String)] {
        try connection.live().rows(
            """
            SELECT gw, session_id, merged_athlete_id FROM session WHERE merged_athlete_id IS NOT NULL
            ORDER BY gw, session_id
            """
        ) { row in
            row.text(0).flatMap { GatewayID($0) }.map {
                (SessionName(gateway: $0, session: row.text(1) ?? ""), row.text(2) ?? "")
            }
        }.compactMap(\.self)
    }

    /// Returns descriptions of merges that lead nowhere, and of sessions that do not count for the right athlete.
    func faults() throws(StoreFailure) -> [String] {
        let database = try connection.live()
        let chains = try database.number(
            """
            SELECT count(*) FROM athlete_merge m
            WHERE m.current_athlete_id IN (SELECT athlete_id FROM athlete_merge)
            """)
        let sessions = try database.number(
            """
            SELECT count(*) FROM session s LEFT JOIN athlete_merge m ON m.athlete_id = s.merged_athlete_id
            WHERE s.athlete_id IN (SELECT athlete_id FROM athlete_merge)
                OR (s.merged_athlete_id IS NOT NULL
                    AND (m.current_athlete_id IS NULL OR m.current_athlete_id <> s.athlete_id))
            """)
        return (chains == 0 ? [] : ["\(chains ?? 0) merged athletes count for an athlete who is merged too"])
            + (sessions == 0
                ? [] : ["\(sessions ?? 0) sessions of merged athletes count for another athlete"])
    }

    // MARK: Changing

    /// Stores a merge. The sessions of its athlete count for the kept one from now on. Neither id may be merged yet.
    package func add(_ merge: StoredMerge) throws(StoreFailure) {
        let database = try connection.live()
        try database.run(
            """
            INSERT INTO athlete_merge
                (athlete_id, kept_athlete_id, current_athlete_id, merged_ms, merged_by, saved)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            [
                .text(merge.athlete), .text(merge.kept), .text(merge.kept), .whole(merge.mergedAt),
                merge.by.map { .text($0) } ?? .null, merge.saved.map { .bytes($0) } ?? .null,
            ])
        try updateChains(from: merge.athlete)
    }

    /// Removes a merge. The sessions of its athlete count for that one again.
    package func remove(_ athlete: String) throws(StoreFailure) {
        let database = try connection.live()
        try database.run("DELETE FROM athlete_merge WHERE athlete_id = ?", [.text(athlete)])
        try updateChains(from: athlete)
    }

    /// Deletes the saved data of merges up to a time in Unix milliseconds. They cannot be undone any more.
    package func removeSaved(until time: Int64) throws(StoreFailure) {
        try connection.live().run(
            "UPDATE athlete_merge SET saved = NULL WHERE merged_ms <= ? AND saved IS NOT NULL", [.whole(time)]
        )
    }

    /// Removes all merges of an erased athlete, without a change of sessions.
    func removeAll(of athletes: [String]) throws(StoreFailure) {
        for athlete in athletes {
            try connection.live().run(
                "DELETE FROM athlete_merge WHERE athlete_id = ? OR kept_athlete_id = ?",
                [.text(athlete), .text(athlete)])
        }
    }

    /// Updates the ends of the chains that contain an athlete, and the sessions of their merged ids.
    private func updateChains(from athlete: String) throws(StoreFailure) {
        let database = try connection.live()
        let merges = try all()
        let kept = Dictionary(merges.map { ($0.athlete, $0.kept) }, uniquingKeysWith: { first, _ in first })
        var changed: Set<String> = [athlete]
        for merge in merges {
            var (end, steps) = (merge.kept, 0)
            // The table has no circles; a damaged one must not be followed for ever.
            while let next = kept[end], steps < merges.count { (end, steps) = (next, steps + 1) }
            if end == merge.current { continue }
            changed.insert(merge.athlete)
            try database.run(
                "UPDATE athlete_merge SET current_athlete_id = ? WHERE athlete_id = ?",
                [.text(end), .text(merge.athlete)])
        }
        for athlete in changed.sorted() {
            try database.run(
                """
                UPDATE session SET athlete_id = merged_athlete_id, merged_athlete_id = NULL
                WHERE merged_athlete_id = ?
                """, [.text(athlete)])
        }
        // In a second loop: before, a session of a chain may have the id in its middle.
        for athlete in changed.sorted() {
            try Self.resolveAthletes("athlete_id = ?", [.text(athlete)], database)
        }
    }

    /// Replaces merged athlete ids in the sessions of a condition. Call it within a transaction.
    static func resolveAthletes(
        _ condition: String, _ values: [SQLValue], _ database: any SQLDatabase
    ) throws(StoreFailure) {
        try database.run(
            """
            UPDATE session SET merged_athlete_id = athlete_id, athlete_id = (
                SELECT m.current_athlete_id FROM athlete_merge m WHERE m.athlete_id = session.athlete_id)
            WHERE \(condition) AND athlete_id IN (SELECT m.athlete_id FROM athlete_merge m)
            """, values)
    }
}
