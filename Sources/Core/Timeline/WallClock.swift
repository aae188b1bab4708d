/// The current mapping from boot clock to wall clock, and whether the wall clock is synchronized.
package struct WallClock: Equatable, Sendable {
    /// The kernel's random boot ID; instants of two boots cannot be compared.
    package var bootID: String
    /// Wall clock minus boot clock, in milliseconds.
    package var unixMillisecondsAtBoot: Int64
    /// Whether the wall clock is synchronized.
    package var isSynchronized: Bool

    /// A change of the wall clock by at least this many milliseconds is a step; clock discipline changes
    /// less.
    package static let step: Int64 = 1000

    package init(bootID: String, unixMillisecondsAtBoot: Int64, isSynchronized: Bool) {
        self.bootID = bootID
        self.unixMillisecondsAtBoot = unixMillisecondsAtBoot
        self.isSynchronized = isSynchronized
    }

    /// Measures wall clock minus boot clock, in milliseconds.
    ///
    /// A thread that is suspended between the two readings would see a false step. Therefore the wall clock
    /// is read between two readings of the boot clock. If these differ too much, the readings are repeated,
    /// and the closest ones count.
    ///
    /// - Parameters:
    ///   - boot: reads the boot clock, in nanoseconds.
    ///   - wall: reads the wall clock, in milliseconds since 1970-01-01 UTC.
    package static func unixMillisecondsAtBoot(boot: () -> UInt64, wall: () -> Int64) -> Int64 {
        var closest = (width: UInt64.max, offset: Int64(0))
        for _ in 0..<8 where closest.width > 1_000_000 {
            let before = boot()
            let milliseconds = wall()
            let width = boot() - before
            if width < closest.width {
                closest = (width, milliseconds - Int64(clamping: before / 1_000_000))
            }
        }
        return closest.offset
    }

    /// Wall time by the current mapping, also for instants before the clock was set.
    package func unixMilliseconds(at instant: BootInstant) -> Int64 {
        unixMillisecondsAtBoot + instant.signedMilliseconds
    }

    /// The time for a message about that instant.
    package func stamp(at instant: BootInstant) -> TimeStamp {
        TimeStamp(
            unixMilliseconds: unixMilliseconds(at: instant),
            unsynchronized: isSynchronized ? nil : bootTime(at: instant))
    }

    /// The boot time of that instant, for an unsynchronized wall clock.
    package func bootTime(at instant: BootInstant) -> TimeStamp.BootTime {
        .init(bootID: bootID, bootMilliseconds: instant.milliseconds)
    }
}

/// The time in a message: `ts_ms`, `time`, `clock`, and if the clock is not synchronized, the boot time.
package struct TimeStamp: Equatable, Sendable {
    /// The boot time of a message whose wall clock is not reliable.
    package struct BootTime: Equatable, Sendable {
        /// The kernel's boot ID.
        package var bootID: String
        /// Milliseconds since that boot.
        package var bootMilliseconds: UInt64

        package init(bootID: String, bootMilliseconds: UInt64) {
            self.bootID = bootID
            self.bootMilliseconds = bootMilliseconds
        }
    }

    /// By the wall clock, which may be wrong.
    package var unixMilliseconds: Int64
    /// Nil if the wall clock was synchronized.
    package var unsynchronized: BootTime?

    package init(unixMilliseconds: Int64, unsynchronized: BootTime? = nil) {
        self.unixMilliseconds = unixMilliseconds
        self.unsynchronized = unsynchronized
    }
}

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
