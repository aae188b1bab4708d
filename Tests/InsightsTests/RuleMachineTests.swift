import TestSupport
import Testing
import Timeline

@testable import Insights

@Suite struct RuleMachineTests {
    private let timing = AlertTiming(
        hold: .time(.seconds(5)), keep: .time(.seconds(3)), pause: 10)

    private func instant(_ milliseconds: Int) -> BootInstant {
        BootInstant(nanoseconds: UInt64(milliseconds) * 1_000_000)
    }

    /// The edges of a row of verdicts, a second apart.
    private func edges(_ verdicts: String, _ timing: AlertTiming) -> String {
        var machine = RuleMachine(timing)
        return String(
            verdicts.enumerated().map { second, letter in
                let verdict: AlertVerdict =
                    switch letter {
                    case "w": .wrong
                    case "r": .right
                    case "?": .unknown
                    default: .between
                    }
                return switch machine.take(verdict, at: instant(second * 1000)) {
                case nil: "."
                case .fires: "F"
                case .resolves: "R"
                }
            })
    }

    @Test(arguments: [
        ("rrwwwwwwwww", ".......F..."), ("wwwww-wwwww", "..........."),
        ("wwwwwwwrrrrrr", ".....F....R.."), ("wwwwww--------", ".....F........"),
        // What is right for a moment starts anew, on both sides.
        ("wwwwrwwwwww", "..........F"), ("wwwwwwrrrwrrrr", ".....F.......R"),
        // Unknown freezes: neither counts nor forgets.
        ("www??????www", "............"), ("www??????wwww", "............F"),
        ("wwwwww??????rrr??rr", ".....F............R"),
        // A pause between two.
        ("wwwwwwrrrrwwwwwwwwwwwwww", ".....F...R.........F...."),
    ])
    func aRuleFiresAndIsResolvedInItsTime(verdicts: String, expected: String) {
        // Goal: for, keep, pause and freezing mean what they say. Method: verdicts by the second.
        #expect(edges(verdicts, timing) == expected)
    }

    @Test(arguments: [
        ("wwww", "..F."), ("wwrww", "....."), ("wwrwww", ".....F"), ("ww?w", "...F"),
        ("wwwrr", "..F.R"), ("wwwr-rr", "..F...R"),
    ])
    func strokesAreCountedWhereARuleSaysSo(verdicts: String, expected: String) {
        // Goal: as above, in strokes. Method: three to fire, two to be resolved.
        let timing = AlertTiming(hold: .strokes(3), keep: .strokes(2), pause: 0)
        #expect(edges(verdicts, timing) == expected)
    }

    @Test func aMomentThatWasMissedCountsLittle() {
        // Goal: a process that stood still invents no alert. Method: two moments an hour apart.
        var machine = RuleMachine(timing)
        #expect(machine.take(.wrong, at: instant(0)) == nil)
        #expect(machine.take(.wrong, at: instant(3_600_000)) == nil)
        #expect(machine.progress == RuleMachine.longestMoment)
        #expect(machine.take(.wrong, at: instant(3_601_000)) == .fires(since: instant(0)))
    }

    @Test func timeThatGoesBackCountsNothing() {
        // Goal: no crash and no edge by a clock. Method: moments that lie before the last one.
        var machine = RuleMachine(timing)
        for second in stride(from: 100, to: 0, by: -1) {
            #expect(machine.take(.wrong, at: instant(second * 1000)) == nil)
        }
        #expect(machine.progress == .zero)
    }

    @Test func whatMayNotFireWaitsAndIsToldLater() {
        // Goal: too many alerts hide none that still holds. Method: room for it after a while.
        var machine = RuleMachine(AlertTiming(hold: .strokes(1), keep: .strokes(1), pause: 0))
        #expect(machine.take(.wrong, at: instant(1), mayFire: false) == nil)
        #expect(machine.take(.wrong, at: instant(2), mayFire: false) == nil)
        #expect(machine.take(.wrong, at: instant(3)) == .fires(since: instant(1)))
    }

    @Test(arguments: AlertRule.allCases)
    func aWalkAboutAThresholdMakesOnePairAnExcursionAtMost(rule: AlertRule) {
        // Goal: no flood where a figure hovers. Method: random walks about both thresholds of every
        // rule's times, with silence and steps of all lengths; excursions are counted beside it.
        for seed in UInt64(1)...200 {
            var random = SeededGenerator(seed: seed)
            var machine = RuleMachine(rule.timing)
            let (enter, exit) = (100, 90)
            var (figure, now) = (95, 0)
            var (isOut, excursions, fired, resolved) = (false, 0, 0, 0)
            for _ in 0..<2000 {
                figure = min(120, max(70, figure + Int.random(in: -4...4, using: &random)))
                now += Int.random(in: 0...3000, using: &random)
                if Int.random(in: 0..<100, using: &random) == 0 { now += 60_000 }
                let isKnown = Int.random(in: 0..<10, using: &random) > 0
                if isKnown, figure >= enter, !isOut { (isOut, excursions) = (true, excursions + 1) }
                if isKnown, figure <= exit { isOut = false }
                let verdict: AlertVerdict =
                    figure >= enter ? .wrong : figure <= exit ? .right : .between
                switch machine.take(isKnown ? verdict : .unknown, at: instant(now)) {
                case nil: break
                case .fires: fired += 1
                case .resolves: resolved += 1
                }
                #expect(fired <= excursions, "seed \(seed)")
                #expect(machine.isFiring == (fired > resolved), "seed \(seed)")
                #expect(fired - resolved == 0 || fired - resolved == 1, "seed \(seed)")
            }
        }
    }
}
