import TestSupport
import Testing
import Timeline

@testable import Insights
@testable import Rowing

@Suite struct ErgAlertsTests {
    // MARK: - Stopped

    @Test func aRowerWhoStopsInsideAPieceIsToldOnce() throws {
        // Goal: one pair for one stop. Method: 24 strokes a minute, then none for a minute, then again;
        // three strokes of that rate take 7.5 s.
        var bench = AlertBench()
        bench.begin()
        bench.row(20)
        bench.sit(seconds: 7)
        #expect(bench.words == [])
        bench.sit(seconds: 53)
        #expect(bench.words == ["stopped"])
        let alert = try #require(bench.told.first)
        #expect(alert.value == 750 && alert.threshold == 750)
        #expect(alert.session == SessionID("S1"))
        bench.row(5)
        #expect(bench.words == ["stopped", "-stopped recovered"])
        #expect(Alert.disorder(in: bench.told) == [])
    }

    @Test func slowStrokesAreNoStop() {
        // Goal: three expected strokes, not three seconds. Method: ten a minute, which the monitor takes
        // for a pause between strokes; 18 s are allowed.
        var bench = AlertBench()
        bench.begin()
        bench.row(5, rate: 10)
        bench.sit(seconds: 17)
        #expect(bench.words == [])
        bench.sample.state = .paused
        bench.wait(seconds: 2)
        #expect(bench.words == ["stopped"])
    }

    @Test(arguments: [ActivityState.resting, .finished, .ready, .idle])
    func nobodyStopsInARestOrBehindTheEnd(state: ActivityState) {
        // Goal: a rest is none. Method: two minutes of every state in which nobody has to row.
        var bench = AlertBench()
        bench.begin()
        bench.row(10)
        bench.sample.state = state
        bench.wait(seconds: 120)
        bench.row(5)
        bench.end()
        bench.wait(seconds: 120)
        #expect(bench.words == [])
    }

    @Test func aJustRowHasNoStop() {
        // Goal: who rows without a goal may stop. Method: a minute of nothing in a just row.
        var bench = AlertBench()
        bench.workout = Workout(type: .justRowWithSplits, target: .none)
        bench.begin()
        bench.row(10)
        bench.sit(seconds: 60)
        #expect(bench.words == [])
    }

    @Test func silenceOfTheMonitorIsNoStopOfTheRower() {
        // Goal: unknown is not wrong. Method: a monitor that says nothing for two minutes, and one whose
        // link is gone for three seconds again and again.
        var bench = AlertBench()
        bench.begin()
        bench.row(10)
        bench.sample.isStale = true
        bench.sample.state = .paused
        bench.wait(seconds: 120)
        #expect(bench.words == [])
        bench.sample.isStale = false
        bench.wait(seconds: 3)
        #expect(bench.words == [])
        for _ in 0..<20 {
            bench.isLinkLost = true
            bench.wait(seconds: 3)
            bench.isLinkLost = false
            bench.row(1)
        }
        #expect(bench.words == [])
    }

    @Test func anAlertStaysWhileNobodyKnows() {
        // Goal: silence resolves nothing. Method: a stop, then two minutes of stale, then rowing.
        var bench = AlertBench()
        bench.begin()
        bench.row(10)
        bench.sit(seconds: 20)
        bench.sample.isStale = true
        bench.sample.state = .rowing
        bench.wait(seconds: 120)
        #expect(bench.firing == [.stopped])
        bench.sample.isStale = false
        bench.row(2)
        #expect(bench.firing == [])
    }

    // MARK: - Link

    @Test func aLostLinkIsToldOfASessionAlone() {
        // Goal: link lost in a session, after 5 s. Method: outside, for 3 s, for a minute, and again.
        var bench = AlertBench()
        bench.isLinkLost = true
        bench.wait(seconds: 60)
        bench.isLinkLost = false
        bench.begin()
        bench.row(10)
        bench.isLinkLost = true
        bench.wait(seconds: 4)
        bench.isLinkLost = false
        bench.wait(seconds: 1)
        #expect(bench.words == [])
        bench.isLinkLost = true
        bench.wait(seconds: 60)
        #expect(bench.words == ["link_lost"])
        #expect(bench.told.first?.since.duration(to: bench.now) ?? .zero > .seconds(58))
        bench.isLinkLost = false
        bench.row(4)
        #expect(bench.words == ["link_lost", "-link_lost recovered"])
    }

    @Test func aLinkThatComesAndGoesIsOneAlert() {
        // Goal: no flood by a weak radio. Method: three seconds on, ten off, for ten minutes.
        var bench = AlertBench()
        bench.begin()
        for _ in 0..<46 {
            bench.isLinkLost = true
            bench.wait(seconds: 10)
            bench.isLinkLost = false
            bench.wait(seconds: 3)
        }
        #expect(bench.words == ["link_lost"])
    }

    @Test func aLostLinkSilencesWhatIsRowed() {
        // Goal: one thing, one alert. Method: a stop that goes on behind a lost link, and its end.
        var bench = AlertBench()
        bench.begin()
        bench.row(10)
        bench.sit(seconds: 5)
        bench.isLinkLost = true
        bench.wait(seconds: 60)
        #expect(bench.words == ["link_lost"])
        bench.end()
        #expect(bench.words == ["link_lost", "-link_lost session_ended"])
        #expect(bench.firing == [])
    }

    @Test func whatIsOutAboveSilencesAll() {
        // Goal: gateway before adapter before erg. Method: no adapter; a lost link and a low battery.
        var bench = AlertBench()
        bench.begin()
        bench.row(10)
        bench.alerts.note(outage: .adapter)
        bench.isLinkLost = true
        bench.battery = 3
        bench.wait(seconds: 60)
        #expect(bench.words == [])
        bench.alerts.note(outage: nil)
        bench.wait(seconds: 10)
        #expect(bench.words == ["battery_low", "link_lost"])
    }

    @Test func anAlertFiresOnBehindWhatIsOutAboveIt() {
        // Goal: silenced is not resolved. Method: a stop; then no bluetoothd for a minute.
        var bench = AlertBench()
        bench.begin()
        bench.row(10)
        bench.sit(seconds: 20)
        bench.alerts.note(outage: .gateway)
        bench.sample.state = .rowing
        bench.wait(seconds: 60)
        #expect(bench.firing == [.stopped])
        bench.alerts.note(outage: nil)
        bench.row(2)
        #expect(bench.words == ["stopped", "-stopped recovered"])
    }

    // MARK: - Battery

    @Test func aLowBatteryIsToldWhoeverRows() {
        // Goal: enter below 15 %, exit at 20 %. Method: a battery that falls, wavers and is replaced.
        var bench = AlertBench()
        for percent in [40, 16, 15] {
            bench.battery = percent
            bench.wait(seconds: 5)
        }
        #expect(bench.words == [])
        for percent in [14, 15, 14, 17, 19, 13] {
            bench.battery = percent
            bench.wait(seconds: 5)
        }
        bench.begin()
        bench.row(3)
        bench.end()
        bench.battery = nil
        bench.wait(seconds: 5)
        #expect(bench.words == ["battery_low"])
        bench.battery = 100
        bench.wait(seconds: 5)
        #expect(bench.words == ["battery_low", "-battery_low recovered"])
        #expect(bench.told.allSatisfy { $0.session == nil })
        #expect(bench.told.map(\.value) == [1400, 10_000])
    }

    // MARK: - What is rowed

    @Test func paceAndRateOutsideTheirBandAreTold() {
        // Goal: five strokes of pace, three of rate, the start left out. Method: a fast start, a drift.
        var settings = AlertSettings()
        settings.paces = .init(millisecondsPer500m: 118_000)...(.init(millisecondsPer500m: 122_000))
        settings.rates = 22...26
        var bench = AlertBench(settings)
        bench.begin()
        bench.row(3, pace: 100, rate: 36)
        bench.row(20)
        bench.row(4, pace: 126)
        bench.row(2, rate: 27)
        bench.row(10)
        #expect(bench.words == [])
        bench.row(5, pace: 126)
        #expect(bench.words == ["off_pace"])
        #expect(bench.told.last?.value == 12_600 && bench.told.last?.threshold == 12_200)
        bench.row(3, rate: 27)
        #expect(bench.words == ["off_pace", "-off_pace recovered", "rate_out_of_band"])
        // On the edge of the band a pace is not right again, and a rate is.
        bench.row(14, pace: 100)
        bench.row(10, pace: 118)
        #expect(bench.firing == [.offPace])
        bench.row(3, pace: 119)
        #expect(bench.firing == [])
        #expect(Alert.disorder(in: bench.told) == [])
    }

    @Test func aCollapseOfPowerIsHeldAgainstTheMinuteBefore() {
        // Goal: under 40 % of what was rowed before, over 60 % again. Method: 200 W, 90 W, 70 W for
        // minutes, 110 W, 130 W; the three strokes of the mean are counted.
        var settings = AlertSettings()
        settings.rules.insert(.powerCollapse)
        var bench = AlertBench(settings)
        bench.begin()
        bench.row(24, watts: 200)
        bench.row(3, watts: 90)
        bench.row(24, watts: 200)
        #expect(bench.words == [])
        bench.row(3, watts: 70)
        #expect(bench.words == ["power_collapse"])
        #expect(bench.told.last?.value == 3500 && bench.told.last?.threshold == 4000)
        bench.row(60, watts: 70)
        bench.row(10, watts: 110)
        #expect(bench.firing == [.powerCollapse])
        bench.row(5, watts: 130)
        #expect(bench.words == ["power_collapse", "-power_collapse recovered"])
    }

    @Test func anIntervalBeginsAnew() {
        // Goal: the easy interval behind a hard one is no collapse. Method: both, of a minute.
        var settings = AlertSettings()
        settings.rules.insert(.powerCollapse)
        var bench = AlertBench(settings)
        bench.workout = Workout(type: .fixedTimeInterval, target: .time(.seconds(60)))
        bench.begin()
        bench.row(24, watts: 300)
        bench.interval = 2
        bench.row(24, watts: 100)
        #expect(bench.words == [])
    }

    @Test func aSplitIsNoNewStart() {
        // Goal: who breaks down as a split begins is told of at once. Method: a piece in one go, whose
        // splits are numbered as intervals are; the band of paces goes on as well.
        var settings = AlertSettings()
        settings.rules.insert(.powerCollapse)
        settings.paces = Pace(millisecondsPer500m: 110_000)...Pace(millisecondsPer500m: 130_000)
        var bench = AlertBench(settings)
        bench.begin()
        bench.row(24, watts: 200)
        bench.interval = 2
        bench.row(5, watts: 70, pace: 170)
        #expect(bench.words == ["power_collapse", "off_pace"])
    }

    @Test func heartRatesHighAndLostAreTold() {
        // Goal: ten seconds of each; no belt, no alert. Method: a belt that comes, runs high and goes.
        var settings = AlertSettings()
        settings.highestHeartRate = 180
        settings.rules.insert(.heartRateLost)
        var bench = AlertBench(settings)
        bench.begin()
        bench.row(20)
        bench.sample.heartRate = 181
        bench.wait(seconds: 9)
        bench.sample.heartRate = 170
        bench.wait(seconds: 9)
        #expect(bench.words == [])
        bench.sample.heartRate = 180
        bench.wait(seconds: 11)
        bench.sample.heartRate = 178
        bench.wait(seconds: 60)
        #expect(bench.words == ["heart_rate_high"])
        bench.sample.heartRate = nil
        bench.wait(seconds: 11)
        #expect(bench.firing == [.heartRateHigh, .heartRateLost])
        bench.sample.heartRate = 170
        bench.wait(seconds: 11)
        #expect(bench.firing == [])
    }

    @Test func dragOutsideItsBandIsTold() {
        // Goal: three strokes. Method: a damper at 10.
        var settings = AlertSettings()
        settings.drags = 100...140
        var bench = AlertBench(settings)
        bench.sample.dragFactor = 210
        bench.begin()
        bench.row(2)
        #expect(bench.words == [])
        bench.row(2)
        #expect(bench.words == ["drag_out_of_band"])
        bench.sample.dragFactor = 130
        bench.row(4)
        #expect(bench.words == ["drag_out_of_band", "-drag_out_of_band recovered"])
    }

    // MARK: - Together

    @Test func atMostSoManyBeginInAMinute() {
        // Goal: no flood. Method: a belt, a pace, a rate, drag, power and battery go wrong together, and
        // then the link; what waits is told a minute later.
        var settings = AlertSettings()
        settings.rules.formUnion([.heartRateLost, .powerCollapse])
        settings.paces = .init(millisecondsPer500m: 118_000)...(.init(millisecondsPer500m: 122_000))
        (settings.rates, settings.drags, settings.highestHeartRate) = (20...26, 100...140, 150)
        var bench = AlertBench(settings)
        bench.begin()
        bench.sample.heartRate = 140
        bench.row(24)
        bench.sample.heartRate = 160
        bench.sample.dragFactor = 60
        bench.battery = 5
        bench.row(8, watts: 20, pace: 200, rate: 40)
        #expect(bench.told.count == AlertBook.mostPerMinute)
        bench.isLinkLost = true
        bench.wait(seconds: 20)
        #expect(bench.told.count == AlertBook.mostPerMinute)
        bench.wait(seconds: 60)
        #expect(bench.words.last == "link_lost")
    }

    @Test func theEndOfTheSessionResolvesWithThatReason() {
        // Goal: no alert of a session outlives it. Method: a stop and a low battery at the end.
        var bench = AlertBench()
        bench.begin()
        bench.row(10)
        bench.battery = 5
        bench.sit(seconds: 20)
        bench.end()
        #expect(bench.words == ["battery_low", "stopped", "-stopped session_ended"])
        bench.begin("S2")
        bench.row(10)
        #expect(bench.firing == [.batteryLow])
    }

    @Test func anotherProcessGoesOnWithWhatFires() {
        // Goal: a restart is no recovery. Method: a stop, a restart, the stop goes on, then rowing.
        var bench = AlertBench()
        bench.begin()
        bench.row(10)
        bench.sit(seconds: 20)
        bench.restart()
        bench.wait(seconds: 60)
        #expect(bench.words == ["stopped"])
        bench.row(3)
        #expect(bench.words == ["stopped", "-stopped recovered"])
        #expect(bench.told[0].id == bench.told[1].id && bench.told[0].since == bench.told[1].since)
    }

    @Test func aLinkThatARestartTookIsAwaited() {
        // Goal: who restarts loses every link, and no alert tells of it; one that stays away is told.
        // Method: a restart within a piece; the link is back after a minute, is lost again, and, behind
        // another restart, does not come back.
        var bench = AlertBench()
        bench.begin()
        bench.row(10)
        bench.restart()
        bench.isLinkLost = true
        bench.wait(seconds: 60)
        bench.isLinkLost = false
        bench.row(4)
        #expect(bench.words == [])
        bench.isLinkLost = true
        bench.wait(seconds: 6)
        #expect(bench.words == ["link_lost"])
        bench.isLinkLost = false
        bench.row(4)
        bench.restart()
        bench.isLinkLost = true
        bench.wait(seconds: 180)
        #expect(bench.words == ["link_lost", "-link_lost recovered"])
        bench.wait(seconds: 10)
        #expect(bench.firing == [.linkLost])
    }

    @Test func aLostLinkGoesOnBehindARestart() {
        // Goal: what fired is not resolved by a restart, and not told twice. Method: a lost link, a
        // restart, five minutes, then the link.
        var bench = AlertBench()
        bench.begin()
        bench.row(10)
        bench.isLinkLost = true
        bench.wait(seconds: 20)
        bench.restart()
        bench.wait(seconds: 300)
        #expect(bench.words == ["link_lost"])
        bench.isLinkLost = false
        bench.row(4)
        #expect(bench.words == ["link_lost", "-link_lost recovered"])
        #expect(bench.told[0].id == bench.told[1].id)
    }

    @Test func whatARestartLeavesBehindIsResolved() {
        // Goal: nothing fires for ever. Method: the session is over meanwhile; or the rule is off.
        var bench = AlertBench()
        bench.begin()
        bench.row(10)
        bench.sit(seconds: 20)
        var other = bench
        bench.restart(hasSession: false)
        bench.wait(seconds: 1)
        #expect(bench.words == ["stopped", "-stopped session_ended"])
        var settings = AlertSettings()
        settings.rules = []
        other.restart(settings)
        other.wait(seconds: 1)
        #expect(other.words == ["stopped", "-stopped rule_off"])
    }

    @Test func walksOfEverythingMakeOnePairAnExcursion() {
        // Goal: whatever happens, alerts come in pairs, and never more than excursions. Method: random
        // walks of every figure, with silence, lost links, restarts, sessions and clocks that jump; all
        // rules on.
        var settings = AlertSettings()
        settings.rules.formUnion([.heartRateLost, .powerCollapse])
        settings.paces = .init(millisecondsPer500m: 115_000)...(.init(millisecondsPer500m: 125_000))
        (settings.rates, settings.drags, settings.highestHeartRate) = (20...28, 100...140, 170)
        for seed in UInt64(1)...60 {
            var random = SeededGenerator(seed: seed)
            var bench = AlertBench(settings)
            var walk = Walk()
            bench.begin()
            for _ in 0..<600 {
                walk.step(&random, in: &bench, settings, restarts: seed.isMultiple(of: 2))
                let told = bench.told.count { $0.rule == .offPace && $0.resolution == nil }
                #expect(told <= walk.excursions, "seed \(seed)")
            }
            #expect(Alert.disorder(in: bench.told) == [], "seed \(seed)")
            bench.end()
            #expect(bench.firing.allSatisfy { !$0.isOfSession }, "seed \(seed)")
            // How many began in the last minute, another process does not know.
            guard !seed.isMultiple(of: 2) else { continue }
            let begun = bench.told.filter { $0.resolution == nil }.map(\.at)
            for (first, last) in zip(begun, begun.dropFirst(AlertBook.mostPerMinute)) {
                #expect(first.duration(to: last) >= .seconds(60), "seed \(seed)")
            }
        }
    }

    /// A rower without a plan.
    private struct Walk {
        private var (watts, pace, rate) = (150, 120, 24)
        private var isOff = false
        /// Of the pace, as a coach would count them.
        private(set) var excursions = 0

        mutating func step(
            _ random: inout SeededGenerator, in bench: inout AlertBench,
            _ settings: AlertSettings, restarts: Bool
        ) {
            watts = min(400, max(10, watts + Int.random(in: -40...40, using: &random)))
            pace = min(135, max(105, pace + Int.random(in: -3...3, using: &random)))
            rate = min(34, max(14, rate + Int.random(in: -2...2, using: &random)))
            let battery = (bench.battery ?? 20) + Int.random(in: -1...1, using: &random)
            bench.battery = min(100, max(0, battery))
            let drag = (bench.sample.dragFactor ?? 120) + Int.random(in: -3...3, using: &random)
            bench.sample.dragFactor = min(160, max(80, drag))
            let heart = (bench.sample.heartRate ?? 165) + Int.random(in: -3...3, using: &random)
            bench.sample.heartRate = heart
            switch Int.random(in: 0..<60, using: &random) {
            case 0: bench.sit(seconds: Double.random(in: 1...40, using: &random))
            case 1:
                bench.isLinkLost = true
                bench.wait(seconds: Double.random(in: 1...40, using: &random))
                bench.isLinkLost = false
            case 2:
                bench.sample.isStale = true
                bench.wait(seconds: Double.random(in: 1...40, using: &random))
                bench.sample.isStale = false
            case 3 where restarts: bench.restart(settings)
            case 4: bench.step(milliseconds: 3_600_000)
            case 5: bench.sample.heartRate = nil
            case 6:
                bench.end()
                bench.begin("S\(bench.told.count + 2)")
                isOff = false
            default: break
            }
            if (116...124).contains(pace) { isOff = false }
            if !(115...125).contains(pace), !isOff { (isOff, excursions) = (true, excursions + 1) }
            bench.row(1, watts: watts, pace: pace, rate: rate)
        }
    }
}
