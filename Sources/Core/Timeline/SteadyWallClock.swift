/// How boot time maps to wall time, held still.
///
/// Two readings of two clocks differ by a millisecond now and then, and a disciplined clock drifts;
/// neither may move the beginning of a session from one record to the next.
package struct SteadyWallClock {
    /// A step that is a correction and no jitter.
    package static let tolerance: Int64 = 20

    package private(set) var mapping: WallClock?

    package init() {}

    /// The mapping to use now, given what the clocks say.
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
