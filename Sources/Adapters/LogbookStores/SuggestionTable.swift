/// The response to a suggestion, with the suggestion as it was then. Suggestions without a response are not
/// stored; they are computed from the sessions.
package struct StoredSuggestionResponse: Equatable, Sendable {
    /// An athlete id.
    package var athlete: String
    /// The suggestion's id. For each athlete and suggestion only the last response is stored.
    package var id: String
    /// The state set by the response, as named in the HTTP interface.
    package var answer: String
    /// Unix milliseconds: the time of the response.
    package var at: Int64
    /// Unix milliseconds: end of a snooze.
    package var until: Int64?
    package var why: String?
    /// The name of the token that sent the response.
    package var by: String?
    /// Unix milliseconds: when the workout was set on a monitor.
    package var setAt: Int64?
    /// The suggestion as it was offered, JSON.
    package var body: [UInt8]

    package init(
        athlete: String, id: String, answer: String, at: Int64, until: Int64? = nil,
        why: String? = nil, by: String? = nil, setAt: Int64? = nil, body: [UInt8]
    ) {
        (self.athlete, self.id, self.answer, self.at) = (athlete, id, answer, at)
        (self.until, self.why, self.by, self.setAt) = (until, why, by, setAt)
        self.body = body
    }
}

/// Responses of athletes and coaches to suggestions.
///
/// Uses the table `suggestion`.
final class SuggestionTable {
    /// Maximum responses of one athlete; the oldest are deleted.
    static let limit: Int64 = 200

    private let connection: StoreConnection

    init(_ connection: StoreConnection) { self.connection = connection }

    func responses(of athlete: String?) throws(StoreFailure) -> [StoredSuggestionResponse] {
        // Responses stay with the id for which they were given, so that an undo of a merge needs no copy.
        let ids = """
            SELECT athlete_id FROM athlete_merge WHERE current_athlete_id = \(MergeTable.currentAthlete)
            UNION SELECT \(MergeTable.currentAthlete)
            """
        let condition = athlete == nil ? "" : "WHERE s.athlete_id IN (\(ids)) "
        let found = try connection.live().rows(
            """
            SELECT coalesce(m.current_athlete_id, s.athlete_id), s.suggestion_id, s.said, s.said_ms, s.until_ms, s.why, s.said_by, s.set_ms, s.body
            FROM suggestion s LEFT JOIN athlete_merge m ON m.athlete_id = s.athlete_id
            \(condition)ORDER BY 1, s.said_ms DESC, s.suggestion_id, s.athlete_id
            """, athlete.map { Array(repeating: .text($0), count: 4) } ?? []
        ) { row in
            StoredSuggestionResponse(
                athlete: row.text(0) ?? "", id: row.text(1) ?? "", answer: row.text(2) ?? "",
                at: row.whole(3) ?? 0, until: row.whole(4), why: row.text(5), by: row.text(6),
                setAt: row.whole(7), body: row.bytes(8))
        }
        // Both ids may have a response to the same suggestion: the newest counts.
        var seen: Set<[String]> = []
        return found.filter { seen.insert([$0.athlete, $0.id]).inserted }
    }

    func save(_ suggestion: StoredSuggestionResponse) throws(StoreFailure) {
        func text(_ text: String?) -> SQLValue { text.map { .text($0) } ?? .null }
        func whole(_ number: Int64?) -> SQLValue { number.map { .whole($0) } ?? .null }
        let database = try connection.live()
        try database.run(
            """
            INSERT INTO suggestion (athlete_id, suggestion_id, said, said_ms, until_ms, why,
                said_by, set_ms, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (athlete_id, suggestion_id) DO UPDATE SET said = excluded.said,
                said_ms = excluded.said_ms, until_ms = excluded.until_ms, why = excluded.why,
                said_by = excluded.said_by, set_ms = excluded.set_ms, body = excluded.body
            """,
            [
                .text(suggestion.athlete), .text(suggestion.id), .text(suggestion.answer),
                .whole(suggestion.at), whole(suggestion.until), text(suggestion.why),
                text(suggestion.by), whole(suggestion.setAt), .bytes(suggestion.body),
            ])
        try database.run(
            """
            DELETE FROM suggestion WHERE athlete_id = ? AND suggestion_id NOT IN (
                SELECT suggestion_id FROM suggestion WHERE athlete_id = ?
                ORDER BY said_ms DESC, suggestion_id LIMIT ?)
            """,
            [.text(suggestion.athlete), .text(suggestion.athlete), .whole(Self.limit)])
    }
}
