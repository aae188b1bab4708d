import LogbookStores
import TestSupport
import Testing

@testable import Bests
@testable import Contract
@testable import Logbook
@testable import MQTTClient

/// The HTTP endpoints for athletes.
@Suite struct AthleteInterfaceTests {
    private let fixture: InterfaceFixture
    private var traffic = Traffic()

    init() throws { fixture = try InterfaceFixture() }

    private static func id(_ number: Int) -> String { "01J7ZK3Q5XQ4W8G9T2V6B0C1\(number + 10)" }

    private mutating func piece(
        _ number: Int, _ metres: Int, by athlete: String = "anna"
    ) -> [Traffic.Message] {
        traffic.piece(Self.id(number), hour: number, metres, by: athlete)
    }

    /// Marks sessions as verified by the manifest of the gateway.
    private func verify(_ numbers: Int...) throws {
        var batch = StoreBatch(now: 1_788_627_100_000)
        for number in numbers {
            let name = SessionName(gateway: traffic.gateway, session: Self.id(number))
            batch.states[name] = .verified
        }
        _ = try fixture.store.commit(batch)
    }

    private typealias Object = [String: Any]

    private func best(_ event: String, _ athlete: String = "anna") async throws -> Object {
        let found = try await fixture.object("/athletes/\(athlete)")
        let bests = found["bests"] as? [Object] ?? []
        return bests.first { $0["event"] as? String == event && $0["season"] == nil } ?? [:]
    }

    @Test mutating func bestsNameTheirSessions() async throws {
        try fixture.save(piece(1, 500) + piece(2, 1000) + piece(3, 100, by: "ben"))
        try verify(1, 2, 3)
        let response = try await fixture.object("/athletes/anna")
        let athlete = try #require(response["athlete"] as? Object)
        #expect(athlete["athlete_id"] as? String == "anna" && athlete["sessions"] as? Int == 2)
        #expect(response["seasons"] as? [Int] == [2027])
        let best = try await best("500m")
        let ranked = try #require(best["ranked"] as? Object)
        #expect(ranked["time_s"] as? Double == 50 && ranked["kind"] as? String == "measured")
        #expect(ranked["at_ms"] as? Int == 1_788_627_000_000 + 3_600_000)
        let inputs = ranked["inputs"] as? [[String: String]]
        #expect(inputs == [["gw": "boathouse", "session_id": Self.id(1)]])
        let effort = try #require(best["effort"] as? Object)
        #expect(effort["kind"] as? String == "computed")
        #expect((effort["inputs"] as? [[String: String]])?.first?["session_id"] == Self.id(2))
        #expect((effort["formula"] as? String)?.contains("500 m") == true)
        #expect(try await self.best("500m", "ben").isEmpty)
    }

    @Test mutating func changedSessionIsRecomputed() async throws {
        // A session is read while in progress, after its end, when verified and when it differs.
        let piece = piece(1, 500)
        try fixture.save(
            piece.filter { $0.stream?.kind == .session || $0.sequence <= 20 }.dropLast())
        #expect(try await best("100m")["effort"] != nil)
        #expect(try await best("500m").isEmpty)
        try fixture.save(piece)
        #expect(try await best("500m")["ranked"] == nil)
        let reasons = try await fixture.object("/athletes/anna")["not_ranked"] as? [Object]
        #expect(reasons?.first?["reasons"] as? [String] == ["not_verified"])
        try verify(1)
        #expect(try await best("500m")["ranked"] != nil)
        var batch = StoreBatch(now: 1_788_627_100_000)
        let name = SessionName(gateway: traffic.gateway, session: Self.id(1))
        batch.states[name] = .differs
        _ = try fixture.store.commit(batch)
        #expect(try await best("500m")["ranked"] == nil)
        try fixture.save(self.piece(2, 1000))
        let athlete = try await fixture.object("/athletes/anna")["athlete"] as? Object
        #expect(athlete?["sessions"] as? Int == 2)
    }

    @Test func rollingStartIsNotRanked() async throws {
        // The session before arrives later. Its last stroke is 10 s or 40 s before the piece.
        for (gap, isRanked) in [(10_000, false), (40_000, true)] as [(Int64, Bool)] {
            let fixture = try InterfaceFixture()
            var traffic = Traffic()
            let begin: Int64 = 1_788_627_000_000 + 3_600_000
            let piece = traffic.piece(Self.id(1), hour: 1, 500, by: "anna")
            try fixture.save(piece.map { $0.atTime(begin) })
            let name = SessionName(gateway: traffic.gateway, session: Self.id(1))
            var batch = StoreBatch(now: 1_788_627_100_000)
            batch.states[name] = .verified
            _ = try fixture.store.commit(batch)
            let first = try await fixture.object("/athletes/anna")["bests"] as? [Object]
            #expect(first?.contains { $0["ranked"] != nil } == true)
            let before = traffic.session(Self.id(0), strokes: 3).map { message in
                message.assigned(to: "ben").atTime(begin - gap)
            }
            try fixture.save(before)
            let then = try await fixture.object("/athletes/anna")["bests"] as? [Object]
            #expect(then?.contains { $0["ranked"] != nil } == isRanked, "\(gap)")
        }
    }

    @Test mutating func assumesMachineOfErg() async throws {
        try fixture.save(piece(1, 500))
        #expect(try await best("500m")["machine"] as? String == "rower")
        fixture.room.handle(
            IncomingMessage(
                topic: "rowgate/v1/boathouse/erg/erg-1/info",
                payload: Array(#"{"v":1,"machine_type":"ski_erg"}"#.utf8), isRetained: true))
        #expect(try await best("500m")["machine"] as? String == "ski")
    }

    @Test mutating func recordedMachineStaysWhereverTheMonitorIsMoved() async throws {
        try fixture.save(
            piece(1, 500).map {
                $0.replacing(
                    #""session_type":"distance""#,
                    #""session_type":"distance","machine_type":"bike_without_arms""#)
            })
        try verify(1)
        fixture.room.handle(
            IncomingMessage(
                topic: "rowgate/v1/boathouse/erg/erg-1/info",
                payload: Array(#"{"v":1,"machine_type":"ski_erg"}"#.utf8), isRetained: true))
        #expect(try await best("500m")["machine"] as? String == "bike")
        let list = try await fixture.object("/sessions")["sessions"] as? [Object]
        #expect(list?.map { $0["machine_type"] as? String } == ["bike_without_arms"])
        let name = "/sessions/boathouse/\(Self.id(1))"
        let training = try await fixture.object(name + "/training")
        #expect(training["machine"] as? String == "bike" && training["machine_assumed"] == nil)
        // The command line has no broker and thus no live machine types.
        let records = try AthleteHistory(in: .utc).records(in: fixture.store)
        #expect(Set(records.records.map(\.machine)) == [.bike])
    }

    @Test mutating func volumeByDayWeekAndSeason() async throws {
        try fixture.save(piece(1, 500) + piece(2, 1000) + piece(3, 100))
        for (query, from) in [
            ("by=day", "2026-09-05"), ("", "2026-08-31"), ("by=season", "2026-05-01"),
            ("by=day&season=2027", "2026-09-05"),
        ] {
            let response = try await fixture.object("/athletes/anna/volume?\(query)")
            let volumes = try #require(response["volumes"] as? [Object])
            #expect(volumes.map { $0["from"] as? String } == [from], "\(query)")
            #expect(volumes.first?["distance_m"] as? Double == 1600)
            #expect(volumes.first?["time_s"] as? Double == 160)
            #expect(volumes.first?["strokes"] as? Int == 160)
            #expect(volumes.first?["sessions"] as? Int == 3)
        }
        let other = try await fixture.object("/athletes/anna/volume?season=2020")
        #expect((other["volumes"] as? [Object])?.isEmpty == true)
    }

    @Test mutating func clubRecordsCoverAllAthletes() async throws {
        try fixture.save(
            (piece(1, 500) + piece(2, 500, by: "ben")).map {
                $0.replacing("\"elapsed_s\":", "\"power_w\":200,\"elapsed_s\":")
            })
        try verify(2)
        let records = try await fixture.object("/records")["records"] as? [Object] ?? []
        #expect(records.map { $0["athlete_id"] as? String } == ["ben", "ben"])
        #expect(records.map { $0["season"] as? Int } == [nil, 2027])
        #expect((records[0]["ranked"] as? Object)?["time_s"] as? Double == 50)
        let response = try await fixture.object("/athletes/ben/volume")["volumes"] as? [Object]
        #expect(response?.first?["work_kj"] as? Double == 10)
        #expect(response?.first?["unknown_power_s"] as? Double == 0)
        let loads = try await fixture.object("/athletes/ben/training")["loads"] as? [Object]
        #expect(loads?.count == 1 && loads?[0]["low"] as? Bool == true)
        // A 500 m result is too short to predict the power over an hour.
        #expect(loads?[0]["unknown_sessions"] as? Int == 1)
        let session = try await fixture.object("/sessions/boathouse/\(Self.id(2))/training")
        let load = (session["load"] as? Object)?["missing"] as? Object
        #expect(load?["reason"] as? String == "no_hour_power")
        let reserve = (session["reserve_balance"] as? Object)?["missing"] as? Object
        #expect(reserve?["reason"] as? String == "too_few_results")
        let force = (session["force"] as? Object)?["missing"] as? Object
        #expect(force?["reason"] as? String == "too_few_curves", "curves of two points")
        #expect(await fixture.refusal("/records?season=2027")?.status == "400 unknown_parameter")
    }

    @Test mutating func errorsNameTheProblem() async throws {
        try fixture.save(piece(1, 100))
        for (address, status, text) in [
            ("/athletes/unknown", "404 unknown_athlete", "/api/v1/athletes lists all athletes"),
            ("/athletes/A'; DROP", "404 unknown_athlete", "no session has the athlete"),
            ("/athletes/unknown/volume", "404 unknown_athlete", "\"unknown\""),
            ("/athletes/anna?season=2027", "400 unknown_parameter", "allowed here: none"),
            ("/athletes/anna/volume?by=month", "400 bad_parameter", "one of day, week, season"),
            ("/athletes/anna/volume?season=27/28", "400 bad_parameter", "such as 2027"),
            ("/athletes/anna/volume?season=0", "400 bad_parameter", "season is \"0\""),
            ("/athletes/anna/volume?limit=3", "400 unknown_parameter", "allowed here: by, season"),
        ] {
            let refusal = await fixture.refusal(address)
            #expect(refusal?.status == status, "\(address)")
            #expect(
                refusal?.message.contains(text) == true, "\(address): \(refusal?.message ?? "")")
        }
    }
}

extension Traffic {
    /// Returns the messages of a set distance at 10 m/s.
    mutating func piece(
        _ session: String, hour: Int, _ metres: Int, by athlete: String
    ) -> [Traffic.Message] {
        piece(
            session, at: 1_788_627_000_000 + Int64(hour) * 3_600_000, metres, by: athlete,
            seconds: Double(metres) / 10, of: Self.erg)
    }

    /// Returns the messages of a set distance with the monitor's result, from a time on one erg.
    mutating func piece(
        _ session: String, at begin: Int64, _ metres: Int, by athlete: String, seconds: Double,
        of erg: StationID, revision: Int = 1
    ) -> [Traffic.Message] {
        let messages = self.session(session, strokes: metres / 10, of: erg).map {
            $0.assigned(to: athlete).replacing("\"started_ms\":0", "\"started_ms\":\(begin)")
                .replacing("\"session_type\":\"just_row\"", "\"session_type\":\"distance\"")
                .replacing(
                    "\"workout\":\"just_row_without_splits\"",
                    "\"workout\":\"fixed_distance_with_splits\",\"target_distance_m\":\(metres).0")
        }
        let edge = messages.last { $0.stream?.kind == .session }
        guard var summary = edge else { return messages }
        summary = summary.replacing("\"kind\":\"session\"", "\"kind\":\"summary\"").replacing(
            "\"event\":\"ended\"",
            "\"revision\":\(revision),\"ended_ms\":\(begin + Int64(seconds * 1000)),"
                + "\"result_time_s\":\(seconds),\"distance_m\":\(metres).0,\"strokes\":\(metres / 10),"
                + "\"splits\":0,\"complete\":true,\"verified_against_pm5\":true")
        let stream = Traffic.stream(.summary, of: erg)
        summary.stream = stream
        summary.topic = TopicMap(gateway: gateway, below: .standard).topic(of: stream)
        return messages + [summary]
    }
}

extension Traffic.Message {
    /// Returns a copy with another time.
    fileprivate func atTime(_ milliseconds: Int64) -> Self {
        let text = String(decoding: payload, as: UTF8.self)
        guard let found = text.firstMatch(of: /"ts_ms":\d+/) else { return self }
        return replacing(String(found.0), "\"ts_ms\":\(milliseconds)")
    }
}
