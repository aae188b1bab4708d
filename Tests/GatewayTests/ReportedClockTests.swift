import Contract
import Foundation
import Testing

@testable import Gateway
@testable import Timeline

@Suite struct ReportedClockTests {
    private func clock(_ milliseconds: Int64, synchronized: Bool = true) -> WallClock {
        WallClock(
            bootID: "b", unixMillisecondsAtBoot: milliseconds, isSynchronized: synchronized)
    }

    @Test func reportsStepsAndSynchronization() {
        var reported = ReportedClock()
        #expect(reported.isOutdated(by: clock(0, synchronized: false)) == true)
        #expect(reported.isOutdated(by: clock(999, synchronized: false)) == false)
        #expect(reported.isOutdated(by: clock(1_788_627_000_000)) == true)
        #expect(reported.isOutdated(by: clock(1_788_627_000_999)) == false)
        #expect(reported.isOutdated(by: clock(1_788_627_000_500, synchronized: false)) == true)
        #expect(reported.isOutdated(by: clock(1_757_091_000_500)) == true)
    }

    @Test func publishesTheMappingAtEachStep() throws {
        let gateway = try #require(GatewayID("boathouse"))
        let (present, year) = (Int64(1_788_627_000_000), Int64(31_536_000_000))
        var reported = ReportedClock()
        for (minutes, boot) in [(1, 0), (20, present), (30, present - year), (40, present)] {
            let clock = clock(boot, synchronized: boot > 0)
            #expect(reported.isOutdated(by: clock) == true)
            let payload = ClockReport().payload(
                gateway: gateway, at: BootInstant(nanoseconds: UInt64(minutes) * 60_000_000_000),
                clock: clock)
            let object = try JSONSerialization.jsonObject(with: Data(payload))
            let fields = try #require(object as? [String: Any])
            let wall = try #require(fields["ts_ms"] as? Int64)
            let since = try #require(fields["boot_ms"] as? Int64)
            #expect(since == Int64(minutes) * 60_000)
            #expect(wall - since == boot)
            #expect(fields["boot_id"] as? String == "b")
            #expect(fields["clock"] as? String == (boot > 0 ? "synced" : "unsynced"))
            #expect(reported.isOutdated(by: clock) == false)
        }
    }
}
