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
