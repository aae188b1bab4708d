import Bytes
import People
import Testing

@testable import Contract
@testable import Logbook
@testable import Timeline

/// A race in stepped time. The messages of the ergs go through a board, as in the program.
@Suite struct RaceTests {
    private var fixture = RaceFixture(ergs: 3)

    private func statuses(_ fixture: RaceFixture) -> [String] {
        fixture.race.lanes.map(\.status.rawValue)
    }

    @Test mutating func runsARaceFromSettingTheMonitorsToTheResults() throws {
        fixture.advance(1)
        #expect(statuses(fixture) == ["waiting", "waiting", "waiting"])
        for erg in 1...3 { fixture.publish("state", erg, #""state":"ready",\#(RaceFixture.piece)"#) }
        fixture.advance(1)
        #expect(statuses(fixture) == ["armed", "armed", "armed"])
        fixture.beginCountdown(in: 10)
        #expect(fixture.race.phase == .countdown)
        fixture.advance(10)
        #expect(fixture.race.phase == .rowing && statuses(fixture) == ["armed", "armed", "armed"])
        for erg in 1...3 {
            fixture.advance(0.2)
            fixture.row(erg, elapsed: 0.1)
        }
        fixture.advance(1)
        #expect(statuses(fixture) == ["rowing", "rowing", "rowing"])
        let starts = fixture.race.lanes.map { $0.startMilliseconds(after: fixture.signal) }
        #expect(starts == [100, 300, 500])
        #expect(fixture.race.lanes.allSatisfy { $0.earlyBy == nil && $0.falseStarts == 0 })
        fixture.advance(440)
        fixture.finish(2, time: 431.2)
        fixture.finish(3, time: 431.2)
        fixture.advance(1)
        #expect(fixture.race.phase == .rowing)
        fixture.finish(1, time: 440.0)
        fixture.advance(1)
        #expect(fixture.race.phase == .over && fixture.race.ended == fixture.now)
        let results = fixture.race.results
        // Equal results share a place, and the next place is skipped.
        #expect(results.map(\.place) == [1, 1, 3])
        #expect(results.map(\.lane.place.erg?.slug) == ["e-2", "e-3", "e-1"])
        #expect(results.map(\.lane.result?.isVerified) == [true, true, true])
        #expect(results.map(\.lane.result?.machineType) == ["bike", "bike", "bike"])
    }

    @Test mutating func monitorSetToAnotherPieceIsNotReady() {
        fixture.publish(
            "state", 1, #""state":"ready","session_type":"distance","target_distance_m":500.0"#)
        fixture.publish(
            "state", 2, #""state":"ready","session_type":"intervals","target_distance_m":2000.0"#)
        fixture.publish("state", 3, #""state":"idle""#)
        fixture.advance(1)
        #expect(statuses(fixture) == ["waiting", "waiting", "waiting"])
    }

    @Test mutating func detectsFalseStartsByTheMonitorsTime() throws {
        // The first messages arrive 0.5 s after the signal. One shows 0.9 s, which is a false start; one
        // shows 0.3 s. The third erg starts during the countdown.
        fixture.arm()
        fixture.beginCountdown(in: 10)
        fixture.advance(6)
        fixture.row(3, elapsed: 0.5)
        fixture.advance(0.1)
        #expect(fixture.race.phase == .countdown && statuses(fixture)[2] == "rowing")
        #expect(fixture.race.lanes[2].earlyBy == .milliseconds(4500))
        fixture.advance(4.4)
        fixture.row(1, elapsed: 0.9)
        fixture.row(2, elapsed: 0.3)
        fixture.advance(0.5)
        #expect(fixture.race.lanes.map(\.earlyBy) == [.milliseconds(400), nil, .milliseconds(4500)])
        // A message with a longer delay changes nothing; one with a shorter delay corrects the start.
        fixture.row(1, elapsed: 1.0)
        fixture.row(2, elapsed: 0.9)
        fixture.advance(0.1)
        #expect(fixture.race.lanes.map(\.falseStarts) == [1, 0, 1])
        #expect(fixture.race.lanes[0].earlyBy == .milliseconds(400))
    }

    @Test mutating func ignoresPiecesThatBeganBeforeTheCountdown() throws {
        // At the start of the countdown one piece is in its first minute, one is longer, and one is over.
        fixture.row(1, elapsed: 40, session: "old")
        fixture.row(2, elapsed: 900, session: "old")
        fixture.row(3, elapsed: 50, session: "old")
        fixture.finish(3, time: 60, distance: 250, isComplete: false, session: "old")
        fixture.beginCountdown(in: 10)
        fixture.advance(2)
        #expect(fixture.race.lanes.allSatisfy { $0.session == nil && $0.falseStarts == 0 })
        #expect(statuses(fixture) == ["waiting", "waiting", "waiting"])
        fixture.finish(1, time: 42, distance: 180, isComplete: false, session: "old")
        fixture.arm()
        #expect(statuses(fixture) == ["armed", "armed", "armed"])
        fixture.advance(9)
        for erg in 1...3 { fixture.row(erg, elapsed: 0.5) }
        fixture.advance(0.5)
        #expect(statuses(fixture) == ["rowing", "rowing", "rowing"])
        #expect(fixture.race.lanes.map(\.session) == ["S1", "S2", "S3"])
    }

    @Test mutating func recallResetsTheRaceButKeepsFalseStarts() throws {
        fixture.arm()
        fixture.beginCountdown(in: 10)
        fixture.advance(9)
        fixture.row(1, elapsed: 0.5)
        fixture.advance(0.1)
        var isRecalled = fixture.race.recall(at: fixture.now)
        #expect(isRecalled && fixture.race.phase == .ready && fixture.race.signal == nil)
        fixture.advance(1)
        #expect(statuses(fixture) == ["waiting", "armed", "armed"])
        // The recalled piece ends; its summary is not a result of the race.
        fixture.finish(1, time: 3, distance: 8, isComplete: false)
        fixture.arm()
        #expect(statuses(fixture) == ["armed", "armed", "armed"])
        fixture.beginCountdown(in: 5)
        fixture.advance(5.5)
        for erg in 1...3 { fixture.row(erg, elapsed: 0.3, session: "B\(erg)") }
        fixture.advance(0.2)
        #expect(statuses(fixture) == ["rowing", "rowing", "rowing"])
        #expect(fixture.race.lanes.map(\.falseStarts) == [1, 0, 0])
        #expect(fixture.race.lanes.map(\.earlyBy) == [nil, nil, nil])
        #expect(fixture.race.lanes.map(\.session) == ["B1", "B2", "B3"])
        _ = fixture.race.end(at: fixture.now)
        isRecalled = fixture.race.recall(at: fixture.now)
        #expect(!isRecalled)
    }

    @Test mutating func lateStartersDidNotStart() throws {
        // The second erg's radio reconnects after the limit, and its elapsed time proves a start in time.
        fixture.arm()
        fixture.beginCountdown(in: 5)
        fixture.advance(6)
        fixture.row(1, elapsed: 0.5)
        fixture.advance(28.5)
        #expect(statuses(fixture) == ["rowing", "armed", "armed"])
        fixture.advance(1)
        #expect(statuses(fixture) == ["rowing", "did_not_start", "did_not_start"])
        fixture.row(2, elapsed: 28)
        fixture.row(3, elapsed: 0.3)
        fixture.advance(0.5)
        #expect(statuses(fixture) == ["rowing", "rowing", "did_not_start"])
    }

    @Test mutating func scratchIsFinalBeforeAndDuringTheRace() throws {
        fixture.arm()
        let places = fixture.race.lanes.map(\.place)
        var isOut = fixture.race.scratch(places[0])
        #expect(isOut)
        isOut = fixture.race.scratch(places[0])
        #expect(!isOut)
        fixture.beginCountdown(in: 5)
        fixture.advance(6)
        for erg in 1...3 { fixture.row(erg, elapsed: 0.5) }
        fixture.advance(10)
        isOut = fixture.race.scratch(places[2])
        #expect(isOut && statuses(fixture) == ["scratched", "rowing", "scratched"])
        fixture.advance(420)
        for erg in 1...3 { fixture.finish(erg, time: 400 + erg) }
        fixture.advance(1)
        #expect(fixture.race.phase == .over)
        #expect(fixture.race.results.map(\.place) == [1, nil, nil])
        #expect(fixture.race.lanes[2].result == nil)
        isOut = fixture.race.scratch(places[1])
        #expect(!isOut)
    }

    @Test mutating func disqualificationTakesThePlaceAndCanBeUndone() throws {
        fixture.start()
        let places = fixture.race.lanes.map(\.place)
        for erg in 1...3 { fixture.row(erg, elapsed: 0.5) }
        fixture.advance(10)
        var isChanged = fixture.race.setDisqualified(places[0], true)
        #expect(!isChanged, "only after the race")
        fixture.advance(420)
        for erg in 1...3 { fixture.finish(erg, time: 400 + erg) }
        fixture.advance(1)
        isChanged = fixture.race.setDisqualified(places[0], true)
        #expect(isChanged)
        isChanged = fixture.race.setDisqualified(places[0], true)
        #expect(!isChanged, "it is disqualified already")
        #expect(fixture.race.results.map(\.place) == [1, 2, nil])
        #expect(fixture.race.results[0].lane.place == places[1])
        let out = fixture.race.results[2].lane
        #expect(out.standing == "disqualified" && out.result != nil && out.status == .finished)
        // The decision survives a restart, and what it replaced too.
        let clock = WallClock(bootID: "b", unixMillisecondsAtBoot: 1_788_627_000_000, isSynchronized: true)
        let stored = JSONWriter.object { fixture.race.write(to: &$0, clock) }
        let fields = try #require(try JSONObject(parsing: stored))
        let restored = try #require(Race(stored: fields, clock))
        #expect(restored.lanes.map(\.standing) == ["disqualified", "finished", "finished"])
        #expect(restored.lanes[0].status == .finished)
        isChanged = fixture.race.setDisqualified(places[0], false)
        #expect(isChanged && fixture.race.results.map(\.place) == [1, 2, 3])
        isChanged = fixture.race.setDisqualified(LiveBoard.Place(gateway: places[0].gateway, erg: nil), true)
        #expect(!isChanged, "it is not in the race")
    }

    @Test mutating func acceptsALateResultAfterALostLink() throws {
        // One erg sends nothing after the start. Its summary arrives after the coach has ended the race.
        fixture.start()
        fixture.advance(450)
        for erg in 1...2 { fixture.finish(erg, time: 440 + erg) }
        fixture.advance(60)
        #expect(statuses(fixture) == ["finished", "finished", "rowing"])
        let hasEnded = fixture.race.end(at: fixture.now)
        #expect(hasEnded && statuses(fixture)[2] == "did_not_finish")
        fixture.finish(3, time: 430)
        fixture.advance(1)
        #expect(fixture.race.results.map(\.place) == [1, 2, 3])
        #expect(fixture.race.results[0].lane.place.erg?.slug == "e-3")
    }

    @Test mutating func derivesAMissedStartFromTheResult() throws {
        // Only the last summary of one erg is received, long after the others have finished.
        fixture.arm()
        fixture.beginCountdown(in: 5)
        fixture.advance(6)
        for erg in 1...2 { fixture.row(erg, elapsed: 0.5) }
        fixture.advance(450)
        for erg in 1...2 { fixture.finish(erg, time: 440 + erg) }
        fixture.advance(1)
        #expect(fixture.race.phase == .over && statuses(fixture)[2] == "did_not_start")
        fixture.finish(3, time: 443, session: "S3")
        fixture.advance(1)
        #expect(statuses(fixture)[2] == "finished")
        #expect(fixture.race.lanes[2].earlyBy == nil && fixture.race.results.map(\.place) == [1, 2, 3])
    }

    @Test mutating func newerRevisionReplacesTheResult() throws {
        // Revision 1, revision 2 with another time, revision 1 again, and the summary of another piece.
        fixture.start()
        fixture.advance(450)
        for erg in 1...3 { fixture.finish(erg, time: 440 + erg) }
        fixture.advance(1)
        #expect(fixture.race.results.first?.lane.place.erg?.slug == "e-1")
        fixture.finish(3, time: 439, revision: 2)
        fixture.advance(1)
        #expect(fixture.race.results.first?.lane.place.erg?.slug == "e-3")
        fixture.finish(3, time: 500)
        fixture.finish(1, time: 100, session: "later")
        fixture.advance(1)
        #expect(fixture.race.results.first?.lane.result?.centiseconds == 43900)
        #expect(fixture.race.lanes[0].result?.centiseconds == 44100)
    }

    @Test mutating func distanceDecidesATimedPiece() throws {
        fixture = RaceFixture(ergs: 3, .time(seconds: 240))
        fixture.arm()
        #expect(statuses(fixture) == ["armed", "armed", "armed"])
        fixture.beginCountdown(in: 5)
        fixture.advance(6)
        for erg in 1...3 { fixture.row(erg, elapsed: 0.5) }
        fixture.advance(240)
        fixture.finish(1, time: 240, distance: 1100)
        fixture.finish(2, time: 240, distance: 1180)
        fixture.finish(3, time: 200, distance: 1190, isComplete: false)
        fixture.advance(1)
        #expect(fixture.race.phase == .over)
        #expect(fixture.race.results.map(\.lane.place.erg?.slug) == ["e-2", "e-1", "e-3"])
        #expect(fixture.race.results.map(\.place) == [1, 2, nil])
    }

    @Test mutating func aResultWithoutItsEndDoesNotRank() throws {
        fixture = RaceFixture(ergs: 3)
        fixture.start()
        fixture.advance(500)
        fixture.finish(1, time: 400, isPartial: true)
        fixture.finish(2, time: 431)
        fixture.finish(3, time: 425)
        fixture.advance(1)
        #expect(statuses(fixture) == ["did_not_finish", "finished", "finished"])
        #expect(fixture.race.results.map(\.place) == [1, 2, nil])
        // The monitor's own result arrived with a later link.
        fixture.finish(1, time: 429, revision: 2)
        fixture.advance(1)
        #expect(fixture.race.results.map(\.lane.place.erg?.slug) == ["e-3", "e-1", "e-2"])
    }

    @Test mutating func raceEndsAtTheTimeLimit() throws {
        fixture.start()
        fixture.advance(4 * 3600)
        #expect(fixture.race.phase == .over)
        #expect(statuses(fixture) == ["did_not_finish", "did_not_finish", "did_not_finish"])
    }

    @Test mutating func restoresARaceInEveryPhase() throws {
        func restored() throws -> Race {
            let bytes = JSONWriter.object { fixture.race.write(to: &$0, fixture.clock) }
            let fields = try #require(try JSONObject(parsing: bytes))
            return try #require(Race(stored: fields, fixture.clock))
        }
        fixture.race = Race(
            fixture.race.id,
            RaceSettings(
                name: "final", piece: .distance(meters: 2000),
                paceBoat: .init(centisecondsPer500m: 10865, name: "record"), hasFixedLanes: true,
                sender: "anna"), fixture.race.lanes.map(\.place), at: fixture.now)
        #expect(try restored() == fixture.race)
        fixture.arm()
        fixture.beginCountdown(in: 10)
        fixture.advance(9)
        fixture.row(1, elapsed: 0.5)
        fixture.advance(0.5)
        #expect(try restored() == fixture.race)
        fixture.race = try restored()
        fixture.advance(2)
        for erg in 2...3 { fixture.row(erg, elapsed: 0.5) }
        fixture.advance(0.5)
        #expect(try restored() == fixture.race && statuses(fixture) == ["rowing", "rowing", "rowing"])
        fixture.race = try restored()
        for erg in 1...3 { fixture.finish(erg, time: 440 + erg) }
        fixture.advance(1)
        #expect(fixture.race.phase == .over && fixture.race.lanes[0].falseStarts == 1)
        #expect(try restored() == fixture.race)
        #expect(Race(stored: .empty, fixture.clock) == nil)
    }

    @Test mutating func csvHasARowForEachErg() throws {
        // One rower's name is a formula, which is escaped.
        fixture.arm(names: ["=1+1", "Anna, the \"first\"", "Li"])
        fixture.beginCountdown(in: 5)
        fixture.advance(4)
        fixture.row(1, elapsed: 0.5)
        fixture.advance(2)
        fixture.row(2, elapsed: 0.5)
        fixture.advance(450)
        fixture.finish(1, time: 441.32)
        fixture.finish(2, time: 100, distance: 512.5, isComplete: false)
        fixture.advance(1)
        let text = String(decoding: RaceResultsCSV.bytes(of: fixture.race, names: .init()), as: UTF8.self)
        let lines = text.split(separator: "\r\n").map(String.init)
        #expect(lines.count == 4 && lines[0] == RaceResultsCSV.columns.joined(separator: ","))
        #expect(
            lines[1]
                == "1,1,b,e-1,,'=1+1,finished,441.32,2000.0,110.33,261,27,true,1,1.500,-1.500,S1,")
        #expect(
            lines[2]
                == #",2,b,e-2,,"Anna, the ""first""",did_not_finish,100.00,512.5,97.56,261,27,true,0,"#
                + ",0.500,S2,")
        #expect(lines[3] == ",3,b,e-3,,Li,did_not_start,,,,,,,0,,,,")
    }

    /// A gateway publishes names only if its configuration says so; coaches know them from the profiles.
    @Test mutating func csvHasTheNamesThatCoachesKnow() throws {
        fixture.arm(athletes: ["anna", "ben"])
        let names = AthleteNames([try AthleteProfile(id: "anna", name: "Anna Meier")])
        let text = String(decoding: RaceResultsCSV.bytes(of: fixture.race, names: names), as: UTF8.self)
        #expect(text.contains(",b,e-1,anna,Anna Meier,") && text.contains(",b,e-2,ben,,"), "\(text)")
    }
}

/// A race and the messages of its ergs on a board.
struct RaceFixture {
    static let piece = #""session_type":"distance","target_distance_m":2000.0"#

    private(set) var now = BootInstant(nanoseconds: 0).advanced(by: .seconds(1000))
    let clock = WallClock(
        bootID: "b", unixMillisecondsAtBoot: 1_790_000_000_000, isSynchronized: true)
    private var board: LiveBoard
    var race: Race
    private var names: [String] = []
    private var athletes: [String] = []

    init(ergs: Int, _ piece: RaceSettings.Piece = .distance(meters: 2000)) {
        board = LiveBoard(at: now)
        let places = (1...ergs).compactMap { number in
            GatewayID("b").map { LiveBoard.Place(gateway: $0, erg: StationID("e-\(number)")) }
        }
        race = Race(
            "R", RaceSettings(name: "", piece: piece, paceBoat: nil, sender: "anna"), places, at: now)
        for erg in 1...ergs { publish("state", erg, #""state":"idle""#) }
    }

    var signal: BootInstant { race.signal ?? now }

    /// Advances the time by some seconds and updates the race.
    mutating func advance(_ seconds: Double) {
        now = now.advanced(by: .milliseconds(Int64((seconds * 1000).rounded())))
        updateRace()
    }

    private mutating func updateRace() {
        race.advance(to: now) { [board] in board.places[$0].flatMap { ErgSnapshot($0.messages) } }
    }

    mutating func publish(_ kind: String, _ erg: Int, _ fields: String) {
        let text = #"{"v":1,"kind":"\#(kind)","gw":"b","erg":"e-\#(erg)",\#(fields)}"#
        let outcome = board.apply(
            Array(text.utf8), topic: "rowgate/v1/b/erg/e-\(erg)/\(kind)", isRetained: false,
            at: now,
            clock: clock)
        precondition(outcome == .applied, "\(outcome): \(text)")
    }

    private func athleteField(_ erg: Int) -> String {
        let name = erg <= names.count ? #","athlete_name":\#(JSONWriter.text(names[erg - 1]))"# : ""
        return name + (erg <= athletes.count ? #","athlete_id":"\#(athletes[erg - 1])""# : "")
    }

    /// Sets the monitors of all active lanes to the piece.
    mutating func arm(names: [String] = [], athletes: [String] = []) {
        (self.names, self.athletes) = (names, athletes)
        let target =
            switch race.settings.piece {
            case .distance: Self.piece
            case .time(let seconds): #""session_type":"time","target_time_s":\#(seconds).0"#
            }
        for erg in 1...race.lanes.count where race.lanes[erg - 1].status != .scratched {
            publish("state", erg, #""state":"ready",\#(target)"# + athleteField(erg))
        }
        updateRace()
    }

    mutating func beginCountdown(in seconds: Int) {
        precondition(race.begin(in: .seconds(seconds), at: now))
    }

    /// Sets all monitors, runs the countdown, and starts all ergs half a second after the signal.
    mutating func start() {
        arm()
        beginCountdown(in: 5)
        advance(6)
        for erg in 1...race.lanes.count { row(erg, elapsed: 0.5) }
    }

    /// Publishes that an erg rows and its monitor shows these seconds.
    mutating func row(_ erg: Int, elapsed: Double, session: String? = nil) {
        publish(
            "state", erg,
            #""state":"rowing","session_id":"\#(session ?? "S\(erg)")",\#(Self.piece)"# + athleteField(erg))
        publish("live", erg, #""state":"rowing","live_seq":1,"elapsed_s":\#(elapsed),"distance_m":1.0"#)
    }

    mutating func finish(
        _ erg: Int, time: Double, distance: Double = 2000, isComplete: Bool = true,
        revision: Int = 1, session: String? = nil, isPartial: Bool = false
    ) {
        let id = session ?? race.lanes[erg - 1].session ?? race.lanes[erg - 1].earlierSession ?? "-"
        let pace = Double(Int((time / distance * 50000).rounded())) / 100
        let ended = clock.unixMilliseconds(at: now)
        if session != "later" {
            publish(
                "state", erg, #""state":"finished","session_id":"\#(id)",\#(Self.piece)"# + athleteField(erg)
            )
        }
        publish(
            "last_summary", erg,
            #""session_id":"\#(id)","revision":\#(revision),"complete":\#(isComplete),"#
                + #""ended_ms":\#(ended),"\#(isPartial ? "received" : "result")_time_s":\#(time),"#
                + #""\#(isPartial ? "received_" : "")distance_m":\#(distance),"#
                + #""avg_pace_s_per_500m":\#(pace),"avg_power_w":261,"avg_stroke_rate_spm":27,"machine_type":"bike","#
                + (isPartial ? #""partial_result":true"# : #""verified_against_pm5":true"#))
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
