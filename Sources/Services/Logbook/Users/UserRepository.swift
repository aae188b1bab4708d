import Bytes
import HostRuntime
import LogbookStores
import People

/// A person who signs in to the pages, with the devices that are signed in.
package struct ClubUser: Equatable, Sendable {
    package struct Device: Equatable, Sendable {
        /// Names the device to users; the first digits of the digest of its token.
        package let id: String
        /// For example `iPhone, Safari`.
        package let name: String
        /// Unix milliseconds of the sign-in, and of the last use, to about an hour.
        package let createdAt: Int64
        package let seenAt: Int64
        let digest: String

        init(_ stored: StoredDevice) {
            (id, digest) = (String(stored.digest.prefix(12)), stored.digest)
            (name, createdAt, seenAt) = (stored.name, stored.createdAt, stored.seenAt)
        }
    }

    /// A slug.
    package let id: String
    package let name: String
    package let role: Role
    /// The athlete who is this person; nil for coaches.
    package let athlete: String?
    package let createdAt: Int64
    /// When the open invitation expires, in Unix milliseconds; nil without one.
    package let invitedUntil: Int64?
    /// The last used first.
    package let devices: [Device]

    /// Writes the user as in the HTTP interface.
    ///
    /// - Parameter digest: The digest of the device that asks; `is_this_device` marks it.
    package func write(into json: inout JSONWriter, usedBy digest: String? = nil) {
        json.field("user_id", id)
        json.field("name", name)
        json.field("role", role.rawValue)
        json.field("athlete_id", athlete)
        json.field("created_ms", createdAt)
        json.field("invited_until_ms", invitedUntil)
        json.list("devices", of: devices) { json, device in
            json.field("device_id", device.id)
            json.field("name", device.name)
            json.field("created_ms", device.createdAt)
            json.field("seen_ms", device.seenAt)
            if device.digest == digest { json.field("is_this_device", true) }
        }
    }
}

/// Reads and changes users, their invitations and their devices.
///
/// An invitation is a link that signs one device in, once. A user has at most one open invitation: a new one replaces
/// it.
package enum UserRepository {
    /// The largest number of users.
    package static let maximumUsers = 2500
    /// How long an invitation is valid.
    package static let invitationPeriod = Duration.seconds(7 * 86_400)
    /// How long the invitation of the first start is valid. It is written to the log.
    static let firstInvitationPeriod = Duration.seconds(3600)

    /// A request that cannot be carried out, with the remedy.
    package enum Fault: Error, Equatable, CustomStringConvertible {
        case unknownUser(String)
        case unknownDevice(String)
        case unknownAthlete(String)
        case usedAthlete(String)
        case roomDevice(String)
        case lastCaptain
        case tooMany

        package var description: String {
            switch self {
            case .unknownUser(let id):
                "there is no user \"\(id.prefix(40))\"; rowgate-logbook user list shows all users"
            case .unknownDevice(let id):
                "there is no device \"\(id.prefix(40))\" of this user; it may be signed out already"
            case .unknownAthlete(let id):
                "there is no athlete \"\(id.prefix(40))\"; rowgate-logbook athletes lists all athletes"
            case .usedAthlete(let id): "the user \"\(id)\" is an athlete; athletes keep their role and name"
            case .roomDevice(let id):
                "the user \"\(id)\" is a room device, which keeps its role; invite people as new users"
            case .lastCaptain: "this is the last captain; invite another captain first"
            case .tooMany: "a logbook has at most \(maximumUsers) users; remove some first"
            }
        }
    }

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

    // MARK: Reading

    /// Returns users in order of name.
    package static func all(in store: any LogbookStore, at now: Int64) throws -> [ClubUser] {
        let devices = Dictionary(grouping: try store.users.devices(), by: \.user)
        return try store.users.all().map { user(of: $0, devices[$0.id] ?? [], at: now) }
            .sorted { (AthleteNaming.folded($0.name), $0.id) < (AthleteNaming.folded($1.name), $1.id) }
    }

    package static func user(_ id: String, in store: any LogbookStore, at now: Int64) throws -> ClubUser {
        guard let found = try all(in: store, at: now).first(where: { $0.id == id }) else {
            throw Fault.unknownUser(id)
        }
        return found
    }

    /// Returns how many coaches and captains have a device that is signed in.
    package static func signedInCoaches(in store: any LogbookStore) throws(StoreFailure) -> Int {
        let users = Set(try store.users.devices().map(\.user))
        return try store.users.all().count { user in
            users.contains(user.id) && Role(rawValue: user.role)?.includes(.coach) ?? false
        }
    }

    private static func user(
        of stored: StoredUser, _ devices: [StoredDevice], at now: Int64
    ) -> ClubUser {
        ClubUser(
            id: stored.id, name: stored.name, role: Role(rawValue: stored.role) ?? .wall,
            athlete: stored.athlete, createdAt: stored.createdAt,
            invitedUntil: stored.invitation.map(\.expiresAt).flatMap { $0 > now ? $0 : nil },
            devices: devices.map(ClubUser.Device.init))
    }

    // MARK: Inviting

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

    private static func stored(_ id: String, in store: any LogbookStore) throws -> StoredUser {
        guard let user = try store.users.all().first(where: { $0.id == id }) else {
            throw Fault.unknownUser(id)
        }
        return user
    }

    // MARK: Changing

    /// Changes the name or the role of a coach or captain, or the name of a room device. Values that are nil stay.
    package static func change(
        _ id: String, name: String?, role: Role?, in store: any LogbookStore
    ) throws {
        var user = try stored(id, in: store)
        guard user.athlete == nil else { throw Fault.usedAthlete(id) }
        // Everybody in the room uses the device: it must not become that of a coach.
        if role != nil, user.role == Role.room.rawValue { throw Fault.roomDevice(id) }
        if let role, role != .captain { try checkNotLastCaptain(user, in: store) }
        if let name { user.name = try AthleteNaming.personName(name) }
        if let role { user.role = role.rawValue }
        try store.users.save(user)
    }

    /// Gives users who are athletes the names of their profiles.
    static func rename(_ profiles: [AthleteProfile], in store: any LogbookStore) throws(StoreFailure) {
        let names = Dictionary(profiles.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
        for var user in try store.users.all() {
            guard let name = user.athlete.flatMap({ names[$0] }), name != user.name else { continue }
            user.name = name
            try store.users.save(user)
        }
    }

    /// Removes a user, the invitation and all devices. An athlete's results stay.
    package static func remove(_ id: String, in store: any LogbookStore) throws {
        try checkNotLastCaptain(try stored(id, in: store), in: store)
        _ = try store.users.remove(id)
    }

    private static func checkNotLastCaptain(_ user: StoredUser, in store: any LogbookStore) throws {
        let captain = Role.captain.rawValue
        guard user.role == captain else { return }
        if try store.users.all().count(where: { $0.role == captain }) == 1 { throw Fault.lastCaptain }
    }

    /// Signs a device of a user out.
    package static func removeDevice(
        _ device: String, of id: String, in store: any LogbookStore, at now: Int64
    ) throws {
        let found = try user(id, in: store, at: now).devices.first { $0.id == device }
        guard let found, try store.users.removeDevice(found.digest) else {
            throw Fault.unknownDevice(device)
        }
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
