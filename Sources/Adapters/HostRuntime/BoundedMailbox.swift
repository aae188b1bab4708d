import Dispatch
import Synchronization

/// A bounded queue of values from any thread to one receiving queue.
///
/// Senders never wait: a full mailbox drops new values and counts them. The receiver is woken once
/// per batch, not once per value.
package final class BoundedMailbox<Element: Sendable>: Sendable {
    private struct State {
        var waiting: [Element] = []
        var dropped: UInt64 = 0
    }

    private let state = Mutex(State())
    private let capacity: Int
    private let receiver: SerialQueueExecutor
    private let receive: @Sendable ([Element]) -> Void

    /// - Parameters:
    ///   - capacity: maximum number of waiting values; more are dropped.
    ///   - receive: called with each batch in order, on the receiver's queue.
    package init(
        capacity: Int, to receiver: SerialQueueExecutor,
        receive: @escaping @Sendable ([Element]) -> Void
    ) {
        precondition(capacity > 0, "a mailbox holds at least one value")
        self.capacity = capacity
        self.receiver = receiver
        self.receive = receive
    }

    /// Enqueues a value; returns false if the mailbox is full and the value was dropped.
    @discardableResult
    package func send(_ element: Element) -> Bool {
        let (accepted, first) = state.withLock { state in
            guard state.waiting.count < capacity else {
                state.dropped += 1
                return (false, false)
            }
            state.waiting.append(element)
            return (true, state.waiting.count == 1)
        }
        if first { receiver.async { [self] in deliver() } }
        return accepted
    }

    /// Number of dropped values since the start.
    package var droppedCount: UInt64 { state.withLock { $0.dropped } }

    private func deliver() {
        let batch = state.withLock { state in
            let batch = state.waiting
            state.waiting.removeAll(keepingCapacity: true)
            return batch
        }
        if !batch.isEmpty { receive(batch) }
    }
}
