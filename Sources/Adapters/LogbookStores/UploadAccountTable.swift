/// An athlete's account at another service, to which the athlete's sessions are uploaded.
package struct StoredUploadAccount: Equatable, Sendable {
    package var athlete: String
    /// The wire name of the service, as `concept2`.
    package var destination: String
    /// The name of the account at the service, or the host of a webhook; what the athlete recognizes it by.
    package var label: String
    /// The encrypted credentials.
    package var secret: [UInt8]
    /// When the athlete agreed: Unix milliseconds. Sessions that ended earlier are not uploaded by themselves.
    package var since: Int64
    /// Why the service does not accept the credentials any more; nil while it does.
    package var problem: String?
    /// When the logbook last read the account's planned workouts: Unix milliseconds; nil if never.
    package private(set) var plansReadAt: Int64?

    package init(
        athlete: String, destination: String, label: String, secret: [UInt8], since: Int64,
        problem: String? = nil
    ) {
        (self.athlete, self.destination, self.label) = (athlete, destination, label)
        (self.secret, self.since, self.problem) = (secret, since, problem)
    }

    fileprivate init(_ row: any SQLRow) {
        self.init(
            athlete: row.text(0) ?? "", destination: row.text(1) ?? "", label: row.text(2) ?? "",
            secret: row.bytes(3), since: row.whole(4) ?? 0, problem: row.text(5))
        plansReadAt = row.whole(6)
    }
}

/// The accounts of athletes at other services. A backup does not contain them (`StoreBackup`).
///
/// Uses the table `upload_account`.
package final class UploadAccountTable {
    private let connection: StoreConnection

    init(_ connection: StoreConnection) { self.connection = connection }

    /// All accounts, or those of one athlete, by athlete and destination.
    package func all(of athlete: String? = nil) throws(StoreFailure) -> [StoredUploadAccount] {
        try connection.live().rows(
            """
            SELECT athlete_id, destination, label, secret, since_ms, problem, plans_read_ms FROM upload_account
            \(athlete == nil ? "" : "WHERE athlete_id = ? ")ORDER BY athlete_id, destination
            """, athlete.map { [.text($0)] } ?? []
        ) { StoredUploadAccount($0) }
    }

    /// Stores an account and replaces an earlier one of the athlete at the same service.
    package func save(_ account: StoredUploadAccount) throws(StoreFailure) {
        try connection.live().run(
            """
            INSERT INTO upload_account (athlete_id, destination, label, secret, since_ms, problem)
            VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (athlete_id, destination) DO UPDATE SET label = excluded.label,
                secret = excluded.secret, since_ms = excluded.since_ms, problem = excluded.problem
            """,
            [
                .text(account.athlete), .text(account.destination), .text(account.label),
                .bytes(account.secret), .whole(account.since), account.problem.map { .text($0) } ?? .null,
            ])
    }

    /// Replaces the credentials and the problem of an account that still exists: it may have been removed meanwhile.
    package func update(_ account: StoredUploadAccount) throws(StoreFailure) {
        try connection.live().run(
            "UPDATE upload_account SET secret = ?, problem = ? WHERE athlete_id = ? AND destination = ?",
            [
                .bytes(account.secret), account.problem.map { .text($0) } ?? .null,
                .text(account.athlete), .text(account.destination),
            ])
    }

    /// Stores when the planned workouts of an account were read. A new connection does not change it.
    package func savePlansRead(
        of athlete: String, at destination: String, _ unixMilliseconds: Int64
    ) throws(StoreFailure) {
        try connection.live().run(
            "UPDATE upload_account SET plans_read_ms = ? WHERE athlete_id = ? AND destination = ?",
            [.whole(unixMilliseconds), .text(athlete), .text(destination)])
    }

    /// Removes an account. Returns false if there is none.
    package func remove(of athlete: String, at destination: String) throws(StoreFailure) -> Bool {
        try !connection.live().rows(
            "DELETE FROM upload_account WHERE athlete_id = ? AND destination = ? RETURNING destination",
            [.text(athlete), .text(destination)]
        ) { _ in true }.isEmpty
    }

    /// Removes all accounts of erased athletes.
    func removeAll(of athletes: [String]) throws(StoreFailure) {
        for athlete in athletes {
            try connection.live().run(
                "DELETE FROM upload_account WHERE athlete_id = ?", [.text(athlete)])
        }
    }
}
