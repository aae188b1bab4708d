import Foundation
import LogbookStores
import Plans
import TestSupport
import Testing

@testable import Bests
@testable import Contract
@testable import Logbook
@testable import WebServer

/// The HTTP endpoints for plans.
@Suite struct PlanInterfaceTests {
    private typealias Object = [String: Any]
    private let fixture: InterfaceFixture
    private var traffic = Traffic()

    init() throws { fixture = try InterfaceFixture() }

    private static let body = #"""
        {"title":"Winter","group":{"name":"Squad A","athletes":["anna","ben"]},"workouts":[
        {"day":"2026-09-05","workout":"500m","name":"Sprint"},{"day":"2001-01-01","workout":"2000m"},
        {"day":"2999-12-31","workout":"30:00","note":"easy"}]}
        """#

    private func set(_ body: String, _ id: String = "winter") async throws -> Object {
        let answer = await fixture.answer("/plans/\(id)/set", .post, body: body)
        guard case .content(_, let bytes, _) = answer else {
            throw TestSupportError("\(answer)")
        }
        return try JSONSerialization.jsonObject(with: Data(bytes)) as? Object ?? [:]
    }

    private func text(_ address: String) async throws -> (String, String) {
        guard case .content(let type, let bytes, let headers) = await fixture.answer(address) else {
            throw TestSupportError(address)
        }
        #expect(headers.first?.name == "Content-Disposition")
        return (type, String(decoding: bytes, as: UTF8.self))
    }

    private func json(_ fields: [String: String]) throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: fields), as: UTF8.self)
    }

    @Test func erasedAthleteIsRemovedFromGroups() async throws {
        _ = try await set(Self.body)
        _ = try await set(Self.body.replacing("anna", with: "carl"), "other")
        let other = try PlanRepository.plan("other", in: fixture.store)?.plan
        try PlanRepository.removeFromGroups("anna", at: 1, in: fixture.store)
        let plan = try #require(try PlanRepository.plan("winter", in: fixture.store)?.plan)
        #expect(plan.group.athletes == ["ben"] && plan.workouts.count == 3)
        #expect(try PlanRepository.plan("other", in: fixture.store)?.plan == other)
        for kept in try fixture.store.plans() {
            #expect(!String(decoding: kept.body, as: UTF8.self).contains("anna"))
        }
    }

    @Test func storesShowsAndRemovesPlan() async throws {
        let made = try await set(Self.body)
        #expect((made["workouts"] as? [Object])?.first?["id"] as? String == "20010101-1")
        _ = try await set("{}", "empty")
        let changed = try await set(#"{"group":{"athletes":["cleo"]}}"#)
        #expect(changed["title"] as? String == "Winter")
        #expect((changed["workouts"] as? [Object])?.count == 3)
        let plans = try await fixture.object("/plans")["plans"] as? [Object]
        #expect(plans?.map { $0["id"] as? String } == ["empty", "winter"])
        #expect(plans?.last?["from"] as? String == "2001-01-01")
        #expect(plans?.last?["workouts"] as? Int == 3)
        let shown = try await fixture.object("/plans/winter")
        #expect((shown["group"] as? Object)?["athletes"] as? [String] == ["cleo"])
        guard case .json = await fixture.answer("/plans/winter", .delete) else {
            Issue.record("not removed")
            return
        }
        #expect(await fixture.refusal("/plans/winter", .delete)?.status == "404 unknown_plan")
        #expect(await fixture.refusal("/plans/winter/remove", .post)?.status == "404 unknown_plan")
        #expect(await fixture.refusal("/plans/winter")?.status == "404 unknown_plan")
    }

    @Test func planSurvivesExportAndImport() async throws {
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

    @Test mutating func adherenceFollowsSessions() async throws {
        _ = try await set(Self.body)
        let id = "01J7ZK3Q5XQ4W8G9T2V6B0C111"
        try fixture.save(traffic.piece(id, hour: 1, 500, by: "anna"))
        try fixture.save(traffic.piece("01J7ZK3Q5XQ4W8G9T2V6B0C112", hour: 2, 300, by: "ben"))
        func verdicts(_ athlete: String) async throws -> [String] {
            let response = try await fixture.object("/plans/winter/adherence?athlete_id=\(athlete)")
            let days = (response["athletes"] as? [Object])?.first?["days"] as? [Object] ?? []
            return days.flatMap { $0["workouts"] as? [Object] ?? [] }.map { workout in
                let session = (workout["session"] as? Object)?["session_id"] as? String ?? ""
                return "\(workout["verdict"] as? String ?? "") \(session.suffix(3))"
            }
        }
        #expect(try await verdicts("anna") == ["missed ", "done 111", "ahead "])
        #expect(try await verdicts("ben") == ["missed ", "partly 112", "ahead "])
        let all = try await fixture.object("/plans/winter/adherence")
        #expect(
            (all["athletes"] as? [Object])?.map { $0["athlete_id"] as? String } == ["anna", "ben"])
        let plans = try await fixture.object("/athletes/anna/plans")["plans"] as? [Object]
        #expect((plans?.first?["next"] as? [Object])?.map { $0["workout"] as? String } == ["30:00"])
        #expect((plans?.first?["recent"] as? Object)?["done"] is Int)
        #expect(
            (try await fixture.object("/athletes/unknown/plans")["plans"] as? [Object])?.count == 0)
        // A corrected summary has a shorter distance.
        let corrected = traffic.piece(id, hour: 1, 300, by: "anna").last.map {
            $0.replacing("\"revision\":1", "\"revision\":2")
        }
        try fixture.save([try #require(corrected)])
        #expect(try await verdicts("anna") == ["missed ", "partly 111", "ahead "])
    }

    @Test func rejectsWrongRolesAndInvalidBodies() async throws {
        let body = Self.body
        #expect(
            await fixture.refusal("/plans/winter/set", as: nil, .post, body: body)?.status
                == "401 not_signed_in")
        #expect(
            await fixture.refusal("/plans/winter/set", as: .wall, .post, body: body)?.status
                == "403 not_allowed")
        #expect(await fixture.refusal("/plans", as: .wall)?.status == "403 not_allowed")
        #expect(await fixture.refusal("/plans/winter/set")?.status == "405 method_not_allowed")
        #expect(
            await fixture.refusal("/plans/Winter/set", .post, body: body)?.status == "400 bad_value"
        )
        for (body, code, text) in [
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
                #"workouts[1].workout: "x" is not a valid workout; write it as 2000m"#
            ),
            (#"{"group":{"athletes":["A B"]}}"#, "bad_value", "\"A B\" is not an athlete id"),
            (#"{"title":"\u0007"}"#, "bad_value", "the title must be one line"),
        ] {
            let refusal = await fixture.refusal("/plans/winter/set", .post, body: body)
            #expect(refusal?.status == "400 \(code)", "\(body)")
            #expect(refusal?.message.contains(text) == true, "\(refusal?.message ?? "")")
        }
        #expect((try await fixture.object("/plans")["plans"] as? [Object])?.isEmpty == true)
    }

    @Test func changesSingleWorkouts() async throws {
        _ = try await set(Self.body)
        let changed = try await set(
            #"""
            {"put":[{"id":"20260905-1","day":"2026-09-06","workout":"1000m"},
            {"day":"2026-09-06","workout":"30:00"},{"id":"mine","day":"2026-09-07","workout":"just-row"}],"remove":["20010101-1","unknown"]}
            """#)
        let workouts = (changed["workouts"] as? [Object] ?? []).map { workout in
            ["day", "id", "workout", "name"].map { workout[$0] as? String ?? "" }.joined(separator: " ")
        }
        #expect(
            workouts == [
                "2026-09-06 20260905-1 1000m ", "2026-09-06 20260906-1 30:00 ", "2026-09-07 mine just-row ",
                "2999-12-31 29991231-1 30:00 ",
            ])
        #expect(changed["title"] as? String == "Winter")
        for (body, message) in [
            (
                #"{"put":[{"day":"2026-09-06","workout":"x"}]}"#,
                #"put[1].workout: "x" is not a valid workout"#
            ),
            (#"{"remove":[1]}"#, "remove must be a list of texts"),
            (
                #"""
                {"put":[{"id":"a","day":"2026-09-06","workout":"500m"},
                {"id":"a","day":"2026-09-07","workout":"1:00"}]}
                """#,
                "two workouts have the id \"a\""
            ),
        ] {
            let refusal = await fixture.refusal("/plans/winter/set", .post, body: body)
            #expect(
                refusal?.status == "400 bad_value" && refusal?.message.contains(message) == true, "\(body)")
        }
    }

    @Test func rejectsChangeOfOutdatedPlan() async throws {
        let rename = { (change: Int) in #"{"title":"Summer","changed_ms":\#(change)}"# }
        let made = try await set(#"{"title":"Winter","changed_ms":0}"#)
        let first = try #require(made["changed_ms"] as? Int)
        for outdated in [0, first - 1, first + 1] {
            let refusal = await fixture.refusal("/plans/winter/set", .post, body: rename(outdated))
            #expect(refusal?.status == "409 plan_changed")
        }
        // Another change at the same time of the clock.
        let second = try #require(try await set("{}")["changed_ms"] as? Int)
        #expect(second > first)
        #expect(
            await fixture.refusal("/plans/winter/set", .post, body: rename(first))?.status
                == "409 plan_changed")
        #expect(try await set(rename(second))["title"] as? String == "Summer")
        _ = await fixture.answer("/plans/winter", .delete)
        #expect(
            await fixture.refusal("/plans/winter/set", .post, body: rename(second))?.status
                == "409 plan_changed")
    }

    @Test func dryRunStoresNothing() async throws {
        let shown = try await set(#"{"dry_run":true,"put":[{"day":"2026-09-06","workout":"1000m"}]}"#)
        #expect((shown["workouts"] as? [Object])?.count == 1 && shown["changed_ms"] as? Int == 0)
        #expect(await fixture.refusal("/plans/winter")?.status == "404 unknown_plan")
        let body = #"{"dry_run":true,"put":[{"day":"2026-09-06","workout":"5m"}]}"#
        #expect(await fixture.refusal("/plans/winter/set", .post, body: body)?.status == "400 bad_value")
    }

    @Test func numberOfPlansIsLimited() async throws {
        for number in 0..<PlanRepository.maximumPlans {
            try PlanRepository.save(TrainingPlan(id: "p-\(number)", []), at: 1, in: fixture.store)
        }
        #expect(
            await fixture.refusal("/plans/winter/set", .post, body: "{}")?.status
                == "409 too_many_plans"
        )
        #expect(try await set("{}", "p-0")["id"] as? String == "p-0")
    }
}
