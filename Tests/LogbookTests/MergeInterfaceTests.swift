import Foundation
import HostRuntime
import LogbookStores
import TestSupport
import Testing

@testable import Contract
@testable import Logbook
@testable import WebServer

/// Merging two athlete ids that are one person, over the HTTP interface and on each kind of store.
@Suite struct MergeInterfaceTests {
    private typealias Object = [String: Any]
    private static let sessions = [
        "01J7ZK3Q5XQ4W8G9T2V6B0C1DE", "01J7ZK3Q5XQ4W8G9T2V6B0C1DF", "01J7ZK3Q5XQ4W8G9T2V6B0C1DG",
    ]
    private static let day: Int64 = 86_400_000
    private static let stores = ["SQLite"] + (InstalledPrograms.areAllowed ? ["PostgreSQL"] : [])

    /// Zoë has a session of 500 m and of a 200 m stretch; "zoe-2" has a faster one.
    private func makeFixture(_ kind: String = "SQLite") async throws -> InterfaceFixture {
        let isFile = kind == "SQLite"
        return try await makeFixture(
            server: isFile ? nil : try await PrivatePostgreSQL.shared.value.makeDatabase())
    }

    private func makeFixture(server: String?) async throws -> InterfaceFixture {
        let fixture = try InterfaceFixture(server: server)
        var traffic = Traffic()
        try fixture.save(traffic.piece(Self.sessions[0], hour: 0, 200, by: "zoe"))
        try fixture.save(traffic.piece(Self.sessions[1], hour: 1, 300, by: "zoe-2"))
        return fixture
    }

    private func send(
        _ fixture: InterfaceFixture, _ address: String, _ method: WebMethod = .post, _ body: Object = [:],
        as role: Role = .coach
    ) async throws -> Object {
        let text = String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
        let bytes: [UInt8]
        switch await fixture.answer(address, as: role, method, body: method == .get ? "" : text) {
        case .content(_, let found, _), .json(_, let found, _): bytes = found
        case let answer: throw TestSupportError("\(address): \(answer)")
        }
        return try JSONSerialization.jsonObject(with: Data(bytes)) as? Object ?? [:]
    }

    private func refusal(
        _ fixture: InterfaceFixture, _ address: String, _ method: WebMethod = .post, _ body: String = "{}",
        as role: Role = .coach
    ) async -> String? {
        await fixture.refusal(address, as: role, method, body: body)?.status
    }

    private func merge(
        _ fixture: InterfaceFixture, _ other: String = "zoe-2", into kept: String = "zoe",
        dryRun: Bool = false
    ) async throws -> Object {
        try await send(
            fixture, "/athletes/\(kept)/merge", .post,
            dryRun ? ["athlete_id": other, "dry_run": true] : ["athlete_id": other])
    }

    private func athletes(_ fixture: InterfaceFixture) async throws -> [String] {
        let list = try await send(fixture, "/athletes", .get)["athletes"] as? [Object] ?? []
        return list.compactMap { $0["athlete_id"] as? String }
    }

    /// Everything that an undo must restore, as text.
    private func state(_ fixture: InterfaceFixture) throws -> [String] {
        let store = fixture.store
        return try [
            "\(store.profiles())", "\(store.groups())", "\(store.heartLimits(of: nil))",
            "\(store.users.all())", "\(store.users.devices())", "\(store.suggestions(of: nil))",
            "\(store.plans().map { String(decoding: $0.body, as: UTF8.self) })",
            "\(store.sessions(SessionFilter(limit: 9)))", "\(store.corrections(of: nil))",
            "\(store.merges.all())", "\(store.merges.sessions())",
        ]
    }

    /// Both have a profile, a group and a plan; both have users; one has heart rates.
    private func saveData(in fixture: InterfaceFixture) async throws {
        let data: [(String, Object)] = [
            ("/athletes/zoe", ["name": "Zoë Meier", "birth_year": 2006, "note": "shy"]),
            ("/athletes/zoe-2", ["name": "Zoe Meyer", "gender": "female", "note": "knee"]),
            ("/athletes/ben", ["name": "Ben"]),
            ("/groups/juniors", ["name": "Juniors", "athletes": ["zoe-2", "ben"]]),
            ("/groups/both", ["name": "Both", "athletes": ["zoe-2", "zoe"]]),
            ("/athletes/zoe-2/heart", ["resting_bpm": 48, "maximal_bpm": 192]),
            (
                "/plans/spring/set",
                [
                    "title": "Spring", "group": ["name": "", "athletes": ["ben", "zoe-2"]],
                    "workouts": [["day": "2026-09-05", "workout": "500m"]],
                ]
            ),
        ]
        for (address, body) in data { _ = try await send(fixture, address, .post, body) }
        let store = fixture.store
        for id in ["zoe", "zoe-2"] {
            try store.users.save(
                StoredUser(
                    id: "user-\(id)", name: id == "zoe" ? "Zoë Meier" : "Zoe Meyer", role: "athlete",
                    athlete: id,
                    createdAt: 5, invitation: .init(digest: "i-\(id)", expiresAt: 4_000_000_000_000)))
            _ = try store.users.accept(
                "i-\(id)",
                on: StoredDevice(digest: "d-\(id)", user: "", name: "Phone", createdAt: 5, seenAt: 5), at: 5)
        }
        try fixture.directory.read(from: store)
    }

    @Test(arguments: stores) func everythingCountsForTheKeptAthlete(_ kind: String) async throws {
        let fixture = try await makeFixture(kind)
        try await saveData(in: fixture)
        let (before, verified) = (
            try state(fixture), try fixture.store.sessions(SessionFilter(limit: 9)).map(\.state)
        )
        let preview = try await merge(fixture, dryRun: true)
        #expect(try state(fixture) == before, "a dry run changes nothing")
        let merged = try await merge(fixture)
        for answer in [preview, merged] {
            #expect(answer["sessions"] as? Int == 1 && answer["name"] as? String == "Zoe Meyer")
            #expect(
                answer["athlete_id"] as? String == "zoe-2" && answer["kept_athlete_id"] as? String == "zoe")
            #expect(
                answer["changed_fields"] as? [String] == ["gender", "note"] && answer["devices"] as? Int == 1)
        }
        #expect(merged["merged_by"] as? String == "coach")
        #expect(try await athletes(fixture) == ["ben", "zoe"])
        // Requests with the merged id are answered for the athlete.
        for id in ["zoe", "zoe-2"] {
            let found = try await send(fixture, "/athletes/\(id)", .get)
            let athlete = try #require(found["athlete"] as? Object)
            #expect(athlete["athlete_id"] as? String == "zoe" && athlete["sessions"] as? Int == 2)
            #expect(athlete["name"] as? String == "Zoë Meier" && athlete["gender"] as? String == "female")
            #expect(
                athlete["note"] as? String == "shy\nknee" && athlete["merged_ids"] as? [String] == ["zoe-2"])
            #expect(athlete["groups"] as? [String] == ["both", "juniors"])
            let sessions =
                try await send(fixture, "/sessions?athlete_id=\(id)", .get)["sessions"] as? [Object]
            #expect(sessions?.count == 2)
            let volumes =
                try await send(fixture, "/athletes/\(id)/volume?by=season", .get)["volumes"] as? [Object]
            #expect(volumes?.compactMap { $0["sessions"] as? Int }.reduce(0, +) == 2)
            let plans = try await send(fixture, "/athletes/\(id)/plans", .get)["plans"] as? [Object]
            #expect(plans?.count == 1)
            let adherence = try await send(fixture, "/plans/spring/adherence?athlete_id=\(id)", .get)
            #expect((adherence["athletes"] as? [Object])?.first?["athlete_id"] as? String == "zoe")
            guard case .content = await fixture.answer("/sessions/export?format=csv&athlete_id=\(id)") else {
                Issue.record("no file for \(id)")
                return
            }
        }
        #expect(try HeartLimitsRepository.limits(of: "zoe", in: fixture.store)?.resting == 48)
        #expect(try fixture.store.sessions(SessionFilter(limit: 9)).map(\.state) == verified)
        // Both phones are the athlete, and see the records that name the merged id.
        #expect(try fixture.store.users.all().map(\.id) == ["user-zoe"])
        #expect(try fixture.store.users.devices().map(\.user) == ["user-zoe", "user-zoe"])
        let strokes = "/sessions/boathouse/\(Self.sessions[1])/strokes"
        let records = try await send(fixture, strokes, .get, as: .athlete)["records"] as? [Object]
        #expect(records?.isEmpty == false)
        _ = try await send(fixture, "/merges/zoe-2", .delete)
        let restored = try state(fixture)
        for (before, after) in zip(before, restored) { #expect(before == after) }
        #expect(try await athletes(fixture) == ["ben", "zoe", "zoe-2"])
        #expect(await refusal(fixture, strokes, .get, as: .athlete) == "404 unknown_session")
    }

    /// The token of the athlete is of the merged id: it acts as the athlete who was kept.
    @Test func tokenOfTheMergedAthleteActsAsTheKeptOne() async throws {
        let fixture = try await makeFixture()
        _ = try await merge(fixture, "zoe", into: "zoe-2")
        let me = try await send(fixture, "/me", .get, as: .athlete)
        #expect(me["athlete_id"] as? String == "zoe-2")
        let own = try await send(fixture, "/sessions", .get, as: .athlete)["sessions"] as? [Object]
        #expect(own?.count == 2)
        let athlete = try await send(fixture, "/athletes/zoe", .get, as: .athlete)["athlete"] as? Object
        #expect(athlete?["athlete_id"] as? String == "zoe-2")
        _ = try await send(fixture, "/merges/zoe", .delete)
        #expect(try await send(fixture, "/me", .get, as: .athlete)["athlete_id"] as? String == "zoe")
    }

    @Test(arguments: stores) func soleUserBecomesTheKeptAthlete(_ kind: String) async throws {
        let fixture = try await makeFixture(kind)
        _ = try await send(fixture, "/athletes/zoe", .post, ["name": "Zoë"])
        let user = StoredUser(id: "u", name: "Zoe", role: "athlete", athlete: "zoe-2", createdAt: 5)
        try fixture.store.users.save(user)
        _ = try await merge(fixture)
        let moved = try #require(try fixture.store.users.all().first)
        #expect(moved.id == "u" && moved.athlete == "zoe" && moved.name == "Zoë")
        // An invitation for either id is one for this user.
        let invitation = try await send(fixture, "/athletes/zoe-2/invitation", .post)
        #expect((invitation["user"] as? Object)?["user_id"] as? String ?? "u" == "u")
        #expect(try fixture.store.users.all().count == 1)
        try UserRepository.revokeInvitation(of: "u", in: fixture.store)
        _ = try await send(fixture, "/merges/zoe-2", .delete)
        #expect(try fixture.store.users.all() == [user])
    }

    @Test func undoKeepsWhatPeopleDidSince() async throws {
        let fixture = try await makeFixture()
        try await saveData(in: fixture)
        _ = try await merge(fixture)
        // A coach corrects the session, renames the athlete, sets heart rates and leaves a group; a device is
        // signed out.
        let session = "/sessions/boathouse/\(Self.sessions[1])/athlete"
        _ = try await send(fixture, session, .post, ["athlete_id": "ben"])
        _ = try await send(
            fixture, "/athletes/zoe", .post,
            ["name": "Zoë W", "birth_year": 2006, "gender": "female", "note": "shy\nknee"])
        _ = try await send(fixture, "/athletes/zoe/heart", .post, ["resting_bpm": 50, "maximal_bpm": 190])
        _ = try await send(fixture, "/groups/juniors", .post, ["remove": ["zoe", "ben"]])
        _ = try fixture.store.users.removeDevice("d-zoe-2")
        _ = try await send(fixture, "/merges/zoe-2", .delete)
        let found = try #require(
            try fixture.store.sessions(SessionFilter(limit: 9)).first { $0.name.session == Self.sessions[1] })
        #expect(found.athlete == "ben" && found.isCorrected)
        let profile = try PeopleRepository.profile(of: "zoe", in: fixture.store)
        #expect(profile?.name == "Zoë W" && profile?.gender == nil && profile?.note == "shy")
        #expect(try HeartLimitsRepository.limits(of: "zoe", in: fixture.store)?.resting == 50)
        #expect(try HeartLimitsRepository.limits(of: "zoe-2", in: fixture.store)?.resting == 48)
        #expect(try fixture.store.groups().first { $0.id == "juniors" }?.members == ["zoe-2"])
        #expect(try fixture.store.users.devices().map(\.digest) == ["d-zoe"])
        #expect(try fixture.store.users.all().map(\.athlete) == ["zoe", "zoe-2"])
    }

    @Test func refusesWrongMerges() async throws {
        let fixture = try await makeFixture()
        func refused(_ other: String, into kept: String = "zoe") async -> String? {
            await refusal(fixture, "/athletes/\(kept)/merge", .post, "{\"athlete_id\": \"\(other)\"}")
        }
        #expect(await refused("zoe") == "409 same_athlete")
        #expect(await refused("nobody") == "404 unknown_athlete")
        #expect(await refused("zoe", into: "nobody") == "404 unknown_athlete")
        #expect(await refused("a/b") == "400 bad_value")
        let bodies = [
            ("{}", "400 missing_field"), ("[]", "400 not_json"), (#"{"athlete_id": 5}"#, "400 bad_value"),
            (#"{"athlete_id": "zoe-2", "x": 1}"#, "400 unknown_field"),
            (#"{"athlete_id": "zoe-2", "dry_run": "yes"}"#, "400 bad_value"),
        ]
        for (body, expected) in bodies {
            #expect(await refusal(fixture, "/athletes/zoe/merge", .post, body) == expected, "\(body)")
        }
        #expect(await refusal(fixture, "/merges/zoe-2", .delete) == "404 unknown_merge")
        for role in [Role.athlete, .wall] {
            #expect(await refusal(fixture, "/merges/zoe-2", .delete, as: role) == "403 not_allowed")
            #expect(await refusal(fixture, "/merges", .get, as: role) == "403 not_allowed")
            #expect(
                await refusal(fixture, "/athletes/zoe/merge", .post, #"{"athlete_id":"zoe-2"}"#, as: role)
                    == "403 not_allowed")
        }
        // Notes that do not fit into one.
        let note = String(repeating: "n", count: 200)
        for id in ["zoe", "zoe-2"] {
            _ = try await send(fixture, "/athletes/\(id)", .post, ["name": id, "note": note + id])
        }
        #expect(await refused("zoe-2") == "409 notes_too_long")
        #expect(try fixture.store.merges.all().isEmpty && fixture.store.profiles().count == 2)
    }

    @Test func chainsAndCirclesHaveAClearResult() async throws {
        let fixture = try await makeFixture()
        for id in ["ben", "carl"] { _ = try await send(fixture, "/athletes/\(id)", .post, ["name": id]) }
        func refused(_ other: String, into kept: String) async -> (String?, String) {
            let found = await fixture.refusal(
                "/athletes/\(kept)/merge", .post, body: "{\"athlete_id\": \"\(other)\"}")
            return (found?.status, found?.message ?? "")
        }
        _ = try await merge(fixture, "zoe-2", into: "zoe")
        #expect(
            await refused("zoe-2", into: "zoe") == (
                "409 merged_athlete", "zoe-2 was merged into zoe; use zoe, or undo that merge first"
            ))
        #expect(await refused("zoe", into: "zoe-2").0 == "409 merged_athlete")
        #expect(await refused("ben", into: "zoe-2").0 == "409 merged_athlete")
        // Another athlete becomes the last of the chain.
        _ = try await merge(fixture, "zoe", into: "ben")
        #expect(try await athletes(fixture) == ["ben", "carl"])
        let list = try await send(fixture, "/merges", .get)["merges"] as? [Object] ?? []
        #expect(Set(list.compactMap { $0["athlete_id"] as? String }) == ["zoe", "zoe-2"])
        #expect(
            list.first { $0["athlete_id"] as? String == "zoe-2" }?["current_athlete_id"] as? String == "ben")
        #expect(await refusal(fixture, "/merges/zoe-2", .delete) == "409 merged_athlete")
        _ = try await send(fixture, "/merges/zoe", .delete)
        _ = try await send(fixture, "/merges/zoe-2", .delete)
        #expect(try await athletes(fixture) == ["ben", "carl", "zoe", "zoe-2"])
    }

    /// Two programs merge at the same time, in both directions: one succeeds, and the other gets a clear error.
    @Test(arguments: stores) func ofTwoMergesAtOnceOneSucceeds(_ kind: String) async throws {
        let server = kind == "SQLite" ? nil : try await PrivatePostgreSQL.shared.value.makeDatabase()
        let fixture = try await makeFixture(server: server)
        let (runtime, log) = (SystemRuntime(), SystemLog(subsystem: "test", threshold: .critical))
        let path = fixture.folder.path("logbook.db")
        let address =
            try server.map { StoreAddress.postgres(try PostgreSQLAddress($0)) } ?? .sqlite(path: path)
        let other = StoreQueue(runtime: runtime, log: log) { () throws(StoreFailure) in
            try address.open(for: .editing)
        }
        let now = runtime.unixMilliseconds()
        @Sendable func merge(_ athlete: String, into kept: String, on queue: StoreQueue) async -> String {
            await withCheckedContinuation { waiter in
                _ = queue.perform(
                    { store in
                        _ = try MergeRepository.merge(athlete, into: kept, at: now, by: nil, in: store)
                        waiter.resume(returning: "merged")
                    }, failed: { waiter.resume(returning: "\($0)") })
            }
        }
        let writer = fixture.writer
        async let one = merge("zoe", into: "zoe-2", on: other)
        async let two = merge("zoe-2", into: "zoe", on: writer)
        let results = await [one, two].sorted()
        #expect(results[0] == "merged" && results[1].contains("was merged into"), "\(results)")
        #expect(try fixture.store.merges.all().count == 1 && fixture.store.faults() == [])
        other.stop()
    }

    @Test func mergedIDIsNotUsedAgain() async throws {
        let fixture = try await makeFixture()
        try await saveData(in: fixture)
        _ = try await merge(fixture)
        #expect(await refusal(fixture, "/athletes/zoe-2", .post, #"{"name":"Zoe"}"#) == "409 merged_athlete")
        #expect(await refusal(fixture, "/athletes/zoe-2", .delete) == "409 merged_athlete")
        #expect(
            await refusal(fixture, "/athletes", .post, #"{"name":"Zoe","athlete_id":"zoe-2"}"#)
                == "409 athlete_exists")
        let table = #"{"text":"athlete_id,name\r\nzoe-2,Zoe\r\n","dry_run":true}"#
        #expect(await refusal(fixture, "/roster", .post, table) == "409 merged_athlete")
        // A new athlete with a name that gives this id gets another one.
        #expect(
            try await send(fixture, "/athletes", .post, ["name": "Zoe"])["athlete_id"] as? String == "zoe-3")
        // Groups and plans get the athlete who was kept.
        let group = try await send(
            fixture, "/groups/new", .post, ["name": "New", "athletes": ["zoe-2", "zoe"]])
        #expect(group["athletes"] as? [String] == ["zoe"])
        let plan = try await send(
            fixture, "/plans/summer/set", .post,
            [
                "title": "S", "group": ["name": "", "athletes": ["zoe-2"]],
                "workouts": [["day": "2026-09-05", "workout": "500m"]],
            ])
        #expect((plan["group"] as? Object)?["athletes"] as? [String] == ["zoe"])
        let session = "/sessions/boathouse/\(Self.sessions[0])/athlete"
        let corrected = try await send(fixture, session, .post, ["athlete_id": "zoe-2"])
        #expect(corrected["athlete_id"] as? String == "zoe")
    }

    @Test func undoEndsAfterThirtyDays() async throws {
        let fixture = try await makeFixture()
        try await saveData(in: fixture)
        let store = fixture.store
        let now = SystemRuntime().unixMilliseconds()
        _ = try MergeRepository.merge("zoe-2", into: "zoe", at: now - 30 * Self.day, by: nil, in: store)
        #expect(await refusal(fixture, "/merges/zoe-2", .delete) == "409 too_late")
        let list = try await send(fixture, "/merges", .get)["merges"] as? [Object]
        #expect(list?.count == 1 && list?.first?["undo_until_ms"] == nil && list?.first?["name"] == nil)
        try MergeRepository.removeExpired(in: store, at: now)
        #expect(try store.merges.all().first?.saved == nil)
        #expect(throws: MergeRepository.Fault.tooLate("zoe-2", into: "zoe")) {
            try MergeRepository.undo("zoe-2", at: now, in: store)
        }
        // The id still means the athlete.
        #expect(try await athletes(fixture) == ["ben", "zoe"])
        // A minute before the end it can be undone.
        _ = try MergeRepository.merge(
            "ben", into: "zoe", at: now - 30 * Self.day + 60_000, by: nil, in: store)
        try MergeRepository.removeExpired(in: store, at: now)
        _ = try await send(fixture, "/merges/ben", .delete)
        #expect(try await athletes(fixture) == ["ben", "zoe"])
    }

    /// The directory of users deletes saved data in the background once they are too old.
    @Test func directoryRemovesExpiredData() async throws {
        let fixture = try await makeFixture()
        let old = SystemRuntime().unixMilliseconds() - 31 * Self.day
        _ = try MergeRepository.merge("zoe-2", into: "zoe", at: old, by: nil, in: fixture.store)
        try fixture.directory.read(from: fixture.store)
        await fixture.waitForWrites()
        let isRemoved = try fixture.store.merges.all().first?.saved == nil
        #expect(isRemoved == SystemRuntime().wall().isSynchronized)
    }

    /// An athlete whose name is hostile, and one without a profile.
    @Test func hostileNamesAndMissingProfiles() async throws {
        let fixture = try await makeFixture()
        let name = "<script>\"}',\\ %0a"
        _ = try await send(fixture, "/athletes/zoe-2", .post, ["name": name, "note": "a\nb\"c"])
        let before = try state(fixture)
        // The kept one has no profile, and takes the other's.
        #expect(try await merge(fixture)["name"] as? String == name)
        #expect(try PeopleRepository.profile(of: "zoe", in: fixture.store)?.name == name)
        _ = try await send(fixture, "/merges/zoe-2", .delete)
        #expect(try state(fixture) == before)
        // Characters of an id that JSON and SQL treat specially.
        let hostile = "x'-.&id"
        var traffic = Traffic(epoch: "01J0EP0CH000000000000000BB")
        try fixture.save(traffic.piece(Self.sessions[2], hour: 2, 200, by: "plain"))
        try fixture.store.save(
            [StoredProfile(athlete: hostile, changedAt: 1, body: Array(#"{"name":"X"}"#.utf8))], [])
        _ = try await merge(fixture, "plain", into: "zoe")
        _ = try await merge(fixture, hostile, into: "zoe")
        #expect(try await athletes(fixture) == ["zoe", "zoe-2"])
        _ = try MergeRepository.undo(hostile, at: SystemRuntime().unixMilliseconds(), in: fixture.store)
        #expect(try await athletes(fixture).contains(hostile))
    }

    @Test func damagedSavedDataAreReported() async throws {
        let fixture = try await makeFixture()
        _ = try await merge(fixture)
        let merge = try #require(try fixture.store.merges.all().first)
        try fixture.store.atomically {
            try fixture.store.merges.remove("zoe-2")
            var damaged = merge
            damaged.saved = Array("{".utf8)
            try fixture.store.merges.add(damaged)
        }
        #expect(throws: (any Error).self) {
            try MergeRepository.undo("zoe-2", at: merge.mergedAt, in: fixture.store)
        }
        // The list still works, so that the athletes page does.
        let list = try await send(fixture, "/merges", .get)["merges"] as? [Object]
        #expect(list?.count == 1)
        #expect(try fixture.store.merges.current(of: "zoe-2") == "zoe")
    }
}
