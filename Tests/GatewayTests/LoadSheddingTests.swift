import TestSupport
import Testing
import Timeline

@testable import Gateway

struct LoadSheddingTests {
    private typealias Measurements = LoadShedding.Measurements
    private typealias Limit = LoadShedding.Limit

    private func instant(_ seconds: Int) -> BootInstant {
        BootInstant(nanoseconds: UInt64(1000 + seconds) * 1_000_000_000)
    }

    /// Evaluates the same measurements every three seconds from `begin` on. Returns the times of changes.
    private func update(
        _ shedding: inout LoadShedding, at measurements: Measurements, from begin: Int, for seconds: Int
    ) -> [Int] {
        stride(from: begin, to: begin + seconds, by: 3).filter {
            shedding.update(with: measurements, at: instant($0))
        }
    }

    private static let high = [
        Measurements(queueDelay: Limit.queueDelay.high), Measurements(processorPercent: 90),
        Measurements(commit: Limit.commit.high),
    ]

    @Test(arguments: [0, 1, 2])
    func shedsAndRestoresOneLevelAtATime(_ index: Int) {
        var shedding = LoadShedding()
        #expect(update(&shedding, at: Self.high[index], from: 0, for: 120) == [6, 18, 30, 42])
        #expect(shedding.level == .noRaw)
        #expect(shedding.causes == [LoadShedding.Cause.allCases[index]])
        #expect(shedding.problemText?.contains(LoadShedding.Cause.allCases[index].text) == true)
        let low = Measurements(
            queueDelay: Limit.queueDelay.low, processorPercent: Limit.processorPercent.low,
            commit: Limit.commit.low)
        #expect(update(&shedding, at: low, from: 120, for: 300) == [141, 165, 189, 213])
        #expect(shedding.level == .full && shedding.causes.isEmpty && shedding.problemText == nil)
    }

    @Test func ignoresSpikesAndValuesBetweenTheLimits() {
        var shedding = LoadShedding()
        for second in stride(from: 0, to: 600, by: 3) {
            let delay = second % 9 == 0 ? Limit.queueDelay.high : .zero
            let isChanged = shedding.update(with: Measurements(queueDelay: delay), at: instant(second))
            #expect(!isChanged)
        }
        #expect(update(&shedding, at: Self.high[0], from: 600, for: 9) == [606])
        let middle = Measurements(queueDelay: .milliseconds(100), processorPercent: 75)
        #expect(update(&shedding, at: middle, from: 612, for: 600) == [])
        #expect(shedding.level == .liveEachSecond)
    }

    @Test func doublesTheCalmPeriodAfterARelapse() {
        var shedding = LoadShedding()
        var (time, waits) = (0, [Int]())
        for round in 0..<5 {
            if round == 4 { time += 1000 }
            while shedding.level == .full {
                _ = shedding.update(with: Self.high[1], at: instant(time))
                time += 3
            }
            let begin = time
            while shedding.level != .full {
                _ = shedding.update(with: Measurements(processorPercent: 35), at: instant(time))
                time += 3
            }
            waits.append(time - 3 - begin)
        }
        #expect(waits == [21, 42, 81, 162, 21])
    }

    @Test(arguments: [0, 1, 2], [true, false])
    func respectsAllDelaysInRandomWalks(_ index: Int, _ isAboutHigh: Bool) {
        for seed in 0..<40 {
            walk(index, isAboutHigh, SeededGenerator(seed: UInt64(seed)))
        }
    }

    private func walk(_ index: Int, _ isAboutHigh: Bool, _ generator: SeededGenerator) {
        var random = generator
        var shedding = LoadShedding()
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
            let before = shedding.level
            let isChanged = shedding.update(with: measurements(index, value), at: instant(time))
            #expect(isChanged == (shedding.level != before))
            guard isChanged else { continue }
            #expect(abs(shedding.level.rawValue - before.rawValue) == 1)
            #expect(time - lastChange >= 12)
            let since = shedding.level > before ? highSince : lowSince
            #expect(since.map { time - $0 >= (shedding.level > before ? 6 : 20) } == true)
            lastChange = time
            (highSince, lowSince) = (nil, nil)
        }
    }

    private func measurements(_ index: Int, _ value: Int) -> Measurements {
        switch index {
        case 0: Measurements(queueDelay: .milliseconds(value))
        case 1: Measurements(processorPercent: value)
        default: Measurements(commit: .milliseconds(value))
        }
    }
}
