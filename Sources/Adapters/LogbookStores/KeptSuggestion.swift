import Contract

/// What somebody has said of something that was suggested, with the suggestion as it was then. What
/// nobody has said anything of is kept nowhere: it follows from the sessions.
package struct KeptSuggestion: Equatable, Sendable {
    /// Whose: a slug.
    package var athlete: String
    /// Of the suggestion; of one athlete each is kept once, with the last that was said.
    package var id: String
    /// What was said, in the interface's word.
    package var said: String
    /// Unix milliseconds: when.
    package var at: Int64
    /// Unix milliseconds: until when it was put off.
    package var until: Int64?
    package var why: String?
    /// Whose token it came with.
    package var by: String?
    /// Unix milliseconds: when it was put on a monitor.
    package var setAt: Int64?
    /// The suggestion as it was offered, JSON.
    package var body: [UInt8]

    package init(
        athlete: String, id: String, said: String, at: Int64, until: Int64? = nil,
        why: String? = nil, by: String? = nil, setAt: Int64? = nil, body: [UInt8]
    ) {
        (self.athlete, self.id, self.said, self.at) = (athlete, id, said, at)
        (self.until, self.why, self.by, self.setAt) = (until, why, by, setAt)
        self.body = body
    }
}

extension SQLStore {
    /// Of one athlete; the oldest make room.
    package static let mostSuggestions: Int64 = 200

    package func suggestions(of athlete: String?) throws(StoreFailure) -> [KeptSuggestion] {
        let condition = athlete == nil ? "" : "WHERE athlete_id = ? "
        return try live().rows(
            """
            SELECT athlete_id, suggestion_id, said, said_ms, until_ms, why, said_by, set_ms, body
            FROM suggestion \(condition)ORDER BY athlete_id, said_ms DESC, suggestion_id
            """, athlete.map { [.text($0)] } ?? []
        ) { row in
            KeptSuggestion(
                athlete: row.text(0) ?? "", id: row.text(1) ?? "", said: row.text(2) ?? "",
                at: row.whole(3) ?? 0, until: row.whole(4), why: row.text(5), by: row.text(6),
                setAt: row.whole(7), body: row.bytes(8))
        }
    }

    package func keep(_ suggestion: KeptSuggestion) throws(StoreFailure) {
        func text(_ text: String?) -> ReadValue { text.map { .text($0) } ?? .null }
        func whole(_ number: Int64?) -> ReadValue { number.map { .whole($0) } ?? .null }
        let database = try live()
        try database.run(
            """
            INSERT INTO suggestion (athlete_id, suggestion_id, said, said_ms, until_ms, why,
                said_by, set_ms, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (athlete_id, suggestion_id) DO UPDATE SET said = excluded.said,
                said_ms = excluded.said_ms, until_ms = excluded.until_ms, why = excluded.why,
                said_by = excluded.said_by, set_ms = excluded.set_ms, body = excluded.body
            """,
            [
                .text(suggestion.athlete), .text(suggestion.id), .text(suggestion.said),
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
