import CSystemd
import Glibc
import Timeline

/// The environment of the gateway's parts: time, queues, and random numbers.
///
/// Every part receives it as an argument, so that a test can run the whole gateway on one thread in
/// stepped time, twice with the same result.
package protocol Runtime: Clock {
    /// Creates a queue; `label` names it in debuggers and in watchdog messages.
    ///
    /// - Parameter isPrompt: whether work on the queue never waits (`FollowUp`).
    func makeQueue(label: String, isPrompt: Bool) -> SerialQueueExecutor

    /// Returns 64 random bits.
    func random() -> UInt64
}

extension Runtime {
    package func makeQueue(label: String) -> SerialQueueExecutor {
        makeQueue(label: label, isPrompt: false)
    }

    /// Returns a new identifier with the current wall time.
    package func makeULID() -> ULID {
        var chance = RuntimeGenerator(runtime: self)
        return ULID(unixMilliseconds: unixMilliseconds(), using: &chance)
    }
}

/// A runtime's random numbers as a generator for the standard library.
private struct RuntimeGenerator: RandomNumberGenerator {
    let runtime: any Runtime

    func next() -> UInt64 { runtime.random() }
}

/// The machine: the kernel's clocks and random numbers, and queues of Dispatch.
package struct SystemRuntime: Runtime {
    private static let bootID = SystemClock.bootID()

    package init() {}

    package func now() -> BootInstant {
        BootInstant(nanoseconds: SystemClock.bootNanoseconds())
    }

    package func wall() -> WallClock {
        WallClock(
            bootID: Self.bootID,
            unixMillisecondsAtBoot: WallClock.unixMillisecondsAtBoot(
                boot: SystemClock.bootNanoseconds, wall: SystemClock.unixMilliseconds),
            isSynchronized: SystemClock.isSynchronized())
    }

    package func makeQueue(label: String, isPrompt: Bool) -> SerialQueueExecutor {
        SerialQueueExecutor(label: label, isPrompt: isPrompt)
    }

    package func random() -> UInt64 { UInt64.random(in: .min ... .max) }
}

/// The machine's clocks, read only by the outermost code; all other code takes time as an argument.
package enum SystemClock {
    /// Nanoseconds since boot, suspend included (CLOCK_BOOTTIME). Never steps.
    package static func bootNanoseconds() -> UInt64 { read(CLOCK_BOOTTIME) }

    /// Milliseconds since 1970-01-01 UTC (CLOCK_REALTIME). Steps when the clock is set.
    package static func unixMilliseconds() -> Int64 { Int64(read(CLOCK_REALTIME) / 1_000_000) }

    /// Returns the local time in the machine's time zone, as milliseconds as if it were UTC.
    package static func local(unixMilliseconds: Int64) -> Int64 {
        var seconds = time_t(unixMilliseconds / 1000)
        var local = tm()
        return localtime_r(&seconds, &local) == nil
            ? unixMilliseconds : unixMilliseconds + Int64(local.tm_gmtoff) * 1000
    }

    /// Whether the kernel reports that the wall clock is synchronized (NTP, chrony, PTP).
    ///
    /// This is `STA_UNSYNC` of adjtimex(2), which `timedatectl` shows as "System clock
    /// synchronized". On a Pi without RTC it is set from boot until the first NTP answer.
    package static func isSynchronized() -> Bool {
        var state = timex()
        let status = adjtimex(&state)
        return status >= 0 && status != TIME_ERROR && state.status & Int32(STA_UNSYNC) == 0
    }

    /// The kernel's random id of this boot, 32 hexadecimal digits.
    ///
    /// The units hide `/proc/sys`, where the kernel shows it, and pass it on as `ROWGATE_BOOT_ID`. Without
    /// either, the id is random: a process then trusts no time since boot that an earlier one stored.
    package static func bootID() -> String {
        bootID(
            kernel: kernelBootID(), environment: getenv("ROWGATE_BOOT_ID").map { String(cString: $0) })
    }

    static func bootID(kernel: String?, environment: String?) -> String {
        if let kernel { return kernel }
        let isHexadecimal = environment?.allSatisfy { "0123456789abcdef".contains($0) } ?? false
        if let environment, isHexadecimal, environment.utf8.count == 32 { return environment }
        let (high, low) = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
        return text(of: sd_id128_t(qwords: (high, low)))
    }

    private static func kernelBootID() -> String? {
        var id = sd_id128_t()
        return sd_id128_get_boot(&id) >= 0 ? text(of: id) : nil
    }

    private static func text(of id: sd_id128_t) -> String {
        var text = [CChar](repeating: 0, count: 33)
        sd_id128_to_string(id, &text)
        return String(decoding: text.prefix(32).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private static func read(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
