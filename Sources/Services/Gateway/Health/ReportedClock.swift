import Synchronization
import Timeline

/// The wall clock as last published in the retained `clock`: decides when to publish it again.
///
/// It records nothing. The recorder (`RecordNumbering`) records a step as `clock_stepped`, with the
/// same limit `WallClock.step`.
struct ReportedClock {
    private var reported: WallClock?

    /// Whether `clock` must be published: at first, after it was set, and after its synchronization changed.
    /// Returns true once per change.
    mutating func isOutdated(by clock: WallClock) -> Bool {
        if let reported, clock.isSynchronized == reported.isSynchronized,
            abs(clock.unixMillisecondsAtBoot - reported.unixMillisecondsAtBoot) < WallClock.step
        {
            return false
        }
        reported = clock
        return true
    }
}

/// Measures the time without synchronisation of the wall clock.
final class ClockWatch: Sendable {
    private let since = Mutex<BootInstant?>(nil)

    /// Returns the time without synchronisation; nil if the clock is synchronised.
    func note(_ clock: WallClock, at now: BootInstant) -> Duration? {
        since.withLock { since in
            since = clock.isSynchronized ? nil : since ?? now
            return since?.duration(to: now)
        }
    }
}
