import Timeline

/// What a part of the gateway runs on: the time, queues, and chance.
///
/// It is an argument of every part, so that a test can run the whole gateway on one thread in
/// stepped time, and twice the same.
package protocol Runtime: Clock {
    /// A new queue; `label` names it in a debugger and in watchdog messages.
    ///
    /// - Parameter isPrompt: what runs there never waits (`FollowUp`).
    func makeQueue(label: String, isPrompt: Bool) -> SerialQueueExecutor

    /// 64 bits by chance.
    func random() -> UInt64
}

extension Runtime {
    package func makeQueue(label: String) -> SerialQueueExecutor {
        makeQueue(label: label, isPrompt: false)
    }

    /// A new identifier with the present wall time.
    package func makeULID() -> ULID {
        var chance = Chance(runtime: self)
        return ULID(unixMilliseconds: unixMilliseconds(), using: &chance)
    }
}

/// A runtime's chance for what the standard library draws.
private struct Chance: RandomNumberGenerator {
    let runtime: any Runtime

    func next() -> UInt64 { runtime.random() }
}

/// The machine itself: the kernel's clocks and chance, and queues of Dispatch.
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
