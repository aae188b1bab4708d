/// An athlete's profile; `body` is parsed by the people module.
package struct StoredProfile: Equatable, Sendable {
    /// An athlete id.
    package var athlete: String
    /// Last change in Unix milliseconds.
    package var changedAt: Int64
    /// JSON.
    package var body: [UInt8]

    package init(athlete: String, changedAt: Int64, body: [UInt8]) {
        (self.athlete, self.changedAt, self.body) = (athlete, changedAt, body)
    }
}

/// A group of athletes.
package struct StoredGroup: Equatable, Sendable {
    /// A slug.
    package var id: String
    package var name: String
    /// Athlete ids in order.
    package var members: [String]

    package init(id: String, name: String, members: [String]) {
        (self.id, self.name, self.members) = (id, name, members)
    }
}

/// Profiles of athletes and their groups.
///
/// Uses the tables `athlete_profile`, `athlete_group` and `group_member`.
final class PeopleTable {
    private let connection: StoreConnection

    init(_ connection: StoreConnection) { self.connection = connection }

    // MARK: Reading

    func profiles() throws(StoreFailure) -> [StoredProfile] {
        try connection.live().rows(
            "SELECT athlete_id, changed_ms, body FROM athlete_profile ORDER BY athlete_id"
        ) { row in
            StoredProfile(athlete: row.text(0) ?? "", changedAt: row.whole(1) ?? 0, body: row.bytes(2))
        }
    }

    func groups() throws(StoreFailure) -> [StoredGroup] {
        let rows = try connection.live().rows(
            """
            SELECT g.group_id, g.name, m.athlete_id FROM athlete_group g
            LEFT JOIN group_member m ON m.group_id = g.group_id ORDER BY g.group_id, m.athlete_id
            """
        ) { row in (id: row.text(0) ?? "", name: row.text(1) ?? "", member: row.text(2)) }
        var groups: [StoredGroup] = []
        for row in rows {
            if groups.last?.id != row.id {
                groups.append(StoredGroup(id: row.id, name: row.name, members: []))
            }
            if let member = row.member { groups[groups.count - 1].members.append(member) }
        }
        return groups
    }

    // MARK: Changing

    /// Stores profiles and groups, all or none. A group replaces the one with its id.
    func save(_ profiles: [StoredProfile], _ groups: [StoredGroup]) throws(StoreFailure) {
        let database = try connection.live()
        try database.transaction { () throws(StoreFailure) in
            for profile in profiles {
                try database.run(
                    """
                    INSERT INTO athlete_profile (athlete_id, changed_ms, body) VALUES (?, ?, ?)
                    ON CONFLICT (athlete_id)
                    DO UPDATE SET changed_ms = excluded.changed_ms, body = excluded.body
                    """,
                    [.text(profile.athlete), .whole(profile.changedAt), .bytes(profile.body)])
            }
            for group in groups {
                try database.run(
                    """
                    INSERT INTO athlete_group (group_id, name) VALUES (?, ?)
                    ON CONFLICT (group_id) DO UPDATE SET name = excluded.name
                    """, [.text(group.id), .text(group.name)])
                try database.run("DELETE FROM group_member WHERE group_id = ?", [.text(group.id)])
                for member in group.members {
                    try database.run(
                        "INSERT INTO group_member (group_id, athlete_id) VALUES (?, ?)",
                        [.text(group.id), .text(member)])
                }
            }
        }
    }

    /// Removes an athlete's profile and memberships. Returns false if there is no profile.
    func removeProfile(of athlete: String) throws(StoreFailure) -> Bool {
        let database = try connection.live()
        var isFound = false
        try database.transaction { () throws(StoreFailure) in
            let found = try database.rows(
                "DELETE FROM athlete_profile WHERE athlete_id = ? RETURNING athlete_id", [.text(athlete)]
            ) { _ in true }
            isFound = !found.isEmpty
            try database.run("DELETE FROM group_member WHERE athlete_id = ?", [.text(athlete)])
        }
        return isFound
    }

    /// Removes a group; its athletes stay. Returns false if there is no group with this id.
    func removeGroup(_ id: String) throws(StoreFailure) -> Bool {
        let database = try connection.live()
        var isFound = false
        try database.transaction { () throws(StoreFailure) in
            try database.run("DELETE FROM group_member WHERE group_id = ?", [.text(id)])
            let found = try database.rows(
                "DELETE FROM athlete_group WHERE group_id = ? RETURNING group_id", [.text(id)]
            ) { _ in true }
            isFound = !found.isEmpty
        }
        return isFound
    }
}
