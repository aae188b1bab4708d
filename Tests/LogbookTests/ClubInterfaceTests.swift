import Foundation
import TestSupport
import Testing

@testable import Bests
@testable import Contract
@testable import Logbook
@testable import LogbookStores
@testable import MQTTClient
@testable import WebServer

/// The HTTP endpoints for the season of the club.
@Suite struct ClubInterfaceTests {
    private typealias Object = [String: Any]

    private let fixture: InterfaceFixture
    private var traffic = Traffic()

    init() throws { fixture = try InterfaceFixture() }

    private static func id(_ number: Int) -> String { "01J7ZK3Q5XQ4W8G9T2V6B0C1\(number + 10)" }

    /// A piece on 5 September 2026, in the season 2027.
    private mutating func row(_ number: Int, _ metres: Int, by athlete: String) throws {
        try fixture.save(traffic.piece(Self.id(number), hour: number, metres, by: athlete))
    }

    private func verify(_ number: Int) throws {
        var batch = StoreBatch(now: 1_788_627_100_000)
        batch.states[SessionName(gateway: traffic.gateway, session: Self.id(number))] = .verified
        _ = try fixture.store.commit(batch)
    }

    private func post(_ address: String, _ body: String) async throws {
        let refusal = await fixture.refusal(address, .post, body: body)
        #expect(refusal == nil, "\(address) \(refusal?.message ?? "")")
    }

    private func season(_ query: String = "season=2027") async throws -> Object {
        try await fixture.object("/club?\(query)")
    }

    /// `anna 500.0 1` for each athlete.
    private func athletes(_ query: String = "season=2027") async throws -> [String] {
        (try await season(query)["athletes"] as? [Object] ?? []).map { one in
            let distance = Int(one["distance_m"] as? Double ?? -1)
            return "\(one["athlete_id"] as? String ?? "") \(distance) \(one["sessions"] as? Int ?? -1)"
        }
    }

    @Test mutating func sumsTheSeasonByAthleteGroupAndWeek() async throws {
        try row(1, 500, by: "anna")
        try row(2, 1000, by: "anna")
        try row(3, 100, by: "ben")
        try await post("/groups/juniors", #"{"name":"Juniors","athletes":["ben"]}"#)
        #expect(try await athletes() == ["anna 1500 2", "ben 100 1"])
        let all = try await season()
        let total = try #require(all["total"] as? Object)
        #expect(total["distance_m"] as? Double == 1600 && total["time_s"] as? Double == 160)
        #expect(total["sessions"] as? Int == 3 && total["athletes"] as? Int == 2)
        #expect((total["previous"] as? Object)?["sessions"] as? Int == 0)
        let weeks = all["weeks"] as? [Object] ?? []
        #expect(weeks.filter { $0["sessions"] as? Int == 3 }.map { $0["from"] as? String } == ["2026-08-31"])
        let groups = all["groups"] as? [Object] ?? []
        #expect(groups.map { $0["distance_m"] as? Double } == [100])
        #expect(try await athletes("season=2027&group=juniors") == ["ben 100 1"])
        let next = try await season("season=2028")["total"] as? Object
        #expect((next?["previous"] as? Object)?["sessions"] as? Int == 0, "the season has not begun")
    }

    @Test mutating func followsCorrectionsAndMerges() async throws {
        try row(1, 500, by: "anna")
        try row(2, 1000, by: "anna-2")
        try row(3, 100, by: "ben")
        #expect(try await athletes() == ["anna 500 1", "anna-2 1000 1", "ben 100 1"])
        try await post("/athletes/anna/merge", #"{"athlete_id":"anna-2"}"#)
        #expect(try await athletes() == ["anna 1500 2", "ben 100 1"])
        try await post("/sessions/boathouse/\(Self.id(3))/athlete", #"{"athlete_id":"anna"}"#)
        #expect(try await athletes() == ["anna 1600 3"])
        try await post("/sessions/boathouse/\(Self.id(3))/athlete", #"{"athlete_id":""}"#)
        #expect(try await athletes() == ["anna 1500 2"])
        #expect(try await season()["unassigned_sessions"] as? Int == 1)
        // The same numbers as on the page of the athlete.
        let volumes = try await fixture.object("/athletes/anna/volume?by=season")["volumes"] as? [Object]
        #expect(volumes?.map { $0["distance_m"] as? Double } == [1500])
    }

    @Test mutating func recordsNeedARankedResult() async throws {
        try row(1, 2000, by: "anna")
        func records() async throws -> [Object] { try await season()["records"] as? [Object] ?? [] }
        #expect(try await records().isEmpty, "not verified")
        try verify(1)
        try await post("/athletes/anna", #"{"name":"Anna","gender":"female","birth_year":2008}"#)
        let found = try await records()
        #expect(found.map { $0["season"] as? Int } == [nil, 2027])
        let first = try #require(found.first)
        #expect(first["gender"] as? String == "female" && first["weight_class"] == nil)
        #expect(first["age_from"] as? Int == 17 && first["age_to"] as? Int == 18)
        let athletes = try await season()["athletes"] as? [Object]
        #expect((athletes?.first?["best_2000m"] as? Object)?["time_s"] as? Double == 200)
        #expect(try await season("season=2026")["records"] as? [Object] != nil)
        #expect((try await season("season=2026")["records"] as? [Object])?.count == 1)
        // The erg's monitor reports another machine; the records name none.
        fixture.room.handle(
            IncomingMessage(
                topic: "rowgate/v1/boathouse/erg/erg-1/info",
                payload: Array(#"{"v":1,"machine_type":"ski_erg"}"#.utf8), isRetained: true))
        #expect(try await records().first?["machine"] as? String == "ski")
    }

    @Test mutating func rollingStartIsNoRecord() async throws {
        let begin: Int64 = 1_788_627_000_000 + 3_600_000
        traffic.setClock(to: begin - 60_000)
        let before = traffic.session(Self.id(0), strokes: 3).map { $0.assigned(to: "ben") }
        traffic.setClock(to: begin)
        try fixture.save(
            traffic.piece(
                Self.id(1), at: begin, 500, by: "anna", seconds: 50, of: Traffic.erg))
        try verify(1)
        #expect((try await season()["records"] as? [Object])?.count == 2)
        // The last stroke of the session before is less than 30 s before the start.
        try fixture.save(before.map { $0.moved(to: begin - 10_000) })
        #expect((try await season()["records"] as? [Object])?.isEmpty == true)
    }

    @Test mutating func tableOfTheAthletes() async throws {
        try row(1, 500, by: "anna")
        try await post("/athletes/anna", #"{"name":"Anna; \"A\""}"#)
        guard
            case .content(let type, let bytes, let headers) = await fixture.answer(
                "/club/export?season=2027")
        else {
            Issue.record("no table")
            return
        }
        #expect(type == "text/csv; charset=utf-8")
        #expect(headers.map(\.value) == ["attachment; filename=\"club-2027.csv\""])
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
        #expect(lines.count == 2)
        #expect(lines.last?.hasPrefix(#"anna,"Anna; ""A""",,500.0,50.00,1,0.0,0.00,0,2026-09-05,"#) == true)
    }

    /// After an update that changes formulas, the sessions of many seasons are computed in the background.
    @Test mutating func saysThatItIsComputing() async throws {
        try row(1, 500, by: "anna")
        try fixture.store.database.run(
            """
            WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 2000)
            INSERT INTO session (gw, session_id, erg, first_ms)
            SELECT 'boathouse', printf('01J7ZK3Q5XQ4W8G9T2V6B0%04d', n), 'erg-9', n FROM number
            """, [])
        let refusal = await fixture.refusal("/club?season=2027")
        #expect(refusal?.status == "503 computing")
        #expect(refusal?.message.contains("2001 sessions") == true)
        try fixture.store.database.run("DELETE FROM session WHERE erg = 'erg-9'", [])
        #expect(try await athletes() == ["anna 500 1"])
    }

    @Test func errorsNameTheProblem() async throws {
        for (address, status) in [
            ("/club?group=unknown", "404 unknown_group"), ("/club/export?group=unknown", "404 unknown_group"),
            ("/club?group=Not%20valid", "400 bad_parameter"), ("/club?season=27/28", "400 bad_parameter"),
            ("/club?by=week", "400 unknown_parameter"),
        ] {
            #expect(await fixture.refusal(address)?.status == status, "\(address)")
        }
        for role in [Role.athlete, .room, .wall] {
            #expect(await fixture.refusal("/club", as: role)?.status == "403 not_allowed", "\(role)")
        }
    }
}

extension Traffic.Message {
    /// Returns a copy with another time.
    fileprivate func moved(to milliseconds: Int64) -> Self {
        let text = String(decoding: payload, as: UTF8.self)
        guard let found = text.firstMatch(of: /"ts_ms":\d+/) else { return self }
        return replacing(String(found.0), "\"ts_ms\":\(milliseconds)")
    }
}
