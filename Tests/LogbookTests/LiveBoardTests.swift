import Contract
import TestSupport
import Testing
import Timeline

@testable import Logbook

/// The board as a value: messages in, state out.
@Suite struct LiveBoardTests {
    private static let start = BootInstant(nanoseconds: 1_000_000_000_000)
    private static let clock = WallClock(
        bootID: "5b1f8c0e5b1f8c0e5b1f8c0e5b1f8c0e", unixMillisecondsAtBoot: 1_790_000_000_000,
        isSynchronized: true)

    private static func take(
        _ payload: String, _ topic: String, on board: inout LiveBoard, isRetained: Bool = false,
        after milliseconds: Int = 0
    ) -> LiveBoard.Outcome {
        board.take(
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

    @Test func anErgHoldsTheNewestOfEachKindByteForByte() {
        // Goal: pages read the contract, and not a second one of ours. Method: two strokes, a live and
        // an availability; spaces, numbers and an escape come out as they went in.
        var board = LiveBoard(at: Self.start)
        let stroke = #"{ "v": 1, "power_w":2.50e2, "name":"\u00e4" }"#
        #expect(Self.take(#"{"v":1,"seq":1}"#, "b/erg/e-1/stroke", on: &board) == .taken)
        #expect(Self.take(stroke, "b/erg/e-1/stroke", on: &board, after: 100) == .taken)
        #expect(Self.take(#"{"v":1}"#, "b/erg/e-1/live", on: &board, after: 300) == .taken)
        #expect(Self.take("online", "b/erg/e-1/availability", on: &board) == .taken)
        #expect(
            Self.events(of: board, since: 1, after: 400) == """
                event: erg
                data: {"gw":"b","erg":"e-1","messages":{\
                "availability":{"age_ms":400,"payload":"online"},\
                "live":{"age_ms":100,"payload":{"v":1}},\
                "stroke":{"age_ms":300,"payload":\(stroke)}}}


                """)
    }

    @Test func theRoomIsSaidAtFirstAndThenOnlyWhatChanged() {
        // Goal: a page can follow with little. Method: a reader that has seen nothing, and one that has
        // seen all but the last message.
        var board = LiveBoard(at: Self.start)
        board.subscribed(at: Self.start)
        _ = Self.take("online", "b/availability", on: &board)
        _ = Self.take(#"{"a":1}"#, "b/erg/e-1/live", on: &board)
        let seen = board.version
        _ = Self.take(#"{"a":2}"#, "b/erg/e-2/live", on: &board)
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

    /// The slugs of the ergs on a board, and its gateways'.
    private static func ergs(of board: LiveBoard) -> [String] {
        board.kept.keys.compactMap { $0.erg?.slug }.sorted()
    }

    @Test func dropsErgsThatTheBirthDoesNotList() {
        var board = LiveBoard(at: Self.start)
        for erg in ["e-1", "e-2"] {
            _ = Self.take("online", "b/erg/\(erg)/availability", on: &board)
            _ = Self.take(#"{"v":1}"#, "b/erg/\(erg)/live", on: &board)
            _ = Self.take(#"{"v":1}"#, "c/erg/\(erg)/live", on: &board)
        }
        let before = board.version
        let birth = #"{"epoch":"1","ergs":["e-1"],"discovery":"listed"}"#
        #expect(Self.take(birth, "b/birth", on: &board) == .taken)
        #expect(Self.ergs(of: board) == ["e-1", "e-1", "e-2"])
        #expect(board.thinned > before, "pages begin anew")
        // What the broker kept of it may come behind the birth.
        #expect(Self.take("offline", "b/erg/e-2/availability", on: &board) == .ignored)
        #expect(Self.take(#"{"v":1}"#, "b/erg/e-1/stroke", on: &board) == .taken)
        let wider = #"{"epoch":"1","ergs":["e-1","e-2"],"discovery":"listed"}"#
        #expect(Self.take(wider, "b/birth", on: &board) == .taken)
        #expect(Self.take("offline", "b/erg/e-2/availability", on: &board) == .taken)
    }

    @Test func keepsErgsThatABirthMayNotKnow() {
        var board = LiveBoard(at: Self.start)
        for erg in ["e-1", "pm5-430000001"] {
            _ = Self.take("online", "b/erg/\(erg)/availability", on: &board)
        }
        // Of an earlier version, which does not say whether its list is complete.
        _ = Self.take(#"{"epoch":"1","ergs":["e-3"]}"#, "b/birth", on: &board)
        #expect(Self.ergs(of: board) == ["e-1", "pm5-430000001"])
        // A gateway that takes any monitor meets some after its birth.
        _ = Self.take(#"{"epoch":"1","ergs":["e-3"],"discovery":"any"}"#, "b/birth", on: &board)
        #expect(Self.ergs(of: board) == ["pm5-430000001"])
    }

    @Test func ergWhoseRetainedMessagesAreClearedLeavesTheBoard() {
        var board = LiveBoard(at: Self.start)
        for (kind, payload) in [("availability", "online"), ("state", #"{"state":"rowing"}"#)] {
            _ = Self.take(payload, "b/erg/e-2/\(kind)", on: &board)
        }
        for kind in ["live", "stroke", "session"] {
            _ = Self.take(#"{"v":1}"#, "b/erg/e-2/\(kind)", on: &board)
        }
        _ = Self.take("", "b/erg/e-2/availability", on: &board)
        #expect(Self.ergs(of: board) == ["e-2"], "its state is still there")
        _ = Self.take("", "b/erg/e-2/state", on: &board)
        #expect(Self.ergs(of: board) == [])
        #expect(Self.events(of: board, since: 0).contains(#""ergs":[]"#))
    }

    @Test func alertsWorkoutsAndCrewsAreTold() {
        // Goal: a page has what a coach looks after. Method: alerts of an erg and of the gateway, the
        // named workouts, two crews of one gateway; each stands at its place, a crew beside the ergs.
        var board = LiveBoard(at: Self.start)
        for (topic, payload) in [
            ("b/alerts", #"{"firing":0}"#), ("b/erg/e-1/alert", #"{"rule":"stopped"}"#),
            ("b/erg/e-1/alerts", #"{"firing":1,"rules":["stopped"]}"#),
            ("b/workouts", #"{"workouts":{"short":"4x500m/1:00r"}}"#),
            ("b/crew/four/live", #"{"crew":"four"}"#), ("b/crew/eight/live", #"{"crew":"eight"}"#),
        ] {
            #expect(Self.take(payload, topic, on: &board) == .taken, "\(topic)")
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
        #expect(Self.take(#"{"crew":"four"}"#, "b/crew/four/live", on: &board) == .taken)
        #expect(Self.events(of: board, since: seen).hasPrefix("event: crew\n"))
        #expect(
            Self.take(#"{"workouts":["x"]}"#, "b/workouts", on: &board) == .refused(.noContract))
        var full = LiveBoard(limits: .init(crews: 1), at: Self.start)
        #expect(Self.take("{}", "b/crew/four/live", on: &full) == .taken)
        #expect(Self.take("{}", "b/crew/two/live", on: &full) == .refused(.tooManyCrews))
    }

    @Test(arguments: [
        "b/cmd/replay", "b/erg/all/cmd/workout", "b/erg/e-1/rsp/workout", "b/erg/e-1/marks",
        "b/erg/e-1/manifest", "b/erg/e-1/gap", "b/erg/e-1/future", "b/future", "B!/availability",
        "b/erg/E 1/live", "b", "b/erg/e-1/live/more",
    ])
    func whatNoWallShowsIsIgnored(topic: String) {
        // Goal: topics of others cost nothing. Method: every form that is not a wall's.
        var board = LiveBoard(at: Self.start)
        #expect(Self.take("{}", topic, on: &board) == .ignored)
        #expect(board.kept.isEmpty)
    }

    @Test(arguments: [
        "{\"a\":\n1}", "{\"a\":1}\r", "[1]", "\"text\"", "{\"a\":1", "{\"a\":1}{", "null", "\u{1}",
        "{\"a\":\"\u{0}\"}", "event: room", String(repeating: "[", count: 2000),
    ])
    func whatIsNoObjectInOneLineIsRefused(payload: String) {
        // Goal: no publisher can write an event of its own, or break a page. Method: line breaks,
        // other values, broken JSON; and bytes that are no UTF-8.
        var board = LiveBoard(at: Self.start)
        let topic = "rowgate/v1/b/erg/e-1/live"
        #expect(Self.take(payload, "b/erg/e-1/live", on: &board) == .refused(.noObject))
        let broken = Array("{\"a\":\"".utf8) + [0xFF, 0xFE] + Array("\"}".utf8)
        let outcome = board.take(
            broken, topic: topic, isRetained: false, at: Self.start, clock: Self.clock)
        #expect(outcome == .refused(.noObject))
        let availability = Self.take(payload, "b/availability", on: &board)
        #expect(availability == .refused(.noAvailability))
        #expect(board.kept.isEmpty)
    }

    @Test func whoeverPublishesCannotFillTheMemory() {
        // Goal: the board has bounds in gateways, ergs and bytes. Method: one too many of each; what
        // is known goes on, and a shorter message makes room.
        var board = LiveBoard(
            limits: .init(gateways: 2, ergs: 3, allErgs: 4, messageBytes: 60, bytes: 100),
            at: Self.start)
        for name in ["a", "b"] {
            #expect(Self.take("online", name + "/availability", on: &board) == .taken)
        }
        #expect(Self.take("online", "c/availability", on: &board) == .refused(.tooManyGateways))
        for name in ["1", "2", "3"] {
            #expect(Self.take("{}", "a/erg/\(name)/live", on: &board) == .taken)
        }
        #expect(Self.take("{}", "a/erg/4/live", on: &board) == .refused(.tooManyErgs))
        #expect(Self.take("{}", "z/erg/4/live", on: &board) == .taken)
        #expect(Self.take("{}", "y/erg/5/live", on: &board) == .refused(.tooManyErgs))
        #expect(Self.take("", "z/erg/4/live", on: &board) == .taken)
        let long = "{\"a\":\"\(String(repeating: "x", count: 40))\"}"
        #expect(Self.take(long, "a/erg/1/live", on: &board) == .taken)
        #expect(Self.take(long, "a/erg/2/live", on: &board) == .refused(.tooManyBytes))
        #expect(Self.take("{}", "a/erg/1/live", on: &board) == .taken)
        #expect(Self.take(long, "a/erg/2/live", on: &board) == .taken)
        let tooLong = "{\"a\":\"\(String(repeating: "x", count: 60))\"}"
        #expect(Self.take(tooLong, "a/erg/1/live", on: &board) == .refused(.tooLong))
        #expect(Self.take("", "a/erg/2/live", on: &board) == .taken)
        #expect(Self.take("{}", "z/erg/4/live", on: &board) == .taken)
    }

    @Test func eachRoomHasAWallOfItsOwn() {
        // Goal: a centre with many gateways shows each room its own. Method: two rooms, of which the second
        // does not fit on the wall of all; each is asked for, then all, and one erg leaves.
        var board = LiveBoard(limits: .init(ergs: 2, allErgs: 8), at: Self.start)
        for topic in [
            "a/availability", "b/availability", "a/erg/1/availability", "a/erg/2/availability",
            "b/erg/1/availability", "b/erg/2/availability",
        ] { #expect(Self.take("online", topic, on: &board) == .taken) }
        _ = Self.take("{}", "b/crew/four/live", on: &board)
        board.take(best: Array("{}".utf8), of: GatewayID("b"), at: Self.start)
        func told(_ gateway: String?, since seen: UInt64 = 0) -> String {
            let bytes = board.events(
                since: seen, of: gateway.flatMap(GatewayID.init), hasBeat: false, at: Self.start,
                clock: Self.clock, version: "0.1.0")
            return String(decoding: bytes, as: UTF8.self)
        }
        for (gateway, own, other) in [("a", "a", "b"), ("b", "b", "a")] {
            let room = told(gateway)
            for erg in ["1", "2"] {
                #expect(room.contains(#"{"gw":"\#(own)","erg":"\#(erg)""#), "\(room)")
            }
            #expect(!room.contains(#""gw":"\#(other)""#) && !room.contains("more_ergs"))
            #expect(
                room.contains("crews") == (own == "b") && room.contains("bests") == (own == "b"))
        }
        #expect(told(nil).contains(#""more_ergs":2"#) && !told(nil).contains(#""gw":"b","erg""#))
        #expect(told(nil).contains(#""gateways":[{"gw":"a""#) && told(nil).contains("crews"))
        let seen = board.version
        _ = Self.take("{}", "b/erg/1/live", on: &board)
        #expect(told("a", since: seen).isEmpty && told(nil, since: seen).isEmpty)
        #expect(told("b", since: seen).hasPrefix("event: erg"))
        #expect(Self.take("", "a/erg/1/availability", on: &board) == .taken)
        #expect(told(nil, since: seen).contains(#""more_ergs":1"#))
        #expect(
            told(nil, since: seen).contains(#""gw":"b","erg":"1""#), "the next one has the seat")
    }

    @Test func aClearedMessageDisappears() {
        // Goal: an erg that left is gone, for late and early readers. Method: clear one of two messages,
        // then the last; a reader of before begins anew.
        var board = LiveBoard(at: Self.start)
        _ = Self.take("online", "b/erg/e-1/availability", on: &board)
        _ = Self.take("{}", "b/erg/e-1/live", on: &board)
        let seen = board.version
        #expect(Self.take("", "b/erg/e-1/live", on: &board) == .taken)
        #expect(!Self.events(of: board, since: seen).contains("\"live\""))
        #expect(Self.take("", "b/erg/e-1/availability", on: &board) == .taken)
        #expect(Self.events(of: board, since: seen).hasPrefix("event: room\n"))
        #expect(Self.events(of: board, since: seen).contains("\"ergs\":[]"))
        #expect(Self.take("", "b/erg/e-1/availability", on: &board) == .ignored)
    }

    @Test func aRetainedMessageIsAsOldAsItsSenderSays() {
        // Goal: a summary of yesterday does not look like one of now. Method: a sender with and without
        // a clock, one that is ahead, and one that was not retained; 60 s before the start.
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
            _ = Self.take(payload, "b/erg/e-1/state", on: &board, isRetained: isRetained)
            let events = Self.events(of: board, since: 1)
            #expect(events.contains("\"age_ms\":\(age),"), "\(payload) \(events)")
        }
    }

    @Test func recordsOfThePastDoNotCoverThePresent() {
        // Goal: a replay does not turn the wall back. Method: a new stroke, then a historical one.
        var board = LiveBoard(at: Self.start)
        let new = #"{"seq":9,"historical":false}"#
        #expect(Self.take(new, "b/erg/e-1/stroke", on: &board) == .taken)
        let old = #"{"seq":2,"historical":true}"#
        #expect(Self.take(old, "b/erg/e-1/stroke", on: &board) == .ignored)
        #expect(Self.events(of: board, since: 1).contains(new))
    }

    @Test func whatTheBrokerForgotMeanwhileGoes() {
        // Goal: nothing stays for ever that was cleared while we were away. Method: two retained
        // messages and a stroke, a new subscription that brings one of them.
        var board = LiveBoard(at: Self.start)
        board.subscribed(at: Self.start)
        _ = Self.take("online", "b/erg/e-1/availability", on: &board, isRetained: true)
        _ = Self.take("{}", "b/erg/e-1/info", on: &board, isRetained: true)
        _ = Self.take("{}", "b/erg/e-1/stroke", on: &board)
        board.lostBroker(at: Self.start)
        board.subscribed(at: Self.start)
        _ = Self.take("online", "b/erg/e-1/availability", on: &board, isRetained: true)
        board.forgetUnconfirmed()
        let events = Self.events(of: board, since: 1)
        #expect(events.contains("availability") && events.contains("stroke"))
        #expect(!events.contains("info"))
    }
}
