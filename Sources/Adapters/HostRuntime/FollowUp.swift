import Glibc

/// What follows from something that a thread has read: it enters one prompt queue after the other by
/// itself, where Dispatch would wake a thread for each.
///
/// It is in one of these queues at a time, so two threads never wait for each other; and one that is
/// busy is left to Dispatch, so it does not wait for long work either. What is handed to a queue runs in
/// the order in which it was handed over, whoever runs it.
package enum FollowUp {
    private final class Queues {
        var waiting: [SerialQueueExecutor] = []
        /// For the end.
        var last: [() -> Void] = []
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        precondition(pthread_key_create(&key, nil) == 0, "no key is left for threads")
        return key
    }()

    /// Runs `body`, and then what it handed to prompt queues, and what that did; within a prompt queue
    /// or another follow-up, `body` alone.
    package static func run(_ body: () -> Void) {
        guard current == nil, !SerialQueueExecutor.isInPrompt else { return body() }
        let queues = Queues()
        withExtendedLifetime(queues) {
            pthread_setspecific(key, Unmanaged.passUnretained(queues).toOpaque())
            body()
            while !queues.waiting.isEmpty { queues.waiting.removeFirst().seeTo() }
            pthread_setspecific(key, nil)
            for work in queues.last { work() }
        }
    }

    /// Runs `work` when all that follows is done, in no queue; at once where nothing follows.
    package static func atEnd(_ work: @escaping () -> Void) {
        guard let queues = current else { return work() }
        queues.last.append(work)
    }

    private static var current: Queues? {
        pthread_getspecific(key).map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    /// Whether this thread will see to `queue`.
    static func add(_ queue: SerialQueueExecutor) -> Bool {
        current?.waiting.append(queue) != nil
    }
}
