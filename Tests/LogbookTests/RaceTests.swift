import Bytes
import Testing

@testable import Contract
@testable import Logbook
@testable import Timeline

/// A race in stepped time: what ergs say goes over a board, as it does in the room.
@Suite struct RaceTests {
    private var room = RaceRoom(ergs: 3)

    private func standings(_ room: RaceRoom) -> [String] {
        room.race.lanes.map(\.standing.rawValue)
    }

    @Test mutating func aRaceFromTheFirstMonitorToTheLastResult() throws {
        // Goal: who is set, who rows, who came first. Method: three ergs are set to 2000 m one after
        // the other, start after the signal, and finish in another order.
        room.pass(1)
        #expect(standings(room) == ["waiting", "waiting", "waiting"])
        for erg in 1...3 { room.say("state", erg, #""state":"ready",\#(RaceRoom.piece)"#) }
        room.pass(1)
        #expect(standings(room) == ["armed", "armed", "armed"])
        room.call(in: 10)
        #expect(room.race.phase == .countdown)
        room.pass(10)
        #expect(room.race.phase == .rowing && standings(room) == ["armed", "armed", "armed"])
        for erg in 1...3 {
            room.pass(0.2)
            room.row(erg, elapsed: 0.1)
        }
        room.pass(1)
        #expect(standings(room) == ["rowing", "rowing", "rowing"])
        let starts = room.race.lanes.map { $0.startSeconds(room.signal) }
        #expect(starts == [100, 300, 500])
        #expect(room.race.lanes.allSatisfy { $0.early == nil && $0.falseStarts == 0 })
        room.pass(440)
        room.finish(2, time: 431.2)
        room.finish(3, time: 431.2)
        room.pass(1)
        #expect(room.race.phase == .rowing)
        room.finish(1, time: 440.0)
        room.pass(1)
        #expect(room.race.phase == .over && room.race.ended == room.now)
        let results = room.race.results
        // The same result shares a place, and the next place is not given.
        #expect(results.map(\.place) == [1, 1, 3])
        #expect(results.map(\.lane.place.erg?.slug) == ["e-2", "e-3", "e-1"])
        #expect(results.map(\.lane.result?.isVerified) == [true, true, true])
    }

    @Test mutating func aMonitorThatIsSetToSomethingElseIsNotReady() {
        // Goal: nobody starts another piece. Method: ready for 500 m, for intervals, and idle.
        room.say(
            "state", 1, #""state":"ready","session_type":"distance","target_distance_m":500.0"#)
        room.say(
            "state", 2, #""state":"ready","session_type":"intervals","target_distance_m":2000.0"#)
        room.say("state", 3, #""state":"idle""#)
        room.pass(1)
        #expect(standings(room) == ["waiting", "waiting", "waiting"])
    }

    @Test mutating func whoMovesBeforeTheSignalIsNamed() throws {
        // Goal: a false start is seen by the monitor's own time, not by when the radio told it. Method:
        // one erg's first message comes half a second after the signal and shows 0.9 s, one's shows
        // 0.3 s; one moves in the middle of the countdown.
        room.arm()
        room.call(in: 10)
        room.pass(6)
        room.row(3, elapsed: 0.5)
        room.pass(0.1)
        #expect(room.race.phase == .countdown && standings(room)[2] == "rowing")
        #expect(room.race.lanes[2].early == .milliseconds(4500))
        room.pass(4.4)
        room.row(1, elapsed: 0.9)
        room.row(2, elapsed: 0.3)
        room.pass(0.5)
        #expect(room.race.lanes.map(\.early) == [.milliseconds(400), nil, .milliseconds(4500)])
        // A message that was under way for longer takes nothing back; a quicker one says more.
        room.row(1, elapsed: 1.0)
        room.row(2, elapsed: 0.9)
        room.pass(0.1)
        #expect(room.race.lanes.map(\.falseStarts) == [1, 0, 1])
        #expect(room.race.lanes[0].early == .milliseconds(400))
    }

    @Test mutating func aPieceThatIsUnderWayAtTheCallIsNoneOfTheRaces() throws {
        // Goal: who rows something else when the start is called did not move early, and what they rowed
        // is no result. Method: a call before the race has looked, while one piece is in its first
        // minute and one long under way, and one is over; then all three start the race's.
        room.row(1, elapsed: 40, session: "old")
        room.row(2, elapsed: 900, session: "old")
        room.row(3, elapsed: 50, session: "old")
        room.finish(3, time: 60, distance: 250, isComplete: false, session: "old")
        room.call(in: 10)
        room.pass(2)
        #expect(room.race.lanes.allSatisfy { $0.session == nil && $0.falseStarts == 0 })
        #expect(standings(room) == ["waiting", "waiting", "waiting"])
        room.finish(1, time: 42, distance: 180, isComplete: false, session: "old")
        room.arm()
        #expect(standings(room) == ["armed", "armed", "armed"])
        room.pass(9)
        for erg in 1...3 { room.row(erg, elapsed: 0.5) }
        room.pass(0.5)
        #expect(standings(room) == ["rowing", "rowing", "rowing"])
        #expect(room.race.lanes.map(\.session) == ["S1", "S2", "S3"])
    }

    @Test mutating func aStartIsCalledBackAndRowedAgain() throws {
        // Goal: after a recall nobody has rowed, who moved early keeps that, and the old piece is not
        // taken for the new one. Method: one false start, a recall, all set again, a good start.
        room.arm()
        room.call(in: 10)
        room.pass(9)
        room.row(1, elapsed: 0.5)
        room.pass(0.1)
        var isRecalled = room.race.recall()
        #expect(isRecalled && room.race.phase == .ready && room.race.signal == nil)
        room.pass(1)
        #expect(standings(room) == ["waiting", "armed", "armed"])
        // The old piece is over; its summary is not the race's.
        room.finish(1, time: 3, distance: 8, isComplete: false)
        room.arm()
        #expect(standings(room) == ["armed", "armed", "armed"])
        room.call(in: 5)
        room.pass(5.5)
        for erg in 1...3 { room.row(erg, elapsed: 0.3, session: "B\(erg)") }
        room.pass(0.2)
        #expect(standings(room) == ["rowing", "rowing", "rowing"])
        #expect(room.race.lanes.map(\.falseStarts) == [1, 0, 0])
        #expect(room.race.lanes.map(\.early) == [nil, nil, nil])
        #expect(room.race.lanes.map(\.session) == ["B1", "B2", "B3"])
        _ = room.race.end(at: room.now)
        isRecalled = room.race.recall()
        #expect(!isRecalled)
    }

    @Test mutating func whoDoesNotStartInTimeDidNotStart() throws {
        // Goal: one empty seat does not keep a race open, and a late message is no late start. Method:
        // nobody at one erg; one whose radio comes back after the limit with the time that tells.
        room.arm()
        room.call(in: 5)
        room.pass(6)
        room.row(1, elapsed: 0.5)
        room.pass(28.5)
        #expect(standings(room) == ["rowing", "armed", "armed"])
        room.pass(1)
        #expect(standings(room) == ["rowing", "did_not_start", "did_not_start"])
        room.row(2, elapsed: 28)
        room.row(3, elapsed: 0.3)
        room.pass(0.5)
        #expect(standings(room) == ["rowing", "rowing", "did_not_start"])
    }

    @Test mutating func oneIsTakenOutBeforeAndOneUnderWay() throws {
        // Goal: a scratch is final and holds nobody up. Method: one before the call, one in the race,
        // whose result comes all the same.
        room.arm()
        let places = room.race.lanes.map(\.place)
        var isOut = room.race.scratch(places[0])
        #expect(isOut)
        isOut = room.race.scratch(places[0])
        #expect(!isOut)
        room.call(in: 5)
        room.pass(6)
        for erg in 1...3 { room.row(erg, elapsed: 0.5) }
        room.pass(10)
        isOut = room.race.scratch(places[2])
        #expect(isOut && standings(room) == ["scratched", "rowing", "scratched"])
        room.pass(420)
        for erg in 1...3 { room.finish(erg, time: 400 + erg) }
        room.pass(1)
        #expect(room.race.phase == .over)
        #expect(room.race.results.map(\.place) == [1, nil, nil])
        #expect(room.race.lanes[2].result == nil)
        isOut = room.race.scratch(places[1])
        #expect(!isOut)
    }

    @Test mutating func oneThatIsLostInTheMiddleHasItsResultAfterAll() throws {
        // Goal: a link that breaks costs nobody the race. Method: nothing is heard of one erg from the
        // start until long after the others are done; a coach ends the race; then its summary comes.
        room.begin()
        room.pass(450)
        for erg in 1...2 { room.finish(erg, time: 440 + erg) }
        room.pass(60)
        #expect(standings(room) == ["finished", "finished", "rowing"])
        let hasEnded = room.race.end(at: room.now)
        #expect(hasEnded && standings(room)[2] == "did_not_finish")
        room.finish(3, time: 430)
        room.pass(1)
        #expect(room.race.results.map(\.place) == [1, 2, 3])
        #expect(room.race.results[0].lane.place.erg?.slug == "e-3")
    }

    @Test mutating func aStartThatWasNotHeardIsFoundInTheResult() throws {
        // Goal: a gateway that was away from the call to the end loses nobody. Method: only the last
        // summary of one erg is heard, when the others have long been done.
        room.arm()
        room.call(in: 5)
        room.pass(6)
        for erg in 1...2 { room.row(erg, elapsed: 0.5) }
        room.pass(450)
        for erg in 1...2 { room.finish(erg, time: 440 + erg) }
        room.pass(1)
        #expect(room.race.phase == .over && standings(room)[2] == "did_not_start")
        room.finish(3, time: 443, session: "S3")
        room.pass(1)
        #expect(standings(room)[2] == "finished")
        #expect(room.race.lanes[2].early == nil && room.race.results.map(\.place) == [1, 2, 3])
    }

    @Test mutating func aRevisionTakesThePlaceOfTheResult() throws {
        // Goal: the monitor's last word counts, and an older one does not. Method: revision 1, 2 with
        // another time, 1 again; the summary of another piece afterwards.
        room.begin()
        room.pass(450)
        for erg in 1...3 { room.finish(erg, time: 440 + erg) }
        room.pass(1)
        #expect(room.race.results.first?.lane.place.erg?.slug == "e-1")
        room.finish(3, time: 439, revision: 2)
        room.pass(1)
        #expect(room.race.results.first?.lane.place.erg?.slug == "e-3")
        room.finish(3, time: 500)
        room.finish(1, time: 100, session: "later")
        room.pass(1)
        #expect(room.race.results.first?.lane.result?.centiseconds == 43900)
        #expect(room.race.lanes[0].result?.centiseconds == 44100)
    }

    @Test mutating func aTimedPieceIsWonByDistance() throws {
        // Goal: further is better. Method: four minutes, three distances, one that stopped early.
        room = RaceRoom(ergs: 3, .time(seconds: 240))
        room.arm()
        #expect(standings(room) == ["armed", "armed", "armed"])
        room.call(in: 5)
        room.pass(6)
        for erg in 1...3 { room.row(erg, elapsed: 0.5) }
        room.pass(240)
        room.finish(1, time: 240, distance: 1100)
        room.finish(2, time: 240, distance: 1180)
        room.finish(3, time: 200, distance: 1190, isComplete: false)
        room.pass(1)
        #expect(room.race.phase == .over)
        #expect(room.race.results.map(\.lane.place.erg?.slug) == ["e-2", "e-1", "e-3"])
        #expect(room.race.results.map(\.place) == [1, 2, nil])
    }

    @Test mutating func aRaceThatNobodyEndsEndsItself() throws {
        // Goal: no race stays open for ever. Method: one erg that never finishes.
        room.begin()
        room.pass(4 * 3600)
        #expect(room.race.phase == .over)
        #expect(standings(room) == ["did_not_finish", "did_not_finish", "did_not_finish"])
    }

    @Test mutating func aRaceOutlivesARestartInEveryPhase() throws {
        // Goal: a logbook that is restarted goes on with the race. Method: in each phase what is kept is
        // read back, by a clock of another boot, and everything is as it was, and goes on.
        func kept() throws -> Race {
            let bytes = JSONWriter.object { room.race.write(to: &$0, room.clock) }
            let fields = try #require(try JSONObject(parsing: bytes))
            return try #require(Race(kept: fields, room.clock))
        }
        room.race = Race(
            room.race.id,
            RaceTerms(
                name: "final", piece: .distance(meters: 2000),
                paceBoat: .init(centisecondsPer500m: 10865, name: "record"), hasFixedLanes: true,
                sender: "anna"), room.race.lanes.map(\.place), at: room.now)
        #expect(try kept() == room.race)
        room.arm()
        room.call(in: 10)
        room.pass(9)
        room.row(1, elapsed: 0.5)
        room.pass(0.5)
        #expect(try kept() == room.race)
        room.race = try kept()
        room.pass(2)
        for erg in 2...3 { room.row(erg, elapsed: 0.5) }
        room.pass(0.5)
        #expect(try kept() == room.race && standings(room) == ["rowing", "rowing", "rowing"])
        room.race = try kept()
        for erg in 1...3 { room.finish(erg, time: 440 + erg) }
        room.pass(1)
        #expect(room.race.phase == .over && room.race.lanes[0].falseStarts == 1)
        #expect(try kept() == room.race)
        #expect(Race(kept: .empty, room.clock) == nil)
    }

    @Test mutating func theSheetHasALineForEachErg() throws {
        // Goal: a spreadsheet shows what the page shows, and calculates nothing of a name. Method: a
        // race with each kind of end, one rower named as a formula.
        room.arm(names: ["=1+1", "Anna, the \"first\"", "Li"])
        room.call(in: 5)
        room.pass(4)
        room.row(1, elapsed: 0.5)
        room.pass(2)
        room.row(2, elapsed: 0.5)
        room.pass(450)
        room.finish(1, time: 441.32)
        room.finish(2, time: 100, distance: 512.5, isComplete: false)
        room.pass(1)
        let text = String(decoding: RaceSheet.bytes(of: room.race), as: UTF8.self)
        let lines = text.split(separator: "\r\n").map(String.init)
        #expect(lines.count == 4 && lines[0] == RaceSheet.columns.joined(separator: ","))
        #expect(
            lines[1]
                == "1,1,b,e-1,,'=1+1,finished,441.32,2000.0,110.33,261,27,true,1,1.500,-1.500,S1")
        #expect(
            lines[2]
                == #",2,b,e-2,,"Anna, the ""first""",did_not_finish,100.00,512.5,97.56,261,27,true,0,"#
                + ",0.500,S2")
        #expect(lines[3] == ",3,b,e-3,,Li,did_not_start,,,,,,,0,,,")
    }
}

/// Ergs that race, told to a board by their messages.
struct RaceRoom {
    static let piece = #""session_type":"distance","target_distance_m":2000.0"#

    private(set) var now = BootInstant(nanoseconds: 0).advanced(by: .seconds(1000))
    let clock = WallClock(
        bootID: "b", unixMillisecondsAtBoot: 1_790_000_000_000, isSynchronized: true)
    private var board: LiveBoard
    var race: Race
    private var names: [String] = []

    init(ergs: Int, _ piece: RaceTerms.Piece = .distance(meters: 2000)) {
        board = LiveBoard(at: now)
        let places = (1...ergs).compactMap { number in
            GatewayID("b").map { LiveBoard.Place(gateway: $0, erg: StationID("e-\(number)")) }
        }
        race = Race(
            "R", RaceTerms(name: "", piece: piece, paceBoat: nil, sender: "anna"), places, at: now)
        for erg in 1...ergs { say("state", erg, #""state":"idle""#) }
    }

    var signal: BootInstant { race.signal ?? now }

    /// Seconds pass, and the race looks.
    mutating func pass(_ seconds: Double) {
        now = now.advanced(by: .milliseconds(Int64((seconds * 1000).rounded())))
        look()
    }

    private mutating func look() {
        race.advance(to: now) { [board] in board.kept[$0].flatMap { RaceReading($0.messages) } }
    }

    mutating func say(_ kind: String, _ erg: Int, _ fields: String) {
        let text = #"{"v":1,"kind":"\#(kind)","gw":"b","erg":"e-\#(erg)",\#(fields)}"#
        let outcome = board.take(
            Array(text.utf8), topic: "rowgate/v1/b/erg/e-\(erg)/\(kind)", isRetained: false,
            at: now,
            clock: clock)
        precondition(outcome == .taken, "\(outcome): \(text)")
    }

    private func who(_ erg: Int) -> String {
        erg <= names.count ? #","athlete_name":\#(JSONWriter.text(names[erg - 1]))"# : ""
    }

    /// All that are in it are set to the piece.
    mutating func arm(names: [String] = []) {
        self.names = names
        let target =
            switch race.terms.piece {
            case .distance: Self.piece
            case .time(let seconds): #""session_type":"time","target_time_s":\#(seconds).0"#
            }
        for erg in 1...race.lanes.count where race.lanes[erg - 1].standing != .scratched {
            say("state", erg, #""state":"ready",\#(target)"# + who(erg))
        }
        look()
    }

    mutating func call(in seconds: Int) {
        precondition(race.begin(in: .seconds(seconds), at: now))
    }

    /// All are set, called, and row half a second after the signal.
    mutating func begin() {
        arm()
        call(in: 5)
        pass(6)
        for erg in 1...race.lanes.count { row(erg, elapsed: 0.5) }
    }

    /// A rower's monitor shows so many seconds.
    mutating func row(_ erg: Int, elapsed: Double, session: String? = nil) {
        say(
            "state", erg,
            #""state":"rowing","session_id":"\#(session ?? "S\(erg)")",\#(Self.piece)"# + who(erg))
        say("live", erg, #""state":"rowing","live_seq":1,"elapsed_s":\#(elapsed),"distance_m":1.0"#)
    }

    mutating func finish(
        _ erg: Int, time: Double, distance: Double = 2000, isComplete: Bool = true,
        revision: Int = 1, session: String? = nil
    ) {
        let id = session ?? race.lanes[erg - 1].session ?? race.lanes[erg - 1].earlierSession ?? "-"
        let pace = Double(Int((time / distance * 50000).rounded())) / 100
        let ended = clock.unixMilliseconds(at: now)
        if session != "later" {
            say(
                "state", erg, #""state":"finished","session_id":"\#(id)",\#(Self.piece)"# + who(erg)
            )
        }
        say(
            "last_summary", erg,
            #""session_id":"\#(id)","revision":\#(revision),"complete":\#(isComplete),"#
                + #""ended_ms":\#(ended),"result_time_s":\#(time),"distance_m":\#(distance),"#
                + #""avg_pace_s_per_500m":\#(pace),"avg_power_w":261,"avg_stroke_rate_spm":27,"#
                + #""verified_against_pm5":true"#)
    }

    mutating func finish(_ erg: Int, time: Int) { finish(erg, time: Double(time)) }
}

extension JSONWriter {
    fileprivate static func text(_ text: String) -> String {
        var json = JSONWriter()
        json.value(text)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
