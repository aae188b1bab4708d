/// The current time: an argument of all components, so that a test can step it.
package protocol Clock: Sendable {
    /// The time of the boot clock, for order and durations.
    func now() -> BootInstant

    /// The current mapping from boot time to wall time.
    func wall() -> WallClock
}

extension Clock {
    /// Milliseconds since 1970-01-01 UTC, by a clock that may be wrong.
    package func unixMilliseconds() -> Int64 { wall().unixMilliseconds(at: now()) }
}
