import Dispatch
import Synchronization

/// A serial Dispatch queue as an executor for actors.
///
/// Dispatch sources of the same queue may access the actor's state with `assumeIsolated`, so an
/// event costs neither a lock nor a suspension. It replaces `DispatchSerialQueue`, which Dispatch
/// on Linux lacks. In stepped time a `QueueLoop` runs the work instead.
package final class SerialQueueExecutor: SerialExecutor {
    enum Backing: Sendable {
        case dispatch(DispatchQueue)
        case loop(any QueueLoop)
    }

    private struct Work {
        /// In the order in which it was enqueued.
        var waiting: [@Sendable () -> Void] = []
        /// Whether a thread is running the waiting work.
        var isRunning = false
    }

    /// Name of the queue, as debuggers and the watchdog show it.
    package let label: String
    let backing: Backing
    /// Whether work here never waits, so that any thread may run it.
    private let isPrompt: Bool
    /// Work of a prompt queue.
    private let work = Mutex(Work())
    /// Marks prompt queues. Unchecked, because Swift 6.0 does not know that a key is immutable.
    private struct PromptMark: @unchecked Sendable {
        let key = DispatchSpecificKey<Bool>()
    }
    private static let prompt = PromptMark()

    /// Whether the caller is on a prompt queue.
    static var isInPrompt: Bool { DispatchQueue.getSpecific(key: prompt.key) != nil }

    /// Creates a Dispatch queue; `label` names it in debuggers and in watchdog messages.
    ///
    /// - Parameter isPrompt: whether work here never waits: a thread that enqueues work in a `FollowUp`
    ///   then runs it itself.
    package init(label: String, isPrompt: Bool = false) {
        self.label = label
        self.isPrompt = isPrompt
        // Without a quality of service: libdispatch would renice its threads for it, which an
        // unprivileged service may not do, and would print an error for each thread.
        let queue = DispatchQueue(label: label, autoreleaseFrequency: .never)
        if isPrompt { queue.setSpecific(key: Self.prompt.key, value: true) }
        backing = .dispatch(queue)
    }

    /// Creates a queue whose work `loop` runs.
    package init(label: String, on loop: any QueueLoop) {
        self.label = label
        isPrompt = false
        backing = .loop(loop)
    }

    /// The Dispatch queue, for Dispatch sources of the actor.
    package var queue: DispatchQueue {
        guard case .dispatch(let queue) = backing else {
            preconditionFailure("descriptors and signals are watched in real time only")
        }
        return queue
    }

    /// Runs `work` here, after work that was enqueued before.
    package func async(_ work: @escaping @Sendable () -> Void) {
        switch backing {
        case .dispatch(let queue) where isPrompt: dispatch(work, to: queue)
        case .dispatch(let queue): queue.async(execute: work)
        case .loop(let loop): loop.append(work, to: self)
        }
    }

    /// Runs `work` here and returns when it is done; in stepped time immediately. The caller must
    /// not hold a queue that others enter this way, because two could wait for each other.
    package func enter(_ work: @escaping @Sendable () -> Void) {
        switch backing {
        case .dispatch(let queue): queue.sync(execute: work)
        case .loop(let loop): loop.append(work, to: self)
        }
    }

    private func dispatch(_ block: @escaping @Sendable () -> Void, to queue: DispatchQueue) {
        let isFirst = work.withLock { work in
            work.waiting.append(block)
            return work.waiting.count == 1
        }
        guard isFirst, !FollowUp.add(self) else { return }
        queue.async { [self] in runWaiting() }
    }

    /// Runs the waiting work on this thread, unless another thread does: then Dispatch runs it.
    func runIfIdle() {
        if work.withLock({ $0.isRunning }) {
            queue.async { [self] in runWaiting() }
        } else {
            queue.sync { runWaiting() }
        }
    }

    private func runWaiting() {
        let blocks = work.withLock { work in
            work.isRunning = true
            defer { work.waiting = [] }
            return work.waiting
        }
        for block in blocks { block() }
        work.withLock { $0.isRunning = false }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        async { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    /// Lets `assumeIsolated` succeed in a handler that is called on this queue.
    package func checkIsolated() {
        switch backing {
        case .dispatch(let queue): dispatchPrecondition(condition: .onQueue(queue))
        case .loop(let loop):
            precondition(loop.isRunning(self), "\(label) is entered from another queue")
        }
    }
}

/// One thread that runs the work of many queues in the order in which it was enqueued. Time passes
/// only while there is no work. It replaces Dispatch in stepped time.
package protocol QueueLoop: AnyObject, Sendable {
    func append(_ work: @escaping @Sendable () -> Void, to queue: SerialQueueExecutor)

    /// Whether the running work belongs to `queue`.
    func isRunning(_ queue: SerialQueueExecutor) -> Bool

    /// Returns a timer that is not running yet.
    func makeTimer(
        on queue: SerialQueueExecutor, handler: @escaping @Sendable () -> Void
    ) -> any QueueLoopTimer
}

/// A timer of a `QueueLoop`.
package protocol QueueLoopTimer: AnyObject {
    /// Replaces the previous schedule. Never fires if `delay` is nil, and fires once if
    /// `interval` is nil.
    func schedule(after delay: Duration?, every interval: Duration?)
}
