import Bests
import Bytes
import Contract
import TestSupport
import Testing

@testable import Plans

/// The comparison of a plan with sessions.
@Suite struct AdherenceTests {
    private typealias Parts = [(metres: Int64, seconds: Int64)]

    private func adherence(
        _ workouts: [String], _ pieces: [PieceMetrics], today: String = "2026-12-02"
    ) throws -> Adherence {
        let plan = try SyntheticPlan.plan(
            workouts.map { try PlannedWorkout(day: "2026-12-01", workout: $0) })
        return Adherence(to: plan, of: pieces, today: TrainingDay.day(today))
    }

    /// The verdict, share and reasons of one workout with one session: `done 100`, `partly 75
    /// fewer_intervals`.
    private func verdict(
        _ workout: String, _ shape: PieceStructure.Shape, _ parts: Parts, kilocalories: Int64? = nil
    ) throws -> String {
        let piece = SyntheticPlan.piece(1, shape, parts, kilocalories: kilocalories)
        let item = try #require(try adherence([workout], [piece]).days.first?.items.first)
        let reasons = item.reasons.map { " \($0.rawValue)" }.joined()
        #expect((item.session == nil) == (item.verdict == .missed))
        return item.verdict.rawValue + (item.session == nil ? "" : " \(item.share)") + reasons
    }

    @Test func comparesPiecesByLength() throws {
        // Lengths at the limits and just beyond, in each unit.
        for (workout, metres, seconds, expected) in [
            ("2000m", 2000, 420, "done 100"), ("2000m", 1900, 400, "done 95"),
            ("2000m", 1899, 400, "partly 94 shorter"), ("2000m", 2100, 440, "done 100"),
            ("2000m", 2101, 440, "partly 100 longer"), ("2000m", 4000, 900, "partly 100 longer"),
            ("2000m", 4020, 900, "missed"), ("2000m", 500, 100, "partly 25 shorter"),
            ("2000m", 499, 100, "missed"), ("30:00", 7000, 1800, "done 100"),
            ("30:00", 7000, 1710, "done 95"), ("30:00", 7000, 1700, "partly 94 shorter"),
            ("2000m@1:50-1:55", 2000, 700, "done 100"), ("just-row", 200, 60, "done 100"),
            ("2000m@2k+12", 2000, 700, "done 100"),
            ("just-row", 200, 59, "missed"),
        ] as [(String, Int64, Int64, String)] {
            let found = try verdict(workout, .piece, [(metres, seconds)])
            #expect(found == expected, "\(workout) \(metres) m \(seconds) s")
        }
        #expect(try verdict("100cal", .piece, [(1500, 400)], kilocalories: 96) == "done 96")
        #expect(try verdict("100cal", .piece, [(1500, 400)]) == "missed")
    }

    @Test func requiresThePlannedMachine() throws {
        for planned in [""] + MachineKind.allCases.map(\.rawValue) {
            for machine in MachineKind.allCases {
                let plan = try SyntheticPlan.plan([
                    PlannedWorkout(day: "2026-12-01", workout: "2000m", machine: planned)
                ])
                let day = Adherence(
                    to: plan, of: [SyntheticPlan.piece(1, .piece, [(2000, 480)], on: machine)],
                    today: TrainingDay.day("2026-12-02")
                ).days.first
                let isIt = planned.isEmpty || planned == machine.rawValue
                #expect(day?.items.map(\.verdict) == [isIt ? .done : .missed])
                #expect(day?.extra.count == (isIt ? 0 : 1))
            }
        }
    }

    @Test func comparesIntervals() throws {
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

    @Test func matchesEachSessionOnceInAnyOrder() throws {
        // Three workouts and sessions of the day, in random order.
        let pieces = [
            SyntheticPlan.piece(1, .piece, [(1500, 400)], hour: 8),
            SyntheticPlan.piece(2, .piece, [(2000, 420)], hour: 9),
            SyntheticPlan.piece(3, .intervals, Array(repeating: (500, 105), count: 4), hour: 10),
            SyntheticPlan.piece(4, .piece, [(800, 200)], hour: 11),
            SyntheticPlan.piece(5, .piece, [(100, 20)], hour: 12),
            SyntheticPlan.piece(6, .piece, [(2000, 420)], hour: 40),
        ]
        let expected = try adherence(["just-row", "2000m", "4x500m/1:00r"], pieces)
        let day = try #require(expected.days.first)
        #expect(expected.days.count == 1)
        #expect(day.items.map(\.session) == [1, 2, 3].map(SyntheticPlan.name))
        #expect(day.items.allSatisfy { $0.verdict == .done })
        #expect(day.extra.map(\.session) == [SyntheticPlan.name(4)])
        #expect(expected.counts() == [.done: 3])
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<50 {
            let shuffled = pieces.shuffled(using: &generator)
            #expect(try adherence(["just-row", "2000m", "4x500m/1:00r"], shuffled) == expected)
        }
    }

    @Test func countsSessionsForTheDayOfTheirStart() throws {
        for (hour, isOfDay) in [(0, true), (23, true), (-1, false), (24, false)] as [(Int64, Bool)] {
            let piece = SyntheticPlan.piece(1, .piece, [(2000, 420)], hour: hour)
            let item = try #require(try adherence(["2000m"], [piece]).days.first?.items.first)
            #expect(item.verdict == (isOfDay ? .done : .missed), "\(hour)")
        }
        #expect(try adherence(["2000m"], [], today: "2026-12-01").counts() == [.upcoming: 1])
        #expect(try adherence(["2000m"], [], today: "2026-12-02").counts() == [.missed: 1])
        let piece = SyntheticPlan.piece(1, .piece, [(2000, 420)])
        #expect(try adherence(["2000m"], [piece], today: "2026-12-01").counts() == [.done: 1])
    }

    @Test func updatesAfterAnErasureOrCorrection() throws {
        let (good, other) = (
            SyntheticPlan.piece(1, .piece, [(2000, 420)]), SyntheticPlan.piece(2, .piece, [(1500, 400)])
        )
        let both = try adherence(["2000m"], [good, other])
        #expect(both.days[0].items[0].session == SyntheticPlan.name(1))
        #expect(both.days[0].extra.map(\.session) == [SyntheticPlan.name(2)])
        let erased = try adherence(["2000m"], [other])
        #expect(erased.days[0].items[0].session == SyntheticPlan.name(2))
        #expect(erased.counts() == [.partly: 1] && erased.days[0].extra.isEmpty)
        let corrected = try adherence(["2000m"], [SyntheticPlan.piece(1, .piece, [(1000, 200)]), other])
        #expect(corrected.days[0].items[0].session == SyntheticPlan.name(2))
    }

    @Test func writesVerdictsWithReasons() throws {
        let result = try adherence(
            ["2000m"],
            [SyntheticPlan.piece(1, .piece, [(1500, 400)]), SyntheticPlan.piece(2, .piece, [(300, 70)])])
        let text = String(decoding: JSONWriter.object(result.write), as: UTF8.self)
        let inputs = #""gw":"boathouse","session_id":"01JD8Z3V5Q000000000000000"#
        #expect(
            text == #"{"kind":"computed","formula":"\#(Adherence.formula)","#
                + #""counts":{"done":0,"partly":1,"missed":0,"ahead":0},"days":[{"day":"2026-12-01","#
                + #""workouts":[{"id":"20261201-1","day":"2026-12-01","workout":"2000m","#
                + #""verdict":"partly","share_pct":75,"reasons":["shorter"],"session":{\#(inputs)1"}}],"#
                + #""extra":[{\#(inputs)2","time_s":70.00,"distance_m":300.0}]}]}"#)
    }

    @Test func readsStoredPlans() throws {
        let plan = try SyntheticPlan.awkward()
        let bytes = JSONWriter.object(plan.write)
        #expect(try TrainingPlan(stored: bytes, id: "winter") == plan)
        #expect(throws: PlanFault.self) {
            try TrainingPlan(stored: Array(#"{"workouts":[{"day":"x"}]}"#.utf8), id: "winter")
        }
    }
}
