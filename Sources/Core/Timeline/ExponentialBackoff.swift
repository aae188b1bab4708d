/// The delays between attempts: the first one, doubled after each failure up to the longest.
package struct ExponentialBackoff: Hashable, Sendable {
    /// The first and the longest delay.
    package let delays: ClosedRange<Duration>
    /// The number of delays so far.
    package private(set) var failures = 0

    package init(_ delays: ClosedRange<Duration>) { self.delays = delays }

    /// Returns the delay before the next attempt, and counts a failure.
    package mutating func next() -> Duration {
        let delay = delay(after: failures)
        failures += 1
        return delay
    }

    /// Returns the delay after `earlier` other failures: the first one after 0.
    package func delay(after earlier: Int) -> Duration {
        // 30 doublings exceed any ratio of the delays; more would overflow.
        min(delays.lowerBound * (1 << min(max(earlier, 0), 30)), delays.upperBound)
    }

    /// Starts again with the first delay.
    package mutating func reset() { failures = 0 }
}
