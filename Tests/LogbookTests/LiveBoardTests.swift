import Contract
import TestSupport
import Testing
import Timeline

@testable import Logbook

@Suite struct LiveBoardTests {
    private static let start = BootInstant(nanoseconds: 1_000_000_000_000)
    private static let clock = WallClock(
        bootID: "5b1f8c0e5b1f8c0e5b1f8c0e5b1f8c0e", unixMillisecondsAtBoot: 1_790_000_000_000,
        isSynchronized: true)

    private static func apply(
        _ payload: String, _ topic: String, on board: inout LiveBoard, isRetained: Bool = false,
        after milliseconds: Int = 0
    ) -> LiveBoard.Outcome {
        board.apply(
            Array(payload.utf8), topic: "rowgate/v1/" + topic, isRetained: isRetained,
            at: start.advanced(by: .milliseconds(milliseconds)), clock: clock)
    }

    private static func events(
        of board: LiveBoard, since seen: UInt64, after milliseconds: Int = 0, hasBeat: Bool = false
    ) -> String {
        let bytes = board.events(
            since: seen, hasBeat: hasBeat, at: start.advanced(by: .milliseconds(milliseconds)),
            clock: clock, version: "0.1.0")
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func keepsTheNewestMessageOfEachKindUnchanged() {
        // Spaces, numbers and an escape stay as published.
        var board = LiveBoard(at: Self.start)
        let stroke = #"{ "v": 1, "power_w":2.50e2, "name":"\u00e4" }"#
        #expect(Self.apply(#"{"v":1,"seq":1}"#, "b/erg/e-1/stroke", on: &board) == .applied)
        #expect(Self.apply(stroke, "b/erg/e-1/stroke", on: &board, after: 100) == .applied)
        #expect(Self.apply(#"{"v":1}"#, "b/erg/e-1/live", on: &board, after: 300) == .applied)
        #expect(Self.apply("online", "b/erg/e-1/availability", on: &board) == .applied)
        #expect(
            Self.events(of: board, since: 1, after: 400) == """
                event: erg
                data: {"gw":"b","erg":"e-1","messages":{\
                "availability":{"age_ms":400,"payload":"online"},\
                "live":{"age_ms":100,"payload":{"v":1}},\
                "stroke":{"age_ms":300,"payload":\(stroke)}}}


                """)
    }

    @Test func sendsTheWholeBoardFirstAndThenOnlyChanges() {
        var board = LiveBoard(at: Self.start)
        board.subscribed(at: Self.start)
        _ = Self.apply("online", "b/availability", on: &board)
        _ = Self.apply(#"{"a":1}"#, "b/erg/e-1/live", on: &board)
        let seen = board.version
        _ = Self.apply(#"{"a":2}"#, "b/erg/e-2/live", on: &board)
        #expect(
            Self.events(of: board, since: 0, after: 5) == """
                event: room
                data: {"sent_ms":1790001000005,"version":"0.1.0",\
                "broker":{"connected":true,"since_ms_ago":5},\
                "gateways":[{"gw":"b","messages":{"availability":{"age_ms":5,"payload":"online"}}}],\
                "ergs":[{"gw":"b","erg":"e-1","messages":{"live":{"age_ms":5,"payload":{"a":1}}}},\
                {"gw":"b","erg":"e-2","messages":{"live":{"age_ms":5,"payload":{"a":2}}}}]}


                """)
        #expect(
            Self.events(of: board, since: seen) == """
                event: erg
                data: {"gw":"b","erg":"e-2","messages":{"live":{"age_ms":0,"payload":{"a":2}}}}


                """)
        #expect(Self.events(of: board, since: board.version) == "")
        #expect(
            Self.events(of: board, since: board.version, hasBeat: true)
                == "event: beat\ndata: {\"sent_ms\":1790001000000}\n\n")
        board.lostBroker(at: Self.start)
        #expect(
            Self.events(of: board, since: board.version - 1, after: 7)
                == "event: broker\ndata: {\"connected\":false,\"since_ms_ago\":7}\n\n")
    }

    /// Returns the slugs of the ergs on a board.
    private static func ergs(of board: LiveBoard) -> [String] {
        board.places.keys.compactMap { $0.erg?.slug }.sorted()
    }

    @Test func dropsErgsThatTheBirthDoesNotList() {
        var board = LiveBoard(at: Self.start)
        for erg in ["e-1", "e-2"] {
            _ = Self.apply("online", "b/erg/\(erg)/availability", on: &board)
            _ = Self.apply(#"{"v":1}"#, "b/erg/\(erg)/live", on: &board)
            _ = Self.apply(#"{"v":1}"#, "c/erg/\(erg)/live", on: &board)
        }
        let before = board.version
        let birth = #"{"epoch":"1","ergs":["e-1"],"discovery":"listed"}"#
        #expect(Self.apply(birth, "b/birth", on: &board) == .applied)
        #expect(Self.ergs(of: board) == ["e-1", "e-1", "e-2"])
        #expect(board.lastRemoval > before, "readers get the whole board again")
        // A retained message of the removed erg can arrive after the birth.
        #expect(Self.apply("offline", "b/erg/e-2/availability", on: &board) == .ignored)
        #expect(Self.apply(#"{"v":1}"#, "b/erg/e-1/stroke", on: &board) == .applied)
        let wider = #"{"epoch":"1","ergs":["e-1","e-2"],"discovery":"listed"}"#
        #expect(Self.apply(wider, "b/birth", on: &board) == .applied)
        #expect(Self.apply("offline", "b/erg/e-2/availability", on: &board) == .applied)
    }

    @Test func keepsErgsThatTheBirthMayNotKnow() {
        var board = LiveBoard(at: Self.start)
        for erg in ["e-1", "pm5-430000001"] {
            _ = Self.apply("online", "b/erg/\(erg)/availability", on: &board)
        }
        // An earlier version does not publish whether its list is complete.
        _ = Self.apply(#"{"epoch":"1","ergs":["e-3"]}"#, "b/birth", on: &board)
        #expect(Self.ergs(of: board) == ["e-1", "pm5-430000001"])
        // A gateway that accepts any monitor can find further ones after its birth.
        _ = Self.apply(#"{"epoch":"1","ergs":["e-3"],"discovery":"any"}"#, "b/birth", on: &board)
        #expect(Self.ergs(of: board) == ["pm5-430000001"])
    }

    @Test func removesAnErgWhoseRetainedMessagesAreCleared() {
        var board = LiveBoard(at: Self.start)
        for (kind, payload) in [("availability", "online"), ("state", #"{"state":"rowing"}"#)] {
            _ = Self.apply(payload, "b/erg/e-2/\(kind)", on: &board)
        }
        for kind in ["live", "stroke", "session"] {
            _ = Self.apply(#"{"v":1}"#, "b/erg/e-2/\(kind)", on: &board)
        }
        _ = Self.apply("", "b/erg/e-2/availability", on: &board)
        #expect(Self.ergs(of: board) == ["e-2"], "its state is still there")
        _ = Self.apply("", "b/erg/e-2/state", on: &board)
        #expect(Self.ergs(of: board) == [])
        #expect(Self.events(of: board, since: 0).contains(#""ergs":[]"#))
    }

    @Test func showsAlertsWorkoutsAndCrews() {
        var board = LiveBoard(at: Self.start)
        for (topic, payload) in [
            ("b/alerts", #"{"firing":0}"#), ("b/erg/e-1/alert", #"{"rule":"stopped"}"#),
            ("b/erg/e-1/alerts", #"{"firing":1,"rules":["stopped"]}"#),
            ("b/workouts", #"{"workouts":{"short":"4x500m/1:00r"}}"#),
            ("b/crew/four/live", #"{"crew":"four"}"#), ("b/crew/eight/live", #"{"crew":"eight"}"#),
        ] {
            #expect(Self.apply(payload, topic, on: &board) == .applied, "\(topic)")
        }
        #expect(
            Self.events(of: board, since: 0) == """
                event: room
                data: {"sent_ms":1790001000000,"version":"0.1.0",\
                "broker":{"connected":false,"since_ms_ago":0},\
                "gateways":[{"gw":"b","messages":{\
                "workouts":{"age_ms":0,"payload":{"workouts":{"short":"4x500m/1:00r"}}},\
                "alerts":{"age_ms":0,"payload":{"firing":0}}}}],\
                "ergs":[{"gw":"b","erg":"e-1","messages":{\
                "alert":{"age_ms":0,"payload":{"rule":"stopped"}},\
                "alerts":{"age_ms":0,"payload":{"firing":1,"rules":["stopped"]}}}}],\
                "crews":[{"gw":"b","crew":"eight","messages":\
                {"live":{"age_ms":0,"payload":{"crew":"eight"}}}},\
                {"gw":"b","crew":"four","messages":\
                {"live":{"age_ms":0,"payload":{"crew":"four"}}}}]}


                """)
        let seen = board.version
        #expect(Self.apply(#"{"crew":"four"}"#, "b/crew/four/live", on: &board) == .applied)
        #expect(Self.events(of: board, since: seen).hasPrefix("event: crew\n"))
        #expect(
            Self.apply(#"{"workouts":["x"]}"#, "b/workouts", on: &board) == .refused(.noContract))
        var full = LiveBoard(limits: .init(crews: 1), at: Self.start)
        #expect(Self.apply("{}", "b/crew/four/live", on: &full) == .applied)
        #expect(Self.apply("{}", "b/crew/two/live", on: &full) == .refused(.tooManyCrews))
    }

    @Test(arguments: [
        "b/cmd/replay", "b/erg/all/cmd/workout", "b/erg/e-1/rsp/workout", "b/erg/e-1/marks",
        "b/erg/e-1/manifest", "b/erg/e-1/gap", "b/erg/e-1/future", "b/future", "B!/availability",
        "b/erg/E 1/live", "b", "b/erg/e-1/live/more",
    ])
    func ignoresOtherTopics(topic: String) {
        var board = LiveBoard(at: Self.start)
        #expect(Self.apply("{}", topic, on: &board) == .ignored)
        #expect(board.places.isEmpty)
    }

    @Test(arguments: [
        "{\"a\":\n1}", "{\"a\":1}\r", "[1]", "\"text\"", "{\"a\":1", "{\"a\":1}{", "null", "\u{1}",
        "{\"a\":\"\u{0}\"}", "event: room", String(repeating: "[", count: 2000),
    ])
    func refusesPayloadsThatAreNoObjectOnOneLine(payload: String) {
        // A line break would let a publisher inject events into the stream.
        var board = LiveBoard(at: Self.start)
        let topic = "rowgate/v1/b/erg/e-1/live"
        #expect(Self.apply(payload, "b/erg/e-1/live", on: &board) == .refused(.noObject))
        let broken = Array("{\"a\":\"".utf8) + [0xFF, 0xFE] + Array("\"}".utf8)
        let outcome = board.apply(
            broken, topic: topic, isRetained: false, at: Self.start, clock: Self.clock)
        #expect(outcome == .refused(.noObject))
        let availability = Self.apply(payload, "b/availability", on: &board)
        #expect(availability == .refused(.noAvailability))
        #expect(board.places.isEmpty)
    }

    @Test func limitsGatewaysErgsAndBytes() {
        // Known places still get updates, and a shorter message frees bytes.
        var board = LiveBoard(
            limits: .init(gateways: 2, ergs: 3, allErgs: 4, messageBytes: 60, bytes: 100),
            at: Self.start)
        for name in ["a", "b"] {
            #expect(Self.apply("online", name + "/availability", on: &board) == .applied)
        }
        #expect(Self.apply("online", "c/availability", on: &board) == .refused(.tooManyGateways))
        for name in ["1", "2", "3"] {
            #expect(Self.apply("{}", "a/erg/\(name)/live", on: &board) == .applied)
        }
        #expect(Self.apply("{}", "a/erg/4/live", on: &board) == .refused(.tooManyErgs))
        #expect(Self.apply("{}", "z/erg/4/live", on: &board) == .applied)
        #expect(Self.apply("{}", "y/erg/5/live", on: &board) == .refused(.tooManyErgs))
        #expect(Self.apply("", "z/erg/4/live", on: &board) == .applied)
        let long = "{\"a\":\"\(String(repeating: "x", count: 40))\"}"
        #expect(Self.apply(long, "a/erg/1/live", on: &board) == .applied)
        #expect(Self.apply(long, "a/erg/2/live", on: &board) == .refused(.tooManyBytes))
        #expect(Self.apply("{}", "a/erg/1/live", on: &board) == .applied)
        #expect(Self.apply(long, "a/erg/2/live", on: &board) == .applied)
        let tooLong = "{\"a\":\"\(String(repeating: "x", count: 60))\"}"
        #expect(Self.apply(tooLong, "a/erg/1/live", on: &board) == .refused(.tooLong))
        #expect(Self.apply("", "a/erg/2/live", on: &board) == .applied)
        #expect(Self.apply("{}", "z/erg/4/live", on: &board) == .applied)
    }

    @Test func eachGatewayHasItsOwnWall() {
        // The ergs of the second gateway do not fit on the wall of all gateways until an erg is removed.
        var board = LiveBoard(limits: .init(ergs: 2, allErgs: 8), at: Self.start)
        for topic in [
            "a/availability", "b/availability", "a/erg/1/availability", "a/erg/2/availability",
            "b/erg/1/availability", "b/erg/2/availability",
        ] { #expect(Self.apply("online", topic, on: &board) == .applied) }
        _ = Self.apply("{}", "b/crew/four/live", on: &board)
        board.add(best: Array("{}".utf8), of: GatewayID("b"), at: Self.start)
        func update(_ gateway: String?, since seen: UInt64 = 0) -> String {
            let bytes = board.events(
                since: seen, of: .init(gateway: gateway.flatMap(GatewayID.init)), hasBeat: false,
                at: Self.start,
                clock: Self.clock, version: "0.1.0")
            return String(decoding: bytes, as: UTF8.self)
        }
        for (gateway, own, other) in [("a", "a", "b"), ("b", "b", "a")] {
            let room = update(gateway)
            for erg in ["1", "2"] {
                #expect(room.contains(#"{"gw":"\#(own)","erg":"\#(erg)""#), "\(room)")
            }
            #expect(!room.contains(#""gw":"\#(other)""#) && !room.contains("more_ergs"))
            #expect(
                room.contains("crews") == (own == "b") && room.contains("bests") == (own == "b"))
        }
        #expect(update(nil).contains(#""more_ergs":2"#) && !update(nil).contains(#""gw":"b","erg""#))
        #expect(update(nil).contains(#""gateways":[{"gw":"a""#) && update(nil).contains("crews"))
        let seen = board.version
        _ = Self.apply("{}", "b/erg/1/live", on: &board)
        #expect(update("a", since: seen).isEmpty && update(nil, since: seen).isEmpty)
        #expect(update("b", since: seen).hasPrefix("event: erg"))
        #expect(Self.apply("", "a/erg/1/availability", on: &board) == .applied)
        #expect(update(nil, since: seen).contains(#""more_ergs":1"#))
        #expect(
            update(nil, since: seen).contains(#""gw":"b","erg":"1""#), "the next erg moves up")
        // A race may have ergs that are not on the wall.
        let all = board.events(
            since: 0, of: .init(hasAllErgs: true), hasBeat: false, at: Self.start, clock: Self.clock,
            version: "0.1.0")
        let text = String(decoding: all, as: UTF8.self)
        #expect(text.contains(#""gw":"b","erg":"2""#) && !text.contains("more_ergs"))
    }

    @Test func removesClearedMessages() {
        var board = LiveBoard(at: Self.start)
        _ = Self.apply("online", "b/erg/e-1/availability", on: &board)
        _ = Self.apply("{}", "b/erg/e-1/live", on: &board)
        let seen = board.version
        #expect(Self.apply("", "b/erg/e-1/live", on: &board) == .applied)
        #expect(!Self.events(of: board, since: seen).contains("\"live\""))
        #expect(Self.apply("", "b/erg/e-1/availability", on: &board) == .applied)
        #expect(Self.events(of: board, since: seen).hasPrefix("event: room\n"))
        #expect(Self.events(of: board, since: seen).contains("\"ergs\":[]"))
        #expect(Self.apply("", "b/erg/e-1/availability", on: &board) == .ignored)
    }

    @Test func ageOfARetainedMessageComesFromItsTimestamp() {
        let then = 1_790_000_000_000 + 1_000_000 - 60_000
        let cases: [(payload: String, isRetained: Bool, age: Int)] = [
            (#"{"ts_ms":\#(then),"clock":"synced"}"#, true, 60_000),
            (#"{"ts_ms":\#(then),"clock":"unsynced"}"#, true, 0),
            (#"{"ts_ms":\#(then + 120_000),"clock":"synced"}"#, true, 0),
            (#"{"ts_ms":\#(then),"clock":"synced"}"#, false, 0),
            (#"{"ts_ms":"x","clock":"synced"}"#, true, 0),
            (#"{"ts_ms":9007199254740991,"clock":"synced"}"#, true, 0),
            (#"{"ts_ms":0,"clock":"synced"}"#, true, then + 60_000),
        ]
        for (payload, isRetained, age) in cases {
            var board = LiveBoard(at: Self.start)
            _ = Self.apply(payload, "b/erg/e-1/state", on: &board, isRetained: isRetained)
            let events = Self.events(of: board, since: 1)
            #expect(events.contains("\"age_ms\":\(age),"), "\(payload) \(events)")
        }
    }

    @Test func ignoresHistoricalRecords() {
        var board = LiveBoard(at: Self.start)
        let new = #"{"seq":9,"historical":false}"#
        #expect(Self.apply(new, "b/erg/e-1/stroke", on: &board) == .applied)
        let old = #"{"seq":2,"historical":true}"#
        #expect(Self.apply(old, "b/erg/e-1/stroke", on: &board) == .ignored)
        #expect(Self.events(of: board, since: 1).contains(new))
    }

    @Test func removesRetainedMessagesThatWereClearedWhileDisconnected() {
        var board = LiveBoard(at: Self.start)
        board.subscribed(at: Self.start)
        _ = Self.apply("online", "b/erg/e-1/availability", on: &board, isRetained: true)
        _ = Self.apply("{}", "b/erg/e-1/info", on: &board, isRetained: true)
        _ = Self.apply("{}", "b/erg/e-1/stroke", on: &board)
        board.lostBroker(at: Self.start)
        board.subscribed(at: Self.start)
        _ = Self.apply("online", "b/erg/e-1/availability", on: &board, isRetained: true)
        board.removeUnconfirmed()
        let events = Self.events(of: board, since: 1)
        #expect(events.contains("availability") && events.contains("stroke"))
        #expect(!events.contains("info"))
    }
}
