import Dispatch
import Glibc
import Synchronization
import Testing

@testable import HostRuntime

struct FollowUpTests {
    private let first = SerialQueueExecutor(label: "first", isPrompt: true)
    private let second = SerialQueueExecutor(label: "second", isPrompt: true)
    private let said = Said()

    /// What was done, in order, and by which thread.
    private final class Said: Sendable {
        private let entries = Mutex<[(String, pthread_t)]>([])

        func add(_ text: String) { entries.withLock { $0.append((text, pthread_self())) } }

        var texts: [String] { entries.withLock { $0.map(\.0) } }
        var threads: Set<pthread_t> { entries.withLock { Set($0.map(\.1)) } }
    }

    /// Goal: a thread does by itself what follows, one queue after the other and in none at the end.
    /// Method: from one prompt queue to the next and back; all is done, in order and by this thread,
    /// when the call returns.
    @Test func oneThreadDoesWhatFollows() {
        FollowUp.run {
            FollowUp.atEnd { said.add("end") }
            first.async { [first, second, said] in
                first.checkIsolated()
                second.async {
                    second.checkIsolated()
                    said.add("second")
                    first.async { said.add("first again") }
                }
                said.add("first")
            }
            said.add("body")
        }
        #expect(said.texts == ["body", "first", "second", "first again", "end"])
        #expect(said.threads == [pthread_self()])
    }

    /// Goal: what is handed over keeps its order, whoever runs it. Method: many from this thread, and
    /// between them a thousand from within and without a follow-up.
    @Test func orderHolds() async {
        let numbers = Mutex<[Int]>([])
        for number in 0..<1000 {
            let work: @Sendable () -> Void = { [first] in
                first.checkIsolated()
                numbers.withLock { $0.append(number) }
            }
            if number % 3 == 0 { first.async(work) } else { FollowUp.run { first.async(work) } }
        }
        await withCheckedContinuation { done in first.async { done.resume() } }
        #expect(numbers.withLock { $0 } == Array(0..<1000))
    }

    /// Goal: a queue that is busy is not waited for. Method: it is held up while a follow-up hands it
    /// something; the call returns, and the work is done once the queue is free.
    @Test func whoIsBusyIsNotWaitedFor() async {
        let (isHeld, isFree) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        first.async { [said] in
            isHeld.signal()
            isFree.wait()
            said.add("held")
        }
        await Task.detached { [first, said] in
            Self.wait(for: isHeld)
            FollowUp.run { first.async { said.add("later") } }
            said.add("returned")
            isFree.signal()
        }.value
        await withCheckedContinuation { done in first.async { done.resume() } }
        #expect(said.texts.first == "returned" && said.texts.last == "later")
    }

    /// Goal: within a prompt queue nothing is entered: two of them would wait for each other. Method:
    /// each hands the other and itself something from within; nothing runs before the block is over.
    @Test func nothingFollowsWithinAPromptQueue() async {
        first.queue.sync {
            FollowUp.run {
                first.async { [said] in said.add("itself") }
                FollowUp.atEnd { said.add("at once") }
            }
            said.add("block")
        }
        await withCheckedContinuation { done in first.async { done.resume() } }
        #expect(said.texts == ["at once", "block", "itself"])
    }

    private static func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }
}
