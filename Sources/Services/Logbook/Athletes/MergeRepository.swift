import LogbookStores
import People
import Plans

/// Merges athlete ids, and undoes merges.
///
/// Each change is one transaction of the store. `People.md` lists what happens to each kind of data.
package enum MergeRepository {
    /// How long a merge can be undone: 30 days.
    package static let undoMilliseconds: Int64 = 30 * 86_400_000
    /// The largest number of merges, because each request that needs them reads all of them.
    package static let maximumMerges = 2000

    /// A request that cannot be carried out, with the remedy.
    package enum Fault: Error, Equatable, CustomStringConvertible {
        case sameAthlete(String)
        case unknownAthlete(String)
        /// The id was merged already.
        case merged(String, into: String)
        case notMerged(String)
        /// The kept id was merged since.
        case keptIsMerged(String, into: String)
        case tooLate(String, into: String)
        case notes(PeopleFault)
        case fullGroup(String)
        case tooMany

        package var description: String {
            switch self {
            case .sameAthlete(let id): "\(id.prefix(40)) cannot be merged into itself; choose two athletes"
            case .unknownAthlete(let id):
                "there is no athlete \"\(id.prefix(40))\"; rowgate-logbook athletes lists all athletes"
            case .merged(let id, let kept):
                "\(id) was merged into \(kept); use \(kept), or undo that merge first"
            case .notMerged(let id):
                "\"\(id.prefix(40))\" is not merged into another athlete; rowgate-logbook athlete merges lists "
                    + "all merges"
            case .keptIsMerged(let kept, let next):
                "\(kept) was merged into \(next) since; undo that merge first"
            case .tooLate(let id, let kept):
                "\(id) was merged into \(kept) more than 30 days ago, which cannot be undone; correct the athlete "
                    + "of single sessions instead"
            case .notes(let fault): "\(fault)"
            case .fullGroup(let id):
                "the group \(id) is full; remove an athlete from it, and undo the merge again"
            case .tooMany: "a logbook has at most \(maximumMerges) merges; undo one first"
            }
        }
    }

    // MARK: Reading

    /// Returns all merges, the newest first.
    package static func all(in store: any LogbookStore, at now: Int64) throws -> [AthleteMerge] {
        try store.merges.all().map { stored in
            var merge = AthleteMerge(stored, at: now)
            if merge.undoUntil != nil { merge.name = (try? SavedMerge(stored)).flatMap(name) }
            return merge
        }.sorted { ($1.mergedAt, $0.athlete) < ($0.mergedAt, $1.athlete) }
    }

    private static func name(in saved: SavedMerge) -> String? {
        saved.profile.flatMap { try? AthleteProfile($0) }?.name
    }

    /// Throws `merged` if an id is merged into another one, so that nothing is stored under it.
    package static func checkNotMerged(_ athlete: String, in store: any LogbookStore) throws {
        let current = try store.merges.current(of: athlete)
        if current != athlete { throw Fault.merged(athlete, into: current) }
    }

    // MARK: Merging

    /// Merges an athlete into another one, whose id is kept. A dry run checks everything and changes nothing.
    package static func merge(
        _ athlete: String, into kept: String, isDryRun: Bool = false, at now: Int64, by name: String?,
        in store: any LogbookStore
    ) throws -> AthleteMerge {
        do {
            return try store.atomically {
                let merge = try apply(athlete, into: kept, at: now, by: name, in: store)
                if isDryRun { throw DryRun(merge: merge) }
                return merge
            }
        } catch let dryRun as DryRun { return dryRun.merge }
    }

    /// Ends the transaction of a dry run, so that it changes nothing.
    private struct DryRun: Error { let merge: AthleteMerge }

    private static func apply(
        _ athlete: String, into kept: String, at now: Int64, by name: String?, in store: any LogbookStore
    ) throws -> AthleteMerge {
        if athlete == kept { throw Fault.sameAthlete(athlete) }
        for id in [athlete, kept] { try checkNotMerged(id, in: store) }
        let known = Set(try PeopleRepository.athletes(in: store).map(\.id))
        for id in [athlete, kept] where !known.contains(id) { throw Fault.unknownAthlete(id) }
        guard try store.merges.all().count < maximumMerges else { throw Fault.tooMany }
        let sessions = try store.merges.sessionCount(of: athlete)
        var saved = SavedMerge()
        try mergeUsers(athlete, kept, &saved, in: store)
        try mergeProfiles(athlete, kept, &saved, at: now, in: store)
        try mergePlans(athlete, kept, &saved, at: now, in: store)
        try mergeHearts(athlete, kept, &saved, in: store)
        let stored = StoredMerge(athlete: athlete, kept: kept, mergedAt: now, by: name, saved: saved.json)
        try store.merges.add(stored)
        var merge = AthleteMerge(stored, at: now)
        (merge.name, merge.sessions) = (self.name(in: saved), sessions)
        merge.changedFields = ProfileMerge.changedFields(saved.former, saved.merged)
        merge.devices = saved.devices.count
        return merge
    }

    /// Unites profiles and memberships in groups.
    private static func mergeProfiles(
        _ athlete: String, _ kept: String, _ saved: inout SavedMerge, at now: Int64,
        in store: any LogbookStore
    ) throws {
        let profiles = try store.profiles()
        let former = profiles.first { $0.athlete == kept }
        saved.profile = profiles.first { $0.athlete == athlete }
        saved.former = try former.map { stored throws(PeopleFault) in try AthleteProfile(stored) }
        saved.formerChangedAt = former?.changedAt ?? 0
        let other = try saved.profile.map { stored throws(PeopleFault) in try AthleteProfile(stored) }
        do throws(PeopleFault) {
            saved.merged = try ProfileMerge.merged(saved.former, id: kept, with: other)
        } catch { throw Fault.notes(error) }
        var groups: [StoredGroup] = []
        for var group in try store.groups() where group.members.contains(athlete) {
            saved.groups.append(group.id)
            group.members.removeAll { $0 == athlete }
            if !group.members.contains(kept) {
                saved.joinedGroups.append(group.id)
                group.members.append(kept)
            }
            groups.append(group)
        }
        _ = try store.removeProfile(of: athlete)
        try store.save([], groups)
        if let merged = saved.merged, merged != saved.former {
            try PeopleRepository.save(merged, at: now, in: store)
        } else if let merged = saved.merged {
            // The user who was the merged athlete gets the name of the kept one.
            try UserRepository.rename([merged], in: store)
        }
    }

    private static func mergePlans(
        _ athlete: String, _ kept: String, _ saved: inout SavedMerge, at now: Int64,
        in store: any LogbookStore
    ) throws {
        for (plan, _) in try PlanRepository.all(in: store) where plan.group.athletes.contains(athlete) {
            saved.plans.append(plan.id)
            var group = plan.group
            group.athletes.removeAll { $0 == athlete }
            if !group.athletes.contains(kept) {
                saved.joinedPlans.append(plan.id)
                group.athletes.append(kept)
            }
            try PlanRepository.save(plan.assigned(to: group), at: now, in: store)
        }
    }

    private static func mergeHearts(
        _ athlete: String, _ kept: String, _ saved: inout SavedMerge, in store: any LogbookStore
    ) throws {
        guard var heart = try store.heartLimits(of: athlete).first else { return }
        saved.heart = heart
        try store.removeHeartLimits(of: athlete)
        guard try store.heartLimits(of: kept).isEmpty else { return }
        saved.movedHeart = true
        heart.athlete = kept
        try store.save(heart)
    }

    /// Makes the devices of the merged athlete act as the kept one. If both have a user, the kept one's gets them.
    private static func mergeUsers(
        _ athlete: String, _ kept: String, _ saved: inout SavedMerge, in store: any LogbookStore
    ) throws {
        let users = try store.users.all()
        guard var user = users.first(where: { $0.athlete == athlete }) else { return }
        saved.user = user
        saved.devices = try store.users.devices().filter { $0.user == user.id }.map(\.digest)
        guard let other = users.first(where: { $0.athlete == kept }) else {
            user.athlete = kept
            try store.users.save(user)
            return
        }
        saved.keptUser = other.id
        try store.users.moveDevices(saved.devices, from: user.id, to: other.id)
        _ = try store.users.remove(user.id)
    }

    // MARK: Undoing

    /// Undoes a merge. What people have changed since stays.
    package static func undo(
        _ athlete: String, at now: Int64, in store: any LogbookStore
    ) throws -> AthleteMerge {
        try store.atomically {
            guard let stored = try store.merges.all().first(where: { $0.athlete == athlete }) else {
                throw Fault.notMerged(athlete)
            }
            let merge = AthleteMerge(stored, at: now)
            guard merge.undoUntil != nil else { throw Fault.tooLate(athlete, into: stored.kept) }
            guard stored.current == stored.kept else {
                throw Fault.keptIsMerged(stored.kept, into: try kept(of: stored.kept, in: store))
            }
            let saved = try SavedMerge(stored)
            // First, because the steps below store data under the merged id.
            try store.merges.remove(athlete)
            try restoreUser(stored, saved, at: now, in: store)
            try restoreProfiles(stored, saved, at: now, in: store)
            try restorePlans(stored, saved, at: now, in: store)
            try restoreHearts(stored, saved, in: store)
            var undone = merge
            undone.name = name(in: saved)
            undone.sessions = try store.merges.sessionCount(of: athlete)
            return undone
        }
    }

    private static func kept(of athlete: String, in store: any LogbookStore) throws -> String {
        try store.merges.all().first { $0.athlete == athlete }?.kept ?? athlete
    }

    private static func restoreProfiles(
        _ merge: StoredMerge, _ saved: SavedMerge, at now: Int64, in store: any LogbookStore
    ) throws {
        let current = try PeopleRepository.profile(of: merge.kept, in: store)
        let other = try saved.profile.map { stored throws(PeopleFault) in try AthleteProfile(stored) }
        let restored = try ProfileMerge.restored(
            current, former: saved.former, merged: saved.merged, without: other)
        let members = try store.groups().filter { $0.members.contains(merge.kept) }.map(\.id)
        if restored == nil, current != nil { _ = try store.removeProfile(of: merge.kept) }
        var groups: [StoredGroup] = []
        for var group in try store.groups() {
            let former = group
            group.members.removeAll { $0 == merge.kept }
            if members.contains(group.id), !saved.joinedGroups.contains(group.id) {
                group.members.append(merge.kept)
            }
            if saved.groups.contains(group.id), !group.members.contains(merge.athlete) {
                group.members.append(merge.athlete)
            }
            guard group.members.count <= AthleteGroup.maximumMembers else { throw Fault.fullGroup(group.id) }
            if Set(group.members) != Set(former.members) { groups.append(group) }
        }
        try store.save(saved.profile.map { [$0] } ?? [], groups)
        guard try store.profiles().count <= PeopleRepository.maximumAthletes else {
            throw PeopleRepository.TooMany(
                "a logbook has at most \(PeopleRepository.maximumAthletes) athletes; remove some first")
        }
        if let restored, restored != current {
            let time = restored == saved.former ? saved.formerChangedAt : now
            try PeopleRepository.save(restored, at: time, in: store)
        }
    }

    private static func restorePlans(
        _ merge: StoredMerge, _ saved: SavedMerge, at now: Int64, in store: any LogbookStore
    ) throws {
        for (plan, _) in try PlanRepository.all(in: store) where saved.plans.contains(plan.id) {
            var group = plan.group
            if saved.joinedPlans.contains(plan.id) { group.athletes.removeAll { $0 == merge.kept } }
            group.athletes.append(merge.athlete)
            guard Set(group.athletes).count <= TrainingPlan.mostAthletes else {
                throw Fault.fullGroup(plan.id)
            }
            try PlanRepository.save(plan.assigned(to: group), at: now, in: store)
        }
    }

    private static func restoreHearts(
        _ merge: StoredMerge, _ saved: SavedMerge, in store: any LogbookStore
    ) throws {
        guard let heart = saved.heart else { return }
        try store.save(heart)
        guard saved.movedHeart, var current = try store.heartLimits(of: merge.kept).first else { return }
        current.athlete = merge.athlete
        if current == heart { try store.removeHeartLimits(of: merge.kept) }
    }

    private static func restoreUser(
        _ merge: StoredMerge, _ saved: SavedMerge, at now: Int64, in store: any LogbookStore
    ) throws {
        guard let former = saved.user else { return }
        let users = try store.users.all()
        guard let keptUser = saved.keptUser else {
            // It was moved. If it was removed since, it stays removed.
            guard var user = users.first(where: { $0.id == former.id && $0.athlete == merge.kept }) else {
                return
            }
            (user.athlete, user.name) = (merge.athlete, former.name)
            try store.users.save(user)
            return
        }
        guard users.count < UserRepository.maximumUsers else { throw UserRepository.Fault.tooMany }
        let used = users.map(\.id)
        let id =
            used.contains(former.id)
            ? AthleteNaming.userID(for: former.name, isUsed: used.contains) : former.id
        var user = StoredUser(
            id: id, name: former.name, role: former.role, athlete: merge.athlete, createdAt: former.createdAt)
        user.invitation = former.invitation.flatMap { $0.expiresAt > now ? $0 : nil }
        try store.users.save(user)
        try store.users.moveDevices(saved.devices, from: keptUser, to: id)
    }

    // MARK: Expiry

    /// Deletes the saved personal data of merges that cannot be undone any more.
    package static func removeExpired(in store: any LogbookStore, at now: Int64) throws(StoreFailure) {
        try store.merges.removeSaved(until: now - undoMilliseconds)
    }
}

extension AthleteMerge {
    fileprivate init(_ stored: StoredMerge, at now: Int64) {
        let end = stored.mergedAt + MergeRepository.undoMilliseconds
        self.init(
            athlete: stored.athlete, kept: stored.kept, current: stored.current, mergedAt: stored.mergedAt,
            by: stored.by, undoUntil: stored.saved != nil && now < end ? end : nil)
    }
}
