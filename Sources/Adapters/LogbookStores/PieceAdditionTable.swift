import Contract
import DeliveryProof

/// A result that a coach added to a group piece: written by hand, or of a session on another day.
package struct StoredPieceAddition: Equatable, Sendable {
    package enum Result: Equatable, Sendable {
        /// Work time in tenths of a second.
        case time(tenths: Int64)
        /// Work distance in metres.
        case distance(metres: Int64)
        /// The result of a stored session.
        case session(SessionName)
    }

    /// A ULID, so that later additions sort behind earlier ones.
    package var id: String
    package var gateway: GatewayID
    /// The sessions of the piece when the result was added, the first one first. Each of them finds the piece, so the
    /// addition stays if the session of an athlete is erased.
    package var sessions: [String]
    /// The start of the piece when the result was added: Unix milliseconds.
    package var pieceStartedAt: Int64
    /// The athlete's id when the result was added; it may have been merged since.
    package var athlete: String
    package var result: Result
    /// The day on which a result by hand was rowed: `2026-11-28`; nil for the result of a session.
    package var day: String?
    /// Empty for none.
    package var note: String
    /// Unix milliseconds.
    package var addedAt: Int64
    /// The name of the user or token that added it.
    package var by: String?

    package init(
        id: String, gateway: GatewayID, sessions: [String], pieceStartedAt: Int64, athlete: String,
        result: Result, day: String?, note: String, addedAt: Int64, by: String?
    ) {
        (self.id, self.gateway, self.sessions) = (id, gateway, sessions)
        (self.pieceStartedAt, self.athlete, self.result) = (pieceStartedAt, athlete, result)
        (self.day, self.note, self.addedAt, self.by) = (day, note, addedAt, by)
    }

    package var sessionNames: [SessionName] {
        sessions.map { SessionName(gateway: gateway, session: $0) }
    }
}

/// Results that coaches added to group pieces.
///
/// Uses the table `piece_addition`.
package final class PieceAdditionTable {
    /// A piece is on one day, but its first session may arrive or change later: milliseconds.
    private static let tolerance: Int64 = 2 * 86_400_000
    private let connection: StoreConnection

    init(_ connection: StoreConnection) { self.connection = connection }

    // MARK: Reading

    /// All additions in order of creation.
    package func all() throws(StoreFailure) -> [StoredPieceAddition] { try additions(where: "", []) }

    /// The additions to the pieces of a gateway that started within two days of a time, in order of creation.
    package func additions(
        of gateway: GatewayID, near startedAt: Int64
    ) throws(StoreFailure) -> [StoredPieceAddition] {
        try additions(
            where: "WHERE gw = ? AND piece_ms BETWEEN ? AND ?",
            [
                .text(gateway.slug), .whole(startedAt - Self.tolerance),
                .whole(startedAt + Self.tolerance),
            ])
    }

    private func additions(
        where condition: String, _ values: [SQLValue]
    ) throws(StoreFailure) -> [StoredPieceAddition] {
        try connection.live().rows(
            """
            SELECT id, gw, session_ids, piece_ms, athlete_id, tenths, metres, result_gw, result_session_id, day,
                note, added_ms, added_by
            FROM piece_addition \(condition) ORDER BY id
            """, values
        ) { row -> StoredPieceAddition? in
            guard let gateway = row.text(1).flatMap({ GatewayID($0) }) else { return nil }
            let result: StoredPieceAddition.Result
            if let tenths = row.whole(5) {
                result = .time(tenths: tenths)
            } else if let metres = row.whole(6) {
                result = .distance(metres: metres)
            } else if let gateway = row.text(7).flatMap({ GatewayID($0) }), let session = row.text(8) {
                result = .session(SessionName(gateway: gateway, session: session))
            } else {
                return nil
            }
            return StoredPieceAddition(
                id: row.text(0) ?? "", gateway: gateway,
                sessions: (row.text(2) ?? "").split(separator: " ").map(String.init),
                pieceStartedAt: row.whole(3) ?? 0, athlete: row.text(4) ?? "", result: result,
                day: row.text(9), note: row.text(10) ?? "", addedAt: row.whole(11) ?? 0, by: row.text(12))
        }.compactMap(\.self)
    }

    // MARK: Changing

    package func add(_ addition: StoredPieceAddition) throws(StoreFailure) {
        var (tenths, metres, gateway, session): (SQLValue, SQLValue, SQLValue, SQLValue) =
            (.null, .null, .null, .null)
        switch addition.result {
        case .time(let value): tenths = .whole(value)
        case .distance(let value): metres = .whole(value)
        case .session(let name): (gateway, session) = (.text(name.gateway.slug), .text(name.session))
        }
        try connection.live().run(
            """
            INSERT INTO piece_addition
                (id, gw, session_ids, piece_ms, athlete_id, tenths, metres, result_gw, result_session_id, day, note,
                added_ms, added_by)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .text(addition.id), .text(addition.gateway.slug),
                .text(addition.sessions.joined(separator: " ")), .whole(addition.pieceStartedAt),
                .text(addition.athlete), tenths, metres, gateway, session,
                addition.day.map { .text($0) } ?? .null, .text(addition.note), .whole(addition.addedAt),
                addition.by.map { .text($0) } ?? .null,
            ])
    }

    /// Removes an addition. Returns false if there is no such addition.
    package func remove(_ id: String) throws(StoreFailure) -> Bool {
        try !connection.live().rows(
            "DELETE FROM piece_addition WHERE id = ? RETURNING id", [.text(id)]
        ) { _ in true }.isEmpty
    }

    /// Deletes the additions of erased athletes, and those to pieces of which no session is left.
    func removeAll(of athletes: [String]) throws(StoreFailure) {
        let database = try connection.live()
        for athlete in athletes {
            try database.run("DELETE FROM piece_addition WHERE athlete_id = ?", [.text(athlete)])
        }
        for addition in try all() {
            let marks = addition.sessions.map { _ in "?" }.joined(separator: ", ")
            let count = try database.number(
                "SELECT count(*) FROM session WHERE gw = ? AND session_id IN (\(marks))",
                [.text(addition.gateway.slug)] + addition.sessions.map { .text($0) })
            if count == 0 { _ = try remove(addition.id) }
        }
    }
}
