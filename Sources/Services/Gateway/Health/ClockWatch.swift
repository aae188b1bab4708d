import Timeline

/// Notices when the mapping of boot time to wall time moved, or became trusted.
struct ClockWatch {
    enum Change: Equatable {
        /// The first look, or somebody began or ceased to keep the clock right.
        case trust
        /// The wall clock was set, by so many milliseconds.
        case stepped(Int64)
    }

    private var known: WallClock?

    /// What is different from the last change; nil when nothing is.
    mutating func note(_ clock: WallClock) -> Change? {
        guard let known else {
            self.known = clock
            return .trust
        }
        let step = clock.unixMillisecondsAtBoot - known.unixMillisecondsAtBoot
        guard abs(step) >= WallClock.step || clock.isSynchronized != known.isSynchronized else {
            return nil
        }
        self.known = clock
        return abs(step) >= WallClock.step ? .stepped(step) : .trust
    }
}
