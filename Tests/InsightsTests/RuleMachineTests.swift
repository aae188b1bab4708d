import TestSupport
import Testing
import Timeline

@testable import Insights

@Suite struct RuleMachineTests {
    private let timing = AlertTiming(
        raiseAfter: .time(.seconds(5)), resolveAfter: .time(.seconds(3)), pause: 10)

    private func instant(_ milliseconds: Int) -> BootInstant {
        BootInstant(nanoseconds: UInt64(milliseconds) * 1_000_000)
    }

    /// Returns the transitions for these verdicts, one per second.
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
                return switch machine.evaluate(verdict, at: instant(second * 1000)) {
                case nil: "."
                case .fires: "F"
                case .resolves: "R"
                }
            })
    }

    @Test(arguments: [
        ("rrwwwwwwwww", ".......F..."), ("wwwww-wwwww", "..........."),
        ("wwwwwwwrrrrrr", ".....F....R.."), ("wwwwww--------", ".....F........"),
        // A moment on the right side resets the progress, in both directions.
        ("wwwwrwwwwww", "..........F"), ("wwwwwwrrrwrrrr", ".....F.......R"),
        // Unknown freezes the progress.
        ("www??????www", "............"), ("www??????wwww", "............F"),
        ("wwwwww??????rrr??rr", ".....F............R"),
        // The minimum pause between two alerts.
        ("wwwwwwrrrrwwwwwwwwwwwwww", ".....F...R.........F...."),
    ])
    func raisesAndResolvesAfterTime(verdicts: String, expected: String) {
        // One verdict per second.
        #expect(edges(verdicts, timing) == expected)
    }

    @Test(arguments: [
        ("wwww", "..F."), ("wwrww", "....."), ("wwrwww", ".....F"), ("ww?w", "...F"),
        ("wwwrr", "..F.R"), ("wwwr-rr", "..F...R"),
    ])
    func raisesAndResolvesAfterStrokes(verdicts: String, expected: String) {
        // Three strokes to start, two to end.
        let timing = AlertTiming(raiseAfter: .strokes(3), resolveAfter: .strokes(2), pause: 0)
        #expect(edges(verdicts, timing) == expected)
    }

    @Test func limitsTimeOfMissedMoments() {
        // Two moments an hour apart, after the process was stopped.
        var machine = RuleMachine(timing)
        #expect(machine.evaluate(.wrong, at: instant(0)) == nil)
        #expect(machine.evaluate(.wrong, at: instant(3_600_000)) == nil)
        #expect(machine.progress == RuleMachine.longestMoment)
        #expect(machine.evaluate(.wrong, at: instant(3_601_000)) == .fires(since: instant(0)))
    }

    @Test func ignoresTimeGoingBack() {
        // Moments before the last one.
        var machine = RuleMachine(timing)
        for second in stride(from: 100, to: 0, by: -1) {
            #expect(machine.evaluate(.wrong, at: instant(second * 1000)) == nil)
        }
        #expect(machine.progress == .zero)
    }

    @Test func raisesDelayedAlertLater() {
        // The alert starts when the limit allows it again.
        var machine = RuleMachine(AlertTiming(raiseAfter: .strokes(1), resolveAfter: .strokes(1), pause: 0))
        #expect(machine.evaluate(.wrong, at: instant(1), mayFire: false) == nil)
        #expect(machine.evaluate(.wrong, at: instant(2), mayFire: false) == nil)
        #expect(machine.evaluate(.wrong, at: instant(3)) == .fires(since: instant(1)))
    }

    @Test(arguments: AlertRule.allCases)
    func raisesAtMostOneAlertPerExcursion(rule: AlertRule) {
        // Random walks around both limits with the timing of every rule, with silence and steps of all
        // lengths.
        for seed in UInt64(1)...200 {
            var random = SeededGenerator(seed: seed)
            var machine = RuleMachine(rule.timing)
            let (enter, exit) = (100, 90)
            var (figure, now) = (95, 0)
            var (isOut, excursions, fired, resolved) = (false, 0, 0, 0)
            var inconsistentSteps: [Int] = []
            for step in 0..<2000 {
                figure = min(120, max(70, figure + Int.random(in: -4...4, using: &random)))
                now += Int.random(in: 0...3000, using: &random)
                if Int.random(in: 0..<100, using: &random) == 0 { now += 60_000 }
                let isKnown = Int.random(in: 0..<10, using: &random) > 0
                if isKnown, figure >= enter, !isOut { (isOut, excursions) = (true, excursions + 1) }
                if isKnown, figure <= exit { isOut = false }
                let verdict: AlertVerdict =
                    figure >= enter ? .wrong : figure <= exit ? .right : .between
                switch machine.evaluate(isKnown ? verdict : .unknown, at: instant(now)) {
                case nil: break
                case .fires: fired += 1
                case .resolves: resolved += 1
                }
                let firing = fired - resolved
                let isConsistent =
                    fired <= excursions && (0...1).contains(firing)
                    && machine.isFiring == (firing == 1)
                if !isConsistent { inconsistentSteps.append(step) }
            }
            #expect(inconsistentSteps == [], "seed \(seed)")
        }
    }
}
