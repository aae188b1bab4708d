import TestSupport
import Testing
import Timeline

@testable import Insights
@testable import Rowing

@Suite struct ErgAlertsTests {
    // MARK: - Stopped

    @Test func raisesOneAlertPerStop() throws {
        // 24 strokes a minute, then none for a minute, then again. Three strokes at that rate take 7.5 s.
        var bench = AlertBench()
        bench.begin()
        bench.row(20)
        bench.pauseRowing(seconds: 7)
        #expect(bench.alertNames == [])
        bench.pauseRowing(seconds: 53)
        #expect(bench.alertNames == ["stopped"])
        let alert = try #require(bench.published.first)
        #expect(alert.value == 750 && alert.threshold == 750)
        #expect(alert.session == SessionID("S1"))
        bench.row(5)
        #expect(bench.alertNames == ["stopped", "-stopped recovered"])
        #expect(Alert.disorder(in: bench.published) == [])
    }

    @Test func ignoresSlowStrokes() {
        // Ten strokes a minute, between which the monitor reports pauses; 18 s are allowed.
        var bench = AlertBench()
        bench.begin()
        bench.row(5, rate: 10)
        bench.pauseRowing(seconds: 17)
        #expect(bench.alertNames == [])
        bench.sample.state = .paused
        bench.wait(seconds: 2)
        #expect(bench.alertNames == ["stopped"])
    }

    @Test(arguments: [ActivityState.resting, .finished, .ready, .idle])
    func ignoresStopOutsideWork(state: ActivityState) {
        // Two minutes of every state in which the rower may stop.
        var bench = AlertBench()
        bench.begin()
        bench.row(10)
        bench.sample.state = state
        bench.wait(seconds: 120)
        bench.row(5)
        bench.end()
        bench.wait(seconds: 120)
        #expect(bench.alertNames == [])
    }

    @Test func ignoresStopInJustRow() {
        // One minute without a stroke in a just row.
        var bench = AlertBench()
        bench.workout = Workout(type: .justRowWithSplits, target: .none)
        bench.begin()
        bench.row(10)
        bench.pauseRowing(seconds: 60)
        #expect(bench.alertNames == [])
    }

    @Test func ignoresSilenceOfMonitor() {
        // A monitor without values for two minutes, and one whose link is repeatedly lost for three
        // seconds.
        var bench = AlertBench()
        bench.begin()
        bench.row(10)
        bench.sample.isStale = true
        bench.sample.state = .paused
        bench.wait(seconds: 120)
        #expect(bench.alertNames == [])
        bench.sample.isStale = false
        bench.wait(seconds: 3)
        #expect(bench.alertNames == [])
        for _ in 0..<20 {
            bench.isLinkLost = true
            bench.wait(seconds: 3)
            bench.isLinkLost = false
            bench.row(1)
        }
        #expect(bench.alertNames == [])
    }

    @Test func keepsAlertWhileStateIsUnknown() {
        // A stop, two minutes of stale values, then rowing.
        var bench = AlertBench()
        bench.begin()
        bench.row(10)
        bench.pauseRowing(seconds: 20)
        bench.sample.isStale = true
        bench.sample.state = .rowing
        bench.wait(seconds: 120)
        #expect(bench.firing == [.stopped])
        bench.sample.isStale = false
        bench.row(2)
        #expect(bench.firing == [])
    }

    // MARK: - Link

    @Test func raisesLinkLostOnlyInSession() {
        // Lost outside a session, and in one for 3 s, for a minute, and again.
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
        #expect(bench.alertNames == [])
        bench.isLinkLost = true
        bench.wait(seconds: 60)
        #expect(bench.alertNames == ["link_lost"])
        #expect(bench.published.first?.since.duration(to: bench.now) ?? .zero > .seconds(58))
        bench.isLinkLost = false
        bench.row(4)
        #expect(bench.alertNames == ["link_lost", "-link_lost recovered"])
    }

    @Test func raisesOneAlertForUnstableLink() {
        // Connected for three seconds, lost for ten, during ten minutes.
        var bench = AlertBench()
        bench.begin()
        for _ in 0..<46 {
            bench.isLinkLost = true
            bench.wait(seconds: 10)
            bench.isLinkLost = false
            bench.wait(seconds: 3)
        }
        #expect(bench.alertNames == ["link_lost"])
    }

    @Test func silencesSessionRulesDuringLostLink() {
        // A stop that continues during a lost link, and its end.
        var bench = AlertBench()
        bench.begin()
        bench.row(10)
        bench.pauseRowing(seconds: 5)
        bench.isLinkLost = true
        bench.wait(seconds: 60)
        #expect(bench.alertNames == ["link_lost"])
        bench.end()
        #expect(bench.alertNames == ["link_lost", "-link_lost session_ended"])
        #expect(bench.firing == [])
    }

    @Test func silencesRulesBelowOutage() {
        // No adapter, a lost link and a low battery.
        var bench = AlertBench()
        bench.begin()
        bench.row(10)
        bench.alerts.note(outage: .adapter)
        bench.isLinkLost = true
        bench.battery = 3
        bench.wait(seconds: 60)
        #expect(bench.alertNames == [])
        bench.alerts.note(outage: nil)
        bench.wait(seconds: 10)
        #expect(bench.alertNames == ["battery_low", "link_lost"])
    }

    @Test func keepsAlertDuringOutageAbove() {
        // A stop; then no bluetoothd for a minute.
        var bench = AlertBench()
        bench.begin()
        bench.row(10)
        bench.pauseRowing(seconds: 20)
        bench.alerts.note(outage: .gateway)
        bench.sample.state = .rowing
        bench.wait(seconds: 60)
        #expect(bench.firing == [.stopped])
        bench.alerts.note(outage: nil)
        bench.row(2)
        #expect(bench.alertNames == ["stopped", "-stopped recovered"])
    }

    // MARK: - Battery

    @Test func raisesLowBatteryWithoutSession() {
        // The battery level falls, varies and recovers: starts below 15 %, ends at 20 %.
        var bench = AlertBench()
        for percent in [40, 16, 15] {
            bench.battery = percent
            bench.wait(seconds: 5)
        }
        #expect(bench.alertNames == [])
        for percent in [14, 15, 14, 17, 19, 13] {
            bench.battery = percent
            bench.wait(seconds: 5)
        }
        bench.begin()
        bench.row(3)
        bench.end()
        bench.battery = nil
        bench.wait(seconds: 5)
        #expect(bench.alertNames == ["battery_low"])
        bench.battery = 100
        bench.wait(seconds: 5)
        #expect(bench.alertNames == ["battery_low", "-battery_low recovered"])
        #expect(bench.published.allSatisfy { $0.session == nil })
        #expect(bench.published.map(\.value) == [1400, 10_000])
    }

    // MARK: - Rowing

    @Test func raisesPaceAndRateOutsideBand() {
        // A fast start, then a drift: five strokes for pace, three for rate, without the start.
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
        #expect(bench.alertNames == [])
        bench.row(5, pace: 126)
        #expect(bench.alertNames == ["off_pace"])
        #expect(bench.published.last?.value == 12_600 && bench.published.last?.threshold == 12_200)
        bench.row(3, rate: 27)
        #expect(bench.alertNames == ["off_pace", "-off_pace recovered", "rate_out_of_band"])
        // At the limit of the band a pace is not right again, but a rate is.
        bench.row(14, pace: 100)
        bench.row(10, pace: 118)
        #expect(bench.firing == [.offPace])
        bench.row(3, pace: 119)
        #expect(bench.firing == [])
        #expect(Alert.disorder(in: bench.published) == [])
    }

    @Test func comparesPowerWithMinuteBefore() {
        // 200 W, 90 W, 70 W for minutes, 110 W, 130 W; the mean of three strokes counts. Below 40 % starts,
        // above 60 % ends.
        var settings = AlertSettings()
        settings.rules.insert(.powerCollapse)
        var bench = AlertBench(settings)
        bench.begin()
        bench.row(24, watts: 200)
        bench.row(3, watts: 90)
        bench.row(24, watts: 200)
        #expect(bench.alertNames == [])
        bench.row(3, watts: 70)
        #expect(bench.alertNames == ["power_collapse"])
        #expect(bench.published.last?.value == 3500 && bench.published.last?.threshold == 4000)
        bench.row(60, watts: 70)
        bench.row(10, watts: 110)
        #expect(bench.firing == [.powerCollapse])
        bench.row(5, watts: 130)
        #expect(bench.alertNames == ["power_collapse", "-power_collapse recovered"])
    }

    @Test func restartsPowerComparisonPerInterval() {
        // A hard and then an easy interval, one minute each.
        var settings = AlertSettings()
        settings.rules.insert(.powerCollapse)
        var bench = AlertBench(settings)
        bench.workout = Workout(type: .fixedTimeInterval, target: .time(.seconds(60)))
        bench.begin()
        bench.row(24, watts: 300)
        bench.interval = 2
        bench.row(24, watts: 100)
        #expect(bench.alertNames == [])
    }

    @Test func continuesPowerComparisonOverSplits() {
        // The splits of a single piece are numbered like intervals. The power drops at the start of a
        // split; the band of paces continues.
        var settings = AlertSettings()
        settings.rules.insert(.powerCollapse)
        settings.paces = Pace(millisecondsPer500m: 110_000)...Pace(millisecondsPer500m: 130_000)
        var bench = AlertBench(settings)
        bench.begin()
        bench.row(24, watts: 200)
        bench.interval = 2
        bench.row(5, watts: 70, pace: 170)
        #expect(bench.alertNames == ["power_collapse", "off_pace"])
    }

    @Test func raisesHighAndLostHeartRate() {
        // A belt connects, reports a high rate, and is lost; ten seconds each.
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
        #expect(bench.alertNames == [])
        bench.sample.heartRate = 180
        bench.wait(seconds: 11)
        bench.sample.heartRate = 178
        bench.wait(seconds: 60)
        #expect(bench.alertNames == ["heart_rate_high"])
        bench.sample.heartRate = nil
        bench.wait(seconds: 11)
        #expect(bench.firing == [.heartRateHigh, .heartRateLost])
        bench.sample.heartRate = 170
        bench.wait(seconds: 11)
        #expect(bench.firing == [])
    }

    @Test func raisesDragOutsideBand() {
        // A damper at 10, for three strokes.
        var settings = AlertSettings()
        settings.drags = 100...140
        var bench = AlertBench(settings)
        bench.sample.dragFactor = 210
        bench.begin()
        bench.row(2)
        #expect(bench.alertNames == [])
        bench.row(2)
        #expect(bench.alertNames == ["drag_out_of_band"])
        bench.sample.dragFactor = 130
        bench.row(4)
        #expect(bench.alertNames == ["drag_out_of_band", "-drag_out_of_band recovered"])
    }

    // MARK: - Together

    @Test func limitsAlertsPerMinute() {
        // Belt, pace, rate, drag, power and battery become wrong together, then the link. Waiting alerts
        // start a minute later.
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
        #expect(bench.published.count == AlertTracker.mostPerMinute)
        bench.isLinkLost = true
        bench.wait(seconds: 20)
        #expect(bench.published.count == AlertTracker.mostPerMinute)
        bench.wait(seconds: 60)
        #expect(bench.alertNames.last == "link_lost")
    }

    @Test func resolvesAtEndOfSession() {
        // A stop and a low battery at the end of the session.
        var bench = AlertBench()
        bench.begin()
        bench.row(10)
        bench.battery = 5
        bench.pauseRowing(seconds: 20)
        bench.end()
        #expect(bench.alertNames == ["battery_low", "stopped", "-stopped session_ended"])
        bench.begin("S2")
        bench.row(10)
        #expect(bench.firing == [.batteryLow])
    }

    @Test func continuesAlertAfterRestart() {
        // A stop continues over a restart, then rowing.
        var bench = AlertBench()
        bench.begin()
        bench.row(10)
        bench.pauseRowing(seconds: 20)
        bench.restart()
        bench.wait(seconds: 60)
        #expect(bench.alertNames == ["stopped"])
        bench.row(3)
        #expect(bench.alertNames == ["stopped", "-stopped recovered"])
        let (first, second) = (bench.published[0], bench.published[1])
        #expect(first.id == second.id && first.since == second.since)
    }

    @Test func waitsForLinkAfterRestart() {
        // A restart in a piece. The link returns after a minute and is lost again. After another restart it
        // does not return.
        var bench = AlertBench()
        bench.begin()
        bench.row(10)
        bench.restart()
        bench.isLinkLost = true
        bench.wait(seconds: 60)
        bench.isLinkLost = false
        bench.row(4)
        #expect(bench.alertNames == [])
        bench.isLinkLost = true
        bench.wait(seconds: 6)
        #expect(bench.alertNames == ["link_lost"])
        bench.isLinkLost = false
        bench.row(4)
        bench.restart()
        bench.isLinkLost = true
        bench.wait(seconds: 180)
        #expect(bench.alertNames == ["link_lost", "-link_lost recovered"])
        bench.wait(seconds: 10)
        #expect(bench.firing == [.linkLost])
    }

    @Test func continuesLinkLostAfterRestart() {
        // A lost link, a restart, five minutes, then the link.
        var bench = AlertBench()
        bench.begin()
        bench.row(10)
        bench.isLinkLost = true
        bench.wait(seconds: 20)
        bench.restart()
        bench.wait(seconds: 300)
        #expect(bench.alertNames == ["link_lost"])
        bench.isLinkLost = false
        bench.row(4)
        #expect(bench.alertNames == ["link_lost", "-link_lost recovered"])
        #expect(bench.published[0].id == bench.published[1].id)
    }

    @Test func resolvesOrphanedAlertsAfterRestart() {
        // The session ended meanwhile, or the rule was disabled.
        var bench = AlertBench()
        bench.begin()
        bench.row(10)
        bench.pauseRowing(seconds: 20)
        var other = bench
        bench.restart(hasSession: false)
        bench.wait(seconds: 1)
        #expect(bench.alertNames == ["stopped", "-stopped session_ended"])
        var settings = AlertSettings()
        settings.rules = []
        other.restart(settings)
        other.wait(seconds: 1)
        #expect(other.alertNames == ["stopped", "-stopped rule_off"])
    }

    @Test func raisesAtMostOneAlertPerExcursion() {
        // Random walks of every value with all rules, silence, lost links, restarts, sessions and clock
        // steps. The number of alerts never exceeds the number of excursions.
        var settings = AlertSettings()
        settings.rules.formUnion([.heartRateLost, .powerCollapse])
        settings.paces = .init(millisecondsPer500m: 115_000)...(.init(millisecondsPer500m: 125_000))
        (settings.rates, settings.drags, settings.highestHeartRate) = (20...28, 100...140, 170)
        for seed in UInt64(1)...60 {
            var random = SeededGenerator(seed: seed)
            var bench = AlertBench(settings)
            var walk = Walk()
            bench.begin()
            var surplusSteps: [Int] = []
            for step in 0..<600 {
                walk.step(&random, in: &bench, settings, restarts: seed.isMultiple(of: 2))
                let published = bench.published.count { $0.rule == .offPace && $0.resolution == nil }
                if published > walk.excursions { surplusSteps.append(step) }
            }
            #expect(surplusSteps == [], "seed \(seed)")
            #expect(Alert.disorder(in: bench.published) == [], "seed \(seed)")
            bench.end()
            #expect(bench.firing.allSatisfy { !$0.endsWithSession }, "seed \(seed)")
            // A new process does not know how many alerts started in the last minute.
            guard !seed.isMultiple(of: 2) else { continue }
            let begun = bench.published.filter { $0.resolution == nil }.map(\.at)
            for (first, last) in zip(begun, begun.dropFirst(AlertTracker.mostPerMinute)) {
                #expect(first.duration(to: last) >= .seconds(60), "seed \(seed)")
            }
        }
    }

    /// A rower with random changes.
    private struct Walk {
        private var (watts, pace, rate) = (150, 120, 24)
        private var isOff = false
        /// Excursions of the pace.
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
            case 0: bench.pauseRowing(seconds: Double.random(in: 1...40, using: &random))
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
                bench.begin("S\(bench.published.count + 2)")
                isOff = false
            default: break
            }
            if (116...124).contains(pace) { isOff = false }
            if !(115...125).contains(pace), !isOff { (isOff, excursions) = (true, excursions + 1) }
            bench.row(1, watts: watts, pace: pace, rate: rate)
        }
    }
}
