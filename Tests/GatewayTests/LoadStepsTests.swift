import TestSupport
import Testing
import Timeline

@testable import Gateway

struct LoadStepsTests {
    private typealias Figures = LoadSteps.Figures
    private typealias Limit = LoadSteps.Limit

    private func instant(_ seconds: Int) -> BootInstant {
        BootInstant(nanoseconds: UInt64(1000 + seconds) * 1_000_000_000)
    }

    /// Looks every three seconds at the same figures, from `begin` on; the times of changes.
    private func look(
        _ steps: inout LoadSteps, at figures: Figures, from begin: Int, for seconds: Int
    ) -> [Int] {
        stride(from: begin, to: begin + seconds, by: 3).filter {
            steps.take(figures, at: instant($0))
        }
    }

    private static let high = [
        Figures(queueDelay: Limit.queueDelay.high), Figures(processorPercent: 90),
        Figures(commit: Limit.commit.high),
    ]

    /// Goal: each cause alone leads up the whole ladder, a step at a time, and calm leads down it.
    /// Method: each figure at its limit for two minutes, then all at their lower limits.
    @Test(arguments: [0, 1, 2])
    func upAndDown(_ index: Int) {
        var steps = LoadSteps()
        #expect(look(&steps, at: Self.high[index], from: 0, for: 120) == [6, 18, 30, 42])
        #expect(steps.step == .noRaw)
        #expect(steps.causes == [LoadSteps.Cause.allCases[index]])
        #expect(steps.complaint?.contains(LoadSteps.Cause.allCases[index].words) == true)
        let low = Figures(
            queueDelay: Limit.queueDelay.low, processorPercent: Limit.processorPercent.low,
            commit: Limit.commit.low)
        #expect(look(&steps, at: low, from: 120, for: 300) == [141, 165, 189, 213])
        #expect(steps.step == .everything && steps.causes.isEmpty && steps.complaint == nil)
    }

    /// Goal: one bad look is no cause, and what is between the limits changes nothing. Method: a spike
    /// every 9 s; then a step, and ten minutes between the limits.
    @Test func spikesAndTheMiddle() {
        var steps = LoadSteps()
        for second in stride(from: 0, to: 600, by: 3) {
            let delay = second % 9 == 0 ? Limit.queueDelay.high : .zero
            let isChanged = steps.take(Figures(queueDelay: delay), at: instant(second))
            #expect(!isChanged)
        }
        #expect(look(&steps, at: Self.high[0], from: 600, for: 9) == [606])
        let middle = Figures(queueDelay: .milliseconds(100), processorPercent: 75)
        #expect(look(&steps, at: middle, from: 612, for: 600) == [])
        #expect(steps.step == .liveEachSecond)
    }

    /// Goal: a machine that keeps up only because of what is left out does not go up and down for
    /// ever: each step taken back in vain waits twice as long, until it was not in vain. Method: calm
    /// that brings the load back, five times, before the last a long rest.
    @Test func aStepTakenBackInVain() {
        var steps = LoadSteps()
        var (time, waits) = (0, [Int]())
        for round in 0..<5 {
            if round == 4 { time += 1000 }
            while steps.step == .everything {
                _ = steps.take(Self.high[1], at: instant(time))
                time += 3
            }
            let begin = time
            while steps.step != .everything {
                _ = steps.take(Figures(processorPercent: 35), at: instant(time))
                time += 3
            }
            waits.append(time - 3 - begin)
        }
        #expect(waits == [21, 42, 81, 162, 21])
    }

    /// Goal: whatever the load does about a limit, steps are taken one at a time, not sooner than
    /// `rest` after another, up only after `patience` of looks that found a cause, down only after
    /// `calm` without any. Method: random walks of each figure about each of its limits.
    @Test(arguments: [0, 1, 2], [true, false])
    func randomWalks(_ index: Int, _ isAboutHigh: Bool) {
        for seed in 0..<40 {
            walk(index, isAboutHigh, SeededGenerator(seed: UInt64(seed)))
        }
    }

    private func walk(_ index: Int, _ isAboutHigh: Bool, _ generator: SeededGenerator) {
        var random = generator
        var steps = LoadSteps()
        let limits = [(200, 50), (90, 60), (5000, 1000)][index]
        let center = isAboutHigh ? limits.0 : limits.1
        var value = center
        var (time, lastChange, highSince, lowSince) = (0, -1000, Int?.none, Int?.none)
        for _ in 0..<2000 {
            time += 1 + Int(random.next() % 5)
            value += (Int(random.next() % 21) - 10) * max(1, center / 100)
            value = max(0, value - (value - center) / 8)
            highSince = value >= limits.0 ? highSince ?? time : nil
            lowSince = value <= limits.1 ? lowSince ?? time : nil
            let before = steps.step
            let isChanged = steps.take(figures(index, value), at: instant(time))
            #expect(isChanged == (steps.step != before))
            guard isChanged else { continue }
            #expect(abs(steps.step.rawValue - before.rawValue) == 1)
            #expect(time - lastChange >= 12)
            let since = steps.step > before ? highSince : lowSince
            #expect(since.map { time - $0 >= (steps.step > before ? 6 : 20) } == true)
            lastChange = time
            (highSince, lowSince) = (nil, nil)
        }
    }

    private func figures(_ index: Int, _ value: Int) -> Figures {
        switch index {
        case 0: Figures(queueDelay: .milliseconds(value))
        case 1: Figures(processorPercent: value)
        default: Figures(commit: .milliseconds(value))
        }
    }
}
