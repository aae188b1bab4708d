import PM5Codec
import Testing
import Timeline

@testable import Insights
@testable import Rowing

/// The limits at which alerts start, and which limits apply.
@Suite struct AlertLimitTests {
    @Test func ignoresFirstStrokesOfInterval() {
        // Three fast strokes at the start of the second interval, whose rate is too high; then a fourth.
        var settings = AlertSettings()
        settings.rates = 20...26
        var bench = AlertBench(settings)
        bench.workout = Workout(type: .fixedTimeInterval, target: .time(.seconds(60)))
        bench.begin()
        bench.row(12)
        bench.interval = 2
        bench.row(5, rate: 36)
        bench.row(3)
        #expect(bench.alertNames == [])
        bench.interval = 3
        bench.row(6, rate: 36)
        #expect(bench.alertNames == ["rate_out_of_band"])
    }

    @Test func recoversInNarrowBand() {
        // Out of a band of one second, then in its middle.
        var settings = AlertSettings()
        settings.paces = .init(millisecondsPer500m: 119_500)...(.init(millisecondsPer500m: 120_400))
        var bench = AlertBench(settings)
        bench.begin()
        bench.row(10, pace: 130)
        bench.row(3, pace: 120)
        #expect(bench.alertNames == ["off_pace", "-off_pace recovered"])
    }

    @Test func acceptsEndsOfBand() {
        // Bands whose ends equal the rowed values.
        for (pace, rate, drag) in [(118, 20, 100), (122, 26, 140)] {
            var settings = AlertSettings()
            settings.paces = Pace(millisecondsPer500m: 118_000)...Pace(millisecondsPer500m: 122_000)
            (settings.rates, settings.drags) = (20...26, 100...140)
            var bench = AlertBench(settings)
            bench.sample.dragFactor = drag
            bench.begin()
            bench.row(20, pace: pace, rate: rate)
            #expect(bench.alertNames == [], "\(pace)")
        }
    }

    @Test func allowsSixSecondsAtHighRate() {
        // Three missed strokes at 40 a minute take 4.5 s. The monitor reports pauses at once, shorter and
        // longer than six seconds.
        var bench = AlertBench()
        bench.begin()
        bench.row(10, rate: 40)
        bench.sample.state = .paused
        bench.wait(seconds: 5.5)
        #expect(bench.alertNames == [])
        bench.wait(seconds: 0.5)
        #expect(bench.alertNames == ["stopped"])
        #expect(bench.published.last?.threshold == 600)
    }

    @Test func appliesLimitsOfNextAthlete() {
        // A limit with an active alert, then no limits, then limits again.
        var settings = AlertSettings()
        settings.highestHeartRate = 150
        var bench = AlertBench(settings)
        bench.begin()
        bench.sample.heartRate = 170
        bench.wait(seconds: 15)
        #expect(bench.alertNames == ["heart_rate_high"])
        bench.setLimits(AlertSettings())
        #expect(bench.alertNames == ["heart_rate_high", "-heart_rate_high rule_off"])
        bench.wait(seconds: 90)
        bench.setLimits(settings)
        bench.wait(seconds: 15)
        #expect(bench.alertNames.last == "heart_rate_high")
        #expect(Alert.disorder(in: bench.published) == [])
    }

    @Test func prefersLimitsOfAthlete() {
        // An erg with all limits, and an athlete with one limit at a time.
        var erg = AlertSettings()
        erg.paces = Pace(millisecondsPer500m: 100_000)...Pace(millisecondsPer500m: 110_000)
        (erg.highestHeartRate, erg.rates, erg.drags) = (180, 20...30, 100...140)
        #expect(erg.limited(by: AlertSettings()) == erg)
        let slow = Pace(millisecondsPer500m: 130_000)...Pace(millisecondsPer500m: 140_000)
        let changes: [(inout AlertSettings) -> Void] = [
            { $0.highestHeartRate = 160 }, { $0.rates = 16...18 }, { $0.drags = 90...95 },
            { $0.paces = slow },
        ]
        for change in changes {
            var (own, expected) = (AlertSettings(), erg)
            change(&own)
            change(&expected)
            #expect(erg.limited(by: own) == expected)
            #expect(AlertSettings().limited(by: own) == own)
        }
    }

    @Test func resetsProgressAtNextSession() {
        // Two strokes with a wrong rate, which needs three; the end; and one in the next piece after its
        // start.
        var settings = AlertSettings()
        settings.drags = 100...140
        var bench = AlertBench(settings)
        bench.sample.dragFactor = 210
        bench.begin()
        bench.row(2)
        bench.end()
        bench.begin("S2")
        bench.row(2)
        #expect(bench.alertNames == [])
        bench.row(1)
        #expect(bench.alertNames == ["drag_out_of_band"])
    }

    @Test func comparesPowerWithWholeMinute() {
        // One stroke without power; a hard start after few strokes; and a sprint more than half a minute
        // before.
        var settings = AlertSettings()
        settings.rules.insert(.powerCollapse)
        var bench = AlertBench(settings)
        bench.begin()
        bench.row(24, watts: 200)
        bench.row(1, watts: 20)
        bench.row(24, watts: 200)
        #expect(bench.alertNames == [])
        var few = AlertBench(settings)
        few.begin()
        few.row(5, watts: 400)
        few.row(3, watts: 100)
        #expect(few.alertNames == [])
        var sprint = AlertBench(settings)
        sprint.begin()
        sprint.row(11, watts: 300)
        sprint.row(10, watts: 150)
        #expect(sprint.alertNames == [])
        sprint.row(3, watts: 90)
        #expect(sprint.alertNames == ["power_collapse"])
    }
}
