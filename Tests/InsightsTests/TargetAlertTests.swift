import Testing
import Timeline

@testable import Insights
@testable import Rowing

/// Alerts that are held against a session's target.
@Suite struct TargetAlertTests {
    private static let target: TargetBands = {
        var bands = TargetBands()
        bands.pace = TargetBand(low: 11_800, high: 12_200)
        bands.rate = TargetBand(low: nil, high: 26)
        return bands
    }()

    @Test func aDriftOffTheTargetIsToldOnce() throws {
        // Goal: a target turns the rules on that the configuration leaves off. Method: strokes in the
        // band, slow ones, and strokes in it again; then a rate that is too high.
        var bench = AlertBench()
        bench.begin()
        bench.target = Self.target
        bench.row(8)
        #expect(bench.words == [])
        bench.row(5, pace: 126)
        #expect(bench.words == ["off_pace"])
        let alert = try #require(bench.told.first)
        #expect(alert.value == 12_600 && alert.threshold == 12_200)
        bench.row(3)
        bench.row(3, rate: 28)
        #expect(bench.words == ["off_pace", "-off_pace recovered", "rate_out_of_band"])
        #expect(bench.told.last?.threshold == 2600)
        #expect(Alert.disorder(in: bench.told) == [])
    }

    @Test func aSinglePaceHasASecondEachWay() throws {
        var bench = AlertBench()
        bench.begin()
        var bands = TargetBands()
        bands.pace = TargetBand(low: 12_000, high: 12_000)
        bench.target = bands
        bench.row(8)
        bench.row(8, pace: 121)
        bench.row(8, pace: 119)
        #expect(bench.words == [])
        bench.row(5, pace: 122)
        #expect(bench.words == ["off_pace"])
        #expect(bench.told.last?.threshold == 12_100)
    }

    @Test func theTargetGoesBeforeTheConfiguration() {
        // Goal: who shall row 2:00 is not told to row faster. Method: a configured band that every
        // stroke is out of.
        var settings = AlertSettings()
        settings.paces = .init(millisecondsPer500m: 100_000)...(.init(millisecondsPer500m: 110_000))
        settings.rates = 28...32
        var bench = AlertBench(settings)
        bench.begin()
        bench.target = Self.target
        bench.row(12)
        #expect(bench.words == [])
        bench.target = nil
        bench.row(12)
        #expect(bench.words == ["rate_out_of_band", "off_pace"])
    }

    @Test func whereNothingIsAskedForNothingIsWrong() {
        // Goal: an alert does not outlast its target. Method: an interval without one behind it.
        var bench = AlertBench()
        bench.begin()
        bench.target = Self.target
        bench.row(10, pace: 140)
        #expect(bench.words == ["off_pace"])
        bench.interval = 2
        bench.target = nil
        bench.row(4, pace: 140)
        #expect(bench.words == ["off_pace", "-off_pace rule_off"])
    }

    @Test func anotherProcessGoesOnWithIt() {
        // Goal: a restart is no recovery. Method: a restart while it fires, then strokes in the band.
        var bench = AlertBench()
        bench.begin()
        bench.target = Self.target
        bench.row(10, pace: 140)
        bench.restart()
        bench.row(4, pace: 140)
        #expect(bench.words == ["off_pace"])
        bench.row(4)
        #expect(bench.words == ["off_pace", "-off_pace recovered"])
        #expect(Alert.disorder(in: bench.told) == [])
    }

    @Test func aRollupCountsWhatWasInTarget() throws {
        // Goal: the share of a minute. Method: twelve strokes of which nine are in every band.
        var bench = AlertBench()
        bench.begin()
        bench.target = Self.target
        let strokes = (1...12).map { number in
            bench.stroke(number, watts: 200, pace: number > 9 ? 126 : 120, rate: 24)
        }
        var rollup = Rollup(.minute, 1, from: strokes[0], follows: true)
        for stroke in strokes.dropFirst() { rollup.add(stroke) }
        #expect(rollup.targetTally.strokes == 12)
        #expect(rollup.targetTally.thousandths == 750)
    }
}
