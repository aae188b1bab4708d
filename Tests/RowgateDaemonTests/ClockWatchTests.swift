import MQTTPublishing
import Testing

@testable import RowgateDaemon

@Suite struct ClockWatchTests {
    private func clock(_ milliseconds: Int64, synchronized: Bool = true) -> WallClock {
        WallClock(
            bootID: "b", unixMillisecondsAtBoot: milliseconds, isSynchronized: synchronized)
    }

    @Test func stepsAndTrustAreToldApart() {
        // Goal: a clock that was set is told with how far, drift and jitter are not. Method: a Pi
        // without RTC that boots in 1970, gets the time, drifts, and is set back by a year.
        var watch = ClockWatch()
        #expect(watch.note(clock(0, synchronized: false)) == .trust)
        #expect(watch.note(clock(999, synchronized: false)) == nil)
        #expect(watch.note(clock(1_788_627_000_000)) == .stepped(1_788_627_000_000))
        #expect(watch.note(clock(1_788_627_000_999)) == nil)
        #expect(watch.note(clock(1_788_627_000_500, synchronized: false)) == .trust)
        #expect(watch.note(clock(1_757_091_000_500)) == .stepped(-31_535_999_500 - 500))
    }
}
