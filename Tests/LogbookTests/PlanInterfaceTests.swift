import Foundation
import LogbookStores
import Plans
import TestSupport
import Testing

@testable import Bests
@testable import Contract
@testable import Logbook
@testable import WebServer

/// Plans over HTTP.
@Suite struct PlanInterfaceTests {
    private typealias Object = [String: Any]
    private let room: InterfaceRoom
    private var traffic = Traffic()

    init() throws { room = try InterfaceRoom() }

    private static let body = #"""
        {"title":"Winter","group":{"name":"Squad A","athletes":["anna","ben"]},"workouts":[
        {"day":"2026-09-05","workout":"500m","name":"Sprint"},{"day":"2001-01-01","workout":"2000m"},
        {"day":"2999-12-31","workout":"30:00","note":"easy"}]}
        """#

    private func set(_ body: String, _ id: String = "winter") async throws -> Object {
        let answer = await room.answer("/plans/\(id)/set", .post, body: body)
        guard case .content(_, let bytes, _) = answer else {
            throw TestSupportError("\(answer)")
        }
        return try JSONSerialization.jsonObject(with: Data(bytes)) as? Object ?? [:]
    }

    private func text(_ address: String) async throws -> (String, String) {
        guard case .content(let type, let bytes, let headers) = await room.answer(address) else {
            throw TestSupportError(address)
        }
        #expect(headers.first?.name == "Content-Disposition")
        return (type, String(decoding: bytes, as: UTF8.self))
    }

    private func json(_ fields: [String: String]) throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: fields), as: UTF8.self)
    }

    @Test func whoIsForgottenIsInNoGroup() async throws {
        // Goal: erasing somebody leaves their id in no plan, and the plan and the others as they were.
        // Method: two plans, one of which names them; the bytes that are kept.
        _ = try await set(Self.body)
        _ = try await set(Self.body.replacing("anna", with: "carl"), "other")
        let other = try PlanShelf.plan("other", in: room.store)?.plan
        try PlanShelf.forget("anna", at: 1, in: room.store)
        let plan = try #require(try PlanShelf.plan("winter", in: room.store)?.plan)
        #expect(plan.group.athletes == ["ben"] && plan.workouts.count == 3)
        #expect(try PlanShelf.plan("other", in: room.store)?.plan == other)
        for kept in try room.store.plans() {
            #expect(!String(decoding: kept.body, as: UTF8.self).contains("anna"))
        }
    }

    @Test func aPlanIsPutShownAndRemoved() async throws {
        // Goal: what a coach sets is there for everybody who may see it, and gone when it is removed.
        // Method: two plans, one of them set again without its workouts; one removed, twice.
        let made = try await set(Self.body)
        #expect((made["workouts"] as? [Object])?.first?["id"] as? String == "20010101-1")
        _ = try await set("{}", "empty")
        let again = try await set(#"{"group":{"athletes":["cleo"]}}"#)
        #expect(again["title"] as? String == "Winter")
        #expect((again["workouts"] as? [Object])?.count == 3)
        let plans = try await room.object("/plans")["plans"] as? [Object]
        #expect(plans?.map { $0["id"] as? String } == ["empty", "winter"])
        #expect(plans?.last?["from"] as? String == "2001-01-01")
        #expect(plans?.last?["workouts"] as? Int == 3)
        let shown = try await room.object("/plans/winter")
        #expect((shown["group"] as? Object)?["athletes"] as? [String] == ["cleo"])
        guard case .json = await room.answer("/plans/winter/remove", .post) else {
            Issue.record("not removed")
            return
        }
        #expect(await room.refusal("/plans/winter/remove", .post)?.told == "404 unknown_plan")
        #expect(await room.refusal("/plans/winter")?.told == "404 unknown_plan")
    }

    @Test func filesGoOutAndComeBack() async throws {
        // Goal: a plan goes through a spreadsheet or a calendar unchanged, and a calendar's changes come
        // in. Method: both files exported and set again; a day moved in one of them.
        let made = try await set(Self.body)
        for (format, type) in [("csv", "text/csv"), ("ics", "text/calendar")] {
            let (found, file) = try await text("/plans/winter/export?format=\(format)")
            #expect(found == type + "; charset=utf-8")
            var set = try await self.set(try json(["format": format, "text": file]))
            var before = made
            (set["changed_ms"], before["changed_ms"]) = (nil, nil)
            #expect(set as NSDictionary == before as NSDictionary, "\(format)")
        }
        let calendar = try await text("/plans/winter/export?format=ics").1
        let moved = calendar.replacing("DATE:29991231", with: "DATE:29991230").replacing(
            "X-WR-CALNAME:Winter", with: "X-WR-CALNAME:Spring")
        let changed = try await set(try json(["format": "ics", "text": moved]))
        let last = (changed["workouts"] as? [Object])?.last
        #expect(last?["day"] as? String == "2999-12-30")
        #expect(last?["id"] as? String == "29991231-1" && last?["note"] as? String == "easy")
        #expect(changed["title"] as? String == "Spring")
    }

    @Test mutating func whatBecameOfItFollowsTheSessions() async throws {
        // Goal: each athlete's workouts are held against their sessions, as they are now. Method: one
        // rows what was planned, one another piece; then the better session is corrected.
        _ = try await set(Self.body)
        let id = "01J7ZK3Q5XQ4W8G9T2V6B0C111"
        try room.keep(traffic.piece(id, hour: 1, 500, by: "anna"))
        try room.keep(traffic.piece("01J7ZK3Q5XQ4W8G9T2V6B0C112", hour: 2, 300, by: "ben"))
        func verdicts(_ athlete: String) async throws -> [String] {
            let told = try await room.object("/plans/winter/adherence?athlete_id=\(athlete)")
            let days = (told["athletes"] as? [Object])?.first?["days"] as? [Object] ?? []
            return days.flatMap { $0["workouts"] as? [Object] ?? [] }.map { workout in
                let session = (workout["session"] as? Object)?["session_id"] as? String ?? ""
                return "\(workout["verdict"] as? String ?? "") \(session.suffix(3))"
            }
        }
        #expect(try await verdicts("anna") == ["missed ", "done 111", "ahead "])
        #expect(try await verdicts("ben") == ["missed ", "partly 112", "ahead "])
        let all = try await room.object("/plans/winter/adherence")
        #expect(
            (all["athletes"] as? [Object])?.map { $0["athlete_id"] as? String } == ["anna", "ben"])
        let plans = try await room.object("/athletes/anna/plans")["plans"] as? [Object]
        #expect((plans?.first?["next"] as? [Object])?.map { $0["workout"] as? String } == ["30:00"])
        #expect((plans?.first?["recent"] as? Object)?["done"] is Int)
        #expect((try await room.object("/athletes/nobody/plans")["plans"] as? [Object])?.count == 0)
        // The monitor's result is told again, and is shorter.
        let again = traffic.piece(id, hour: 1, 300, by: "anna").last.map {
            $0.replacing("\"revision\":1", "\"revision\":2")
        }
        try room.keep([try #require(again)])
        #expect(try await verdicts("anna") == ["missed ", "partly 111", "ahead "])
    }

    @Test func whoMayNotIsRefusedAndWhatIsWrongIsSaid() async throws {
        // Goal: plans are a coach's, and a mistake is found by its words. Method: each role and method,
        // and a body with one mistake of each kind.
        let body = Self.body
        #expect(
            await room.refusal("/plans/winter/set", as: nil, .post, body: body)?.told
                == "401 not_signed_in")
        #expect(
            await room.refusal("/plans/winter/set", as: .wall, .post, body: body)?.told
                == "403 not_allowed")
        #expect(await room.refusal("/plans", as: .wall)?.told == "403 not_allowed")
        #expect(await room.refusal("/plans/winter/set")?.told == "405 method_not_allowed")
        #expect(await room.refusal("/plans/Winter/set", .post, body: body)?.told == "400 bad_value")
        for (body, code, words) in [
            ("", "not_json", "the body is not JSON"), ("[]", "not_json", "not a JSON object"),
            (#"{"tilte":"x"}"#, "unknown_field", "unknown field tilte; did you mean title?"),
            (#"{"text":"day"}"#, "missing_field", "format is missing"),
            (#"{"format":"csv"}"#, "missing_field", "text is missing"),
            (#"{"format":"pdf","text":""}"#, "bad_value", "format must be csv or ics"),
            (#"{"format":"csv","text":"day,workout\n1,2"}"#, "bad_value", "line 2, column 1 (day)"),
            (
                #"{"format":"csv","text":"day,workout","workouts":[]}"#, "bad_value",
                "exclude each other"
            ),
            (
                #"{"workouts":[{"day":"2026-01-01"}]}"#, "missing_field",
                "workouts[1].workout is missing"
            ),
            (
                #"{"workouts":[{"day":"2026-01-01","workout":"x"}]}"#, "bad_value",
                #"workouts[1].workout: "x" is no workout; write it as 2000m"#
            ),
            (#"{"group":{"athletes":["A B"]}}"#, "bad_value", "\"A B\" is not an athlete id"),
            (#"{"title":"\u0007"}"#, "bad_value", "the title is no line"),
        ] {
            let refusal = await room.refusal("/plans/winter/set", .post, body: body)
            #expect(refusal?.told == "400 \(code)", "\(body)")
            #expect(refusal?.words.contains(words) == true, "\(refusal?.words ?? "")")
        }
        #expect((try await room.object("/plans")["plans"] as? [Object])?.isEmpty == true)
    }

    @Test func thereIsRoomForSoMany() async throws {
        // Goal: the list stays one that can be read. Method: one plan more than there is room for; an old
        // one can still be set.
        for number in 0..<PlanShelf.most {
            try PlanShelf.put(TrainingPlan(id: "p-\(number)", []), at: 1, in: room.store)
        }
        #expect(
            await room.refusal("/plans/winter/set", .post, body: "{}")?.told == "409 too_many_plans"
        )
        #expect(try await set("{}", "p-0")["id"] as? String == "p-0")
    }
}
