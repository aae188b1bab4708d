import HostRuntime
import LogbookStores
import People

/// The invitations of users.
///
/// An invitation is a link that signs one device in, once. A user has at most one open invitation: a new one replaces
/// it.
extension UserRepository {
    /// How long an invitation is valid.
    package static let invitationPeriod = Duration.seconds(7 * 86_400)
    /// How long the invitation of the first start is valid. It is written to the log.
    static let firstInvitationPeriod = Duration.seconds(3600)

    /// A new invitation, with the code that only its link contains.
    package struct Invitation: Sendable {
        package let user: ClubUser
        let code: Token
        /// Unix milliseconds.
        package let expiresAt: Int64

        /// The address that signs a device in. The code is behind the `#`, so that no server and no preview of a chat
        /// program gets it.
        ///
        /// - Parameter address: The address of the pages without a slash at the end: `http://boathouse:8080`.
        package func link(below address: String) -> String { "\(address)/invitation#\(code.printed)" }
    }

    /// The roles of users who are invited by a name.
    package static let invitedByName: [Role] = [.coach, .captain, .room]

    /// Creates a coach, a captain or a room device, with an invitation.
    ///
    /// - Parameter role: `coach`, `captain` or `room`.
    package static func invite(
        named name: String, as role: Role, for period: Duration = invitationPeriod,
        in store: any LogbookStore,
        at now: Int64, by runtime: some Runtime
    ) throws -> Invitation {
        precondition(invitedByName.contains(role), "athletes are invited by their id")
        let used = try store.users.all().map(\.id)
        guard used.count < maximumUsers else { throw Fault.tooMany }
        let name = try AthleteNaming.personName(name)
        let id = AthleteNaming.userID(for: name, isUsed: used.contains)
        let user = StoredUser(id: id, name: name, role: role.rawValue, createdAt: now)
        return try invite(user, for: period, in: store, at: now, by: runtime)
    }

    /// Creates an invitation for an athlete of the club; for a merged id, for the kept athlete.
    package static func invite(
        athlete: String, in store: any LogbookStore, at now: Int64, by runtime: some Runtime
    ) throws -> Invitation {
        let athlete = try store.merges.current(of: athlete)
        let users = try store.users.all()
        if let user = users.first(where: { $0.athlete == athlete }) {
            return try invite(user, for: invitationPeriod, in: store, at: now, by: runtime)
        }
        guard users.count < maximumUsers else { throw Fault.tooMany }
        guard let known = try PeopleRepository.athletes(in: store).first(where: { $0.id == athlete }) else {
            throw Fault.unknownAthlete(athlete)
        }
        let name = known.profile?.name ?? athlete
        let used = users.map(\.id)
        let user = StoredUser(
            id: AthleteNaming.userID(for: name, isUsed: used.contains), name: name,
            role: Role.athlete.rawValue, athlete: athlete, createdAt: now)
        return try invite(user, for: invitationPeriod, in: store, at: now, by: runtime)
    }

    /// Creates an invitation for one more device of a user.
    package static func invite(
        user id: String, in store: any LogbookStore, at now: Int64, by runtime: some Runtime
    ) throws -> Invitation {
        try invite(try stored(id, in: store), for: invitationPeriod, in: store, at: now, by: runtime)
    }

    private static func invite(
        _ user: StoredUser, for period: Duration, in store: any LogbookStore, at now: Int64,
        by runtime: some Runtime
    ) throws -> Invitation {
        let code = Token(by: runtime)
        let expiresAt = now + period.components.seconds * 1000
        var user = user
        user.invitation = .init(digest: code.digest, expiresAt: expiresAt)
        try store.users.save(user)
        return Invitation(
            user: try self.user(user.id, in: store, at: now), code: code, expiresAt: expiresAt)
    }

    /// Makes the open invitation of a user invalid, if there is one.
    package static func revokeInvitation(of id: String, in store: any LogbookStore) throws {
        var user = try stored(id, in: store)
        user.invitation = nil
        try store.users.save(user)
    }

    // MARK: First start

    /// Creates an invitation for a captain if nobody has ever signed in; nil if somebody has.
    static func firstInvitation(
        in store: any LogbookStore, at now: Int64, by runtime: some Runtime
    ) throws -> Invitation? {
        guard try store.users.devices().isEmpty else { return nil }
        let users = try store.users.all()
        guard users.count <= 1, users.allSatisfy({ $0.role == Role.captain.rawValue }) else { return nil }
        if let user = users.first {
            return try invite(user, for: firstInvitationPeriod, in: store, at: now, by: runtime)
        }
        return try invite(
            named: "Captain", as: .captain, for: firstInvitationPeriod, in: store, at: now, by: runtime)
    }
}
