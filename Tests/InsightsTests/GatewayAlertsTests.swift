import Testing
import Timeline

@testable import Insights

@Suite struct GatewayAlertsTests {
    private static let well = GatewayMoment(
        hasBluetooth: true, adapters: 1, isUndervoltage: false)

    /// The alerts of a row of moments, three seconds apart.
    private func words(_ moments: [(GatewayMoment, seconds: Int)]) -> [String] {
        let count = Count()
        var alerts = GatewayAlerts(AlertSettings()) { "G\(count.next())" }
        var told: [Alert] = []
        var now = BootInstant(nanoseconds: 0)
        for (moment, seconds) in moments {
            for _ in 0..<seconds / 3 {
                alerts.take(moment, at: now, into: &told)
                now = now.advanced(by: .seconds(3))
            }
        }
        #expect(Alert.disorder(in: told) == [])
        return told.map { ($0.resolution == nil ? "" : "-") + $0.rule.rawValue }
    }

    @Test(arguments: [
        (AlertRule.bluetoothLost, GatewayMoment(hasBluetooth: false, adapters: 1), 15),
        (.adapterLost, GatewayMoment(hasBluetooth: true, adapters: 0), 15),
        (.undervoltage, GatewayMoment(hasBluetooth: true, adapters: 1, isUndervoltage: true), 3),
        (.backlog, GatewayMoment(hasBluetooth: true, adapters: 1, backlogAge: .seconds(60)), 15),
        (.ring, GatewayMoment(hasBluetooth: true, adapters: 1, isRingLost: true), 3),
        (.disk, GatewayMoment(hasBluetooth: true, adapters: 1, diskBehind: .seconds(5)), 3),
        (.clock, GatewayMoment(hasBluetooth: true, adapters: 1, isClockRight: false), 606),
    ])
    func whatIsWrongWithTheGatewayIsToldInPairs(
        rule: AlertRule, moment: GatewayMoment, seconds: Int
    ) {
        // Goal: each rule fires in its time, and is resolved. Method: wrong not long enough, long
        // enough, and right again.
        let name = rule.rawValue
        if seconds > 3 { #expect(words([(moment, seconds - 6), (Self.well, 60)]) == []) }
        #expect(
            words([(Self.well, 60), (moment, seconds), (moment, 60), (Self.well, 60)])
                == [name, "-" + name])
    }

    @Test func aBacklogIsWorkedOff() {
        // Goal: what goes up and down about its limit is one alert; it is over at 10 s, or at half of a
        // limit that is short. Method: ages, each for a while, under both limits.
        for (limit, above) in [(60, 11), (10, 6)] {
            var settings = AlertSettings()
            settings.longestBacklog = .seconds(limit)
            var alerts = GatewayAlerts(settings) { "G" }
            var (told, now) = ([Alert](), BootInstant(nanoseconds: 0))
            for age in [limit, limit - 1, limit, above, above - 1] {
                for _ in 0..<5 {
                    let moment = GatewayMoment(
                        hasBluetooth: true, adapters: 1, backlogAge: .seconds(age))
                    alerts.take(moment, at: now, into: &told)
                    now = now.advanced(by: .seconds(3))
                }
                #expect(alerts.firing.isEmpty == (age == above - 1), "\(age) of \(limit)")
            }
            #expect(told.count == 2)
        }
    }

    @Test func noBluetoothSilencesTheAdapters() {
        // Goal: one thing, one alert. Method: without bluetoothd there is no adapter either.
        let nothing = GatewayMoment(hasBluetooth: false, adapters: 0)
        #expect(words([(nothing, 120)]).first == "bluetooth_lost")
        #expect(words([(nothing, 120), (Self.well, 60)]).contains("adapter_lost") == false)
    }

    @Test func whatIsOutForAllIsTheHighest() {
        // Goal: ergs are silenced from the first moment on, since a lost link fires before a lost
        // adapter, until it is resolved. Method: an adapter that goes and comes back.
        var alerts = GatewayAlerts(AlertSettings()) { "G" }
        var told: [Alert] = []
        for second in 0..<60 {
            let moment = GatewayMoment(hasBluetooth: true, adapters: second < 30 ? 0 : 1)
            let now = BootInstant(nanoseconds: UInt64(second) * 1_000_000_000)
            alerts.take(moment, at: now, into: &told)
            #expect(alerts.outage == (second < 35 ? .adapter : nil), "\(second)")
        }
        #expect(alerts.outage == nil)
    }
}
