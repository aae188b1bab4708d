import Timeline

/// The host's clocks in the types of the core.
package enum HostClock {
    package static func now() -> BootInstant {
        BootInstant(nanoseconds: SystemClock.bootNanoseconds())
    }

    /// How boot time maps to wall time at this moment.
    package static func wall() -> WallClock {
        WallClock(
            bootID: bootID,
            unixMillisecondsAtBoot: SystemClock.unixMilliseconds()
                - Int64(clamping: now().milliseconds),
            isSynchronized: SystemClock.isSynchronized())
    }

    private static let bootID = SystemClock.bootID()
}
