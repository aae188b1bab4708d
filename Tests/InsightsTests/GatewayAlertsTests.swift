import Testing
import Timeline

@testable import Insights

@Suite struct GatewayAlertsTests {
    private static let well = GatewayMoment(
        hasBluetooth: true, adapters: 1, isUndervoltage: false)

    /// Returns the alerts for these moments, three seconds apart.
    private func alertNames(_ moments: [(GatewayMoment, seconds: Int)]) -> [String] {
        let count = Count()
        var alerts = GatewayAlerts(AlertSettings()) { "G\(count.next())" }
        var published: [Alert] = []
        var now = BootInstant(nanoseconds: 0)
        for (moment, seconds) in moments {
            for _ in 0..<seconds / 3 {
                alerts.evaluate(moment, at: now, into: &published)
                now = now.advanced(by: .seconds(3))
            }
        }
        #expect(Alert.disorder(in: published) == [])
        return published.map { ($0.resolution == nil ? "" : "-") + $0.rule.rawValue }
    }

    @Test(arguments: [
        (AlertRule.bluetoothLost, GatewayMoment(hasBluetooth: false, adapters: 1), 15),
        (.adapterLost, GatewayMoment(hasBluetooth: true, adapters: 0), 15),
        (.undervoltage, GatewayMoment(hasBluetooth: true, adapters: 1, isUndervoltage: true), 3),
        (.backlog, GatewayMoment(hasBluetooth: true, adapters: 1, backlogAge: .seconds(60)), 15),
        (.ring, GatewayMoment(hasBluetooth: true, adapters: 1, isRingLost: true), 3),
        (.disk, GatewayMoment(hasBluetooth: true, adapters: 1, diskDelay: .seconds(5)), 3),
        (.clock, GatewayMoment(hasBluetooth: true, adapters: 1, isClockRight: false), 606),
    ])
    func raisesAndResolvesEveryRule(
        rule: AlertRule, moment: GatewayMoment, seconds: Int
    ) {
        // Wrong for too short a time, long enough, and right again.
        let name = rule.rawValue
        if seconds > 3 { #expect(alertNames([(moment, seconds - 6), (Self.well, 60)]) == []) }
        #expect(
            alertNames([(Self.well, 60), (moment, seconds), (moment, 60), (Self.well, 60)])
                == [name, "-" + name])
    }

    @Test func resolvesBacklogBelowExit() {
        // Ages around the limit are one alert. It ends at 10 s, or at half of a shorter limit.
        for (limit, above) in [(60, 11), (10, 6)] {
            var settings = AlertSettings()
            settings.longestBacklog = .seconds(limit)
            var alerts = GatewayAlerts(settings) { "G" }
            var (published, now) = ([Alert](), BootInstant(nanoseconds: 0))
            for age in [limit, limit - 1, limit, above, above - 1] {
                for _ in 0..<5 {
                    let moment = GatewayMoment(
                        hasBluetooth: true, adapters: 1, backlogAge: .seconds(age))
                    alerts.evaluate(moment, at: now, into: &published)
                    now = now.advanced(by: .seconds(3))
                }
                #expect(alerts.firing.isEmpty == (age == above - 1), "\(age) of \(limit)")
            }
            #expect(published.count == 2)
        }
    }

    @Test func silencesAdapterRuleWithoutBluetooth() {
        // Without bluetoothd there is no adapter either.
        let nothing = GatewayMoment(hasBluetooth: false, adapters: 0)
        #expect(alertNames([(nothing, 120)]).first == "bluetooth_lost")
        #expect(alertNames([(nothing, 120), (Self.well, 60)]).contains("adapter_lost") == false)
    }

    @Test func reportsHighestOutage() {
        // An adapter is lost and returns. Ergs are silenced from the first moment, because their link
        // alerts would start before the adapter's.
        var alerts = GatewayAlerts(AlertSettings()) { "G" }
        var published: [Alert] = []
        for second in 0..<60 {
            let moment = GatewayMoment(hasBluetooth: true, adapters: second < 30 ? 0 : 1)
            let now = BootInstant(nanoseconds: UInt64(second) * 1_000_000_000)
            alerts.evaluate(moment, at: now, into: &published)
            #expect(alerts.outage == (second < 35 ? .adapter : nil), "\(second)")
        }
        #expect(alerts.outage == nil)
    }
}
