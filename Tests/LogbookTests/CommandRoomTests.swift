import Bytes
import Contract
import HostRuntime
import Synchronization
import Testing

@testable import Logbook
@testable import MQTTClient
@testable import Timeline
@testable import WebServer

/// Commands from a page to the ergs and back, without broker and page.
@Suite struct CommandRoomTests {
    private final class Sent: Sendable {
        let messages = Mutex<[CommandRoom.Message]>([])
    }

    private let room = LiveRoom(
        runtime: SystemRuntime(), log: SystemLog(subsystem: "test", threshold: .critical))
    private let commands: CommandRoom
    private let sent = Sent()

    init() {
        let log = SystemLog(subsystem: "test", threshold: .critical)
        commands = CommandRoom(room: room, runtime: SystemRuntime(), log: log)
        commands.begin { [sent] messages in sent.messages.withLock { $0 += messages } }
        room.subscribed()
        for erg in ["e-1", "e-2"] {
            room.hear(
                IncomingMessage(
                    topic: "rowgate/v1/b/erg/\(erg)/availability", payload: Array("online".utf8)))
        }
    }

    private static let both = #"[{"gw":"b","erg":"e-1"},{"gw":"b","erg":"e-2"}]"#

    private func ask(_ body: String, by sender: String = "anna") -> (status: UInt32, text: String) {
        switch commands.take(Array(body.utf8), from: sender) {
        case .json(let status, let bytes, _): (status, String(decoding: bytes, as: UTF8.self))
        case .failure(let status, let code, let message, _): (status, "\(code): \(message)")
        default: (0, "")
        }
    }

    private func answer(_ erg: String, _ id: String, _ code: String, status: String = "error") {
        let payload =
            #"{"request_id":"\#(id)","status":"\#(status)","code":"\#(code)","message":"m"}"#
        commands.hear("rowgate/v1/b/erg/\(erg)/rsp/workout", Array(payload.utf8))
    }

    private func events(_ seen: inout UInt64) -> String {
        String(decoding: commands.events(since: &seen), as: UTF8.self)
    }

    @Test func aCommandGoesToEachErgAndItsAnswersComeBack() {
        // Goal: a coach sees what each erg made of it. Method: a workout for two; one reads it back,
        // one refuses; answers to others' requests and of other verbs change nothing.
        let asked = ask(
            #"{"request_id":"w-1","verb":"workout","to":\#(Self.both),"#
                + #""fields":{ "type":"distance", "distance_m":2000 }}"#)
        #expect(asked.status == 202)
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
        commands.hear(
            "rowgate/v1/b/erg/e-1/rsp/assign",
            Array(#"{"request_id":"w-1","status":"ok","code":"done"}"#.utf8))
        for payload in ["", "x", "[1]", #"{"request_id":"w-1","status":"sent","code":"x"}"#] {
            commands.hear("rowgate/v1/b/erg/e-1/rsp/workout", Array(payload.utf8))
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

    @Test func whatAGatewayDoesGoesToItAndItsAnswerComesBack() {
        // Goal: a coach has an alert seen and names a crew. Method: both, and the gateway's answers; a
        // gateway that nobody heard of, and one for an erg, are refused.
        room.hear(
            IncomingMessage(topic: "rowgate/v1/b/availability", payload: Array("online".utf8)))
        let ack = #"{"alert_id":"01JD8Z3V5Q0000000000000001","by":"anna"}"#
        let asked = ask(
            #"{"request_id":"a-1","verb":"ack","to":[{"gw":"b"}],"fields":\#(ack)}"#)
        #expect(asked.status == 202 && asked.text.contains(#""ergs":[{"gw":"b","status":"sent"}]"#))
        let crew = #"{"crew":"four","members":["e-1","e-2"]}"#
        #expect(ask(#"{"verb":"crew","to":[{"gw":"b"}],"fields":\#(crew)}"#).status == 202)
        #expect(
            sent.messages.withLock { $0.map(\.topic) }
                == ["rowgate/v1/b/cmd/ack", "rowgate/v1/b/cmd/crew"])
        var seen: UInt64 = 0
        _ = events(&seen)
        let answer = Array(#"{"request_id":"a-1","status":"ok","code":"done"}"#.utf8)
        commands.hear("rowgate/v1/b/erg/e-1/rsp/ack", answer)
        #expect(events(&seen) == "")
        commands.hear("rowgate/v1/b/rsp/ack", answer)
        #expect(events(&seen).contains(#""ergs":[{"gw":"b","status":"ok","code":"done","reply":{"#))
        for (place, words) in [
            (#"{"gw":"c"}"#, "unknown_erg: no c has"),
            (#"{"gw":"b","erg":"e-1"}"#, "bad_value: to[1].erg must not be there"),
        ] {
            let refused = ask(#"{"verb":"ack","to":[\#(place)],"fields":\#(ack)}"#)
            #expect(refused.text.hasPrefix(words), "\(refused.text)")
        }
    }

    @Test(arguments: [
        ("ping", "{}"), ("diag", "{}"), ("reload", "{}"), ("announce", "{}"),
        ("replay", #"{"erg":"e-1","kind":"stroke","from_seq":7,"to_seq":9}"#),
        ("forget", #"{"athlete_id":"anna"}"#),
    ])
    func whatAGatewayAnswersIsToldWhole(verb: String, fields: String) {
        // Goal: a coach reads what a gateway made of each command of its own. Method: each, an answer with
        // members of its own; one with a line break, with which it could write events, is told without.
        room.hear(
            IncomingMessage(topic: "rowgate/v1/b/availability", payload: Array("online".utf8)))
        var seen: UInt64 = 0
        for (id, space) in [("g-1", " "), ("g-2", "\n")] {
            let asked = ask(
                #"{"request_id":"\#(id)","verb":"\#(verb)","to":[{"gw":"b"}],"fields":\#(fields)}"#)
            #expect(asked.status == 202, "\(asked.text)")
            let reply =
                #"{"request_id":"\#(id)","status":"ok","code":"done",\#(space)"count":3,"applied":[]}"#
            commands.hear("rowgate/v1/b/rsp/\(verb)", Array(reply.utf8))
            let told = events(&seen)
            #expect(told.contains("\"reply\":\(reply)") == (id == "g-1"), "\(told)")
            #expect(told.contains(#""status":"ok","code":"done""#))
            #expect(told.split(separator: "\n").count % 2 == 0, "an event is two lines: \(told)")
        }
        #expect(
            sent.messages.withLock { $0.map(\.topic) }
                == [String](repeating: "rowgate/v1/b/cmd/\(verb)", count: 2))
    }

    @Test func fieldsOverSeveralLinesAreOneLineOfTheStream() {
        // Goal: a program may write its request as it likes. Method: a body over several lines.
        #expect(
            ask("{\"verb\":\"terminate\",\n\"to\":\(Self.both),\n\"fields\":{\r\n}}").status == 202)
        var seen: UInt64 = 0
        #expect(events(&seen).contains("\"fields\":{  },"))
    }

    @Test func aWorkoutIsAskedForByTheNameThatAGatewayHasForIt() {
        // Goal: what a club calls its workouts is what a coach taps. Method: by a name before its
        // gateway told it, then after, and by one that it has not.
        func answer(_ name: String) -> (status: UInt32, text: String) {
            ask(#"{"verb":"workout","to":\#(Self.both),"fields":{"workout":"\#(name)"}}"#)
        }
        #expect(answer("short").text.hasPrefix("bad_value: workout is no workout of the gateway"))
        room.hear(
            IncomingMessage(
                topic: "rowgate/v1/b/workouts",
                payload: Array(
                    #"{"workouts":{"odd":"not one","short":"4x500m/1:00r@1:50-1:55"}}"#.utf8)))
        #expect(answer("short").status == 202)
        #expect(answer("shirt").text.contains("did you mean short?"))
        #expect(answer("odd").status == 400)
    }

    @Test func theSameRequestIsSentOnce() {
        // Goal: a page that did not hear the answer may ask again. Method: the same twice, then the
        // same id for something else.
        let body = #"{"request_id":"t-1","verb":"terminate","to":\#(Self.both)}"#
        #expect(ask(body).status == 202 && ask(body).status == 202)
        #expect(sent.messages.withLock { $0.count } == 2)
        #expect(
            sent.messages.withLock { $0.map { String(decoding: $0.payload, as: UTF8.self) } }
                == [String](repeating: #"{"request_id":"t-1"}"#, count: 2))
        let other = ask(#"{"request_id":"t-1","verb":"release","to":\#(Self.both)}"#)
        #expect(other.status == 409 && other.text.hasPrefix("request_id_reused"))
    }

    @Test(arguments: [
        ("x", 400, "not_json"), ("[]", 400, "not_json"), ("{}", 400, "missing_field: verb"),
        (#"{"verb":"reboot","to":[]}"#, 400, "unknown_verb: an erg understands assign"),
        (#"{"verb":"terminate"}"#, 400, "missing_field: to"),
        (#"{"verb":"terminate","to":[]}"#, 400, "bad_value: to must name 1 to 64 ergs"),
        (#"{"verb":"terminate","to":["e-1"]}"#, 400, "bad_value: to[1] must be an object"),
        (#"{"verb":"terminate","to":[{"gw":"b"}]}"#, 400, "bad_value: to[1].erg"),
        (#"{"verb":"terminate","to":[{"gw":"b","erg":"+/e"}]}"#, 400, "bad_value: to[1].erg"),
        (#"{"verb":"terminate","to":[{"gw":"b","erg":"e-1","x":1}]}"#, 400, "unknown_field: "),
        (
            #"{"verb":"terminate","to":[{"gw":"b","erg":"e-1"},{"gw":"b","erg":"e-1"}]}"#, 400,
            "bad_value: to[2] names e-1 of b a second time"
        ),
        (#"{"verb":"terminate","to":[{"gw":"b","erg":"e-9"}]}"#, 404, "unknown_erg: no e-9 of b"),
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
    func whatTheContractDoesNotKnowIsRefused(body: String, status: UInt32, words: String) {
        // Goal: nothing is published that no gateway takes, and a person reads where it is wrong.
        // Method: a request for each mistake.
        let answer = ask(body)
        #expect(answer.status == status)
        #expect(answer.text.hasPrefix(words), "\(answer.text)")
        #expect(sent.messages.withLock { $0.isEmpty })
    }

    @Test func withoutABrokerNothingIsPromised() {
        // Goal: no command waits for a broker that may come back in an hour. Method: ask while it is
        // away.
        room.lostBroker()
        let answer = ask(#"{"verb":"terminate","to":\#(Self.both)}"#)
        #expect(answer.status == 503 && answer.text.hasPrefix("broker_away"))
    }

    @Test func aGatewayThatIsAwayIsNotAsked() {
        // Goal: no command waits for a gateway, to be obeyed when nobody expects it. Method: one of two
        // gateways is away.
        for (topic, text) in [
            ("b/availability", "offline"), ("c/availability", "online"),
            ("c/erg/e-1/availability", "online"),
        ] {
            room.hear(IncomingMessage(topic: "rowgate/v1/" + topic, payload: Array(text.utf8)))
        }
        let both = #"[{"gw":"b","erg":"e-1"},{"gw":"c","erg":"e-1"}]"#
        let answer = ask(#"{"verb":"terminate","to":\#(both)}"#)
        #expect(answer.status == 202)
        #expect(answer.text.contains(#""gw":"b","erg":"e-1","status":"error","code":"gateway_a"#))
        #expect(answer.text.contains(#""gw":"c","erg":"e-1","status":"sent"}"#))
        #expect(sent.messages.withLock { $0.map(\.place.gateway.slug) } == ["c"])
    }

    @Test func aSenderIsLimited() {
        // Goal: a page that goes wild stops itself, and nobody else. Method: a hundred of one sender,
        // one of another.
        let answers = (0..<100).map { _ in
            ask(#"{"verb":"identify","to":[{"gw":"b","erg":"e-1"}]}"#).status
        }
        #expect(answers.prefix(30).allSatisfy { $0 == 202 } && answers.last == 429)
    }

    private static func ledger() -> (CommandLedger, LiveBoard.Place)? {
        guard let gateway = GatewayID("b"), let erg = StationID("e-1") else { return nil }
        let place = LiveBoard.Place(gateway: gateway, erg: erg)
        var ledger = CommandLedger()
        let content = RoomCommand.Content(
            verb: .terminate, fields: [], places: [place], sender: "anna")
        for number in 0..<CommandLedger.capacity {
            guard ledger.open("\(number)", content, at: moment(0)) else { return nil }
        }
        return (ledger, place)
    }

    private static func moment(_ seconds: Int) -> BootInstant {
        BootInstant(nanoseconds: 0).advanced(by: .seconds(seconds))
    }

    @Test func silenceHasAnEndAndALateAnswerCounts() throws {
        // Goal: nobody waits for ever, and the truth wins. Method: a full ledger; time passes; a
        // message is lost; an answer after all; an hour.
        var (ledger, place) = try #require(Self.ledger())
        let content = RoomCommand.Content(
            verb: .terminate, fields: [], places: [place], sender: "anna")
        let isFull = !ledger.open("one more", content, at: Self.moment(1))
        #expect(isFull)
        ledger.lose("3", at: place, .gatewayAway)
        #expect(ledger.command("3")?.outcomes.first?.code == "gateway_away")
        ledger.advance(to: Self.moment(59))
        #expect(ledger.command("0")?.isOpen == true)
        ledger.advance(to: Self.moment(60))
        #expect(ledger.command("0")?.outcomes.first?.code == "no_reply")
        #expect(ledger.command("3")?.outcomes.first?.code == "gateway_away")
        ledger.hear(
            Array(#"{"request_id":"0","status":"ok","code":"done"}"#.utf8), verb: "terminate",
            from: place)
        #expect(ledger.command("0")?.outcomes.first?.status == .ok)
        ledger.lose("0", at: place, .notSent)
        #expect(ledger.command("0")?.outcomes.first?.status == .ok)
        let hasPlace = ledger.open("one more", content, at: Self.moment(61))
        #expect(hasPlace)
        let replay = RoomCommand.Content(verb: .replay, fields: [], places: [place], sender: "anna")
        let isOpen = ledger.open("replay", replay, at: Self.moment(61))
        #expect(isOpen)
        ledger.advance(to: Self.moment(660))
        #expect(ledger.command("replay")?.isOpen == true, "a ring takes longer to read")
        ledger.advance(to: Self.moment(661))
        #expect(ledger.command("replay")?.isOpen == false)
        ledger.advance(to: Self.moment(3600))
        #expect(ledger.commands.map(\.id) == ["one more", "replay"])
    }
}
