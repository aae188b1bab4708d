import Contract
import DeliveryProof

/// A change of the athlete of a recorded session, by a person.
package struct StoredCorrection: Equatable, Sendable {
    package var session: SessionName
    /// Unix milliseconds.
    package var at: Int64
    /// The name of the token that sent it; nil for a command on the machine.
    package var by: String?
    /// The athlete before and after it; nil for nobody.
    package var former: String?
    package var new: String?

    package init(session: SessionName, at: Int64, by: String?, former: String?, new: String?) {
        (self.session, self.at, self.by) = (session, at, by)
        (self.former, self.new) = (former, new)
    }
}

/// Who rowed a recorded session.
package enum SessionAthlete: Equatable, Sendable {
    /// An athlete id; nil for nobody.
    case corrected(String?)
    /// As the gateway recorded it.
    case asRecorded
}

/// Corrections of the athletes of sessions. The records stay as the gateway published them.
///
/// Uses the table `assignment_correction`, and the athlete columns of `session`. A correction to a merged athlete id
/// counts for the id that was kept.
final class CorrectionTable {
    private let connection: StoreConnection

    init(_ connection: StoreConnection) { self.connection = connection }

    /// - Parameter session: nil for the corrections of all sessions.
    /// - Returns: the oldest first.
    func corrections(of session: SessionName?) throws(StoreFailure) -> [StoredCorrection] {
        let condition = session == nil ? "" : "WHERE gw = ? AND session_id = ? "
        let found = try connection.live().rows(
            """
            SELECT gw, session_id, at_ms, corrected_by, former_athlete_id, new_athlete_id
            FROM assignment_correction \(condition)ORDER BY id
            """, session.map(Self.key) ?? []
        ) { row in
            row.text(0).flatMap(GatewayID.init).map { gateway in
                StoredCorrection(
                    session: SessionName(gateway: gateway, session: row.text(1) ?? ""),
                    at: row.whole(2) ?? 0, by: row.text(3), former: row.text(4), new: row.text(5))
            }
        }
        return found.compactMap(\.self)
    }

    /// Stores the athlete of a session. Returns the correction; nil if there is no such session.
    func correct(
        _ session: SessionName, to athlete: SessionAthlete, at unixMilliseconds: Int64, by name: String?
    ) throws(StoreFailure) -> StoredCorrection? {
        let database = try connection.live()
        var correction: StoredCorrection?
        try database.transaction { () throws(StoreFailure) in
            // A merge at the same time must see this correction, or be seen by it.
            try database.lockOutWriters()
            let key = Self.key(session)
            let former = try Self.athlete(of: key, database)
            guard let former else { return }
            switch athlete {
            case .corrected(let athlete):
                try database.run(
                    """
                    UPDATE session SET athlete_id = ?, merged_athlete_id = NULL, is_corrected = 1,
                        recorded_athlete_id = CASE is_corrected
                            WHEN 0 THEN coalesce(merged_athlete_id, athlete_id) ELSE recorded_athlete_id END
                    WHERE gw = ? AND session_id = ?
                    """, [Self.text(athlete)] + key)
            case .asRecorded:
                try database.run(
                    """
                    UPDATE session SET athlete_id = recorded_athlete_id, merged_athlete_id = NULL,
                        recorded_athlete_id = NULL, is_corrected = 0
                    WHERE is_corrected = 1 AND gw = ? AND session_id = ?
                    """, key)
            }
            try MergeTable.resolveAthletes("gw = ? AND session_id = ?", key, database)
            let new = try Self.athlete(of: key, database) ?? nil
            correction = StoredCorrection(
                session: session, at: unixMilliseconds, by: name, former: former, new: new)
            if new == former { return }
            try database.run(
                """
                INSERT INTO assignment_correction
                    (gw, session_id, at_ms, corrected_by, former_athlete_id, new_athlete_id)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
                key + [.whole(unixMilliseconds), Self.text(name), Self.text(former), Self.text(new)])
        }
        return correction
    }

    /// The athlete of a session; nil if there is no such session.
    private static func athlete(
        of key: [SQLValue], _ database: any SQLDatabase
    ) throws(StoreFailure) -> String?? {
        try database.rows("SELECT athlete_id FROM session WHERE gw = ? AND session_id = ?", key) { row in
            row.text(0)
        }.first
    }

    private static func key(_ session: SessionName) -> [SQLValue] {
        [.text(session.gateway.slug), .text(session.session)]
    }

    private static func text(_ text: String?) -> SQLValue { text.map { .text($0) } ?? .null }
}
