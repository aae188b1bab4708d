import Bytes
import Contract
import LogbookStores
import People
import TrainingFiles

/// Reads and stores profiles of athletes and their groups.
package enum PeopleRepository {
    /// The largest numbers of stored profiles and groups, because lists read all of them.
    package static let maximumAthletes = RosterPart.maximumAthletes
    package static let maximumGroups = 100

    // MARK: Reading

    /// Returns profiles in order of id.
    package static func profiles(in store: any LogbookStore) throws -> [AthleteProfile] {
        try store.profiles().map { stored throws(PeopleFault) in try AthleteProfile(stored) }
    }

    /// Returns the names of athletes for people.
    package static func names(in store: any LogbookStore) throws -> AthleteNames {
        let merged = try store.merges.all().map { ($0.athlete, $0.current) }
        return AthleteNames(
            try profiles(in: store), merged: Dictionary(merged, uniquingKeysWith: { first, _ in first }))
    }

    /// Returns the ids that a new athlete must not get: those of all athletes, and merged ones.
    package static func usedIDs(in store: any LogbookStore) throws -> Set<String> {
        Set(try athletes(in: store).map(\.id)).union(try store.merges.all().map(\.athlete))
    }

    /// Returns nil if the athlete has no profile.
    package static func profile(
        of athlete: String, in store: any LogbookStore
    ) throws -> AthleteProfile? {
        try store.profiles().first { $0.athlete == athlete }.map { stored throws(PeopleFault) in
            try AthleteProfile(stored)
        }
    }

    /// Returns groups in order of id.
    package static func groups(in store: any LogbookStore) throws -> [AthleteGroup] {
        try store.groups().map { stored throws(PeopleFault) in
            try AthleteGroup(id: stored.id, name: stored.name, members: stored.members)
        }
    }

    /// Returns all profiles, with the names of their groups, as a table that `importTable` reads.
    package static func table(in store: any LogbookStore) throws -> [UInt8] {
        let groups = try groups(in: store)
        let entries = try profiles(in: store).map { profile in
            RosterTable.Entry(
                profile, groups: groups.filter { $0.members.contains(profile.id) }.map(\.name))
        }
        var bytes: [UInt8] = []
        for row in RosterTable.rows(of: entries) { CommaSeparatedTable.append(row, to: &bytes) }
        return bytes
    }

    /// Returns athletes with a profile or with sessions in order of id, at most `limit`, after an id.
    package static func athletes(
        after id: String? = nil, limit: Int = Int(Int32.max), in store: any LogbookStore
    ) throws -> [ClubAthlete] {
        let found = try store.athletes(after: id, limit: limit).map(ClubAthlete.init)
        return Array(try completed(found, after: id, in: store).prefix(limit))
    }

    /// Returns athletes with a profile and those with these ids, in order of id, without the number of their sessions.
    static func athletes(_ ids: Set<String>, in store: any LogbookStore) throws -> [ClubAthlete] {
        try completed(ids.map { ClubAthlete(id: $0) }, in: store)
    }

    /// Adds the athletes with a profile after an id, and their groups and merged ids.
    private static func completed(
        _ found: [ClubAthlete], after id: String? = nil, in store: any LogbookStore
    ) throws -> [ClubAthlete] {
        var athletes = Dictionary(found.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        for profile in try profiles(in: store) where id.map({ profile.id > $0 }) ?? true {
            athletes[profile.id, default: ClubAthlete(id: profile.id)].profile = profile
        }
        for group in try groups(in: store) {
            for member in group.members { athletes[member]?.groups.append(group.id) }
        }
        for merge in try store.merges.all() { athletes[merge.current]?.mergedIDs.append(merge.athlete) }
        return athletes.values.sorted { $0.id < $1.id }
    }

    /// Returns one athlete; nil without sessions and without a profile. A merged id returns the kept athlete.
    package static func athlete(_ id: String, in store: any LogbookStore) throws -> ClubAthlete? {
        let id = try store.merges.current(of: id)
        var athlete = try store.athlete(id).map(ClubAthlete.init)
        if let profile = try profile(of: id, in: store) {
            athlete = athlete ?? ClubAthlete(id: id)
            athlete?.profile = profile
        }
        athlete?.groups = try groups(in: store).filter { $0.members.contains(id) }.map(\.id)
        athlete?.mergedIDs = try store.merges.ids(of: id)
        return athlete
    }

    private static func hasSessions(_ id: String, in store: any LogbookStore) throws -> Bool {
        var filter = SessionFilter(limit: 1)
        filter.athlete = id
        return try !store.sessions(filter).isEmpty
    }

    // MARK: Changing

    /// Stores a profile and replaces an earlier one.
    package static func save(
        _ profile: AthleteProfile, at unixMilliseconds: Int64, in store: any LogbookStore
    ) throws {
        try save([RosterTable.Entry(profile, groups: nil)], at: unixMilliseconds, in: store)
    }

    /// Stores a group and replaces an earlier one. Merged ids among its members are replaced by the kept ones.
    package static func save(_ group: AthleteGroup, in store: any LogbookStore) throws {
        let ids = try store.groups().map(\.id)
        guard ids.contains(group.id) || ids.count < maximumGroups else {
            throw TooMany("there are \(maximumGroups) groups already; remove an old one")
        }
        let members = try group.members.map { id throws(StoreFailure) in try store.merges.current(of: id) }
        try store.save([], [StoredGroup(id: group.id, name: group.name, members: Set(members).sorted())])
    }

    /// Stores all profiles of a table, or none. An entry with groups is afterwards a member of exactly these;
    /// groups that do not exist are created. Throws `MergeRepository.Fault.merged` for a merged id.
    package static func save(
        _ entries: [RosterTable.Entry], at unixMilliseconds: Int64, in store: any LogbookStore
    ) throws {
        for entry in entries { try MergeRepository.checkNotMerged(entry.profile.id, in: store) }
        let known = Set(try store.profiles().map(\.athlete))
        let all = known.union(entries.map(\.profile.id))
        guard all.count <= maximumAthletes else {
            throw TooMany("a logbook has at most \(maximumAthletes) athletes; remove some first")
        }
        let changed = try groups(withMembershipsOf: entries, in: store)
        guard try Set(store.groups().map(\.id)).union(changed.map(\.id)).count <= maximumGroups else {
            throw TooMany("a logbook has at most \(maximumGroups) groups; remove some first")
        }
        try store.save(
            entries.map { entry in
                StoredProfile(
                    athlete: entry.profile.id, changedAt: unixMilliseconds,
                    body: JSONWriter.object(entry.profile.writeDetails))
            }, changed.map { StoredGroup(id: $0.id, name: $0.name, members: $0.members) })
        try UserRepository.rename(entries.map(\.profile), in: store)
    }

    /// Stores the athletes of a table, all or none; a dry run only checks it. Returns how many are new, and how many
    /// had been stored or have sessions.
    package static func importTable(
        _ bytes: [UInt8], isDryRun: Bool, at unixMilliseconds: Int64, in store: any LogbookStore
    ) throws -> (added: Int, changed: Int) {
        let known = try usedIDs(in: store)
        let entries = try RosterTable.entries(in: bytes, isUsed: known.contains)
        for entry in entries { try MergeRepository.checkNotMerged(entry.profile.id, in: store) }
        if !isDryRun { try save(entries, at: unixMilliseconds, in: store) }
        let changed = entries.count { known.contains($0.profile.id) }
        return (entries.count - changed, changed)
    }

    /// Returns the groups that change when entries have the groups of their column.
    private static func groups(
        withMembershipsOf entries: [RosterTable.Entry], in store: any LogbookStore
    ) throws -> [AthleteGroup] {
        var members: [String: Set<String>] = [:]
        var names: [String: String] = [:]
        let stored = try groups(in: store)
        for group in stored { (members[group.id], names[group.id]) = (Set(group.members), group.name) }
        for entry in entries {
            guard let wanted = entry.groups else { continue }
            var ids: Set<String> = []
            for name in wanted {
                let id =
                    names.first { AthleteNaming.folded($0.value) == AthleteNaming.folded(name) }?.key
                    ?? AthleteNaming.groupID(for: name) { names[$0] != nil }
                if names[id] == nil { names[id] = name }
                ids.insert(id)
            }
            for id in names.keys {
                if ids.contains(id) {
                    members[id, default: []].insert(entry.profile.id)
                } else {
                    members[id]?.remove(entry.profile.id)
                }
            }
        }
        return try names.keys.sorted().compactMap { id throws(PeopleFault) in
            let group = try AthleteGroup(
                id: id, name: names[id] ?? id, members: Array(members[id] ?? []))
            return stored.contains(group) ? nil : group
        }
    }

    /// The result of removing a profile.
    package enum Removal: Sendable {
        case removed
        case unknown
        /// The athlete has sessions. Archive the athlete, or erase the sessions.
        case hasSessions
    }

    /// Removes the profile of an athlete without sessions. Throws `MergeRepository.Fault.merged` for a merged id.
    package static func removeProfile(
        of athlete: String, in store: any LogbookStore
    ) throws -> Removal {
        try MergeRepository.checkNotMerged(athlete, in: store)
        if try hasSessions(athlete, in: store) { return .hasSessions }
        return try store.removeProfile(of: athlete) ? .removed : .unknown
    }

    /// The store has the largest number of athletes or groups.
    package struct TooMany: Error, CustomStringConvertible {
        package let description: String

        init(_ description: String) { self.description = description }
    }
}

extension AthleteProfile {
    init(_ stored: StoredProfile) throws(PeopleFault) {
        try self.init(stored: stored.body, id: stored.athlete)
    }
}

extension ClubAthlete {
    fileprivate init(_ stored: StoredAthlete) {
        self.init(
            id: stored.slug, sessions: stored.sessions,
            times: stored.firstAt...max(stored.firstAt, stored.lastAt))
    }
}
