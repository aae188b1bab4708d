import TestSupport
import Testing

@testable import Plans

/// A plan as CSV.
@Suite struct PlanTableTests {
    private func read(_ text: String) throws -> [PlannedWorkout] {
        try PlanTable.workouts(in: Array(text.utf8))
    }

    private func fault(_ text: String) -> String {
        do {
            _ = try SyntheticPlan.plan(try read(text))
            return ""
        } catch { return "\(error)" }
    }

    @Test func readsItsOwnOutput() throws {
        let plan = try SyntheticPlan.awkward()
        #expect(try SyntheticPlan.plan(try PlanTable.workouts(in: PlanTable.bytes(of: plan))) == plan)
        #expect(plan.workouts.map(\.id) == ["free", "20261201-1", "20261201-2", "20280229-1"])
        #expect(plan.group.athletes == ["anna", "ben"])
    }

    @Test func acceptsOnlyValidAthleteIDs() throws {
        func group(_ ids: [String]) throws -> [String] {
            try TrainingPlan(
                id: "winter", title: "Winter", group: TrainingPlan.Group(athletes: ids), []
            ).group.athletes
        }
        #expect(try group(AthleteIDs.valid) == AthleteIDs.valid.sorted())
        for id in AthleteIDs.invalid {
            #expect(throws: PlanFault.self, "\(id)") { try group([id]) }
        }
    }

    @Test func readsTablesOfOtherPrograms() throws {
        // Tables with semicolons, a byte order mark, carriage returns, reordered or upper-case columns, and
        // empty lines.
        let expected = try read("day,workout,name\n2026-12-01,2000m,Test\n")
        for text in [
            "day;workout;name\r\n2026-12-01;2000m;Test\r\n",
            "\u{FEFF}Day,Workout,Name\n2026-12-01,2000m,Test",
            "day,workout,name\r2026-12-01,2000m,Test\r",
            "NAME,day,workout\n Test , 2026-12-01 ,2000m\n,,\n\n",
            "\"day\",\"workout\",\"name\"\n\"2026-12-01\",\"2000m\",\"Test\"\n",
            "day,workout,name,note,id\n2026-12-01,2000m,Test\n",
        ] {
            let found = try SyntheticPlan.plan(try read(text))
            #expect(found == (try SyntheticPlan.plan(expected)), "\(text)")
        }
        #expect(expected.count == 1 && expected[0].name == "Test")
    }

    @Test(arguments: [
        ("", "the file is empty; begin with the header day,workout,machine,name,note,id"),
        ("day\n2026-12-01\n", "line 1: the column workout is missing; use the columns day,workout"),
        ("day,workout,wrokout\n", #"line 1, column 3: unknown column "wrokout"; use the"#),
        ("day,workout,day\n", "line 1, column 3: the column day appears twice; remove one"),
        (
            "day,workout\n2026-12-01,2000m\n1.12.2026,2000m\n",
            #"line 3, column 1 (day): "1.12.2026" is not a valid day; write it as 2026-12-01"#
        ),
        (
            "workout,day\n200,2026-12-01\n",
            #"line 2, column 1 (workout): "200" is not a valid workout; write"#
        ),
        ("day,workout\n2026-12-01,50m\n", "line 2, column 2 (workout): "),
        ("day,workout\n2026-12-01,2000m@1:50\n", "line 2, column 2 (workout): the target '1:50'"),
        ("day,workout\n2026-12-01,2000m,easy\n", "line 2, column 3: there are 3 cells but 2"),
        ("day,workout\n\"2026-12-01,2000m\n", "line 2, column 1: the text has no closing quote"),
        ("day,workout\n\"2026\"-12,2000m\n", "line 2, column 1: text follows the closing"),
        (
            "day,workout,note\n2026-12-01,2000m,\"a\nb\"\n2026-12-02,2000m,\u{7}\n",
            "line 4, column 3 (note): it has a control character"
        ),
        (
            "day,workout,machine\n2026-12-01,2000m,Ski\n2026-12-01,2000m,skierg\n",
            #"line 3, column 3 (machine): "skierg" is not a valid machine; use rower, ski, bike, or leave"#
        ),
        ("day,workout,id\n2026-12-01,2000m,A\n", #"line 2, column 3 (id): "A" is not a valid id; use"#),
        (
            "day,workout,id\n2026-12-01,2000m,a\n2026-12-02,2000m,a\n",
            #"line 3: two workouts have the id "a"; change or remove the second id"#
        ),
        (
            "day,workout\n" + String(repeating: "2026-12-01,2000m\n", count: 9),
            "line 10: 2026-12-01 has more than 8 workouts; move some to another day"
        ),
    ])
    func namesMistakesWithPlaceAndRemedy(text: String, words: String) {
        #expect(fault(text).hasPrefix(words), "\(fault(text))")
        #expect(fault(text).contains("; "))
    }

    @Test func enforcesLimits() throws {
        let day = try PlannedWorkout(day: "2026-12-01", workout: "2000m").day.firstDay
        func workouts(_ count: Int) throws -> [PlannedWorkout] {
            try (0..<count).map { number in
                try PlannedWorkout(
                    day: day.advanced(by: Int64(number)).text, workout: "2000m")
            }
        }
        let most = try SyntheticPlan.plan(workouts(TrainingPlan.mostWorkouts))
        #expect(most.workouts.count == 366)
        #expect(throws: PlanFault.self) { try SyntheticPlan.plan(workouts(367)) }
        #expect(
            fault("day,workout,name\n2026-12-01,2000m," + String(repeating: "x", count: 61)) != "")
        #expect(fault(String(repeating: " ", count: 512 * 1024 + 1)).hasPrefix("the file has"))
        let many = TrainingPlan.Group(athletes: (0..<65).map { "a\($0)" })
        #expect(throws: PlanFault.self) { try most.assigned(to: many) }
        #expect(throws: PlanFault.self) { try TrainingPlan(id: "No", []) }
        #expect(throws: PlanFault.self) {
            try PlanTable.workouts(in: [0x64, 0xFF, 0x0A])
        }
    }

    @Test func survivesRandomBytes() throws {
        // Changes, removes and inserts random bytes in valid files.
        var generator = SeededGenerator(seed: 20)
        let plan = try SyntheticPlan.awkward()
        let good = [PlanTable.bytes(of: plan), PlanCalendar.bytes(of: plan, stamp: 0)]
        var (read, refused) = (0, 0)
        for round in 0..<1000 {
            var bytes = good[round % 2]
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let at = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[at] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: at)
                default:
                    bytes.insert(
                        Array("\",;\r\n:\\ @x".utf8).randomElement(using: &generator)!, at: at)
                }
            }
            do throws(PlanFault) {
                _ =
                    try round % 2 == 0
                    ? PlanTable.workouts(in: bytes)
                    : PlanCalendar.content(
                        of: bytes, plan: "winter", in: .utc, zone: { _ in nil }
                    ).workouts
                read += 1
            } catch {
                refused += 1
                #expect(!error.remedy.isEmpty)
            }
        }
        #expect(read > 100 && refused > 100)
    }
}
