import Foundation
import TestSupport
import Testing

/// What is suggested to somebody, from the rowing it rests on to what became of it, in a real room.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct SuggestionRoomTests {
    private typealias Object = [String: Any]

    private static let workout = "2x100m/0:20r"
    private static let topics = "rowgate-logbook/v1/club"

    /// A room with one erg, which is rowed at when a test says so, and a logbook that hears answers.
    private struct Room {
        let room: SimulatedRoom
        let logbook: LogbookTests.Logbook
        let bearer: String

        init() async throws {
            room = try await SimulatedRoom(
                ergs: 1, simulator: "--workout wait --speed 8 --link-speed 8 --seed 5".words)
            try room.configure("[commands]\nenabled = true\n")
            logbook = try await LogbookTests.Logbook(
                room.broker, keeps: true, "[publish]\nid = \"club\"\ncommands = true\n")
            bearer = "Authorization: Bearer " + (try await logbook.token("anna", role: "coach"))
        }

        func assign(_ athlete: String?) async throws {
            let who = athlete.map { #","athlete_id":"\#($0)""# } ?? ""
            let reply = try await room.reply(
                "erg/erg-1/cmd/assign", #"{"request_id":"\#(UUID().uuidString)"\#(who)}"#)
            #expect(reply["status"] as? String == "ok", "\(reply)")
        }

        /// Of an athlete, over HTTP.
        func suggestions(_ list: String = "open") async throws -> [Object] {
            let process = try ChildProcess(
                "curl",
                ["-s", "-H", bearer, logbook.address + "api/v1/athletes/anna/suggestions"])
            _ = await process.waitForExit()
            let told = try JSONSerialization.jsonObject(with: Data(process.text.utf8)) as? Object
            return told?[list] as? [Object] ?? []
        }

        var isOnline: Bool {
            room.messages(ofKind: "availability", of: "erg-1").last?.payload == "online"
        }

        /// What the gateway last said of the erg.
        var state: Object? { room.messages(ofKind: "state", of: "erg-1").last?.fields }

        /// Whether the monitor waits for somebody to choose.
        var isFree: Bool {
            state?["state"] as? String == "ready" && state?["session_type"] as? String == "just_row"
        }

        /// What the logbook has published on a topic of its own.
        func said(_ topic: String) -> [Object] {
            room.messages.filter { $0.topic == "\(topics)/\(topic)" }.map(\.fields)
        }

        /// Says something of a suggestion as a program would, and waits for the reply.
        func say(_ request: String, _ more: String) async throws -> Object {
            let before = said("rsp/suggestion").count
            try await room.broker.publish(
                #"{"request_id":"\#(request)","athlete_id":"anna",\#(more)}"#,
                to: "\(topics)/cmd/suggestion", ["-q", "1"])
            try #require(
                await eventually { said("rsp/suggestion").count == before + 1 },
                "\(logbook.process.text)")
            return said("rsp/suggestion")[before]
        }
    }

    /// Goal: a suggestion goes the whole way: rowing makes it, a program says yes over MQTT, the monitor is
    /// set when its athlete sits down, and what they rowed is judged and told. Method: the real programs;
    /// three times the same intervals; a request that is wrong, one that comes twice; the state of the erg
    /// as the gateway reads it back, then the rowing.
    @Test(.timeLimit(.minutes(30)))
    func whoSitsDownRowsWhatWasAccepted() async throws {
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

        let isOffered = await eventually { room.said("suggestion").contains { $0["rule"] != nil } }
        try #require(isOffered, "\(room.logbook.process.text)")
        let offer = try #require(room.said("suggestion").first)
        #expect(
            offer["rule"] as? String == "more_power" && offer["target"] as? String == Self.workout)
        let id = try #require(offer["suggestion_id"] as? String)
        let wrong = try await room.say("r-1", #""suggestion_id":"\#(id)","say":"perhaps""#)
        #expect(wrong["code"] as? String == "bad_value", "\(wrong)")
        let yes = #""suggestion_id":"\#(id)","say":"accept""#
        let reply = try await room.say("r-2", yes)
        #expect(reply["code"] as? String == "done" && reply["state"] as? String == "accepted")
        #expect(try await room.say("r-2", yes)["ts_ms"] as? Int == reply["ts_ms"] as? Int)
        let isSaid = await eventually {
            room.said("suggestion").last?["state"] as? String == "accepted"
        }
        #expect(isSaid)

        // Nobody sits there yet.
        #expect(room.isFree)
        try await room.assign("anna")
        let isArmed = await eventually { room.state?["session_type"] as? String == "intervals" }
        try #require(isArmed, "\(room.logbook.process.text)\(gateway.text)")
        let isSet = try await eventually(within: .seconds(120)) {
            try await room.suggestions().first?["set_ms"] != nil
        }
        #expect(isSet)

        try await room.room.command(#"{"cmd":"row","s":1}"#)
        let isJudged = await eventually {
            room.said("suggestion").last?["state"] as? String == "done"
        }
        try #require(isJudged, "\(room.logbook.process.text)\(gateway.text)")
        try await expectJudged(room, id)
        #expect(await room.logbook.process.terminate() == 0)
        #expect(await gateway.terminate() == 0)
        await room.room.broker.stop()
    }

    /// What was rowed had the band, and what is told of it is what the simulator says was rowed.
    private func expectJudged(_ room: Room, _ id: String) async throws {
        let past = try #require(try await room.suggestions("past").first)
        #expect(past["id"] as? String == id && past["state"] as? String == "done")
        let outcome = try #require(past["outcome"] as? Object)
        let asked = (past["suggestion"] as? Object)?["workout"] as? Object
        let low = try #require(asked?["power_min_w"] as? Int)
        let high = try #require(asked?["power_max_w"] as? Int)
        let session = try #require(outcome["session_id"] as? String)
        let strokes = room.room.messages(ofKind: "stroke").map(\.fields).filter {
            $0["session_id"] as? String == session
        }
        #expect(strokes.count > 10 && strokes.allSatisfy { $0["power_vs_target"] != nil })
        let results = room.room.messages(ofKind: "summary").map(\.fields)
        let summary = results.last { $0["session_id"] as? String == session }
        #expect(summary?["athlete_id"] as? String == "anna")
        #expect((summary?["target_strokes"] as? Int ?? 0) > 10)

        let told = try #require((outcome["power_w"] as? NSNumber)?.doubleValue)
        let rowed = room.room.truth.last { $0["kind"] as? String == "result" }
        let watts = try #require(rowed?["avg_power_w"] as? Int)
        #expect(abs(told - Double(watts)) <= 1, "\(outcome) \(rowed ?? [:])")
        let expected =
            Int(told.rounded()) < low ? "below" : Int(told.rounded()) > high ? "above" : "met"
        #expect(outcome["verdict"] as? String == expected)
        let notice = try #require(room.said("suggestion").last)
        #expect(notice["verdict"] as? String == expected)
        #expect(notice["session_id"] as? String == session && notice["by"] as? String == "mqtt")
        let command = try ChildProcess(
            SimulatedRoom.program("rowgate-logbook"),
            ["suggestions", "anna", "--json", "--config", room.logbook.path])
        #expect(await command.waitForExit() == 0)
        #expect(command.text.contains(#""verdict":"\#(expected)""#), "\(command.text)")
    }
}
