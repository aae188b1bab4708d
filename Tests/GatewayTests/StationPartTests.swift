import Contract
import Insights
import PM5Codec
import Rowing
import Testing
import Timeline

@testable import Gateway
@testable import Recording

/// Parts of a station, each alone.
struct StationPartTests {
    private static let serial = "430000001"

    private static func instant(_ seconds: UInt64) -> BootInstant {
        BootInstant(nanoseconds: seconds * 1_000_000_000)
    }

    private func append(_ byte: UInt8, to capture: inout RawCapture, at seconds: UInt64) throws {
        let erg = try #require(StationID("erg-1"))
        [byte].withUnsafeBytes {
            capture.append($0, of: .generalStatus, station: erg, at: Self.instant(seconds))
        }
    }

    @Test func storesIdentityOnceBeforeRawValues() throws {
        let erg = try #require(StationID("erg-1"))
        let monitor = MonitorIdentity(serial: Self.serial, address: "F4:30:00:00:00:01", adapter: "hci0")
        var capture = RawCapture(isWanted: true)
        try append(1, to: &capture, at: 1)
        let first = capture.drain(of: erg, monitor, at: Self.instant(1))
        try append(2, to: &capture, at: 2)
        let second = capture.drain(of: erg, monitor, at: Self.instant(2))
        #expect(Array(first.entries).count == 2 && Array(second.entries).count == 1)
        capture.requireIdentity()
        try append(3, to: &capture, at: 3)
        #expect(Array(capture.drain(of: erg, monitor, at: Self.instant(3)).entries).count == 2)
    }

    @Test func capturesNothingUnlessWanted() throws {
        var capture = RawCapture(isWanted: false)
        try append(1, to: &capture, at: 1)
        #expect(capture.isEmpty)
        let isStored = capture.isStored(during: .rowing, at: Self.instant(1))
        #expect(!isStored)
    }

    @Test func countsStartedAlertsAndReportsThemOnce() {
        var insights = StationInsights(
            AlertSettings(), own: AlertSettings(), firing: [], makeID: { "01K3XQ" })
        var hasChanged = false
        for second in 0..<300 {
            let moment = ErgMoment(isLinkLost: false, sample: nil, batteryPercent: 5)
            hasChanged = insights.evaluate(moment, at: Self.instant(UInt64(second))) || hasChanged
        }
        #expect(hasChanged && insights.alertsTotal == 1 && insights.firing.map(\.rule) == [.batteryLow])
        #expect(insights.hasPending)
        let drained = insights.drainPending()
        #expect(drained.count == 1 && !insights.hasPending)
    }
}
