import Bests
import Testing
import Training

@testable import Suggestions

/// Rules that do not suggest more work.
@Suite struct OtherRulesTests {
    // MARK: Deload

    private static func week(_ minutes: Int) -> [(minutes: Int, watts: Double)] {
        [(minutes, 240), (minutes, 300), (minutes, 240)]
    }

    private static func growing(_ minutes: [Int]) -> SyntheticAthlete { .weeks(minutes.map(week)) }

    @Test func suggestsALightWeekAfterThreeGrowingOnes() throws {
        let athlete = Self.growing([30, 33, 36, 40])
        #expect(athlete.rules() == [.deloadWeek])
        let found = try #require(athlete.open(.deloadWeek))
        #expect(found.workout.notation == "20:00@220-259w")
        #expect(athlete.json().contains(#""times":3,"percent":33.3,"time_s":7200"#))
    }

    @Test(arguments: [[30, 33, 33, 40], [40, 36, 33, 30], [30, 31, 32, 33], [30, 30, 30, 30]])
    func suggestsNoLightWeekWithoutGrowth(_ minutes: [Int]) {
        #expect(!Self.growing(minutes).rules().contains(.deloadWeek))
    }

    @Test func suggestsNoLightWeekAfterMuchRowing() {
        var athlete = Self.growing([30, 33, 36, 40])
        athlete.steady(daysAgo: 0, minutes: 60, watts: 240)
        #expect(athlete.rules() == [.deloadWeek])
        athlete.steady(daysAgo: 0, minutes: 30, watts: 240)
        #expect(!athlete.rules().contains(.deloadWeek))
    }

    // MARK: Return

    @Test func suggestsHalfOfTheUsualPieceAfterABreak() throws {
        var athlete = SyntheticAthlete()
        for days in stride(from: 20.0, to: 0, by: -3) {
            athlete.steady(daysAgo: days, minutes: 40, watts: 150)
        }
        #expect(athlete.rules() == [.morePower])
        #expect(!athlete.rules(inDays: 11).contains(.returnAfterBreak))
        athlete.later = 16
        #expect(athlete.rules() == [.returnAfterBreak])
        // Without a ranked result the target is a stroke rate.
        #expect(athlete.open(.returnAfterBreak)?.workout.notation == "20:00@18-20spm")
        #expect(athlete.json().contains(#""finding":"paused_for","kind":"computed","days":18"#))
        athlete.steady(daysAgo: 0, minutes: 20, watts: 130)
        #expect(athlete.rules() == [.returnAfterBreak])
        athlete.steady(daysAgo: 0, minutes: 20, watts: 130)
        #expect(athlete.rules() == [])
    }

    @Test func countsSessionsOnOtherMachinesAgainstABreak() {
        var athlete = SyntheticAthlete()
        for days in stride(from: 40.0, to: 20, by: -3) {
            athlete.steady(daysAgo: days, minutes: 40, watts: 150)
        }
        #expect(athlete.rules() == [.returnAfterBreak])
        athlete.intervals(daysAgo: 10, watts: 200, machine: .ski)
        #expect(!athlete.rules().contains(.returnAfterBreak))
    }

    @Test func suggestsNoReturnWithoutAHabit() {
        var athlete = SyntheticAthlete()
        for days in [30.0, 28, 26] { athlete.steady(daysAgo: days, minutes: 40, watts: 150) }
        #expect(athlete.rules() == [])
        athlete.steady(daysAgo: 24, minutes: 40, watts: 150)
        #expect(athlete.rules() == [.returnAfterBreak])
        #expect(athlete.rules(inDays: 160) == [])
    }

    // MARK: Test

    /// An athlete with k = 5 s who trains every few days.
    private static func tested(
        _ results: [(metres: Int, daysAgo: Double)], every days: Double = 3
    ) -> SyntheticAthlete {
        var athlete = SyntheticAthlete()
        for result in results.sorted(by: { $0.daysAgo > $1.daysAgo }) {
            let known: [Int: Double] = [500: 0, 1000: 1, 2000: 2, 5000: 3.321928]
            let doublings = known[result.metres] ?? 0
            athlete.ranked(result.metres, daysAgo: result.daysAgo, pace: 100 + 5 * doublings)
        }
        for day in stride(from: 50.0, to: 0, by: -days) {
            athlete.steady(daysAgo: day, minutes: 5 + Int(day) / 2, watts: 150)
        }
        return athlete
    }

    @Test func suggestsATestForAnOldOrMissingResult() throws {
        // k = 5 s; the 2000 m is old, or missing between two fresh results.
        for old in [[(metres: 2000, daysAgo: 200.0)], []] {
            let athlete = Self.tested(old + [(1000, 60), (5000, 20), (500, 50)])
            let found = try #require(athlete.open(.rankedTest))
            #expect(found.target == "2000m")
            #expect(found.workout.notation == "2000m@1:48.5-1:51.5", "\(found.workout.notation)")
            #expect(athlete.json().contains(old.isEmpty ? "missing_result" : "old_result"))
            #expect(athlete.json().contains(#""kind":"estimated","pace_s_per_500m":110.0"#))
        }
    }

    @Test func isLessConfidentWithOneResult() throws {
        let athlete = Self.tested([(2000, 200), (1000, 60)])
        let found = try #require(athlete.open(.rankedTest))
        #expect(found.workout.notation == "2000m@1:47.0-1:53.0")
        #expect(athlete.json().contains(#""confidence":"low""#))
    }

    @Test(arguments: ["fresh", "just tested", "not trained", "one neighbour"])
    func suggestsNoTest(_ why: String) {
        var athlete = Self.tested([(2000, 200), (1000, 60), (5000, 20), (500, 50)])
        switch why {
        case "fresh":
            athlete = Self.tested([(2000, 100), (1000, 60), (5000, 20), (500, 50)])
        case "just tested": athlete.ranked(1000, daysAgo: 2, pace: 105)
        case "not trained":
            athlete = Self.tested([(2000, 200), (1000, 60), (5000, 20), (500, 50)], every: 8)
        default: athlete = Self.tested([(5000, 20)])
        }
        #expect(athlete.open(.rankedTest) == nil, "\(why)")
    }

    @Test func offersATestForFourWeeksOutOfEight() {
        // The result gets older while the athlete keeps training.
        var ids: [String: [Int]] = [:]
        for week in 0..<16 {
            let old = Double(181 + week * 7)
            let athlete = Self.tested([(2000, old), (1000, 60), (5000, 20), (500, 50)])
            guard let found = athlete.open(.rankedTest) else { continue }
            #expect(found.target == "2000m")
            ids[found.id, default: []].append(week)
        }
        #expect(ids.values.map(\.count).sorted() == [4, 4])
    }

    // MARK: Pacing

    @Test func suggestsEvenPaceAfterASlowerSecondHalf() throws {
        func paced(_ slower: [Double]) -> SyntheticAthlete {
            var athlete = SyntheticAthlete()
            for (index, slower) in slower.enumerated() {
                athlete.ranked(
                    2000, daysAgo: Double(20 - index * 9), pace: 120, slower: slower)
            }
            return athlete
        }
        let found = try #require(paced([4, 3]).open(.evenPacing))
        #expect(found.target == "2000m" && found.workout.notation == "2000m@1:59.5-2:01.5")
        #expect(paced([4, 3]).json().contains(#""finding":"slower_half","kind":"computed""#))
        #expect(paced([0, 0]).open(.evenPacing) == nil)
        #expect(paced([4, 0]).open(.evenPacing) == nil)
        #expect(paced([4]).open(.evenPacing) == nil)
        #expect(paced([4, 3]).rules(inDays: 26).contains(.evenPacing) == false)
    }
}
