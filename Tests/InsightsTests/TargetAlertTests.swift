import Testing
import Timeline

@testable import Insights
@testable import Rowing

/// Alerts with a session's targets as limits.
@Suite struct TargetAlertTests {
    private static let target: TargetBands = {
        var bands = TargetBands()
        bands.pace = TargetBand(low: 11_800, high: 12_200)
        bands.rate = TargetBand(low: nil, high: 26)
        return bands
    }()

    @Test func raisesOneAlertForDriftOffTarget() throws {
        // Strokes in the band, slow ones, and strokes in it again; then too high a rate. The configuration
        // leaves these rules off.
        var bench = AlertBench()
        bench.begin()
        bench.target = Self.target
        bench.row(8)
        #expect(bench.alertNames == [])
        bench.row(5, pace: 126)
        #expect(bench.alertNames == ["off_pace"])
        let alert = try #require(bench.published.first)
        #expect(alert.value == 12_600 && alert.threshold == 12_200)
        bench.row(3)
        bench.row(3, rate: 28)
        #expect(bench.alertNames == ["off_pace", "-off_pace recovered", "rate_out_of_band"])
        #expect(bench.published.last?.threshold == 2600)
        #expect(Alert.disorder(in: bench.published) == [])
    }

    @Test func allowsOneSecondAroundExactPace() throws {
        var bench = AlertBench()
        bench.begin()
        var bands = TargetBands()
        bands.pace = TargetBand(low: 12_000, high: 12_000)
        bench.target = bands
        bench.row(8)
        bench.row(8, pace: 121)
        bench.row(8, pace: 119)
        #expect(bench.alertNames == [])
        bench.row(5, pace: 122)
        #expect(bench.alertNames == ["off_pace"])
        #expect(bench.published.last?.threshold == 12_100)
    }

    @Test func prefersTargetToConfiguration() {
        // A configured band that no stroke meets.
        var settings = AlertSettings()
        settings.paces = .init(millisecondsPer500m: 100_000)...(.init(millisecondsPer500m: 110_000))
        settings.rates = 28...32
        var bench = AlertBench(settings)
        bench.begin()
        bench.target = Self.target
        bench.row(12)
        #expect(bench.alertNames == [])
        bench.target = nil
        bench.row(12)
        #expect(bench.alertNames == ["rate_out_of_band", "off_pace"])
    }

    @Test func resolvesAlertWithoutTarget() {
        // An interval without a target after one with a target.
        var bench = AlertBench()
        bench.begin()
        bench.target = Self.target
        bench.row(10, pace: 140)
        #expect(bench.alertNames == ["off_pace"])
        bench.interval = 2
        bench.target = nil
        bench.row(4, pace: 140)
        #expect(bench.alertNames == ["off_pace", "-off_pace rule_off"])
    }

    @Test func continuesTargetAlertAfterRestart() {
        // A restart during the alert, then strokes in the band.
        var bench = AlertBench()
        bench.begin()
        bench.target = Self.target
        bench.row(10, pace: 140)
        bench.restart()
        bench.row(4, pace: 140)
        #expect(bench.alertNames == ["off_pace"])
        bench.row(4)
        #expect(bench.alertNames == ["off_pace", "-off_pace recovered"])
        #expect(Alert.disorder(in: bench.published) == [])
    }

    @Test func countsStrokesOnTargetInRollup() throws {
        // Twelve strokes, nine of which are in every band.
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
