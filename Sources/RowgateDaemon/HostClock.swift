import HostRuntime
import MQTTPublishing
import Rowing

/// The host's clocks in the types of the core.
enum HostClock {
    static func now() -> BootInstant {
        BootInstant(nanoseconds: SystemClock.bootNanoseconds())
    }

    /// How boot time maps to wall time at this moment.
    static func wall() -> WallClock {
        WallClock(
            bootID: bootID,
            unixMillisecondsAtBoot: SystemClock.unixMilliseconds()
                - Int64(clamping: now().milliseconds),
            isSynchronized: SystemClock.isSynchronized())
    }

    private static let bootID = SystemClock.bootID()
}

/// How boot time maps to wall time, held still.
///
/// Two readings of two clocks differ by a millisecond now and then, and a disciplined clock drifts;
/// neither may move the beginning of a session from one record to the next.
struct SteadyWallClock {
    /// A step that is a correction and no jitter.
    static let tolerance: Int64 = 20

    private(set) var mapping: WallClock?

    /// The mapping to use now, given what the clocks say.
    mutating func read(_ fresh: WallClock) -> WallClock {
        if let mapping, mapping.isSynchronized == fresh.isSynchronized,
            abs(mapping.unixMillisecondsAtBoot - fresh.unixMillisecondsAtBoot) <= Self.tolerance
        {
            return mapping
        }
        mapping = fresh
        return fresh
    }
}
