import Contract
import DeliveryProof

/// The upload of a session to an athlete's account at another service.
package struct StoredUpload: Equatable, Sendable {
    package enum State: String, CaseIterable, Sendable {
        /// Waits for its first or next attempt.
        case pending
        /// A request was sent. After a restart, nobody knows whether the service received it.
        case sending
        /// The service has the session.
        case uploaded
        /// The service refused it. Only a person repeats it.
        case refused
    }

    package var session: SessionName
    /// The athlete whose account it is.
    package var athlete: String
    /// The wire name of the service, as `concept2`.
    package var destination: String
    package var state = State.pending
    /// The number of attempts that reached the service or failed.
    package var attempts = 0
    /// The time of the next attempt, while it is pending or being sent: Unix milliseconds.
    package var nextAt: Int64
    /// The service's id of the session; nil before it is uploaded, or if the service did not tell it.
    package var remoteID: String?
    /// Why the last attempt failed; nil if it did not.
    package var reason: String?
    /// The time of the last change: Unix milliseconds.
    package var changedAt: Int64

    package init(_ session: SessionName, of athlete: String, to destination: String, at now: Int64) {
        (self.session, self.athlete, self.destination) = (session, athlete, destination)
        (nextAt, changedAt) = (now, now)
    }
}

/// The uploads of sessions to other services: pending, finished and refused ones.
///
/// Uses the table `upload`.
package final class UploadTable {
    private let connection: StoreConnection

    init(_ connection: StoreConnection) { self.connection = connection }

    // MARK: Reading

    /// All uploads, in order of session, destination and athlete.
    package func all() throws(StoreFailure) -> [StoredUpload] { try uploads("", []) }

    /// The uploads of a session, by destination.
    package func uploads(of session: SessionName) throws(StoreFailure) -> [StoredUpload] {
        try uploads(
            "WHERE gw = ? AND session_id = ?", [.text(session.gateway.slug), .text(session.session)])
    }

    /// The pending uploads to a destination whose time has come, the longest waiting first.
    ///
    /// - Parameter now: Unix milliseconds.
    package func due(
        to destination: String, at now: Int64, limit: Int
    ) throws(StoreFailure) -> [StoredUpload] {
        try uploads(
            "WHERE state IN ('pending', 'sending') AND destination = ? AND next_ms <= ?",
            [.text(destination), .whole(now)], order: "next_ms, session_id, athlete_id", limit: limit)
    }

    /// The number of uploads that wait, by destination.
    package func pendingCounts() throws(StoreFailure) -> [String: Int] {
        let found = try connection.live().rows(
            """
            SELECT destination, count(*) FROM upload WHERE state IN ('pending', 'sending')
            GROUP BY destination
            """, []
        ) { row in (row.text(0) ?? "", Int(row.whole(1) ?? 0)) }
        return Dictionary(found) { first, _ in first }
    }

    private func uploads(
        _ condition: String, _ values: [SQLValue],
        order: String = "gw, session_id, destination, athlete_id", limit: Int? = nil
    ) throws(StoreFailure) -> [StoredUpload] {
        try connection.live().rows(
            """
            SELECT gw, session_id, athlete_id, destination, state, attempts, next_ms, remote_id, reason, changed_ms
            FROM upload \(condition) ORDER BY \(order)\(limit.map { " LIMIT \($0)" } ?? "")
            """, values
        ) { row -> StoredUpload? in
            guard let gateway = row.text(0).flatMap({ GatewayID($0) }),
                let state = row.text(4).flatMap(StoredUpload.State.init)
            else { return nil }
            var upload = StoredUpload(
                SessionName(gateway: gateway, session: row.text(1) ?? ""), of: row.text(2) ?? "",
                to: row.text(3) ?? "", at: row.whole(9) ?? 0)
            upload.state = state
            upload.attempts = Int(row.whole(5) ?? 0)
            upload.nextAt = row.whole(6) ?? 0
            (upload.remoteID, upload.reason) = (row.text(7), row.text(8))
            return upload
        }.compactMap(\.self)
    }

    // MARK: Changing

    /// Adds an upload unless there is one for the same session, destination and athlete.
    package func add(_ upload: StoredUpload) throws(StoreFailure) {
        try insert(upload, orElse: "DO NOTHING")
    }

    /// Stores an upload and replaces an earlier one for the same session, destination and athlete.
    package func save(_ upload: StoredUpload) throws(StoreFailure) {
        try insert(
            upload,
            orElse: """
                DO UPDATE SET state = excluded.state, attempts = excluded.attempts, next_ms = excluded.next_ms,
                    remote_id = excluded.remote_id, reason = excluded.reason, changed_ms = excluded.changed_ms
                """)
    }

    private func insert(_ upload: StoredUpload, orElse conflict: String) throws(StoreFailure) {
        try connection.live().run(
            """
            INSERT INTO upload (gw, session_id, athlete_id, destination, state, attempts, next_ms, remote_id, reason,
                changed_ms)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (gw, session_id, destination, athlete_id) \(conflict)
            """,
            [
                .text(upload.session.gateway.slug), .text(upload.session.session), .text(upload.athlete),
                .text(upload.destination), .text(upload.state.rawValue), .whole(Int64(upload.attempts)),
                .whole(upload.nextAt), upload.remoteID.map { .text($0) } ?? .null,
                upload.reason.map { .text($0) } ?? .null, .whole(upload.changedAt),
            ])
    }

    /// Lets the pending uploads of an athlete to a destination be attempted at once, because the account was connected
    /// again.
    ///
    /// - Parameter now: Unix milliseconds.
    package func resume(
        of athlete: String, to destination: String, at now: Int64
    ) throws(StoreFailure) {
        try connection.live().run(
            """
            UPDATE upload SET next_ms = ?, attempts = 0
            WHERE athlete_id = ? AND destination = ? AND state IN ('pending', 'sending')
            """, [.whole(now), .text(athlete), .text(destination)])
    }

    /// Removes an upload, if there is one.
    package func remove(_ upload: StoredUpload) throws(StoreFailure) {
        try connection.live().run(
            "DELETE FROM upload WHERE gw = ? AND session_id = ? AND destination = ? AND athlete_id = ?",
            [
                .text(upload.session.gateway.slug), .text(upload.session.session),
                .text(upload.destination), .text(upload.athlete),
            ])
    }

    /// Removes the uploads of an athlete to a destination that are not finished.
    package func removeUnfinished(
        of athlete: String, to destination: String
    ) throws(StoreFailure) {
        try connection.live().run(
            "DELETE FROM upload WHERE athlete_id = ? AND destination = ? AND state <> 'uploaded'",
            [.text(athlete), .text(destination)])
    }

    /// Removes all uploads of erased athletes.
    func removeAll(of athletes: [String]) throws(StoreFailure) {
        for athlete in athletes {
            try connection.live().run("DELETE FROM upload WHERE athlete_id = ?", [.text(athlete)])
        }
    }
}
