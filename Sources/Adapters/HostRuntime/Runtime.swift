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
