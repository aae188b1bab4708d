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
