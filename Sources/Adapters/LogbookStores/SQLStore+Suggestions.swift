import Contract

extension SQLStore {
    /// Maximum responses of one athlete; the oldest are deleted.
    package static let mostSuggestions: Int64 = 200

    package func suggestions(of athlete: String?) throws(StoreFailure) -> [StoredSuggestionResponse] {
        let condition = athlete == nil ? "" : "WHERE athlete_id = ? "
        return try liveDatabase().rows(
            """
            SELECT athlete_id, suggestion_id, said, said_ms, until_ms, why, said_by, set_ms, body
            FROM suggestion \(condition)ORDER BY athlete_id, said_ms DESC, suggestion_id
            """, athlete.map { [.text($0)] } ?? []
        ) { row in
            StoredSuggestionResponse(
                athlete: row.text(0) ?? "", id: row.text(1) ?? "", answer: row.text(2) ?? "",
                at: row.whole(3) ?? 0, until: row.whole(4), why: row.text(5), by: row.text(6),
                setAt: row.whole(7), body: row.bytes(8))
        }
    }

    package func save(_ suggestion: StoredSuggestionResponse) throws(StoreFailure) {
        func text(_ text: String?) -> SQLValue { text.map { .text($0) } ?? .null }
        func whole(_ number: Int64?) -> SQLValue { number.map { .whole($0) } ?? .null }
        let database = try liveDatabase()
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
            [
                .text(suggestion.athlete), .text(suggestion.athlete),
                .whole(Self.mostSuggestions),
            ])
    }
}
