/// What time it is: an argument of every part above, so that a test can step it.
package protocol Clock: Sendable {
    /// On the boot clock, from which order and durations come.
    func now() -> BootInstant

    /// How boot time maps to wall time at this moment.
    func wall() -> WallClock
}

extension Clock {
    /// Milliseconds since 1970-01-01 UTC, right or wrong.
    package func unixMilliseconds() -> Int64 { wall().unixMilliseconds(at: now()) }
}
