import Dispatch

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

    /// Name of the queue, as debuggers and the watchdog show it.
    package let label: String
    let backing: Backing

    /// Makes a queue of its own; `label` names it in a debugger and in watchdog messages.
    package init(label: String) {
        self.label = label
        // No quality of service: libdispatch would renice its threads for one, which a service without
        // privileges may not, and complain on standard error for each of them.
        backing = .dispatch(DispatchQueue(label: label, autoreleaseFrequency: .never))
    }

    /// Makes a queue whose work `loop` runs.
    package init(label: String, on loop: any QueueLoop) {
        self.label = label
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
        case .dispatch(let queue): queue.async(execute: work)
        case .loop(let loop): loop.append(work, to: self)
        }
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
