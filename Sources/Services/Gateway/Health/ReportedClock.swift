import Synchronization
import Timeline

/// The wall clock as last published in the retained `clock`: decides when to publish it again.
///
/// It records nothing. The recorder (`RecordNumbering`) records a step as `clock_stepped`, with the
/// same limit `WallClock.step`.
struct ReportedClock {
    private var reported: WallClock?

    /// Whether `clock` must be published: the first one, one that was set, or one whose
    /// synchronization changed. Returns true once per change.
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

/// For how long the wall clock has not been synchronised.
final class ClockWatch: Sendable {
    private let since = Mutex<BootInstant?>(nil)

    /// Takes what a look found; returns nil while the clock is synchronised.
    func note(_ clock: WallClock, at now: BootInstant) -> Duration? {
        since.withLock { since in
            since = clock.isSynchronized ? nil : since ?? now
            return since?.duration(to: now)
        }
    }
}
