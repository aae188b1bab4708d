import Foundation
import LogbookStores
import TestSupport
import Testing

@testable import Contract
@testable import Logbook
@testable import WebServer

/// The HTTP endpoints for athletes and groups.
@Suite struct PeopleInterfaceTests {
    private typealias Object = [String: Any]
    private let fixture: InterfaceFixture
    private var traffic = Traffic()

    init() throws { fixture = try InterfaceFixture() }

    private func post(_ address: String, _ body: Object) async throws -> Object {
        let text = String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
        let answer = await fixture.answer(address, .post, body: text)
        guard case .content(_, let bytes, _) = answer else { throw TestSupportError("\(answer)") }
        return try JSONSerialization.jsonObject(with: Data(bytes)) as? Object ?? [:]
    }

    private func refusal(_ address: String, _ method: WebMethod = .post, _ body: Object = [:]) async throws
        -> String?
    {
        let text = String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self)
        return await fixture.refusal(address, method, body: text)?.status
    }

    private func athletes() async throws -> [Object] {
        try await fixture.object("/athletes")["athletes"] as? [Object] ?? []
    }

    private func saveSession(of athlete: String) throws {
        var traffic = traffic
        let messages = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 3)
        try fixture.save(messages.map { $0.assigned(to: athlete) })
    }

    @Test func addsChangesAndRemovesAthlete() async throws {
        let added = try await post("/athletes", ["name": "Anna Müller", "birth_year": 2006, "note": "shy"])
        #expect(added["athlete_id"] as? String == "anna-muller" && added["sessions"] as? Int == 0)
        let second = try await post("/athletes", ["name": "Anna Müller"])
        #expect(second["athlete_id"] as? String == "anna-muller-2")
        let chosen = try await post("/athletes", ["name": "Ben", "athlete_id": "a-17"])
        #expect(chosen["athlete_id"] as? String == "a-17")
        #expect(
            try await refusal("/athletes", .post, ["name": "Ben", "athlete_id": "a-17"])
                == "409 athlete_exists")
        // The whole profile is replaced.
        let changed = try await post("/athletes/anna-muller", ["name": "Anna Weiß", "weight_kg": 57.5])
        #expect(changed["name"] as? String == "Anna Weiß" && changed["birth_year"] == nil)
        #expect(changed["weight_kg"] as? Double == 57.5)
        #expect(
            try await athletes().map { $0["athlete_id"] as? String } == [
                "a-17", "anna-muller", "anna-muller-2",
            ])
        let one = try await fixture.object("/athletes/anna-muller")["athlete"] as? Object
        #expect(one?["name"] as? String == "Anna Weiß")
        guard case .json = await fixture.answer("/athletes/a-17", .delete) else {
            Issue.record("not removed")
            return
        }
        #expect(try await refusal("/athletes/a-17", .delete) == "404 unknown_athlete")
        #expect(try await athletes().count == 2)
    }

    @Test func profileNamesAthleteOfSessions() async throws {
        try saveSession(of: InterfaceFixture.athlete)
        #expect(try await athletes().first?["name"] == nil)
        _ = try await post("/athletes/\(InterfaceFixture.athlete)", ["name": "Zoë", "note": "shy"])
        let listed = try #require(try await athletes().first)
        #expect(listed["name"] as? String == "Zoë" && listed["sessions"] as? Int == 1)
        #expect(listed["last_ms"] is Int && listed["note"] as? String == "shy")
        // An athlete sees the own profile, without the coaches' note.
        let own = try await fixture.object("/athletes", as: .athlete)["athletes"] as? [Object]
        #expect(own?.map { $0["name"] as? String } == ["Zoë"] && own?.first?["note"] == nil)
        #expect(try await refusal("/athletes/\(InterfaceFixture.athlete)", .delete) == "409 has_sessions")
    }

    @Test func refusesInvalidAthletes() async throws {
        for (body, expected): (Object, String) in [
            ([:], "400 missing_field"), (["name": ""], "400 bad_value"), (["name": 5], "400 bad_value"),
            (["name": "Anna", "birth_year": "2006"], "400 bad_value"),
            (["name": "Anna", "born": 2006], "400 unknown_field"),
            (["name": "Anna\u{202E}"], "400 bad_value"),
            (["name": "A", "athlete_id": "a/b"], "400 bad_value"),
        ] {
            #expect(try await refusal("/athletes", .post, body) == expected, "\(body)")
        }
        #expect(await fixture.refusal("/athletes", .post, body: "[]")?.status == "400 not_json")
        #expect(try await athletes().isEmpty)
    }

    @Test func managesGroups() async throws {
        _ = try await post("/athletes", ["name": "Anna"])
        let made = try await post("/groups/juniors", ["name": "Juniors", "athletes": ["anna"]])
        #expect(made["athletes"] as? [String] == ["anna"])
        _ = try await post("/groups/juniors", ["name": "U18"])
        // Two coaches at the same time.
        _ = try await post("/groups/juniors", ["add": ["ben", "anna"]])
        let changed = try await post("/groups/juniors", ["add": ["zoe"], "remove": ["ben", "nobody"]])
        #expect(changed["athletes"] as? [String] == ["anna", "zoe"])
        _ = try await post("/groups/juniors", ["remove": ["zoe"]])
        for wrong in [["remove": [""]], ["add": ["a b"]], ["remove": Array(repeating: "zoe", count: 513)]] {
            #expect(try await refusal("/groups/juniors", .post, wrong) == "400 bad_value", "\(wrong)")
        }
        let groups = try await fixture.object("/groups")["groups"] as? [Object]
        #expect(groups?.map { $0["name"] as? String } == ["U18"])
        #expect(groups?.first?["athletes"] as? [String] == ["anna"])
        #expect(try await athletes().first?["groups"] as? [String] == ["juniors"])
        #expect(try await refusal("/groups/seniors", .post, ["athletes": []]) == "400 missing_field")
        #expect(try await refusal("/groups/Seniors", .post, ["name": "S"]) == "400 bad_value")
        guard case .json = await fixture.answer("/groups/juniors", .delete) else {
            Issue.record("not removed")
            return
        }
        #expect(try await refusal("/groups/juniors", .delete) == "404 unknown_group")
        #expect(try await athletes().count == 1)
    }

    @Test func importsAndExportsTable() async throws {
        let text = "name,birth_year,groups\r\nAnna,2006,Juniors;U23\r\n\"O'Brien, Ben\",,\r\n"
        let checked = try await post("/roster", ["text": text, "dry_run": true])
        #expect(checked["added"] as? Int == 2)
        #expect(try await athletes().isEmpty)
        let imported = try await post("/roster", ["text": text])
        #expect(imported["added"] as? Int == 2 && imported["changed"] as? Int == 0)
        let groups = try await fixture.object("/groups")["groups"] as? [Object]
        #expect(groups?.map { $0["group_id"] as? String } == ["juniors", "u23"])
        guard case .content(let type, let bytes, _) = await fixture.answer("/roster") else {
            Issue.record("no table")
            return
        }
        #expect(type == "text/csv; charset=utf-8")
        let exported = String(decoding: bytes, as: UTF8.self)
        #expect(exported.contains("anna,Anna,,,2006,"))
        // The export replaces the same athletes. One wrong line changes nothing.
        let repeated = try await post("/roster", ["text": exported])
        #expect(repeated["added"] as? Int == 0 && repeated["changed"] as? Int == 2)
        let answer = await fixture.refusal(
            "/roster", .post,
            body: String(
                decoding: try JSONSerialization.data(withJSONObject: ["text": text + "Cleo,94,\r\n"]),
                as: UTF8.self))
        #expect(answer?.status == "400 bad_value")
        #expect(answer?.message.hasPrefix("line 4 (birth_year): ") == true)
        #expect(try await athletes().count == 2)
    }

    @Test func refusesTooManyAthletes() async throws {
        let lines = (1...(PeopleRepository.maximumAthletes + 1)).map { "a\($0)" }.joined(separator: "\n")
        #expect(try await refusal("/roster", .post, ["text": "name\n" + lines]) == "409 too_many_athletes")
        #expect(try await athletes().isEmpty)
    }

    @Test func pagesThroughAthletesWithAndWithoutSessions() async throws {
        try saveSession(of: "mia")
        _ = try await post("/roster", ["text": "name\nAnna\nZoe\n"])
        var found: [String] = []
        var address: String? = "/athletes?limit=1"
        while let next = address {
            let page = try await fixture.object(next)
            found += (page["athletes"] as? [Object] ?? []).compactMap { $0["athlete_id"] as? String }
            address = (page["next"] as? String).map { "/athletes?limit=1&cursor=\($0)" }
        }
        #expect(found == ["anna", "mia", "zoe"])
    }

    @Test func correctsTheAthleteOfASession() async throws {
        var traffic = traffic
        // Strokes name the athlete too.
        try fixture.save(
            traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 3).map { message in
                message.stream?.kind == .stroke
                    ? message.replacing("\"session_id\"", "\"athlete_id\":\"anna\",\"session_id\"")
                    : message.assigned(to: "anna")
            })
        let session = "/sessions/boathouse/01J7ZK3Q5XQ4W8G9T2V6B0C1DE"
        #expect(await fixture.refusal(session, as: .athlete)?.status == "404 unknown_session")
        let corrected = try await post(session + "/athlete", ["athlete_id": InterfaceFixture.athlete])
        #expect(corrected["athlete_id"] as? String == InterfaceFixture.athlete)
        #expect(corrected["corrected"] as? Bool == true)
        // The athlete sees all records, although they name another athlete, and no history of corrections.
        let own = try await fixture.object(session, as: .athlete)
        #expect(own["session"] is Object && own["corrections"] == nil)
        let strokes = try await fixture.object(session + "/strokes", as: .athlete)["records"] as? [Object]
        #expect(strokes?.count == 3 && strokes?.first?["athlete_id"] as? String == "anna")
        let bests = try await fixture.object("/athletes/\(InterfaceFixture.athlete)", as: .athlete)
        #expect((bests["athlete"] as? Object)?["sessions"] as? Int == 1)
        let history = try await fixture.object(session)["corrections"] as? [Object]
        #expect(history?.first?["former_athlete_id"] as? String == "anna")
        #expect(history?.first?["by"] as? String == "coach")
        #expect(await fixture.refusal("/athletes/anna")?.status == "404 unknown_athlete")
        let nobody = try await post(session + "/athlete", ["athlete_id": ""])
        #expect(nobody["athlete_id"] == nil)
        let unassigned = try await fixture.object("/sessions?unassigned=true")["sessions"] as? [Object]
        #expect(unassigned?.count == 1)
        guard case .content(_, let bytes, _) = await fixture.answer(session + "/athlete", .delete) else {
            Issue.record("not restored")
            return
        }
        let restored = try JSONSerialization.jsonObject(with: Data(bytes)) as? Object
        #expect(restored?["athlete_id"] as? String == "anna" && restored?["corrected"] == nil)
        #expect(try await refusal(session + "/athlete", .post, ["athlete_id": "a/b"]) == "400 bad_value")
        #expect(try await refusal(session + "/athlete") == "400 missing_field")
        let unknown = "/sessions/boathouse/01J7ZK3Q5XQ4W8G9T2V6B0C1DF/athlete"
        #expect(try await refusal(unknown, .post, ["athlete_id": "anna"]) == "404 unknown_session")
    }

    /// Names with letters outside of ASCII are not allowed in a header.
    @Test func exportHasTheNameOfTheAthlete() async throws {
        try saveSession(of: "anna")
        _ = try await post("/athletes/anna", ["name": "Änna Müller"])
        guard
            case .content(_, _, let headers) = await fixture.answer(
                "/sessions/export?format=csv&athlete_id=anna")
        else {
            Issue.record("no file")
            return
        }
        let place = headers.first { $0.name == "Content-Disposition" }?.value
        #expect(place == "attachment; filename=\"anna-muller.csv\"")
    }
}
