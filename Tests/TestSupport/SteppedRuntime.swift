import HostRuntime
import Timeline

/// A program in stepped time: its clocks, queues and random numbers.
package final class SteppedRuntime: Runtime, QueueLoop, @unchecked Sendable {
    // Of the loop's thread alone while the loop runs.

    private let loop: SteppedLoop
    /// Where the jobs of no actor run.
    private(set) lazy var pool = SerialQueueExecutor(label: "pool", on: self)
    private var chance: SeededGenerator
    /// Killed: nothing of it runs any more, and what waited is forgotten.
    package private(set) var isDead = false
    /// The wall clock, which tests may set.
    package var mapping = WallClock(
        bootID: "5b1f8c0e5b1f8c0e5b1f8c0e5b1f8c0e", unixMillisecondsAtBoot: 1_790_000_000_000,
        isSynchronized: true)

    /// Random duration of work on a queue of that name.
    package var pace: (_ label: String) -> Duration = { _ in .zero }

    init(on loop: SteppedLoop, seed: UInt64) {
        self.loop = loop
        chance = SeededGenerator(seed: seed)
    }

    /// Another program on the same machine.
    package func program() -> SteppedRuntime {
        let program = SteppedRuntime(on: loop, seed: random())
        program.mapping = mapping
        program.pace = pace
        return program
    }

    /// Ends the program immediately, at any step.
    package func kill() { isDead = true }

    /// Lets time pass; the caller continues as part of this program.
    package func sleep(for duration: Duration) async {
        await withCheckedContinuation { waiter in
            makeTimer(on: pool) { waiter.resume() }.schedule(after: duration, every: nil)
        }
    }

    /// The caller continues as part of this program, after its queued work, and no time passes. The
    /// program of the caller can be killed.
    package func enter() async {
        await withCheckedContinuation { waiter in append({ waiter.resume() }, to: pool) }
    }

    /// The running work: the queue's label, and the number of its turn.
    package var turn: (queue: String, number: Int)? {
        loop.running.map { ($0.queue.label, loop.turns) }
    }

    // MARK: - Runtime

    package func now() -> BootInstant { loop.now }

    package func wall() -> WallClock { mapping }

    package func makeQueue(label: String, isPrompt: Bool) -> SerialQueueExecutor {
        SerialQueueExecutor(label: label, on: self)
    }

    package func random() -> UInt64 { chance.next() }

    // MARK: - QueueLoop

    package func append(_ work: @escaping @Sendable () -> Void, to queue: SerialQueueExecutor) {
        let time = pace(queue.label)
        guard time > .zero else { return loop.append(work, to: queue, of: self) }
        makeTimer(on: queue, handler: work).schedule(after: time, every: nil)
    }

    package func isRunning(_ queue: SerialQueueExecutor) -> Bool { loop.running?.queue === queue }

    package func makeTimer(
        on queue: SerialQueueExecutor, handler: @escaping @Sendable () -> Void
    ) -> any QueueLoopTimer {
        SteppedTimer(of: self, on: loop, queue, handler)
    }
}

/// A timer of a program in stepped time.
final class SteppedTimer: QueueLoopTimer, @unchecked Sendable {  // of the loop's thread alone
    private let program: SteppedRuntime
    private let loop: SteppedLoop
    private let queue: SerialQueueExecutor
    private let handler: @Sendable () -> Void
    private var interval: Duration?
    /// Counts the schedules, so that earlier expirations are ignored.
    private(set) var schedule: UInt64 = 0

    init(
        of program: SteppedRuntime, on loop: SteppedLoop, _ queue: SerialQueueExecutor,
        _ handler: @escaping @Sendable () -> Void
    ) {
        self.program = program
        self.loop = loop
        self.queue = queue
        self.handler = handler
    }

    func schedule(after delay: Duration?, every interval: Duration?) {
        schedule += 1
        self.interval = interval
        if let delay { loop.add(self, due: loop.now.advanced(by: max(.zero, delay))) }
    }

    func fire() {
        guard !program.isDead else { return }
        let wanted = schedule
        loop.append({ [self] in if schedule == wanted { handler() } }, to: queue, of: program)
        if let interval { loop.add(self, due: loop.now.advanced(by: interval)) }
    }
}

/// Timers by moment, those of one moment in the order in which they were scheduled.
struct TimerHeap {
    struct Entry {
        let due: BootInstant
        let order: UInt64
        let timer: SteppedTimer
        /// Of the timer, when this was its time.
        let schedule: UInt64

        func isBefore(_ other: Entry) -> Bool { (due, order) < (other.due, other.order) }
    }

    private var entries: [Entry] = []

    mutating func insert(_ entry: Entry) {
        entries.append(entry)
        var child = entries.count - 1
        while child > 0, entries[child].isBefore(entries[(child - 1) / 2]) {
            entries.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// The next expiration that was not rescheduled.
    mutating func popFirst() -> Entry? {
        while let entry = popAny() {
            if entry.timer.schedule == entry.schedule { return entry }
        }
        return nil
    }

    private mutating func popAny() -> Entry? {
        guard let first = entries.first else { return nil }
        let last = entries.removeLast()
        guard !entries.isEmpty else { return first }
        entries[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count {
                if entries[child].isBefore(entries[least]) { least = child }
            }
            guard least != parent else { return first }
            entries.swapAt(parent, least)
            parent = least
        }
    }
}
