import Glibc

/// An actor on a `SerialQueueExecutor`: code on that queue is isolated to the actor.
package protocol QueueActor: Actor {
    /// The queue of the actor.
    nonisolated var executor: SerialQueueExecutor { get }
}

extension QueueActor {
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Runs `work` on the queue, after work that was enqueued before; not if the actor was
    /// released.
    package nonisolated func later(_ work: @escaping @Sendable (isolated Self) -> Void) {
        executor.async { [weak self] in self?.assumeIsolated(work) }
    }

    /// Returns a timer that is not running yet.
    package nonisolated func makeTimer(
        _ fired: @escaping @Sendable (isolated Self) -> Void
    ) -> QueueTimer {
        QueueTimer(on: executor) { [weak self] in self?.assumeIsolated(fired) }
    }
}

/// Runs work that follows from a read on the same thread: the thread enters one prompt queue after
/// the other, instead of Dispatch waking a thread for each.
///
/// The thread is in only one of these queues at a time, so two threads never wait for each other. A
/// busy queue is left to Dispatch, so the thread does not wait for long work. Work of a queue runs
/// in the order in which it was enqueued, whichever thread runs it.
package enum FollowUp {
    private final class Queues {
        var waiting: [SerialQueueExecutor] = []
        /// Work to run after everything else.
        var last: [() -> Void] = []
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        precondition(pthread_key_create(&key, nil) == 0, "no key is left for threads")
        return key
    }()

    /// Runs `body`, then the work that it enqueued on prompt queues, and the work that followed
    /// from that. Inside a prompt queue or another follow-up, runs `body` only.
    package static func run(_ body: () -> Void) {
        guard current == nil, !SerialQueueExecutor.isInPrompt else { return body() }
        let queues = Queues()
        withExtendedLifetime(queues) {
            pthread_setspecific(key, Unmanaged.passUnretained(queues).toOpaque())
            body()
            while !queues.waiting.isEmpty { queues.waiting.removeFirst().runIfIdle() }
            pthread_setspecific(key, nil)
            for work in queues.last { work() }
        }
    }

    /// Runs `work` after all follow-up work, on no queue; immediately if there is none.
    package static func atEnd(_ work: @escaping () -> Void) {
        guard let queues = current else { return work() }
        queues.last.append(work)
    }

    private static var current: Queues? {
        pthread_getspecific(key).map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    /// Whether this thread will run the work of `queue`.
    static func add(_ queue: SerialQueueExecutor) -> Bool {
        current?.waiting.append(queue) != nil
    }
}
