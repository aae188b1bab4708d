/// A stable mapping from boot time to wall time.
///
/// Readings of two clocks can differ by a millisecond, and a disciplined clock drifts. Neither may move the
/// beginning of a session from one record to the next.
package struct SteadyWallClock {
    /// A larger step, in milliseconds, is a correction and not jitter.
    package static let tolerance: Int64 = 20

    package private(set) var mapping: WallClock?

    package init() {}

    /// Returns the mapping to use, after a new reading of the clocks.
    package mutating func read(_ fresh: WallClock) -> WallClock {
        if let mapping, mapping.isSynchronized == fresh.isSynchronized,
            abs(mapping.unixMillisecondsAtBoot - fresh.unixMillisecondsAtBoot) <= Self.tolerance
        {
            return mapping
        }
        mapping = fresh
        return fresh
    }
}
