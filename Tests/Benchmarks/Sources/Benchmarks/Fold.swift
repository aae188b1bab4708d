import AllocationCount
import Bytes
import PM5Codec
import Rowing
import Timeline

/// The session fold over a recording: decoding included, as the daemon does it.
enum Fold {
    /// Folds the recording from the opening of the link; returns the number of events.
    static func events(of values: [Corpus.Value]) -> UInt64 {
        var machine = SessionMachine(makeSessionID: { SessionID("S") })
        var events: [SessionEvent] = []
        events.reserveCapacity(16)
        var count = 0
        machine.linkOpened(at: instant(0), into: &events)
        for value in values {
            machine.receive(
                value.characteristic, value.bytes, at: instant(value.milliseconds), into: &events)
            count += events.count
            events.removeAll(keepingCapacity: true)
        }
        return UInt64(count)
    }

    /// Allocations in notifications that caused no event, and how many those are.
    ///
    /// Counted from the first event of the session on: a force curve that ends before its session
    /// has begun is stored in an array until it is reported.
    static func allocationsWithoutEvents(in values: [Corpus.Value]) -> (UInt, quiet: Int) {
        var machine = SessionMachine(makeSessionID: { SessionID("S") })
        var events: [SessionEvent] = []
        events.reserveCapacity(16)
        var (allocations, quiet): (UInt, Int) = (0, 0)
        var isRowing = false
        machine.linkOpened(at: instant(0), into: &events)
        for value in values {
            events.removeAll(keepingCapacity: true)
            let before = allocation_count()
            machine.receive(
                value.characteristic, value.bytes, at: instant(value.milliseconds), into: &events)
            let made = allocation_count() - before
            isRowing = isRowing || events.contains { if case .session = $0 { true } else { false } }
            guard events.isEmpty, isRowing else { continue }
            quiet += 1
            allocations += made
        }
        return (allocations, quiet)
    }

    private static func instant(_ milliseconds: Int) -> BootInstant {
        BootInstant(nanoseconds: (3_600_000 + UInt64(milliseconds)) * 1_000_000)
    }
}
