import Foundation
import TestSupport
import Testing
import Timeline

@testable import Insights
@testable import Rowing

/// Random walks around the limits of every rule: at most one alert per excursion.
///
/// `ROWGATE_SEED` selects other walks; a failure reports its seed.
@Suite struct ThresholdWalkTests {
    /// Counts excursions: from wrong at one limit until right at the other.
    private struct Excursions {
        private(set) var count = 0
        private var isOut = false

        mutating func note(isWrong: Bool, isRight: Bool) {
            if isWrong, !isOut { (isOut, count) = (true, count + 1) }
            if isRight { isOut = false }
        }
    }

    private static let seeds: Range<UInt64> = {
        let first = ProcessInfo.processInfo.environment["ROWGATE_SEED"].flatMap(UInt64.init) ?? 1
        return first..<first + 20
    }()

    private static let everything: AlertSettings = {
        var settings = AlertSettings()
        settings.rules.formUnion([.heartRateLost, .powerCollapse])
        settings.paces = .init(millisecondsPer500m: 115_000)...(.init(millisecondsPer500m: 125_000))
        (settings.rates, settings.drags, settings.highestHeartRate) = (20...28, 100...140, 170)
        return settings
    }()

    // MARK: - An erg

    private static let ergRules = AlertRule.allCases.filter { $0.level >= .erg }

    @Test(arguments: ergRules)
    func raisesAtMostOneErgAlertPerExcursion(rule: AlertRule) {
        // One value walks around its limits and the others stay right, with silence, lost links, restarts,
        // clock steps, and acknowledgements.
        var fired = 0
        for seed in Self.seeds {
            var random = SeededGenerator(seed: seed)
            var walk = Walk(rule, Self.everything)
            var excursions = Excursions()
            for _ in 0..<400 { walk.step(&random, &excursions) }
            let published = walk.bench.published.filter { $0.rule == rule && $0.state == .firing }.count
            #expect(published <= excursions.count, "\(rule), ROWGATE_SEED=\(seed)")
            #expect(Alert.disorder(in: walk.bench.published) == [], "\(rule), ROWGATE_SEED=\(seed)")
            fired += published
        }
        #expect(fired > 0, "\(rule), ROWGATE_SEED=\(Self.seeds.lowerBound)")
    }

    /// A rower with one value near its limit.
    private struct Walk {
        private let rule: AlertRule
        private let settings: AlertSettings
        private(set) var bench: AlertBench
        private var (watts, pace, rate) = (200, 120, 24)

        init(_ rule: AlertRule, _ settings: AlertSettings) {
            (self.rule, self.settings) = (rule, settings)
            bench = AlertBench(settings)
            bench.sample.heartRate = 150
            bench.sample.dragFactor = 120
            bench.battery = 60
            bench.begin()
            bench.row(24)
        }

        mutating func step(_ random: inout SeededGenerator, _ excursions: inout Excursions) {
            disturb(&random, &excursions)
            func walked(_ value: Int, by step: Int, in range: ClosedRange<Int>) -> Int {
                let next = value + Int.random(in: -step...step, using: &random)
                return min(range.upperBound, max(range.lowerBound, next))
            }
            switch rule {
            case .offPace:
                pace = walked(pace, by: 3, in: 110...130)
                excursions.note(
                    isWrong: !(115...125).contains(pace), isRight: (116...124).contains(pace))
            case .rateOutOfBand:
                rate = walked(rate, by: 2, in: 16...32)
                let isRight = (20...28).contains(rate)
                excursions.note(isWrong: !isRight, isRight: isRight)
            case .dragOutOfBand:
                let drag = walked(bench.sample.dragFactor ?? 0, by: 4, in: 90...150)
                bench.sample.dragFactor = drag
                let isRight = (100...140).contains(drag)
                excursions.note(isWrong: !isRight, isRight: isRight)
            case .heartRateHigh:
                let heart = walked(bench.sample.heartRate ?? 168, by: 2, in: 160...178)
                bench.sample.heartRate = heart
                excursions.note(isWrong: heart >= 170, isRight: heart <= 167)
            case .batteryLow:
                let battery = walked(bench.battery ?? 0, by: 2, in: 8...26)
                bench.battery = battery
                excursions.note(isWrong: battery < 15, isRight: battery >= 20)
            case .powerCollapse:
                // Each drop from full power is an excursion.
                if Int.random(in: 0..<20, using: &random) == 0 { watts = watts > 100 ? 50 : 200 }
                excursions.note(isWrong: watts == 50, isRight: watts == 200)
            case .heartRateLost:
                if Int.random(in: 0..<8, using: &random) == 0 {
                    bench.sample.heartRate = bench.sample.heartRate == nil ? 150 : nil
                }
                let isLost = bench.sample.heartRate == nil
                excursions.note(isWrong: isLost, isRight: !isLost)
            default: break  // `stopped` and `linkLost` are among the disturbances.
            }
            bench.row(1, watts: watts, pace: pace, rate: rate)
        }

        private mutating func disturb(
            _ random: inout SeededGenerator, _ excursions: inout Excursions
        ) {
            let seconds = Double.random(in: 1...30, using: &random)
            switch Int.random(in: 0..<40, using: &random) {
            case 0:
                bench.pauseRowing(seconds: seconds)
                if rule == .stopped { pass(&excursions) }
            case 1:
                bench.isLinkLost = true
                bench.wait(seconds: seconds)
                bench.isLinkLost = false
                if rule == .linkLost { pass(&excursions) }
            case 2:
                bench.sample.isStale = true
                bench.wait(seconds: seconds)
                bench.sample.isStale = false
            case 3: bench.restart(settings)
            case 4: bench.step(milliseconds: 3_600_000)
            case 5:
                if let alert = bench.alerts.firing.first {
                    _ = bench.acknowledge(alert.id, by: "anna")
                }
            default: break
            }
        }

        private func pass(_ excursions: inout Excursions) {
            excursions.note(isWrong: true, isRight: false)
            excursions.note(isWrong: false, isRight: true)
        }
    }

    // MARK: - The gateway

    private static let gatewayRules = AlertRule.allCases.filter { $0.level < .erg }

    @Test(arguments: gatewayRules)
    func raisesAtMostOneGatewayAlertPerExcursion(rule: AlertRule) {
        // As above, with late moments and crashed processes. Without bluetoothd the adapters are unknown.
        var fired = 0
        for seed in Self.seeds {
            var random = SeededGenerator(seed: seed)
            let count = Count()
            var alerts = GatewayAlerts(AlertSettings()) { "G\(count.next())" }
            var (published, excursions, now) = ([Alert](), Excursions(), 0)
            var (figure, isWrong) = (0, false)
            for _ in 0..<3000 {
                now += Int.random(in: 0..<50, using: &random) == 0 ? 60 : 3
                if Int.random(in: 0..<30, using: &random) == 0 { isWrong.toggle() }
                var moment = GatewayMoment(hasBluetooth: true, adapters: 1, isUndervoltage: false)
                switch rule {
                case .backlog:
                    figure = min(80, max(0, figure + Int.random(in: -9...9, using: &random)))
                    moment.backlogAge = .seconds(figure)
                    excursions.note(isWrong: figure >= 60, isRight: figure <= 10)
                case .disk:
                    figure = min(8, max(0, figure + Int.random(in: -1...1, using: &random)))
                    moment.diskDelay = .seconds(figure)
                    excursions.note(isWrong: figure >= 5, isRight: figure <= 1)
                default:
                    excursions.note(isWrong: isWrong, isRight: !isWrong)
                    moment.set(rule, isWrong)
                }
                if rule != .bluetoothLost {
                    moment.hasBluetooth = Int.random(in: 0..<20, using: &random) > 0
                }
                if Int.random(in: 0..<100, using: &random) == 0 {
                    alerts = GatewayAlerts(AlertSettings(), firing: alerts.firing) {
                        "G\(count.next())"
                    }
                }
                let instant = BootInstant(nanoseconds: UInt64(now) * 1_000_000_000)
                alerts.evaluate(moment, at: instant, into: &published)
            }
            let begun = published.count { $0.rule == rule && $0.state == .firing }
            #expect(begun <= excursions.count, "\(rule), ROWGATE_SEED=\(seed)")
            #expect(Alert.disorder(in: published) == [], "\(rule), ROWGATE_SEED=\(seed)")
            fired += begun
        }
        #expect(fired > 0 || rule == .clock, "\(rule), ROWGATE_SEED=\(Self.seeds.lowerBound)")
    }
}

extension GatewayMoment {
    fileprivate mutating func set(_ rule: AlertRule, _ isWrong: Bool) {
        switch rule {
        case .bluetoothLost: hasBluetooth = !isWrong
        case .adapterLost: adapters = isWrong ? 0 : 1
        case .undervoltage: isUndervoltage = isWrong
        case .ring: isRingLost = isWrong
        case .clock: isClockRight = !isWrong
        default: break
        }
    }
}
