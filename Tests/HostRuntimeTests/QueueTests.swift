import Dispatch
import Glibc
import HostRuntime
import Synchronization
import Testing

struct QueueTests {
    /// An actor whose state only its queue touches.
    private actor Counter {
        nonisolated let executor = SerialQueueExecutor(label: "counter")
        nonisolated var unownedExecutor: UnownedSerialExecutor {
            executor.asUnownedSerialExecutor()
        }
        private(set) var count = 0
        func increment() { count += 1 }
    }

    @Test func blocksAndAwaitsShareTheQueue() async {
        let counter = Counter()
        for _ in 0..<1000 {
            counter.executor.async { counter.assumeIsolated { $0.increment() } }
            await counter.increment()
        }
        #expect(await counter.count == 2000)
    }

    @Test func mailboxKeepsOrder() async {
        let receiver = SerialQueueExecutor(label: "receiver")
        let received = Mutex<[Int]>([])
        let mailbox = BoundedMailbox<Int>(capacity: 100, to: receiver) { batch in
            receiver.checkIsolated()
            received.withLock { $0 += batch }
        }
        receiver.queue.suspend()
        for value in 0..<50 { #expect(mailbox.send(value)) }
        receiver.queue.resume()
        await drained(receiver)
        #expect(received.withLock { $0 } == Array(0..<50))
        #expect(mailbox.droppedCount == 0)
    }

    @Test func fullMailboxDropsValues() async {
        let receiver = SerialQueueExecutor(label: "receiver")
        let mailbox = BoundedMailbox<Int>(capacity: 3, to: receiver) { _ in }
        receiver.queue.suspend()
        let accepted = (0..<10).map { mailbox.send($0) }
        #expect(accepted == [true, true, true] + Array(repeating: false, count: 7))
        #expect(mailbox.droppedCount == 7)
        receiver.queue.resume()
        await drained(receiver)
        #expect(mailbox.send(10))
        await drained(receiver)
    }

    private func drained(_ executor: SerialQueueExecutor) async {
        await withCheckedContinuation { continuation in
            executor.async { continuation.resume() }
        }
    }
}
