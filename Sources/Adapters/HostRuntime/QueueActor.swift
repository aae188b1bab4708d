/// An actor that lives on a `SerialQueueExecutor`: what runs on that queue is in the actor.
package protocol QueueActor: Actor {
    /// The queue on which everything of the actor happens.
    nonisolated var executor: SerialQueueExecutor { get }
}

extension QueueActor {
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Does `work` on the queue, after what was handed over before; not once the actor has gone.
    package nonisolated func later(_ work: @escaping @Sendable (isolated Self) -> Void) {
        executor.async { [weak self] in self?.assumeIsolated(work) }
    }

    /// A timer that is not running yet.
    package nonisolated func makeTimer(
        _ fired: @escaping @Sendable (isolated Self) -> Void
    ) -> QueueTimer {
        QueueTimer(on: executor) { [weak self] in self?.assumeIsolated(fired) }
    }
}
