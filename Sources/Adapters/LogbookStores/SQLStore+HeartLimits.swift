extension SQLStore {
    package func heartLimits(of athlete: String?) throws(StoreFailure) -> [StoredHeartLimits] {
        let condition = athlete == nil ? "" : "WHERE athlete_id = ? "
        return try liveDatabase().rows(
            """
            SELECT athlete_id, resting_bpm, maximal_bpm, given_ms FROM heart
            \(condition)ORDER BY athlete_id
            """, athlete.map { [.text($0)] } ?? []
        ) { row in
            StoredHeartLimits(
                athlete: row.text(0) ?? "", resting: Int(row.whole(1) ?? 0),
                maximal: Int(row.whole(2) ?? 0), givenAt: row.whole(3) ?? 0)
        }
    }

    package func save(_ heart: StoredHeartLimits) throws(StoreFailure) {
        try liveDatabase().run(
            """
            INSERT INTO heart (athlete_id, resting_bpm, maximal_bpm, given_ms) VALUES (?, ?, ?, ?)
            ON CONFLICT (athlete_id) DO UPDATE SET resting_bpm = excluded.resting_bpm,
                maximal_bpm = excluded.maximal_bpm, given_ms = excluded.given_ms
            """,
            [
                .text(heart.athlete), .whole(Int64(heart.resting)), .whole(Int64(heart.maximal)),
                .whole(heart.givenAt),
            ])
    }

    package func removeHeartLimits(of athlete: String) throws(StoreFailure) {
        try liveDatabase().run("DELETE FROM heart WHERE athlete_id = ?", [.text(athlete)])
    }
}
