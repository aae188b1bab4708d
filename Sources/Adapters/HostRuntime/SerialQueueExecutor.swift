import Dispatch
import Synchronization

/// A serial Dispatch queue that actors run on.
///
/// Dispatch sources of the same queue may reach the actor's state through `assumeIsolated`, so an
/// event costs neither a lock nor a suspension. Stands in for `DispatchSerialQueue`, which the
/// Linux Dispatch lacks. In stepped time a `QueueLoop` runs the work instead.
package final class SerialQueueExecutor: SerialExecutor {
    enum Backing: Sendable {
        case dispatch(DispatchQueue)
        case loop(any QueueLoop)
    }

    private struct Work {
        /// In the order in which it was handed over.
        var waiting: [@Sendable () -> Void] = []
        /// Some thread runs what was waiting.
        var isRunning = false
    }

    /// Name of the queue, as debuggers and the watchdog show it.
    package let label: String
    let backing: Backing
    /// Nothing here waits for anything, so that any thread may see to it.
    private let isPrompt: Bool
    /// Of a prompt queue.
    private let work = Mutex(Work())
    /// Marks prompt queues. Swift 6.0 does not know yet that a key never changes.
    private struct PromptMark: @unchecked Sendable {
        let key = DispatchSpecificKey<Bool>()
    }
    private static let prompt = PromptMark()

    /// Whether the caller is in a prompt queue.
    static var isInPrompt: Bool { DispatchQueue.getSpecific(key: prompt.key) != nil }

    /// Makes a queue of its own; `label` names it in a debugger and in watchdog messages.
    ///
    /// - Parameter isPrompt: whether what runs there never waits: a thread that hands it something
    ///   in a `FollowUp` then runs it by itself.
    package init(label: String, isPrompt: Bool = false) {
        self.label = label
        self.isPrompt = isPrompt
        // No quality of service: libdispatch would renice its threads for one, which a service without
        // privileges may not, and complain on standard error for each of them.
        let queue = DispatchQueue(label: label, autoreleaseFrequency: .never)
        if isPrompt { queue.setSpecific(key: Self.prompt.key, value: true) }
        backing = .dispatch(queue)
    }

    /// Makes a queue whose work `loop` runs.
    package init(label: String, on loop: any QueueLoop) {
        self.label = label
        isPrompt = false
        backing = .loop(loop)
    }

    /// The queue itself, for Dispatch sources of the actor that lives here.
    package var queue: DispatchQueue {
        guard case .dispatch(let queue) = backing else {
            preconditionFailure("descriptors and signals are watched in real time only")
        }
        return queue
    }

    /// Runs `work` here, after what was handed over before.
    package func async(_ work: @escaping @Sendable () -> Void) {
        switch backing {
        case .dispatch(let queue) where isPrompt: handOver(work, to: queue)
        case .dispatch(let queue): queue.async(execute: work)
        case .loop(let loop): loop.append(work, to: self)
        }
    }

    /// Runs `work` here, and returns when it is done; in stepped time at once. The caller holds no queue
    /// that others enter in this way: two would wait for each other.
    package func enter(_ work: @escaping @Sendable () -> Void) {
        switch backing {
        case .dispatch(let queue): queue.sync(execute: work)
        case .loop(let loop): loop.append(work, to: self)
        }
    }

    private func handOver(_ block: @escaping @Sendable () -> Void, to queue: DispatchQueue) {
        let isFirst = work.withLock { work in
            work.waiting.append(block)
            return work.waiting.count == 1
        }
        guard isFirst, !FollowUp.add(self) else { return }
        queue.async { [self] in runWaiting() }
    }

    /// Runs what waits on this thread, unless another is there: then it is Dispatch's to do.
    func seeTo() {
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

/// One thread that runs the work of many queues, in the order in which it was handed over, and
/// whose time passes only when there is none: what stands in for Dispatch in stepped time.
package protocol QueueLoop: AnyObject, Sendable {
    func append(_ work: @escaping @Sendable () -> Void, to queue: SerialQueueExecutor)

    /// Whether the work under way is this queue's.
    func isRunning(_ queue: SerialQueueExecutor) -> Bool

    /// A timer that is not running yet.
    func makeTimer(
        on queue: SerialQueueExecutor, handler: @escaping @Sendable () -> Void
    ) -> any QueueLoopTimer
}

/// A timer of a `QueueLoop`.
package protocol QueueLoopTimer: AnyObject {
    /// Replaces what was scheduled before; fires never where `delay` is nil, and once where
    /// `interval` is.
    func schedule(after delay: Duration?, every interval: Duration?)
}
