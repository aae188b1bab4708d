/// A person who signs in to the pages.
package struct StoredUser: Equatable, Sendable {
    /// A slug.
    package var id: String
    package var name: String
    /// The name of a role; the logbook knows their meaning.
    package var role: String
    /// The athlete who is this person; nil for coaches. At most one user has this athlete.
    package var athlete: String?
    /// Unix milliseconds.
    package var createdAt: Int64
    /// An invitation that nobody has used yet.
    package var invitation: Invitation?

    /// A link that signs one device in, once.
    package struct Invitation: Equatable, Sendable {
        /// SHA-256 of its code.
        package var digest: String
        /// Unix milliseconds.
        package var expiresAt: Int64

        package init(digest: String, expiresAt: Int64) { (self.digest, self.expiresAt) = (digest, expiresAt) }
    }

    package init(
        id: String, name: String, role: String, athlete: String? = nil, createdAt: Int64,
        invitation: Invitation? = nil
    ) {
        (self.id, self.name, self.role, self.athlete) = (id, name, role, athlete)
        (self.createdAt, self.invitation) = (createdAt, invitation)
    }
}

/// A browser that is signed in as a user.
package struct StoredDevice: Equatable, Sendable {
    /// SHA-256 of its token.
    package var digest: String
    package var user: String
    /// For example `iPhone`.
    package var name: String
    /// Unix milliseconds of the sign-in, and of the last use, which is stored about once an hour.
    package var createdAt: Int64
    package var seenAt: Int64

    package init(digest: String, user: String, name: String, createdAt: Int64, seenAt: Int64) {
        (self.digest, self.user, self.name) = (digest, user, name)
        (self.createdAt, self.seenAt) = (createdAt, seenAt)
    }
}

/// Users, their invitations and their devices.
///
/// Uses the tables `club_user` and `device`.
package final class UserTable {
    /// The largest number of devices of a user. A further one replaces the one that was not used for longest.
    package static let maximumDevices = 20

    private let connection: StoreConnection

    init(_ connection: StoreConnection) { self.connection = connection }

    // MARK: Reading

    /// Users in order of id.
    package func all() throws(StoreFailure) -> [StoredUser] { try users(where: "", []) }

    /// Devices of all users, the last used first.
    package func devices() throws(StoreFailure) -> [StoredDevice] {
        try connection.live().rows(
            """
            SELECT digest, user_id, name, created_ms, seen_ms FROM device ORDER BY seen_ms DESC, digest
            """
        ) { row in
            StoredDevice(
                digest: row.text(0) ?? "", user: row.text(1) ?? "", name: row.text(2) ?? "",
                createdAt: row.whole(3) ?? 0, seenAt: row.whole(4) ?? 0)
        }
    }

    private func users(where condition: String, _ values: [SQLValue]) throws(StoreFailure) -> [StoredUser] {
        try connection.live().rows(
            """
            SELECT user_id, name, role, athlete_id, created_ms, invitation, invitation_expires_ms
            FROM club_user \(condition) ORDER BY user_id
            """, values
        ) { row in
            var user = StoredUser(
                id: row.text(0) ?? "", name: row.text(1) ?? "", role: row.text(2) ?? "",
                athlete: row.text(3), createdAt: row.whole(4) ?? 0)
            if let digest = row.text(5) {
                user.invitation = .init(digest: digest, expiresAt: row.whole(6) ?? 0)
            }
            return user
        }
    }

    /// The user of an invitation; nil if it is unknown, used, revoked or expired.
    package func invited(with digest: String, at now: Int64) throws(StoreFailure) -> StoredUser? {
        try users(
            where: "WHERE invitation = ? AND invitation_expires_ms > ?", [.text(digest), .whole(now)]
        ).first
    }

    // MARK: Changing

    /// Stores a user and replaces an earlier one with the same id, together with the invitation.
    package func save(_ user: StoredUser) throws(StoreFailure) {
        try connection.live().run(
            """
            INSERT INTO club_user (user_id, name, role, athlete_id, created_ms, invitation, invitation_expires_ms)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (user_id) DO UPDATE SET name = excluded.name, role = excluded.role,
                athlete_id = excluded.athlete_id, invitation = excluded.invitation,
                invitation_expires_ms = excluded.invitation_expires_ms
            """,
            [
                .text(user.id), .text(user.name), .text(user.role),
                user.athlete.map { .text($0) } ?? .null, .whole(user.createdAt),
                user.invitation.map { .text($0.digest) } ?? .null,
                user.invitation.map { .whole($0.expiresAt) } ?? .null,
            ])
    }

    /// Uses an invitation and stores the device, which gets the user of the invitation. Of two requests with the
    /// same invitation, one gets the user.
    ///
    /// - Returns: nil if the invitation is unknown, used, revoked or expired.
    package func accept(
        _ invitation: String, on device: StoredDevice, at now: Int64
    ) throws(StoreFailure) -> StoredUser? {
        let database = try connection.live()
        var accepted: StoredUser?
        try database.transaction { () throws(StoreFailure) in
            let found = try database.rows(
                """
                UPDATE club_user SET invitation = NULL, invitation_expires_ms = NULL
                WHERE invitation = ? AND invitation_expires_ms > ? RETURNING user_id
                """, [.text(invitation), .whole(now)]
            ) { row in row.text(0) ?? "" }
            guard let user = found.first else { return }
            try database.run(
                "INSERT INTO device (digest, user_id, name, created_ms, seen_ms) VALUES (?, ?, ?, ?, ?)",
                [.text(device.digest), .text(user), .text(device.name), .whole(now), .whole(now)])
            try database.run(
                """
                DELETE FROM device WHERE user_id = ? AND digest NOT IN (
                    SELECT digest FROM device WHERE user_id = ? ORDER BY seen_ms DESC, digest LIMIT ?)
                """, [.text(user), .text(user), .whole(Int64(Self.maximumDevices))])
            accepted = try users(where: "WHERE user_id = ?", [.text(user)]).first
        }
        return accepted
    }

    /// Stores when a device was used.
    package func saw(_ digest: String, at now: Int64) throws(StoreFailure) {
        try connection.live().run(
            "UPDATE device SET seen_ms = ? WHERE digest = ?", [.whole(now), .text(digest)])
    }

    /// Makes devices belong to another user.
    package func moveDevices(_ digests: [String], from former: String, to user: String) throws(StoreFailure) {
        for digest in digests {
            try connection.live().run(
                "UPDATE device SET user_id = ? WHERE digest = ? AND user_id = ?",
                [.text(user), .text(digest), .text(former)])
        }
    }

    /// Signs a device out. Returns false if there is no such device.
    package func removeDevice(_ digest: String) throws(StoreFailure) -> Bool {
        try !connection.live().rows(
            "DELETE FROM device WHERE digest = ? RETURNING digest", [.text(digest)]
        ) { _ in true }.isEmpty
    }

    /// Removes a user with all devices and the invitation. Returns false if there is no such user.
    package func remove(_ id: String) throws(StoreFailure) -> Bool {
        let database = try connection.live()
        var isFound = false
        try database.transaction { () throws(StoreFailure) in
            try database.run("DELETE FROM device WHERE user_id = ?", [.text(id)])
            let found = try database.rows(
                "DELETE FROM club_user WHERE user_id = ? RETURNING user_id", [.text(id)]
            ) { _ in true }
            isFound = !found.isEmpty
        }
        return isFound
    }

    /// Removes the user who is an athlete, if there is one.
    func removeUser(ofAthlete athlete: String) throws(StoreFailure) {
        for user in try users(where: "WHERE athlete_id = ?", [.text(athlete)]) { _ = try remove(user.id) }
    }
}
