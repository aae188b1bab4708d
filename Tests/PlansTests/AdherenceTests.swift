import Bests
import Bytes
import Contract
import TestSupport
import Testing

@testable import Plans

/// What became of a plan.
@Suite struct AdherenceTests {
    private typealias Parts = [(metres: Int64, seconds: Int64)]

    private func adherence(
        _ workouts: [String], _ pieces: [PieceFigures], today: String = "2026-12-02"
    ) throws -> Adherence {
        let plan = try MadePlan.plan(
            workouts.map { try PlannedWorkout(day: "2026-12-01", workout: $0) })
        return Adherence(to: plan, of: pieces, today: TrainingDay.day(today))
    }

    /// `done 100`, `partly 75 fewer_intervals`, of one workout and one session.
    private func verdict(
        _ workout: String, _ shape: PieceParts.Shape, _ parts: Parts, kilocalories: Int64? = nil
    ) throws -> String {
        let piece = MadePlan.piece(1, shape, parts, kilocalories: kilocalories)
        let item = try #require(try adherence([workout], [piece]).days.first?.items.first)
        let reasons = item.reasons.map { " \($0.rawValue)" }.joined()
        #expect((item.session == nil) == (item.verdict == .missed))
        return item.verdict.rawValue + (item.session == nil ? "" : " \(item.share)") + reasons
    }

    @Test func aPieceIsHeldAgainstItsLength() throws {
        // Goal: done is what a rower calls done. Method: lengths at and beside each limit, in each unit.
        for (workout, metres, seconds, expected) in [
            ("2000m", 2000, 420, "done 100"), ("2000m", 1900, 400, "done 95"),
            ("2000m", 1899, 400, "partly 94 shorter"), ("2000m", 2100, 440, "done 100"),
            ("2000m", 2101, 440, "partly 100 longer"), ("2000m", 4000, 900, "partly 100 longer"),
            ("2000m", 4020, 900, "missed"), ("2000m", 500, 100, "partly 25 shorter"),
            ("2000m", 499, 100, "missed"), ("30:00", 7000, 1800, "done 100"),
            ("30:00", 7000, 1710, "done 95"), ("30:00", 7000, 1700, "partly 94 shorter"),
            ("2000m@1:50-1:55", 2000, 700, "done 100"), ("just-row", 200, 60, "done 100"),
            ("just-row", 200, 59, "missed"),
        ] as [(String, Int64, Int64, String)] {
            let found = try verdict(workout, .piece, [(metres, seconds)])
            #expect(found == expected, "\(workout) \(metres) m \(seconds) s")
        }
        #expect(try verdict("100cal", .piece, [(1500, 400)], kilocalories: 96) == "done 96")
        #expect(try verdict("100cal", .piece, [(1500, 400)]) == "missed")
    }

    @Test func aMachineThatIsNamedCounts() throws {
        // Goal: who is to ski has not done it by rowing, and where nobody says a machine any will do.
        // Method: the same piece on each machine, against each that may be asked for.
        for asked in [""] + MachineKind.allCases.map(\.rawValue) {
            for machine in MachineKind.allCases {
                let plan = try MadePlan.plan([
                    PlannedWorkout(day: "2026-12-01", workout: "2000m", machine: asked)
                ])
                let day = Adherence(
                    to: plan, of: [MadePlan.piece(1, .piece, [(2000, 480)], on: machine)],
                    today: TrainingDay.day("2026-12-02")
                ).days.first
                let isIt = asked.isEmpty || asked == machine.rawValue
                #expect(day?.items.map(\.verdict) == [isIt ? .done : .missed])
                #expect(day?.extra.count == (isIt ? 0 : 1))
            }
        }
    }

    @Test func intervalsAreCounted() throws {
        // Goal: each interval and their number count. Method: the same workout with one less, one more,
        // one short, in one piece, and the other way round.
        let one: (Int64, Int64) = (500, 105)
        let four = Array(repeating: one, count: 4)
        let workout = "4x500m/1:00r"
        #expect(try verdict(workout, .intervals, four) == "done 100")
        #expect(
            try verdict(workout, .intervals, Array(four.dropLast())) == "partly 75 fewer_intervals")
        #expect(try verdict(workout, .intervals, four + [one]) == "partly 100 more_intervals")
        #expect(
            try verdict(workout, .intervals, four.dropLast() + [(300, 60)]) == "partly 90 shorter")
        #expect(
            try verdict(workout, .intervals, four.dropLast() + [(600, 60)]) == "partly 100 longer")
        #expect(try verdict(workout, .intervals, []) == "missed")
        #expect(try verdict(workout, .piece, [(2000, 400)]) == "partly 100 other_form")
        #expect(try verdict(workout, .piece, [(400, 80)]) == "missed")
        #expect(try verdict("2000m", .intervals, four) == "partly 100 other_form")
        #expect(
            try verdict("500m/1:00r+2:00/1:00r", .intervals, [(505, 110), (600, 120)]) == "done 100"
        )
        #expect(try verdict("500m/1:00r+2:00/1:00r", .piece, [(1100, 240)]) == "missed")
    }

    @Test func eachSessionCountsOnceAndTheOrderOfNoneCounts() throws {
        // Goal: the same sessions give the same answer. Method: two workouts and a row without an end
        // beside four sessions of the day, in every order that is drawn.
        let pieces = [
            MadePlan.piece(1, .piece, [(1500, 400)], hour: 8),
            MadePlan.piece(2, .piece, [(2000, 420)], hour: 9),
            MadePlan.piece(3, .intervals, Array(repeating: (500, 105), count: 4), hour: 10),
            MadePlan.piece(4, .piece, [(800, 200)], hour: 11),
            MadePlan.piece(5, .piece, [(100, 20)], hour: 12),
            MadePlan.piece(6, .piece, [(2000, 420)], hour: 40),
        ]
        let expected = try adherence(["just-row", "2000m", "4x500m/1:00r"], pieces)
        let day = try #require(expected.days.first)
        #expect(expected.days.count == 1)
        #expect(day.items.map(\.session) == [1, 2, 3].map(MadePlan.name))
        #expect(day.items.allSatisfy { $0.verdict == .done })
        #expect(day.extra.map(\.session) == [MadePlan.name(4)])
        #expect(expected.counts() == [.done: 3])
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<50 {
            let shuffled = pieces.shuffled(using: &generator)
            #expect(try adherence(["just-row", "2000m", "4x500m/1:00r"], shuffled) == expected)
        }
    }

    @Test func daysBeginAndEndInUTC() throws {
        // Goal: a session is of the day it began on. Method: one in the first and in the last hour of
        // the day, one before and one behind; the day as it goes on, and over.
        for (hour, isOfDay) in [(0, true), (23, true), (-1, false), (24, false)] as [(Int64, Bool)]
        {
            let piece = MadePlan.piece(1, .piece, [(2000, 420)], hour: hour)
            let item = try #require(try adherence(["2000m"], [piece]).days.first?.items.first)
            #expect(item.verdict == (isOfDay ? .done : .missed), "\(hour)")
        }
        #expect(try adherence(["2000m"], [], today: "2026-12-01").counts() == [.ahead: 1])
        #expect(try adherence(["2000m"], [], today: "2026-12-02").counts() == [.missed: 1])
        let piece = MadePlan.piece(1, .piece, [(2000, 420)])
        #expect(try adherence(["2000m"], [piece], today: "2026-12-01").counts() == [.done: 1])
    }

    @Test func whatIsErasedOrCorrectedChangesIt() throws {
        // Goal: nothing rests on a session that is no more. Method: two like sessions, the better one
        // erased; one that turns out to be shorter.
        let (good, other) = (
            MadePlan.piece(1, .piece, [(2000, 420)]), MadePlan.piece(2, .piece, [(1500, 400)])
        )
        let both = try adherence(["2000m"], [good, other])
        #expect(both.days[0].items[0].session == MadePlan.name(1))
        #expect(both.days[0].extra.map(\.session) == [MadePlan.name(2)])
        let erased = try adherence(["2000m"], [other])
        #expect(erased.days[0].items[0].session == MadePlan.name(2))
        #expect(erased.counts() == [.partly: 1] && erased.days[0].extra.isEmpty)
        let corrected = try adherence(["2000m"], [MadePlan.piece(1, .piece, [(1000, 200)]), other])
        #expect(corrected.days[0].items[0].session == MadePlan.name(2))
    }

    @Test func itIsToldWithItsReasons() throws {
        // Goal: programs and pages get the session, the share and the rule. Method: one day as JSON.
        let told = try adherence(
            ["2000m"],
            [MadePlan.piece(1, .piece, [(1500, 400)]), MadePlan.piece(2, .piece, [(300, 70)])])
        let text = String(decoding: JSONWriter.object(told.write), as: UTF8.self)
        let inputs = #""gw":"boathouse","session_id":"01JD8Z3V5Q000000000000000"#
        #expect(
            text == #"{"kind":"computed","formula":"\#(Adherence.formula)","#
                + #""counts":{"done":0,"partly":1,"missed":0,"ahead":0},"days":[{"day":"2026-12-01","#
                + #""workouts":[{"id":"20261201-1","day":"2026-12-01","workout":"2000m","#
                + #""verdict":"partly","share_pct":75,"reasons":["shorter"],"session":{\#(inputs)1"}}],"#
                + #""extra":[{\#(inputs)2","time_s":70.00,"distance_m":300.0}]}]}"#)
    }

    @Test func aPlanIsStoredWhole() throws {
        // Goal: what a store gives back is what it got. Method: an awkward plan to JSON and back; text
        // that a disk has spoiled.
        let plan = try MadePlan.awkward()
        let bytes = JSONWriter.object(plan.write)
        #expect(try TrainingPlan(stored: bytes, id: "winter") == plan)
        #expect(throws: PlanFault.self) {
            try TrainingPlan(stored: Array(#"{"workouts":[{"day":"x"}]}"#.utf8), id: "winter")
        }
    }
}
