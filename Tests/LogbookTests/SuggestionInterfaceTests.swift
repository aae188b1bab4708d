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

/// What is suggested over HTTP, what people say of it, and how it comes to the monitor.
@Suite struct SuggestionInterfaceTests {
    private let room: InterfaceRoom
    private let sent = Sent()
    private static let list = "/athletes/anna/suggestions"

    private final class Sent: Sendable {
        let messages = Mutex<[CommandRoom.Message]>([])
    }

    private typealias Object = [String: Any]

    /// Somebody who rowed five times, and then not for three weeks.
    init() throws {
        room = try InterfaceRoom()
        try room.keepBreak(of: "anna")
        room.commands.begin { [sent] messages in sent.messages.withLock { $0 += messages } }
        room.room.subscribed()
    }

    private func say(_ body: String, _ id: String) async throws -> Object {
        let answer = await room.answer("\(Self.list)/\(id)", as: .coach, .post, body: body)
        guard case .content("application/json", let bytes, _) = answer,
            let object = try JSONSerialization.jsonObject(with: Data(bytes)) as? Object
        else { throw TestSupportError("\(answer)") }
        return object
    }

    private func states(_ told: Object, _ list: String = "open") -> [String] {
        (told[list] as? [Object] ?? []).compactMap { $0["state"] as? String }
    }

    private func offered() async throws -> String {
        let told = try await room.object(Self.list)
        let open = try #require((told["open"] as? [Object])?.first)
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

    @Test func whatIsSaidIsKept() async throws {
        // Goal: yes, not now and no, by who says it, also for who asks later. Method: each of them, in
        // turn; the list again; what the store has.
        let id = try await offered()
        #expect(states(try await say(#"{"say":"accept"}"#, id)) == ["accepted"])
        #expect(states(try await say(#"{"say":"accept"}"#, id)) == ["accepted"])
        let kept = try #require(try room.store.suggestions(of: "anna").first)
        #expect((kept.said, kept.by, kept.id) == ("accepted", "coach", id))
        let until = Int(Date().timeIntervalSince1970 * 1000) + 86_400_000
        let snoozed = try await say(#"{"say":"snooze","until_ms":\#(until)}"#, id)
        #expect(states(snoozed) == ["snoozed"])
        #expect((snoozed["open"] as? [Object])?.first?["until_ms"] as? Int == until)
        let refused = try await say(#"{"say":"dismiss","why":"ill"}"#, id)
        #expect(states(refused) == [] && states(refused, "past") == ["dismissed"])
        #expect(states(try await room.object(Self.list), "past") == ["dismissed"])
        #expect(try room.store.suggestions(of: "anna").map(\.why) == ["ill"])
        let again = await room.refusal("\(Self.list)/\(id)", .post, body: #"{"say":"accept"}"#)
        #expect(again?.told == "409 suggestion_over")
    }

    @Test func whatIsWrongIsNamed() async throws {
        // Goal: a program's author is told what is wrong where; nothing is kept of it. Method: each
        // mistake, and people who may not.
        let id = try await offered()
        for (body, told, words) in [
            ("", "400 not_json", "not JSON"), ("[]", "400 not_json", "JSON object"),
            ("{}", "400 missing_field", "say"),
            (#"{"say":"yes"}"#, "400 bad_value", "accept, dismiss"),
            (#"{"say":"accept","why":"x"}"#, "400 unknown_field", "why"),
            (#"{"say":"dismiss"}"#, "400 bad_value", "why not"),
            (#"{"say":"dismiss","why":" "}"#, "400 bad_value", "why not"),
            (#"{"say":"dismiss","why":"a\nb"}"#, "400 bad_value", "one line"),
            (#"{"say":"snooze"}"#, "400 missing_field", "until_ms"),
            (#"{"say":"snooze","until_ms":5}"#, "400 bad_value", "90 days"),
            (#"{"say":"snooze","until_ms":4102444800000}"#, "400 bad_value", "90 days"),
        ] {
            let refusal = await room.refusal("\(Self.list)/\(id)", .post, body: body)
            #expect(refusal?.told == told, "\(body)")
            #expect(refusal?.words.contains(words) == true, "\(body): \(refusal?.words ?? "")")
        }
        let yes = #"{"say":"accept"}"#
        for (address, role, told) in [
            ("\(Self.list)/more_power-1", Role.coach, "404 unknown_suggestion"),
            ("/athletes/nobody/suggestions/\(id)", .coach, "404 unknown_athlete"),
            ("\(Self.list)/\(id)", .wall, "403 not_allowed"),
        ] {
            #expect(await room.refusal(address, as: role, .post, body: yes)?.told == told)
        }
        #expect(await room.refusal("/athletes/nobody/suggestions")?.told == "404 unknown_athlete")
        #expect(await room.refusal(Self.list, as: .wall)?.told == "403 not_allowed")
        #expect(try room.store.suggestions(of: nil) == [])
    }

    // MARK: Sitting down

    private func seat(_ state: String, _ more: String = "", athlete: String? = "anna") {
        let who = athlete.map { #","athlete_id":"\#($0)""# } ?? ""
        let message = IncomingMessage(
            topic: "rowgate/v1/boathouse/erg/erg-1/state",
            payload: Array(#"{"v":1,"kind":"state","state":"\#(state)"\#(who)\#(more)}"#.utf8))
        room.room.hear(message)
        room.seats.hear(message)
    }

    /// Commands that have gone out, once all that was begun is over.
    private func orders() async throws -> [CommandRoom.Message] {
        await room.written()
        _ = try await room.object(Self.list)
        return sent.messages.withLock { $0 }
    }

    private func reply(_ message: CommandRoom.Message, _ status: String, _ code: String) {
        room.commands.hear(
            "rowgate/v1/boathouse/erg/erg-1/rsp/workout",
            Array(
                #"{"request_id":"\#(message.id)","status":"\#(status)","code":"\#(code)"}"#.utf8))
    }

    @Test func whoSitsDownGetsItOnTheMonitorOnce() async throws {
        // Goal: the accepted workout, with its bands, when its athlete sits down, and never again.
        // Method: before it is accepted; somebody else; the athlete; away and back again.
        seat("idle")
        #expect(try await orders().isEmpty)
        seat("idle", athlete: nil)
        _ = try await say(#"{"say":"accept"}"#, try await offered())
        seat("idle", athlete: "ben")
        #expect(try await orders().isEmpty)
        seat("idle")
        let order = try #require(try await orders().first)
        #expect(order.topic == "rowgate/v1/boathouse/erg/erg-1/cmd/workout")
        let payload = String(decoding: order.payload, as: UTF8.self)
        #expect(payload.contains(#""duration_s":600"#))
        #expect(payload.contains(#""target_stroke_rate_min_spm":18"#))
        // Not a second time while the gateway is at it.
        seat("idle", athlete: nil)
        seat("idle")
        #expect(try await orders().count == 1)
        reply(order, "accepted", "in_progress")
        reply(order, "ok", "done")
        _ = try await orders()
        let open = (try await room.object(Self.list))["open"] as? [Object]
        #expect(open?.first?["set_ms"] != nil && states(["open": open ?? []]) == ["accepted"])
        seat("idle", athlete: nil)
        seat("idle")
        #expect(try await orders().count == 1)
    }

    @Test(arguments: [
        ("rowing", ""), ("paused", ""), ("resting", ""), ("finished", ""), ("asleep", ""),
        ("ready", #","session_type":"distance","workout":"fixed_distance_with_splits""#),
    ])
    func nothingIsPutOverWhatIsThere(_ state: String, _ more: String) async throws {
        // Goal: what is rowed, shown or chosen is left alone. Method: each state, then one that waits.
        _ = try await say(#"{"say":"accept"}"#, try await offered())
        seat(state, more)
        #expect(try await orders().isEmpty, "\(state)")
        seat("ready", #","session_type":"just_row","workout":"just_row_without_splits""#)
        #expect(try await orders().count == 1)
    }

    @Test func whatWasRefusedIsTriedAgain() async throws {
        // Goal: a gateway's no is not the end of it. Method: somebody rows there after all; the monitor
        // comes to rest.
        seat("idle")
        // By the page, while the athlete sits there.
        _ = try await say(#"{"say":"accept"}"#, try await offered())
        let order = try #require(try await orders().first)
        reply(order, "error", "rowing")
        seat("rowing")
        #expect(try await orders().count == 1)
        seat("idle")
        #expect(try await orders().count == 2)
        #expect(try room.store.suggestions(of: "anna").map(\.setAt) == [nil])
    }

    @Test func itIsForTheMachineItIsOf() async throws {
        // Goal: no rower's workout on a SkiErg. Method: the erg says what it is.
        _ = try await say(#"{"say":"accept"}"#, try await offered())
        room.room.hear(
            IncomingMessage(
                topic: "rowgate/v1/boathouse/erg/erg-2/info",
                payload: Array(#"{"v":1,"machine_type":"ski_erg"}"#.utf8), isRetained: true))
        let message = IncomingMessage(
            topic: "rowgate/v1/boathouse/erg/erg-2/state",
            payload: Array(#"{"v":1,"kind":"state","state":"idle","athlete_id":"anna"}"#.utf8))
        room.room.hear(message)
        room.seats.hear(message)
        #expect(try await orders().isEmpty)
    }
}
