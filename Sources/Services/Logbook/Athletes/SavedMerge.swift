import Bytes
import LogbookStores
import People

/// What the undo of a merge restores: personal data, which are deleted once the merge cannot be undone any more.
struct SavedMerge: Equatable {
    /// The merged athlete's profile as it was stored; nil without one.
    var profile: StoredProfile?
    /// The kept athlete's profile before and after the merge.
    var former: AthleteProfile?
    /// When the profile before the merge was changed last, in Unix milliseconds.
    var formerChangedAt: Int64 = 0
    var merged: AthleteProfile?
    /// The groups of the merged athlete, and those of them that the kept athlete joined by the merge.
    var groups: [String] = []
    var joinedGroups: [String] = []
    /// The same for plans.
    var plans: [String] = []
    var joinedPlans: [String] = []
    /// The heart rates of the merged athlete, and whether they were moved to the kept one.
    var heart: StoredHeartLimits?
    var movedHeart = false
    /// The user who was the merged athlete.
    var user: StoredUser?
    /// The user of the kept athlete who got the devices of `user`; nil if `user` became the kept athlete.
    var keptUser: String?
    /// The devices of `user`, by digest.
    var devices: [String] = []
}

extension SavedMerge {
    /// The JSON of the store.
    var json: [UInt8] {
        JSONWriter.object { json in
            if let profile {
                json.key("profile")
                json.value(json: profile.body)
                json.field("profile_changed_ms", profile.changedAt)
            }
            if let former {
                json.object("former", former.writeDetails)
                json.field("former_changed_ms", formerChangedAt)
            }
            if let merged { json.object("merged", merged.writeDetails) }
            json.field("groups", groups)
            json.field("joined_groups", joinedGroups)
            json.field("plans", plans)
            json.field("joined_plans", joinedPlans)
            if let heart {
                json.object("heart") { json in
                    json.field("resting_bpm", heart.resting)
                    json.field("maximal_bpm", heart.maximal)
                    json.field("given_ms", heart.givenAt)
                }
                json.field("moved_heart", movedHeart)
            }
            if let user {
                json.object("user") { json in
                    json.field("user_id", user.id)
                    json.field("name", user.name)
                    json.field("role", user.role)
                    json.field("created_ms", user.createdAt)
                    json.field("invitation", user.invitation?.digest)
                    json.field("invitation_expires_ms", user.invitation?.expiresAt)
                }
                json.field("kept_user", keptUser)
                json.field("devices", devices)
            }
        }
    }

    /// Reads the JSON of the store; throws if it is damaged.
    init(_ merge: StoredMerge) throws {
        guard let saved = merge.saved, let object = try? JSONObject(parsing: saved) else {
            throw PeopleFault(
                "the saved data of the merge of \(merge.athlete) are damaged", "restore a backup of the store"
            )
        }
        if let body = object.source("profile") {
            profile = StoredProfile(
                athlete: merge.athlete, changedAt: object.milliseconds("profile_changed_ms"), body: body)
        }
        former = try object.source("former").map { bytes throws(PeopleFault) in
            try AthleteProfile(stored: bytes, id: merge.kept)
        }
        formerChangedAt = object.milliseconds("former_changed_ms")
        merged = try object.source("merged").map { bytes throws(PeopleFault) in
            try AthleteProfile(stored: bytes, id: merge.kept)
        }
        (groups, joinedGroups) = (object.texts("groups"), object.texts("joined_groups"))
        (plans, joinedPlans) = (object.texts("plans"), object.texts("joined_plans"))
        if let heart = object.object("heart") {
            self.heart = StoredHeartLimits(
                athlete: merge.athlete, resting: Int(heart.milliseconds("resting_bpm")),
                maximal: Int(heart.milliseconds("maximal_bpm")), givenAt: heart.milliseconds("given_ms"))
            movedHeart = object["moved_heart"] == .flag(true)
        }
        if let user = object.object("user"), let id = user.text("user_id") {
            var restored = StoredUser(
                id: id, name: user.text("name") ?? id, role: user.text("role") ?? "",
                athlete: merge.athlete, createdAt: user.milliseconds("created_ms"))
            restored.invitation = user.text("invitation").map {
                .init(digest: $0, expiresAt: user.milliseconds("invitation_expires_ms"))
            }
            self.user = restored
            (keptUser, devices) = (object.text("kept_user"), object.texts("devices"))
        }
    }
}

extension JSONObject {
    fileprivate func source(_ name: String) -> [UInt8]? {
        members.last { $0.name == name }.map { Array($0.valueSource) }
    }

    fileprivate func object(_ name: String) -> JSONObject? {
        if case .object(let object)? = self[name] { object } else { nil }
    }

    fileprivate func texts(_ name: String) -> [String] {
        guard case .list(let values)? = self[name] else { return [] }
        return values.compactMap { if case .text(let text) = $0 { text } else { nil } }
    }

    /// A whole number; 0 if it is missing.
    fileprivate func milliseconds(_ name: String) -> Int64 { Int64(clamping: number(name) ?? 0) }
}
