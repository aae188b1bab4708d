import PM5Codec
import Testing
import Timeline

@testable import Rowing

/// In a rest, `live` and `state` name the interval just rowed with its results, whenever the monitor
/// sends its split.
@Suite struct RestFiguresTests {
    static let workouts = [
        "4x100m/0:20r", "4x0:30/0:15r", "3x10cal/0:20r", "150m/r+0:40/r+100m",
        "200m/0:20r+0:45/0:15r+8cal/0:10r+100m",
    ]

    @Test(arguments: workouts)
    func aRestShowsTheIntervalBeforeIt(_ workout: String) throws {
        for seed in UInt64(1)...3 {
            let air = try Airwaves(workout, seed: seed)
            let splits = air.truth.filter { $0.kind == .split }
            var fold = Fold(at: 60_000)
            var (seen, number) = (0, 0)
            for value in air.values {
                air.hear(value, &fold)
                guard let live = fold.live, live.state == .resting else { continue }
                // The split of a rest that ends comes a moment before the next status.
                guard live.interval?.number != fold.splits.count || fold.splits.count == 0 else {
                    continue
                }
                number = fold.splits.count + 1
                let name = "\(workout) seed \(seed), rest behind \(number)"
                #expect(live.interval?.number == number, "\(name)")
                let split = try #require(number <= splits.count ? splits[number - 1] : nil)
                let time = try #require(live.interval?.elapsed, "\(name)").seconds
                let way = Double(try #require(live.interval?.distance).millimeters) / 1000
                #expect(abs(time - (split["duration_s"] ?? 0)) < 1.01, "\(name)")
                #expect(abs(way - (split["distance_m"] ?? 0)) < 1.01, "\(name)")
                let pace = try #require(live.interval?.averagePace)
                let rowed = try #require(split["avg_pace_s_per_500m"])
                #expect(abs(Double(pace.millisecondsPer500m) / 1000 - rowed) < 5, "\(name)")
                seen += 1
            }
            #expect(seen > 20 && number > 1, "\(workout) seed \(seed)")
            let states = fold.states.filter { $0.activity == .resting }
            let numbers = states.compactMap { $0.interval?.number }
            #expect(numbers.count == states.count && numbers == numbers.sorted())
            #expect(Set(numbers) == Set(1...number))
            #expect(
                fold.states.allSatisfy { $0.activity == .resting || $0.interval == nil })
        }
    }

    @Test(arguments: [true, false])
    func theOrderOfTheSplitIsNoMatter(_ isFirst: Bool) throws {
        var pm5 = ScriptedMonitor(.variableInterval, 2000, .time)
        pm5.arm()
        for number in 1...2 {
            pm5.row(8)
            pm5.rest(seconds: 1)
            if isFirst { pm5.sendLap(restSeconds: 10, restMeters: 5) }
            pm5.pass(5000)
            let figures = try #require(pm5.fold.live?.interval)
            #expect(figures.number == number)
            #expect(figures.elapsed == .seconds(20) && figures.distance == Meters(80))
            #expect(figures.averagePace == Pace(centisecondsPer500m: 12_500))
            #expect(pm5.fold.states.last?.interval == figures)
            #expect(pm5.fold.splits.count == (isFirst ? number : number - 1))
            if isFirst { pm5.laps -= 1 }
            pm5.nextInterval(after: 10)
            if isFirst { #expect(pm5.fold.splits.count == number) }
        }
    }

    @Test func anEndThatWasMissedHasNoResult() throws {
        for loss in ScriptedMonitor.Loss.allCases {
            var pm5 = ScriptedMonitor(.fixedDistanceInterval, 100)
            pm5.arm()
            pm5.row(4)
            pm5.away(loss) { pm5 in
                pm5.row(6)
                pm5.rest(seconds: 3)
            }
            pm5.pass(2000)
            let live = try #require(pm5.fold.live)
            #expect(live.state == .resting)
            #expect(live.interval?.elapsed == nil && live.interval?.averagePace == nil)
        }
    }
}
