import Foundation
import LogbookStores
import Suggestions
import Synchronization
import TestSupport
import Testing

@testable import Contract
@testable import Logbook
@testable import MQTTClient
@testable import WebServer

/// Suggestions over HTTP, the answers to them, and the workouts sent to monitors.
@Suite struct SuggestionInterfaceTests {
    private let fixture: InterfaceFixture
    private let sent = Sent()
    private static let list = "/athletes/anna/suggestions"

    private final class Sent: Sendable {
        let messages = Mutex<[CommandService.Message]>([])
    }

    private typealias Object = [String: Any]

    /// Anna has five sessions, followed by a break of three weeks.
    init() throws {
        fixture = try InterfaceFixture()
        try fixture.saveSessionsBeforeBreak(of: "anna")
        fixture.commands.start { [sent] messages in sent.messages.withLock { $0 += messages } }
        fixture.room.subscribed()
    }

    private func answer(_ body: String, _ id: String) async throws -> Object {
        let answer = await fixture.answer("\(Self.list)/\(id)", as: .coach, .post, body: body)
        guard case .content("application/json", let bytes, _) = answer,
            let object = try JSONSerialization.jsonObject(with: Data(bytes)) as? Object
        else { throw TestSupportError("\(answer)") }
        return object
    }

    private func states(_ response: Object, _ list: String = "open") -> [String] {
        (response[list] as? [Object] ?? []).compactMap { $0["state"] as? String }
    }

    private func openSuggestionID() async throws -> String {
        let response = try await fixture.object(Self.list)
        let open = try #require((response["open"] as? [Object])?.first)
        #expect(open["state"] as? String == "offered")
        let suggestion = try #require(open["suggestion"] as? Object)
        #expect(suggestion["rule"] as? String == "return_after_break")
        #expect((suggestion["reasons"] as? [Object])?.count == 2)
        let workout = try #require(suggestion["workout"] as? Object)
        #expect(workout["row"] as? String == "10:00@18-20spm")
        let order = workout["order"] as? Object
        #expect(order?["type"] as? String == "time" && order?["duration_s"] as? Int == 600)
        return try #require(open["id"] as? String)
    }

    @Test func storesAnswers() async throws {
        let id = try await openSuggestionID()
        #expect(states(try await answer(#"{"say":"accept"}"#, id)) == ["accepted"])
        #expect(states(try await answer(#"{"say":"accept"}"#, id)) == ["accepted"])
        let stored = try #require(try fixture.store.suggestions(of: "anna").first)
        #expect((stored.answer, stored.by, stored.id) == ("accepted", "coach", id))
        let until = Int(Date().timeIntervalSince1970 * 1000) + 86_400_000
        let snoozed = try await answer(#"{"say":"snooze","until_ms":\#(until)}"#, id)
        #expect(states(snoozed) == ["snoozed"])
        #expect((snoozed["open"] as? [Object])?.first?["until_ms"] as? Int == until)
        let refused = try await answer(#"{"say":"dismiss","why":"ill"}"#, id)
        #expect(states(refused) == [] && states(refused, "past") == ["dismissed"])
        #expect(states(try await fixture.object(Self.list), "past") == ["dismissed"])
        #expect(try fixture.store.suggestions(of: "anna").map(\.why) == ["ill"])
        let second = await fixture.refusal("\(Self.list)/\(id)", .post, body: #"{"say":"accept"}"#)
        #expect(second?.status == "409 suggestion_over")
    }

    @Test func errorsNameTheProblem() async throws {
        let id = try await openSuggestionID()
        for (body, status, text) in [
            ("", "400 not_json", "not JSON"), ("[]", "400 not_json", "JSON object"),
            ("{}", "400 missing_field", "say"),
            (#"{"say":"yes"}"#, "400 bad_value", "accept, dismiss"),
            (#"{"say":"accept","why":"x"}"#, "400 unknown_field", "why"),
            (#"{"say":"dismiss"}"#, "400 bad_value", "one line of"),
            (#"{"say":"dismiss","why":" "}"#, "400 bad_value", "one line of"),
            (#"{"say":"dismiss","why":"a\nb"}"#, "400 bad_value", "one line"),
            (#"{"say":"snooze"}"#, "400 missing_field", "until_ms"),
            (#"{"say":"snooze","until_ms":5}"#, "400 bad_value", "90 days"),
            (#"{"say":"snooze","until_ms":4102444800000}"#, "400 bad_value", "90 days"),
        ] {
            let refusal = await fixture.refusal("\(Self.list)/\(id)", .post, body: body)
            #expect(refusal?.status == status, "\(body)")
            #expect(refusal?.message.contains(text) == true, "\(body): \(refusal?.message ?? "")")
        }
        let yes = #"{"say":"accept"}"#
        for (address, role, status) in [
            ("\(Self.list)/more_power-1", Role.coach, "404 unknown_suggestion"),
            ("/athletes/unknown/suggestions/\(id)", .coach, "404 unknown_athlete"),
            ("\(Self.list)/\(id)", .wall, "403 not_allowed"),
        ] {
            #expect(await fixture.refusal(address, as: role, .post, body: yes)?.status == status)
        }
        #expect(
            await fixture.refusal("/athletes/unknown/suggestions")?.status == "404 unknown_athlete")
        #expect(await fixture.refusal(Self.list, as: .wall)?.status == "403 not_allowed")
        #expect(try fixture.store.suggestions(of: nil) == [])
    }

    // MARK: Sending workouts

    private func publishState(_ state: String, _ more: String = "", athlete: String? = "anna") {
        let who = athlete.map { #","athlete_id":"\#($0)""# } ?? ""
        let message = IncomingMessage(
            topic: "rowgate/v1/boathouse/erg/erg-1/state",
            payload: Array(#"{"v":1,"kind":"state","state":"\#(state)"\#(who)\#(more)}"#.utf8))
        fixture.room.handle(message)
        fixture.workoutSender.handle(message)
    }

    /// Returns the sent commands after all queued work has ended.
    private func sentCommands() async throws -> [CommandService.Message] {
        await fixture.waitForWrites()
        _ = try await fixture.object(Self.list)
        return sent.messages.withLock { $0 }
    }

    private func reply(_ message: CommandService.Message, _ status: String, _ code: String) {
        fixture.commands.handle(
            "rowgate/v1/boathouse/erg/erg-1/rsp/workout",
            Array(
                #"{"request_id":"\#(message.id)","status":"\#(status)","code":"\#(code)"}"#.utf8))
    }

    /// The gateway assigns an id that was merged into the athlete who accepted, and a program answers with it.
    @Test func mergedIDGetsTheAcceptedWorkout() async throws {
        try fixture.store.atomically {
            try fixture.store.merges.add(
                StoredMerge(athlete: "anna-2", kept: "anna", mergedAt: 1, by: nil, saved: nil))
        }
        try fixture.directory.read(from: fixture.store)
        publishState("idle", athlete: "anna-2")
        let id = try await openSuggestionID()
        guard
            case .content = await fixture.answer(
                "/athletes/anna-2/suggestions/\(id)", .post, body: #"{"say":"accept"}"#)
        else {
            Issue.record("not accepted")
            return
        }
        #expect(try await sentCommands().count == 1)
        #expect(try fixture.store.suggestions(of: "anna").map(\.athlete) == ["anna"])
    }

    @Test func sendsAcceptedWorkoutOnceWhenAthleteIsAssigned() async throws {
        publishState("idle")
        #expect(try await sentCommands().isEmpty)
        publishState("idle", athlete: nil)
        _ = try await answer(#"{"say":"accept"}"#, try await openSuggestionID())
        publishState("idle", athlete: "ben")
        #expect(try await sentCommands().isEmpty)
        publishState("idle")
        let order = try #require(try await sentCommands().first)
        #expect(order.topic == "rowgate/v1/boathouse/erg/erg-1/cmd/workout")
        let payload = String(decoding: order.payload, as: UTF8.self)
        #expect(payload.contains(#""duration_s":600"#))
        #expect(payload.contains(#""target_stroke_rate_min_spm":18"#))
        // No second command while the first is pending.
        publishState("idle", athlete: nil)
        publishState("idle")
        #expect(try await sentCommands().count == 1)
        reply(order, "accepted", "in_progress")
        reply(order, "ok", "done")
        _ = try await sentCommands()
        let open = (try await fixture.object(Self.list))["open"] as? [Object]
        #expect(open?.first?["set_ms"] != nil && states(["open": open ?? []]) == ["accepted"])
        publishState("idle", athlete: nil)
        publishState("idle")
        #expect(try await sentCommands().count == 1)
    }

    @Test(arguments: [
        ("rowing", ""), ("paused", ""), ("resting", ""), ("finished", ""), ("asleep", ""),
        ("ready", #","session_type":"distance","workout":"fixed_distance_with_splits""#),
    ])
    func doesNotReplaceWorkoutInUse(_ state: String, _ more: String) async throws {
        _ = try await answer(#"{"say":"accept"}"#, try await openSuggestionID())
        publishState(state, more)
        #expect(try await sentCommands().isEmpty, "\(state)")
        publishState("ready", #","session_type":"just_row","workout":"just_row_without_splits""#)
        #expect(try await sentCommands().count == 1)
    }

    @Test func retriesRejectedCommand() async throws {
        publishState("idle")
        // The athlete accepts on the page while assigned.
        _ = try await answer(#"{"say":"accept"}"#, try await openSuggestionID())
        let order = try #require(try await sentCommands().first)
        reply(order, "error", "rowing")
        publishState("rowing")
        #expect(try await sentCommands().count == 1)
        publishState("idle")
        #expect(try await sentCommands().count == 2)
        #expect(try fixture.store.suggestions(of: "anna").map(\.setAt) == [nil])
    }

    @Test func sendsOnlyToSameKindOfMachine() async throws {
        _ = try await answer(#"{"say":"accept"}"#, try await openSuggestionID())
        fixture.room.handle(
            IncomingMessage(
                topic: "rowgate/v1/boathouse/erg/erg-2/info",
                payload: Array(#"{"v":1,"machine_type":"ski_erg"}"#.utf8), isRetained: true))
        let message = IncomingMessage(
            topic: "rowgate/v1/boathouse/erg/erg-2/state",
            payload: Array(#"{"v":1,"kind":"state","state":"idle","athlete_id":"anna"}"#.utf8))
        fixture.room.handle(message)
        fixture.workoutSender.handle(message)
        #expect(try await sentCommands().isEmpty)
    }
}
