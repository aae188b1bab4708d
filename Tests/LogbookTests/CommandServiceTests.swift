import Bytes
import Contract
import HostRuntime
import Synchronization
import Testing

@testable import Logbook
@testable import MQTTClient
@testable import Timeline
@testable import WebServer

/// Commands from pages to ergs and their answers, without a broker.
@Suite struct CommandServiceTests {
    private final class Sent: Sendable {
        let messages = Mutex<[CommandService.Message]>([])
    }

    private let room = LiveRoom(
        runtime: SystemRuntime(), log: SystemLog(subsystem: "test", threshold: .critical))
    private let commands: CommandService
    private let sent = Sent()

    init() {
        let log = SystemLog(subsystem: "test", threshold: .critical)
        commands = CommandService(room: room, runtime: SystemRuntime(), log: log)
        commands.start { [sent] messages in sent.messages.withLock { $0 += messages } }
        room.subscribed()
        for erg in ["e-1", "e-2"] {
            room.handle(
                IncomingMessage(
                    topic: "rowgate/v1/b/erg/\(erg)/availability", payload: Array("online".utf8)))
        }
    }

    private static let both = #"[{"gw":"b","erg":"e-1"},{"gw":"b","erg":"e-2"}]"#

    private func submit(_ body: String, by sender: String = "anna") -> (status: UInt32, text: String) {
        switch commands.submit(Array(body.utf8), from: sender) {
        case .json(let status, let bytes, _): (status, String(decoding: bytes, as: UTF8.self))
        case .failure(let status, let code, let message, _): (status, "\(code): \(message)")
        default: (0, "")
        }
    }

    private func answer(_ erg: String, _ id: String, _ code: String, status: String = "error") {
        let payload =
            #"{"request_id":"\#(id)","status":"\#(status)","code":"\#(code)","message":"m"}"#
        commands.handle("rowgate/v1/b/erg/\(erg)/rsp/workout", Array(payload.utf8))
    }

    private func events(_ seen: inout UInt64) -> String {
        String(decoding: commands.events(since: &seen), as: UTF8.self)
    }

    @Test func sendsACommandToEachErgAndShowsItsAnswers() {
        // Answers to other requests or verbs change nothing.
        let submitted = submit(
            #"{"request_id":"w-1","verb":"workout","to":\#(Self.both),"#
                + #""fields":{ "type":"distance", "distance_m":2000 }}"#)
        #expect(submitted.status == 202)
        let messages = sent.messages.withLock { $0 }
        #expect(
            messages.map(\.topic) == ["e-1", "e-2"].map { "rowgate/v1/b/erg/\($0)/cmd/workout" })
        #expect(
            messages.map { String(decoding: $0.payload, as: UTF8.self) }.allSatisfy {
                $0 == #"{"request_id":"w-1", "type":"distance", "distance_m":2000 }"#
            })
        var seen: UInt64 = 0
        #expect(events(&seen).contains(#""ergs":[{"gw":"b","erg":"e-1","status":"sent"}"#))
        #expect(events(&seen) == "")
        answer("e-1", "another", "done", status: "ok")
        commands.handle(
            "rowgate/v1/b/erg/e-1/rsp/assign",
            Array(#"{"request_id":"w-1","status":"ok","code":"done"}"#.utf8))
        for payload in ["", "x", "[1]", #"{"request_id":"w-1","status":"sent","code":"x"}"#] {
            commands.handle("rowgate/v1/b/erg/e-1/rsp/workout", Array(payload.utf8))
        }
        #expect(events(&seen) == "")
        answer("e-1", "w-1", "in_progress", status: "accepted")
        answer("e-1", "w-1", "done", status: "ok")
        answer("e-2", "w-1", "rowing")
        let events = events(&seen)
        #expect(events.hasPrefix("event: command\ndata: {\"id\":\"w-1\",\"verb\":\"workout\""))
        #expect(events.contains(#""erg":"e-1","status":"ok","code":"done""#))
        #expect(events.contains(#""erg":"e-2","status":"error","code":"rowing","message":"m""#))
    }

    @Test func sendsGatewayCommandsToTheGateway() {
        // Commands for an unknown gateway, and gateway commands with an erg, are refused.
        room.handle(
            IncomingMessage(topic: "rowgate/v1/b/availability", payload: Array("online".utf8)))
        let ack = #"{"alert_id":"01JD8Z3V5Q0000000000000001","by":"anna"}"#
        let submitted = submit(
            #"{"request_id":"a-1","verb":"ack","to":[{"gw":"b"}],"fields":\#(ack)}"#)
        #expect(
            submitted.status == 202
                && submitted.text.contains(#""ergs":[{"gw":"b","status":"sent"}]"#))
        let crew = #"{"crew":"four","members":["e-1","e-2"]}"#
        #expect(submit(#"{"verb":"crew","to":[{"gw":"b"}],"fields":\#(crew)}"#).status == 202)
        #expect(
            sent.messages.withLock { $0.map(\.topic) }
                == ["rowgate/v1/b/cmd/ack", "rowgate/v1/b/cmd/crew"])
        var seen: UInt64 = 0
        _ = events(&seen)
        let answer = Array(#"{"request_id":"a-1","status":"ok","code":"done"}"#.utf8)
        commands.handle("rowgate/v1/b/erg/e-1/rsp/ack", answer)
        #expect(events(&seen) == "")
        commands.handle("rowgate/v1/b/rsp/ack", answer)
        #expect(events(&seen).contains(#""ergs":[{"gw":"b","status":"ok","code":"done","reply":{"#))
        for (place, message) in [
            (#"{"gw":"c"}"#, "unknown_erg: c has sent no message"),
            (
                #"{"gw":"b","erg":"e-1"}"#,
                "bad_value: to[1].erg must be absent: the command is for the gateway"
            ),
        ] {
            let refused = submit(#"{"verb":"ack","to":[\#(place)],"fields":\#(ack)}"#)
            #expect(refused.text.hasPrefix(message), "\(refused.text)")
        }
    }

    @Test(arguments: [
        ("ping", "{}"), ("diag", "{}"), ("reload", "{}"), ("announce", "{}"),
        ("replay", #"{"erg":"e-1","kind":"stroke","from_seq":7,"to_seq":9}"#),
        ("forget", #"{"athlete_id":"anna"}"#),
    ])
    func showsTheWholeAnswerOfAGateway(verb: String, fields: String) {
        // An answer with a line break could inject events into the stream, so its content is not shown.
        room.handle(
            IncomingMessage(topic: "rowgate/v1/b/availability", payload: Array("online".utf8)))
        var seen: UInt64 = 0
        for (id, space) in [("g-1", " "), ("g-2", "\n")] {
            let submitted = submit(
                #"{"request_id":"\#(id)","verb":"\#(verb)","to":[{"gw":"b"}],"fields":\#(fields)}"#)
            #expect(submitted.status == 202, "\(submitted.text)")
            let reply =
                #"{"request_id":"\#(id)","status":"ok","code":"done",\#(space)"count":3,"applied":[]}"#
            commands.handle("rowgate/v1/b/rsp/\(verb)", Array(reply.utf8))
            let update = events(&seen)
            #expect(update.contains("\"reply\":\(reply)") == (id == "g-1"), "\(update)")
            #expect(update.contains(#""status":"ok","code":"done""#))
            #expect(update.split(separator: "\n").count % 2 == 0, "an event is two lines: \(update)")
        }
        #expect(
            sent.messages.withLock { $0.map(\.topic) }
                == [String](repeating: "rowgate/v1/b/cmd/\(verb)", count: 2))
    }

    @Test func writesFieldsOfSeveralLinesOnOneLine() {
        #expect(
            submit("{\"verb\":\"terminate\",\n\"to\":\(Self.both),\n\"fields\":{\r\n}}").status == 202)
        var seen: UInt64 = 0
        #expect(events(&seen).contains("\"fields\":{  },"))
    }

    @Test func acceptsWorkoutNamesThatTheGatewayHasPublished() {
        func answer(_ name: String) -> (status: UInt32, text: String) {
            submit(#"{"verb":"workout","to":\#(Self.both),"fields":{"workout":"\#(name)"}}"#)
        }
        #expect(answer("short").text.hasPrefix("bad_value: workout is not a workout of the gateway"))
        room.handle(
            IncomingMessage(
                topic: "rowgate/v1/b/workouts",
                payload: Array(
                    #"{"workouts":{"odd":"not one","short":"4x500m/1:00r@1:50-1:55"}}"#.utf8)))
        #expect(answer("short").status == 202)
        #expect(answer("shirt").text.contains("did you mean short?"))
        #expect(answer("odd").status == 400)
    }

    @Test func sendsARepeatedRequestOnce() {
        // A different request with the same id is refused.
        let body = #"{"request_id":"t-1","verb":"terminate","to":\#(Self.both)}"#
        #expect(submit(body).status == 202 && submit(body).status == 202)
        #expect(sent.messages.withLock { $0.count } == 2)
        #expect(
            sent.messages.withLock { $0.map { String(decoding: $0.payload, as: UTF8.self) } }
                == [String](repeating: #"{"request_id":"t-1"}"#, count: 2))
        let other = submit(#"{"request_id":"t-1","verb":"release","to":\#(Self.both)}"#)
        #expect(other.status == 409 && other.text.hasPrefix("request_id_reused"))
    }

    @Test(arguments: [
        ("x", 400, "not_json"), ("[]", 400, "not_json"), ("{}", 400, "missing_field: verb"),
        (#"{"verb":"reboot","to":[]}"#, 400, "unknown_verb: an erg accepts assign"),
        (#"{"verb":"terminate"}"#, 400, "missing_field: to"),
        (#"{"verb":"terminate","to":[]}"#, 400, "bad_value: to must name 1 to 128 ergs"),
        (#"{"verb":"terminate","to":["e-1"]}"#, 400, "bad_value: to[1] must be an object"),
        (#"{"verb":"terminate","to":[{"gw":"b"}]}"#, 400, "bad_value: to[1].erg"),
        (#"{"verb":"terminate","to":[{"gw":"b","erg":"+/e"}]}"#, 400, "bad_value: to[1].erg"),
        (#"{"verb":"terminate","to":[{"gw":"b","erg":"e-1","x":1}]}"#, 400, "unknown_field: "),
        (
            #"{"verb":"terminate","to":[{"gw":"b","erg":"e-1"},{"gw":"b","erg":"e-1"}]}"#, 400,
            "bad_value: to[2] repeats e-1 of b"
        ),
        (#"{"verb":"terminate","to":[{"gw":"b","erg":"e-9"}]}"#, 404, "unknown_erg: e-9 of b"),
        (#"{"verb":"terminate","to":[{"gw":"b","erg":"e-1"}],"qos":0}"#, 400, "unknown_field"),
        (
            #"{"verb":"workout","to":[{"gw":"b","erg":"e-1"}],"fields":{"type":"distance"}}"#, 400,
            "missing_field: distance_m"
        ),
        (
            #"{"verb":"workout","to":[{"gw":"b","erg":"e-1"}],"#
                + #""fields":{"type":"distance","distance_m":5}}"#, 400, "bad_value: piece is 5 m"
        ),
        (
            #"{"verb":"assign","to":[{"gw":"b","erg":"e-1"}],"fields":{"request_id":"x"}}"#, 400,
            "unknown_field"
        ),
        (#"{"verb":"assign","to":[{"gw":"b","erg":"e-1"}],"fields":[]}"#, 400, "bad_value: fields"),
    ])
    func refusesInvalidRequests(body: String, status: UInt32, message: String) {
        let answer = submit(body)
        #expect(answer.status == status)
        #expect(answer.text.hasPrefix(message), "\(answer.text)")
        #expect(sent.messages.withLock { $0.isEmpty })
    }

    @Test func refusesCommandsWithoutABrokerConnection() {
        room.lostBroker()
        let answer = submit(#"{"verb":"terminate","to":\#(Self.both)}"#)
        #expect(answer.status == 503 && answer.text.hasPrefix("broker_away"))
    }

    @Test func doesNotSendToAnOfflineGateway() {
        for (topic, text) in [
            ("b/availability", "offline"), ("c/availability", "online"),
            ("c/erg/e-1/availability", "online"),
        ] {
            room.handle(IncomingMessage(topic: "rowgate/v1/" + topic, payload: Array(text.utf8)))
        }
        let both = #"[{"gw":"b","erg":"e-1"},{"gw":"c","erg":"e-1"}]"#
        let answer = submit(#"{"verb":"terminate","to":\#(both)}"#)
        #expect(answer.status == 202)
        #expect(answer.text.contains(#""gw":"b","erg":"e-1","status":"error","code":"gateway_a"#))
        #expect(answer.text.contains(#""gw":"c","erg":"e-1","status":"sent"}"#))
        #expect(sent.messages.withLock { $0.map(\.place.gateway.slug) } == ["c"])
    }

    @Test func limitsTheCommandRateOfASender() {
        let answers = (0..<100).map { _ in
            submit(#"{"verb":"identify","to":[{"gw":"b","erg":"e-1"}]}"#).status
        }
        #expect(answers.prefix(30).allSatisfy { $0 == 202 } && answers.last == 429)
    }

    private static func fullHistory() -> (SentCommands, LiveBoard.Place)? {
        guard let gateway = GatewayID("b"), let erg = StationID("e-1") else { return nil }
        let place = LiveBoard.Place(gateway: gateway, erg: erg)
        var history = SentCommands()
        let content = SentCommand.Content(
            verb: .terminate, fields: [], places: [place], sender: "anna")
        for number in 0..<SentCommands.capacity {
            guard history.add("\(number)", content, at: moment(0)) else { return nil }
        }
        return (history, place)
    }

    private static func moment(_ seconds: Int) -> BootInstant {
        BootInstant(nanoseconds: 0).advanced(by: .seconds(seconds))
    }

    @Test func answersTimeOutAndLateAnswersCount() throws {
        var (history, place) = try #require(Self.fullHistory())
        let content = SentCommand.Content(
            verb: .terminate, fields: [], places: [place], sender: "anna")
        let isFull = !history.add("one more", content, at: Self.moment(1))
        #expect(isFull)
        history.fail("3", at: place, .gatewayAway)
        #expect(history.command("3")?.outcomes.first?.code == "gateway_away")
        history.advance(to: Self.moment(59))
        #expect(history.command("0")?.isOpen == true)
        history.advance(to: Self.moment(60))
        #expect(history.command("0")?.outcomes.first?.code == "no_reply")
        #expect(history.command("3")?.outcomes.first?.code == "gateway_away")
        history.applyReply(
            Array(#"{"request_id":"0","status":"ok","code":"done"}"#.utf8), verb: "terminate",
            from: place)
        #expect(history.command("0")?.outcomes.first?.status == .ok)
        history.fail("0", at: place, .notSent)
        #expect(history.command("0")?.outcomes.first?.status == .ok)
        let hasPlace = history.add("one more", content, at: Self.moment(61))
        #expect(hasPlace)
        let replay = SentCommand.Content(verb: .replay, fields: [], places: [place], sender: "anna")
        let isOpen = history.add("replay", replay, at: Self.moment(61))
        #expect(isOpen)
        history.advance(to: Self.moment(660))
        #expect(history.command("replay")?.isOpen == true, "a replay has a longer time limit")
        history.advance(to: Self.moment(661))
        #expect(history.command("replay")?.isOpen == false)
        history.advance(to: Self.moment(3600))
        #expect(history.commands.map(\.id) == ["one more", "replay"])
    }
}
