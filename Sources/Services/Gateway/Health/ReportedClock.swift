import Timeline

/// The wall clock as the retained `clock` report last told it: says when another report is due.
///
/// It records nothing. The record of a step, `clock_stepped`, is the recorder's
/// (`RecordNumbering`), which takes the same limit, `WallClock.step`.
struct ReportedClock {
    private var reported: WallClock?

    /// Whether `clock` is to be reported: the first one, one that was set, and one that somebody
    /// began or ceased to keep right. The answer is yes once.
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
