import Bytes
import HostRuntime
import LogbookStores
import People

/// Reads and changes users and their devices.
package enum UserRepository {
    /// The largest number of users.
    package static let maximumUsers = 2500

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

    static func stored(_ id: String, in store: any LogbookStore) throws -> StoredUser {
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
}
