import PM5Codec
import Testing
import Timeline

@testable import Insights
@testable import Rowing

/// Where what is rowed begins to be wrong, and against what it is held.
@Suite struct AlertLimitTests {
    @Test func eachStartIsLeftOut() {
        // Goal: the first three strokes of every interval are like no other. Method: a fast start of three
        // in the second one, which is a rate too many for three; then a fourth.
        var settings = AlertSettings()
        settings.rates = 20...26
        var bench = AlertBench(settings)
        bench.workout = Workout(type: .fixedTimeInterval, target: .time(.seconds(60)))
        bench.begin()
        bench.row(12)
        bench.interval = 2
        bench.row(5, rate: 36)
        bench.row(3)
        #expect(bench.words == [])
        bench.interval = 3
        bench.row(6, rate: 36)
        #expect(bench.words == ["rate_out_of_band"])
    }

    @Test func aNarrowBandLeavesRoomToRecover() {
        // Goal: an alert of a band of a second can end. Method: out of it, and then in its middle.
        var settings = AlertSettings()
        settings.paces = .init(millisecondsPer500m: 119_500)...(.init(millisecondsPer500m: 120_400))
        var bench = AlertBench(settings)
        bench.begin()
        bench.row(10, pace: 130)
        bench.row(3, pace: 120)
        #expect(bench.words == ["off_pace", "-off_pace recovered"])
    }

    @Test func theEdgesOfABandAreNotWrong() {
        // Goal: who rows at the limit keeps it. Method: bands whose ends are what is rowed.
        for (pace, rate, drag) in [(118, 20, 100), (122, 26, 140)] {
            var settings = AlertSettings()
            settings.paces = Pace(millisecondsPer500m: 118_000)...Pace(millisecondsPer500m: 122_000)
            (settings.rates, settings.drags) = (20...26, 100...140)
            var bench = AlertBench(settings)
            bench.sample.dragFactor = drag
            bench.begin()
            bench.row(20, pace: pace, rate: rate)
            #expect(bench.words == [], "\(pace)")
        }
    }

    @Test func aFastRowerHasSixSeconds() {
        // Goal: three strokes that are missed at 40 a minute, 4.5 s, are no stop. Method: pauses that the
        // monitor tells at once, shorter and longer than six seconds.
        var bench = AlertBench()
        bench.begin()
        bench.row(10, rate: 40)
        bench.sample.state = .paused
        bench.wait(seconds: 5.5)
        #expect(bench.words == [])
        bench.wait(seconds: 0.5)
        #expect(bench.words == ["stopped"])
        #expect(bench.told.last?.threshold == 600)
    }

    @Test func anotherWhoSitsDownIsHeldToTheirOwn() {
        // Goal: a rule that goes with its athlete ends its alert, and one that comes with the next judges.
        // Method: a limit that fires, nobody's limits, and somebody's again.
        var settings = AlertSettings()
        settings.highestHeartRate = 150
        var bench = AlertBench(settings)
        bench.begin()
        bench.sample.heartRate = 170
        bench.wait(seconds: 15)
        #expect(bench.words == ["heart_rate_high"])
        bench.hold(to: AlertSettings())
        #expect(bench.words == ["heart_rate_high", "-heart_rate_high rule_off"])
        bench.wait(seconds: 90)
        bench.hold(to: settings)
        bench.wait(seconds: 15)
        #expect(bench.words.last == "heart_rate_high")
        #expect(Alert.disorder(in: bench.told) == [])
    }

    @Test func anAthletesLimitsGoBeforeTheErgs() {
        // Goal: the nearer one decides, for each figure by itself. Method: an erg with all limits, and an
        // athlete with each one alone.
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

    @Test func nothingIsCarriedIntoTheNextSession() {
        // Goal: strokes of one piece are not added to those of the next. Method: two strokes out of a rate
        // that wants three, the end, and one in the next piece behind its start.
        var settings = AlertSettings()
        settings.drags = 100...140
        var bench = AlertBench(settings)
        bench.sample.dragFactor = 210
        bench.begin()
        bench.row(2)
        bench.end()
        bench.begin("S2")
        bench.row(2)
        #expect(bench.words == [])
        bench.row(1)
        #expect(bench.words == ["drag_out_of_band"])
    }

    @Test func aCollapseIsHeldAgainstAWholeMinute() {
        // Goal: one weak stroke is no collapse, nor is a slow start; what is held against is a minute old at
        // most. Method: one stroke of nothing; a hard start behind few strokes; a sprint that was rowed
        // more than half a minute before.
        var settings = AlertSettings()
        settings.rules.insert(.powerCollapse)
        var bench = AlertBench(settings)
        bench.begin()
        bench.row(24, watts: 200)
        bench.row(1, watts: 20)
        bench.row(24, watts: 200)
        #expect(bench.words == [])
        var few = AlertBench(settings)
        few.begin()
        few.row(5, watts: 400)
        few.row(3, watts: 100)
        #expect(few.words == [])
        var sprint = AlertBench(settings)
        sprint.begin()
        sprint.row(11, watts: 300)
        sprint.row(10, watts: 150)
        #expect(sprint.words == [])
        sprint.row(3, watts: 90)
        #expect(sprint.words == ["power_collapse"])
    }
}
