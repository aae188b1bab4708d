import Timeline

/// Notices when the mapping of boot time to wall time moved, or became trusted.
struct ClockWatch {
    private var known: WallClock?

    /// Whether the clock was set, or somebody began or ceased to keep it right, since it last did.
    mutating func hasChanged(_ clock: WallClock) -> Bool {
        if let known, clock.isSynchronized == known.isSynchronized,
            abs(clock.unixMillisecondsAtBoot - known.unixMillisecondsAtBoot) < WallClock.step
        {
            return false
        }
        known = clock
        return true
    }
}
