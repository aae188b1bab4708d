/// How the boot clock maps to wall time right now, and whether that is to be believed.
package struct WallClock: Equatable, Sendable {
    /// The kernel's random boot id; instants of two boots cannot be compared.
    package var bootID: String
    /// Wall clock minus boot clock, in milliseconds.
    package var unixMillisecondsAtBoot: Int64
    /// Whether something keeps the wall clock right.
    package var isSynchronized: Bool

    /// Milliseconds by which a clock is set: what a discipline does to one is less.
    package static let step: Int64 = 1000

    package init(bootID: String, unixMillisecondsAtBoot: Int64, isSynchronized: Bool) {
        self.bootID = bootID
        self.unixMillisecondsAtBoot = unixMillisecondsAtBoot
        self.isSynchronized = isSynchronized
    }

    /// Wall clock minus boot clock, in milliseconds.
    ///
    /// A thread that has to wait between the two readings would see a clock that was set. So the wall
    /// clock is read between two readings of the boot clock, again where these lie apart, and what was
    /// read closest together counts.
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

    /// By the present mapping, also for moments before the clock was set.
    package func unixMilliseconds(at instant: BootInstant) -> Int64 {
        unixMillisecondsAtBoot + instant.signedMilliseconds
    }

    /// The time to write into a message about that moment.
    package func stamp(at instant: BootInstant) -> TimeStamp {
        TimeStamp(
            unixMilliseconds: unixMilliseconds(at: instant),
            unsynchronized: isSynchronized ? nil : bootTime(at: instant))
    }

    /// The same moment where the wall clock is not to be trusted.
    package func bootTime(at instant: BootInstant) -> TimeStamp.BootTime {
        .init(bootID: bootID, bootMilliseconds: instant.milliseconds)
    }
}

/// The time in a message: `ts_ms`, `time`, `clock`, and without a trusted clock the boot time.
package struct TimeStamp: Equatable, Sendable {
    /// What places a message in time when the wall clock cannot.
    package struct BootTime: Equatable, Sendable {
        /// The kernel's, of the boot that the milliseconds count from.
        package var bootID: String
        /// Since that boot.
        package var bootMilliseconds: UInt64

        package init(bootID: String, bootMilliseconds: UInt64) {
            self.bootID = bootID
            self.bootMilliseconds = bootMilliseconds
        }
    }

    /// By the wall clock, right or wrong.
    package var unixMilliseconds: Int64
    /// nil when the wall clock was synchronized.
    package var unsynchronized: BootTime?

    package init(unixMilliseconds: Int64, unsynchronized: BootTime? = nil) {
        self.unixMilliseconds = unixMilliseconds
        self.unsynchronized = unsynchronized
    }
}
