/// An athlete's resting and maximal heart rate as entered by a person; no record contains them.
package struct StoredHeartLimits: Equatable, Sendable {
    /// An athlete id.
    package var athlete: String
    /// Beats per minute.
    package var resting: Int
    package var maximal: Int
    /// Unix milliseconds: when they were entered.
    package var givenAt: Int64

    package init(athlete: String, resting: Int, maximal: Int, givenAt: Int64) {
        (self.athlete, self.givenAt) = (athlete, givenAt)
        (self.resting, self.maximal) = (resting, maximal)
    }
}

/// Heart rate limits of athletes.
///
/// Uses the table `heart`.
final class HeartLimitTable {
    private let connection: StoreConnection

    init(_ connection: StoreConnection) { self.connection = connection }

    func limits(of athlete: String?) throws(StoreFailure) -> [StoredHeartLimits] {
        let condition = athlete == nil ? "" : "WHERE athlete_id = ? "
        return try connection.live().rows(
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

    func save(_ heart: StoredHeartLimits) throws(StoreFailure) {
        try connection.live().run(
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

    func remove(of athlete: String) throws(StoreFailure) {
        try connection.live().run("DELETE FROM heart WHERE athlete_id = ?", [.text(athlete)])
    }
}
