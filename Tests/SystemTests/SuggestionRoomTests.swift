import Foundation
import TestSupport
import Testing

/// A suggestion of the logbook, from the sessions that cause it to its result, in a simulated room.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct SuggestionRoomTests {
    private typealias Object = [String: Any]

    private static let workout = "2x100m/0:20r"
    private static let topics = "rowgate-logbook/v1/club"

    /// A room with one erg under control of the test, and a logbook that accepts commands.
    private struct Room {
        let room: SimulatedRoom
        let logbook: LogbookTests.Logbook
        let bearer: String

        init() async throws {
            room = try await SimulatedRoom(
                ergs: 1, simulator: "--workout wait --speed 8 --link-speed 8 --seed 5".words)
            try room.configure("[commands]\nenabled = true\n")
            logbook = try await LogbookTests.Logbook(
                room.broker, hasStore: true, "[publish]\nid = \"club\"\ncommands = true\n")
            bearer = "Authorization: Bearer " + (try await logbook.token("anna", role: "coach"))
        }

        func assign(_ athlete: String?) async throws {
            let who = athlete.map { #","athlete_id":"\#($0)""# } ?? ""
            let reply = try await room.reply(
                "erg/erg-1/cmd/assign", #"{"request_id":"\#(UUID().uuidString)"\#(who)}"#)
            #expect(reply["status"] as? String == "ok", "\(reply)")
        }

        /// Returns anna's suggestions over HTTP.
        func suggestions(_ list: String = "open") async throws -> [Object] {
            let process = try ChildProcess(
                "curl",
                ["-s", "-H", bearer, logbook.address + "api/v1/athletes/anna/suggestions"])
            _ = await process.waitForExit()
            let object = try JSONSerialization.jsonObject(with: Data(process.text.utf8)) as? Object
            return object?[list] as? [Object] ?? []
        }

        var isOnline: Bool {
            room.messages(ofKind: "availability", of: "erg-1").last?.payload == "online"
        }

        /// Last `state` message of the erg.
        var state: Object? { room.messages(ofKind: "state", of: "erg-1").last?.fields }

        /// Whether the monitor is ready without a workout.
        var isFree: Bool {
            state?["state"] as? String == "ready" && state?["session_type"] as? String == "just_row"
        }

        /// Returns messages of the logbook on a topic.
        func published(_ topic: String) -> [Object] {
            room.messages.filter { $0.topic == "\(topics)/\(topic)" }.map(\.fields)
        }

        /// Sends a request about a suggestion, and returns the reply.
        func answer(_ request: String, _ fields: String) async throws -> Object {
            let before = published("rsp/suggestion").count
            try await room.broker.publish(
                #"{"request_id":"\#(request)","athlete_id":"anna",\#(fields)}"#,
                to: "\(topics)/cmd/suggestion", ["-q", "1"])
            try #require(
                await eventually { published("rsp/suggestion").count == before + 1 },
                "\(logbook.process.text)")
            return published("rsp/suggestion")[before]
        }
    }

    /// Three equal interval sessions produce a suggestion. A program accepts it over MQTT after one
    /// invalid request, and repeats its request. The monitor gets the workout once the athlete is
    /// assigned, and the logbook publishes the result.
    @Test(.timeLimit(.minutes(30)))
    func sendsAnAcceptedSuggestion() async throws {
        let room = try await Room()
        let gateway = try await room.room.startGateway()
        #expect(await eventually { room.isOnline && room.isFree }, "\(gateway.text)")
        try await room.assign("anna")
        for number in 1...3 {
            let reply = try await room.room.reply(
                "erg/erg-1/cmd/workout",
                #"{"request_id":"w-\#(number)","type":"intervals","repeat":2,"#
                    + #""intervals":[{"distance_m":100,"rest_s":20}]}"#)
            #expect(reply["status"] as? String == "ok", "\(reply)")
            let isOver = await eventually {
                room.room.messages(ofKind: "manifest").count == number
            }
            try #require(isOver, "\(gateway.text)")
        }
        try await room.assign(nil)
        try await room.room.command(#"{"cmd":"hold","on":true}"#)
        _ = try await room.room.reply(
            "erg/erg-1/cmd/workout", #"{"request_id":"w-4","type":"just_row"}"#)
        #expect(await eventually { room.isFree }, "\(gateway.text)")

        let isOffered = await eventually { room.published("suggestion").contains { $0["rule"] != nil } }
        try #require(isOffered, "\(room.logbook.process.text)")
        let offer = try #require(room.published("suggestion").first)
        #expect(
            offer["rule"] as? String == "more_power" && offer["target"] as? String == Self.workout)
        let id = try #require(offer["suggestion_id"] as? String)
        let wrong = try await room.answer("r-1", #""suggestion_id":"\#(id)","say":"perhaps""#)
        #expect(wrong["code"] as? String == "bad_value", "\(wrong)")
        let yes = #""suggestion_id":"\#(id)","say":"accept""#
        let reply = try await room.answer("r-2", yes)
        #expect(reply["code"] as? String == "done" && reply["state"] as? String == "accepted")
        #expect(try await room.answer("r-2", yes)["ts_ms"] as? Int == reply["ts_ms"] as? Int)
        let isPublished = await eventually {
            room.published("suggestion").last?["state"] as? String == "accepted"
        }
        #expect(isPublished)

        // The erg has no athlete yet.
        #expect(room.isFree)
        try await room.assign("anna")
        let hasWorkout = await eventually { room.state?["session_type"] as? String == "intervals" }
        try #require(hasWorkout, "\(room.logbook.process.text)\(gateway.text)")
        let isSet = try await eventually(within: .seconds(120)) {
            try await room.suggestions().first?["set_ms"] != nil
        }
        #expect(isSet)

        try await room.room.command(#"{"cmd":"row","s":1}"#)
        let isEvaluated = await eventually {
            room.published("suggestion").last?["state"] as? String == "done"
        }
        try #require(isEvaluated, "\(room.logbook.process.text)\(gateway.text)")
        try await expectResult(room, id)
        #expect(await room.logbook.process.terminate() == 0)
        #expect(await gateway.terminate() == 0)
        await room.room.broker.stop()
    }

    /// Checks that strokes had targets, and that the published result matches the simulator.
    private func expectResult(_ room: Room, _ id: String) async throws {
        let past = try #require(try await room.suggestions("past").first)
        #expect(past["id"] as? String == id && past["state"] as? String == "done")
        let outcome = try #require(past["outcome"] as? Object)
        let target = (past["suggestion"] as? Object)?["workout"] as? Object
        let low = try #require(target?["power_min_w"] as? Int)
        let high = try #require(target?["power_max_w"] as? Int)
        let session = try #require(outcome["session_id"] as? String)
        let strokes = room.room.messages(ofKind: "stroke").map(\.fields).filter {
            $0["session_id"] as? String == session
        }
        #expect(strokes.count > 10 && strokes.allSatisfy { $0["power_vs_target"] != nil })
        let results = room.room.messages(ofKind: "summary").map(\.fields)
        let summary = results.last { $0["session_id"] as? String == session }
        #expect(summary?["athlete_id"] as? String == "anna")
        #expect((summary?["target_strokes"] as? Int ?? 0) > 10)

        let published = try #require((outcome["power_w"] as? NSNumber)?.doubleValue)
        let result = room.room.truth.last { $0["kind"] as? String == "result" }
        let watts = try #require(result?["avg_power_w"] as? Int)
        #expect(abs(published - Double(watts)) <= 1, "\(outcome) \(result ?? [:])")
        let expected =
            Int(published.rounded()) < low ? "below" : Int(published.rounded()) > high ? "above" : "met"
        #expect(outcome["verdict"] as? String == expected)
        let notice = try #require(room.published("suggestion").last)
        #expect(notice["verdict"] as? String == expected)
        #expect(notice["session_id"] as? String == session && notice["by"] as? String == "mqtt")
        let command = try ChildProcess(
            SimulatedRoom.program("rowgate-logbook"),
            ["suggestions", "anna", "--json", "--config", room.logbook.path])
        #expect(await command.waitForExit() == 0)
        #expect(command.text.contains(#""verdict":"\#(expected)""#), "\(command.text)")
    }
}
