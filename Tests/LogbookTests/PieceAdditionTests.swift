import Foundation
import HostRuntime
import LogbookStores
import People
import TestSupport
import Testing
import Timeline

@testable import Contract
@testable import Logbook
@testable import WebServer

/// Results that coaches add to group pieces, over the HTTP interface.
@Suite struct PieceAdditionTests {
    typealias Object = [String: Any]

    private let fixture: InterfaceFixture
    /// A session of the piece of 4 × 500 m, which began with another one.
    private let piece = "/pieces/boathouse/\(PieceRoom.id(5))"
    private var path: String { piece + "/additions" }

    init() throws {
        fixture = try InterfaceFixture()
        _ = try PieceRoom(in: fixture)
        try PeopleRepository.save(AthleteProfile(id: "anna", name: "Anna Özil"), at: 1, in: fixture.store)
    }

    /// Adds a result; returns the answer.
    @discardableResult
    private func add(_ body: String, to path: String? = nil) async throws -> Object {
        let answer = await fixture.answer(path ?? self.path, as: .coach, .post, body: body)
        guard case .content("application/json", let bytes, _) = answer else {
            throw TestSupportError("\(answer)")
        }
        return try JSONSerialization.jsonObject(with: Data(bytes)) as? Object ?? [:]
    }

    private func additions(as role: Role = .coach, of piece: String? = nil) async throws -> [Object] {
        try #require(
            try await fixture.object(piece ?? self.piece, as: role)["additions"] as? [Object])
    }

    private func refusal(_ body: String, to path: String? = nil) async -> String? {
        await fixture.refusal(path ?? self.path, as: .coach, .post, body: body)?.status
    }

    private func madeUp(_ athlete: String, _ number: Int) -> String {
        #"{"athlete_id":"\#(athlete)","made_up":{"gw":"boathouse","session_id":"\#(PieceRoom.id(number))"}}"#
    }

    @Test func addsResultByHandToThePieceOfAnySession() async throws {
        let answer = try await add(
            #"{"athlete_id":"anna","by_hand":{"time_s":431.26,"day":"2026-09-06"},"note":"Erg 4 failed"}"#)
        // 2000 m of work in 431.3 s
        #expect(answer["time_s"] as? Double == 431.3 && answer["distance_m"] as? Int == 2000)
        #expect(answer["avg_pace_s_per_500m"] as? Double == 107.83 && answer["kind"] as? String == "by_hand")
        #expect(answer["day"] as? String == "2026-09-06" && answer["note"] as? String == "Erg 4 failed")
        #expect(answer["added_by"] as? String == "coach" && (answer["addition_id"] as? String)?.count == 26)
        #expect(answer["session_id"] == nil && answer["workout"] == nil)
        let result = try await fixture.object(piece)
        #expect(result["work"] as? [String: Int] == ["distance_m": 2000])
        let found = try await additions(of: "/pieces/boathouse/\(PieceRoom.id(6))")
        #expect(found.count == 1 && NSDictionary(dictionary: found[0]) == NSDictionary(dictionary: answer))
        #expect(try await additions(of: "/pieces/boathouse/\(PieceRoom.id(1))").isEmpty)
    }

    @Test func addedResultIsInNoRowListOrRecord() async throws {
        func answers() async throws -> [NSDictionary] {
            var found = try await fixture.object(piece)
            found["additions"] = nil
            var all = [NSDictionary(dictionary: found)]
            for path in ["/pieces", "/athletes/anna", "/athletes/anna/volume", "/records", "/sessions"] {
                all.append(NSDictionary(dictionary: try await fixture.object(path)))
            }
            return all
        }
        let before = try await answers()
        try await add(#"{"athlete_id":"anna","by_hand":{"time_s":300}}"#)
        try await add(madeUp("anna", 1))
        #expect(try await answers() == before)
        #expect(try await additions().count == 2)
    }

    @Test func addsSessionOfAnotherDayWithItsOwnResult() async throws {
        let answer = try await add(madeUp("anna", 1))
        #expect(answer["kind"] as? String == "made_up" && answer["session_id"] as? String == PieceRoom.id(1))
        #expect(answer["time_s"] as? Double == 20 && answer["distance_m"] as? Int == 100)
        #expect(answer["avg_pace_s_per_500m"] as? Double == 100 && answer["day"] as? String == "2026-09-05")
        #expect(answer["workout"] as? String == "100m" && answer["gw"] as? String == "boathouse")
        #expect(await refusal(madeUp("anna", 1)) == "409 added_already")
        #expect(await refusal(madeUp("anna", 2)) == "409 other_athlete")
        #expect(await refusal(madeUp("anna", 9)) == "404 unknown_session")
        #expect(await refusal(madeUp("ben", 5)) == "409 in_piece")
        // The session counts for another athlete now.
        let session = "/sessions/boathouse/\(PieceRoom.id(1))/athlete"
        #expect(
            await fixture.refusal(session, as: .coach, .post, body: #"{"athlete_id":"dora"}"#) == nil)
        let corrected = try #require(try await additions().first)
        #expect(corrected.keys.sorted() == ["added_by", "added_ms", "addition_id", "athlete_id", "kind"])
    }

    @Test func addsMetresToPieceOfATime() async throws {
        var traffic = Traffic()
        let begin = PieceRoom.evening + 7_200_000
        traffic.setClock(to: begin)
        let erg = try #require(StationID("erg-9"))
        let messages = traffic.piece(PieceRoom.id(8), at: begin, 100, by: "anna", seconds: 20, of: erg)
        try fixture.save(
            messages.map {
                $0.replacing("\"session_type\":\"distance\"", "\"session_type\":\"time\"")
                    .replacing("\"target_distance_m\":100.0", "\"target_time_s\":20.0")
            })
        let path = "/pieces/boathouse/\(PieceRoom.id(8))/additions"
        let answer = try await add(#"{"athlete_id":"zoe","by_hand":{"distance_m":80}}"#, to: path)
        #expect(answer["distance_m"] as? Int == 80 && answer["time_s"] as? Double == 20)
        #expect(answer["avg_pace_s_per_500m"] as? Double == 125 && answer["day"] as? String == "2026-09-06")
        let wrong = await fixture.refusal(
            path, as: .coach, .post, body: #"{"athlete_id":"zoe","by_hand":{"time_s":20}}"#)
        #expect(wrong?.status == "400 bad_value")
        #expect(
            wrong?.message
                == "by_hand.time_s does not fit: the piece has 0:20 of work; give by_hand.distance_m")
    }

    @Test func refusesSessionWithoutResult() async throws {
        // The row's session has no summary before its end.
        var traffic = Traffic()
        traffic.setClock(to: PieceRoom.evening + 3_600_000)
        let open = traffic.piece(
            PieceRoom.id(8), at: PieceRoom.evening + 3_600_000, 100, by: "anna", seconds: 20,
            of: StationID("erg-9")!)
        try fixture.save(open.filter { $0.stream?.kind != .summary })
        #expect(await refusal(madeUp("anna", 8)) == "409 no_result")
    }

    @Test func refusesWrongValuesWithTheRemedy() async throws {
        for (body, status) in [
            (#"{"by_hand":{"time_s":431}}"#, "400 missing_field"),
            (#"{"athlete_id":"anna"}"#, "400 missing_field"),
            (#"{"athlete_id":"anna","by_hand":{}}"#, "400 missing_field"),
            (#"{"athlete_id":"anna","by_hand":{"time_s":431,"distance_m":5}}"#, "400 bad_value"),
            (#"{"athlete_id":"anna","by_hand":{"time_s":431,"sum":1}}"#, "400 unknown_field"),
            (#"{"athlete_id":"anna","by_hand":{"time_s":"7:11"}}"#, "400 bad_value"),
            (#"{"athlete_id":"anna","by_hand":{"time_s":0}}"#, "400 bad_value"),
            (#"{"athlete_id":"anna","by_hand":{"time_s":43}}"#, "409 implausible"),
            (#"{"athlete_id":"anna","by_hand":{"distance_m":2000}}"#, "400 bad_value"),
            (#"{"athlete_id":"anna","by_hand":{"time_s":431,"day":"28.11."}}"#, "400 bad_value"),
            (#"{"athlete_id":"anna","by_hand":{"time_s":431,"day":"9999-01-01"}}"#, "409 day_in_future"),
            (#"{"athlete_id":"anna","by_hand":{"time_s":431},"note":"a\nb"}"#, "400 bad_value"),
            (
                #"{"athlete_id":"anna","by_hand":{"time_s":431},"note":"\#(String(repeating: "x", count: 121))"}"#,
                "400 bad_value"
            ),
            (
                #"{"athlete_id":"anna","by_hand":{"time_s":431},"made_up":{"gw":"b","session_id":"x"}}"#,
                "400 bad_value"
            ),
            (#"{"athlete_id":"anna","made_up":{"gw":"boathouse"}}"#, "400 missing_field"),
            (#"{"athlete_id":"anna","made_up":{"gw":"No way","session_id":"x"}}"#, "400 bad_value"),
            (#"{"athlete_id":"","by_hand":{"time_s":431}}"#, "400 bad_value"),
            (#"{"athlete_id":"nobody","by_hand":{"time_s":431}}"#, "404 unknown_athlete"),
        ] { #expect(await refusal(body) == status, "\(body)") }
        let hand = #"{"athlete_id":"anna","by_hand":{"time_s":431}}"#
        let justRow = "/pieces/boathouse/\(PieceRoom.id(0))/additions"
        #expect(await refusal(hand, to: justRow) == "409 no_length")
        #expect(
            await refusal(hand, to: "/pieces/boathouse/\(PieceRoom.id(9))/additions") == "404 unknown_session"
        )
        let tooFast = await fixture.refusal(
            path, as: .coach, .post, body: #"{"athlete_id":"anna","by_hand":{"time_s":43}}"#)
        #expect(
            tooFast?.message
                == "by_hand.time_s means a pace of 0:11 per 500 m over the whole piece; check the value")
        #expect(try await additions().isEmpty)
    }

    @Test func onlyCoachesAddAndRemove() async throws {
        let id = try #require(
            try await add(#"{"athlete_id":"anna","by_hand":{"time_s":431}}"#)["addition_id"] as? String)
        let hand = #"{"athlete_id":"zoe","by_hand":{"time_s":431}}"#
        #expect(await fixture.refusal(path, as: .athlete, .post, body: hand)?.status == "403 not_allowed")
        #expect(await fixture.refusal("\(path)/\(id)", as: .athlete, .delete)?.status == "403 not_allowed")
        let other = "/pieces/boathouse/\(PieceRoom.id(1))/additions/\(id)"
        #expect(await fixture.refusal(other, as: .coach, .delete)?.status == "404 unknown_addition")
        #expect(await fixture.refusal("\(path)/\(id)", as: .coach, .delete) == nil)
        #expect(await fixture.refusal("\(path)/\(id)", as: .coach, .delete)?.status == "404 unknown_addition")
        #expect(try await additions().isEmpty)
    }

    @Test func athleteSeesOwnAdditionsOnly() async throws {
        for athlete in ["anna", "zoe"] {
            try await add(#"{"athlete_id":"\#(athlete)","by_hand":{"time_s":431}}"#)
        }
        let piece = "/pieces/boathouse/\(PieceRoom.id(4))"
        let own = try await additions(as: .athlete, of: piece)
        #expect(own.map { $0["athlete_id"] as? String } == ["zoe"])
        // The athlete's piece has the same length.
        #expect(own.first?["avg_pace_s_per_500m"] as? Double == 107.75)
    }

    @Test func mergedAthleteKeepsTheAddition() async throws {
        try PeopleRepository.save(AthleteProfile(id: "ann", name: "Ann"), at: 1, in: fixture.store)
        try await add(#"{"athlete_id":"ann","by_hand":{"time_s":431}}"#)
        let merge = await fixture.refusal(
            "/athletes/anna/merge", as: .coach, .post, body: #"{"athlete_id":"ann"}"#)
        #expect(merge == nil)
        #expect(try await additions().map { $0["athlete_id"] as? String } == ["anna"])
        // A request with the merged id counts for the athlete, too.
        let second = try await add(#"{"athlete_id":"ann","by_hand":{"time_s":432}}"#)
        #expect(second["athlete_id"] as? String == "anna")
    }

    @Test func sharedResultHasNamesAndNoIds() async throws {
        try await add(#"{"athlete_id":"anna","by_hand":{"time_s":431},"note":"back pain"}"#)
        try await add(madeUp("anna", 1))
        let link = try await add("{}", to: piece + "/links")
        let code = String(try #require(link["link"] as? String).suffix(24))
        let found = try await fixture.object("/shared/\(code)", as: nil)
        let shown = try #require(found["additions"] as? [Object])
        #expect(shown.map { $0["athlete_name"] as? String } == ["Anna Özil", "Anna Özil"])
        #expect(
            shown.map { $0.keys.sorted() } == [
                ["athlete_name", "avg_pace_s_per_500m", "day", "distance_m", "kind", "time_s"],
                ["athlete_name", "avg_pace_s_per_500m", "day", "distance_m", "kind", "time_s", "workout"],
            ])
        let table = await fixture.answer("/shared/\(code)/export", as: nil)
        guard case .content(_, let bytes, _) = table else { throw TestSupportError("\(table)") }
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(!text.contains("back pain") && !text.contains("01J7ZK"))
        #expect(text.contains(",Anna Özil,,,,,,,,,107.75,,,,,by_hand,"))
    }

    @Test func tableHasAdditionsAtTheEndWithoutPlace() async throws {
        try await add(
            #"{"athlete_id":"anna","by_hand":{"time_s":300,"day":"2026-09-07"},"note":"=Erg, 4"}"#)
        try await add(madeUp("anna", 1))
        let answer = await fixture.answer("\(piece)/export?format=csv")
        guard case .content(_, let bytes, _) = answer else { throw TestSupportError("\(answer)") }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
        #expect(lines.count == 6 && lines[1].hasPrefix("1,ben,"))
        #expect(
            lines.suffix(2) == [
                ",anna,Anna Özil,,,,,,,,,,75.00,,,,,by_hand,2026-09-07,300.0,2000,\"'=Erg, 4\"",
                ",anna,Anna Özil,boathouse,,\(PieceRoom.id(1)),,,,,,,100.00,,,,,made_up,2026-09-05,20.0,100,",
            ])
        let columns = Set(lines.map { $0.replacing("\"'=Erg, 4\"", with: "").count { $0 == "," } })
        #expect(columns.count == 1)
    }

    @Test func additionStaysWhileAnySessionOfThePieceIsStored() async throws {
        try await add(#"{"athlete_id":"ben","by_hand":{"time_s":431}}"#)
        try await add(#"{"athlete_id":"zoe","by_hand":{"time_s":432}}"#)
        _ = try StoreErasure(of: "zoe", in: fixture.store).run(at: 1_888_627_000_000) { _, _ in }
        #expect(try await additions().map { $0["athlete_id"] as? String } == ["ben"])
        #expect(try fixture.store.pieceAdditions.all().count == 1)
    }

    @Test func limitsTheAdditionsOfAPiece() async throws {
        let first = try await add(#"{"athlete_id":"anna","by_hand":{"time_s":431}}"#)
        var stored = try #require(try fixture.store.pieceAdditions.all().first)
        #expect(first["addition_id"] as? String == stored.id)
        for number in 1..<PieceAdditionRepository.maximumOfPiece {
            stored.id = "\(number)"
            try fixture.store.pieceAdditions.add(stored)
        }
        #expect(await refusal(#"{"athlete_id":"anna","by_hand":{"time_s":431}}"#) == "409 too_many_additions")
    }
}
