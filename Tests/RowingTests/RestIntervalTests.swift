import PM5Codec
import Testing
import Timeline

@testable import Rowing

/// In a rest, `live` and `state` show the last interval with its results, whenever its split arrives.
@Suite struct RestIntervalTests {
    static let workouts = [
        "4x100m/0:20r", "4x0:30/0:15r", "3x10cal/0:20r", "150m/r+0:40/r+100m",
        "200m/0:20r+0:45/0:15r+8cal/0:10r+100m",
    ]

    @Test(arguments: workouts)
    func showsLastIntervalDuringRest(_ workout: String) throws {
        for seed in UInt64(1)...3 {
            let air = try NotificationTrace(workout, seed: seed)
            let splits = air.truth.filter { $0.kind == .split }
            var harness = MachineHarness(at: 60_000)
            var (seen, number) = (0, 0)
            for value in air.values {
                air.deliver(value, &harness)
                guard let live = harness.live, live.state == .resting else { continue }
                // The split of a rest arrives just before the next status.
                guard live.interval?.number != harness.splits.count || harness.splits.count == 0 else {
                    continue
                }
                number = harness.splits.count + 1
                let name = "\(workout) seed \(seed), rest behind \(number)"
                #expect(live.interval?.number == number, "\(name)")
                let split = try #require(number <= splits.count ? splits[number - 1] : nil)
                let time = try #require(live.interval?.elapsed, "\(name)").seconds
                let meters = Double(try #require(live.interval?.distance).millimeters) / 1000
                #expect(abs(time - (split["duration_s"] ?? 0)) < 1.01, "\(name)")
                #expect(abs(meters - (split["distance_m"] ?? 0)) < 1.01, "\(name)")
                let pace = try #require(live.interval?.averagePace)
                let actual = try #require(split["avg_pace_s_per_500m"])
                #expect(abs(Double(pace.millisecondsPer500m) / 1000 - actual) < 5, "\(name)")
                seen += 1
            }
            #expect(seen > 20 && number > 1, "\(workout) seed \(seed)")
            let states = harness.states.filter { $0.activity == .resting }
            let numbers = states.compactMap { $0.interval?.number }
            #expect(numbers.count == states.count && numbers == numbers.sorted())
            #expect(Set(numbers) == Set(1...number))
            #expect(
                harness.states.allSatisfy { $0.activity == .resting || $0.interval == nil })
        }
    }

    @Test(arguments: [true, false])
    func showsLastIntervalForAnyOrderOfSplit(_ isFirst: Bool) throws {
        var pm5 = ScriptedMonitor(.variableInterval, 2000, .time)
        pm5.arm()
        for number in 1...2 {
            pm5.row(8)
            pm5.rest(seconds: 1)
            if isFirst { pm5.sendSplit(restSeconds: 10, restMeters: 5) }
            pm5.pass(5000)
            let figures = try #require(pm5.harness.live?.interval)
            #expect(figures.number == number)
            #expect(figures.elapsed == .seconds(20) && figures.distance == Meters(80))
            #expect(figures.averagePace == Pace(centisecondsPer500m: 12_500))
            #expect(pm5.harness.states.last?.interval == figures)
            #expect(pm5.harness.splits.count == (isFirst ? number : number - 1))
            if isFirst { pm5.laps -= 1 }
            pm5.nextInterval(after: 10)
            if isFirst { #expect(pm5.harness.splits.count == number) }
        }
    }

    @Test func omitsResultWhenEndWasMissed() throws {
        for loss in ScriptedMonitor.Loss.allCases {
            var pm5 = ScriptedMonitor(.fixedDistanceInterval, 100)
            pm5.arm()
            pm5.row(4)
            pm5.away(loss) { pm5 in
                pm5.row(6)
                pm5.rest(seconds: 3)
            }
            pm5.pass(2000)
            let live = try #require(pm5.harness.live)
            #expect(live.state == .resting)
            #expect(live.interval?.elapsed == nil && live.interval?.averagePace == nil)
        }
    }
}
