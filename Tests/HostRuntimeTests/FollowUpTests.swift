import Dispatch
import Glibc
import Synchronization
import Testing

@testable import HostRuntime

struct FollowUpTests {
    private let first = SerialQueueExecutor(label: "first", isPrompt: true)
    private let second = SerialQueueExecutor(label: "second", isPrompt: true)
    private let steps = RecordedSteps()

    /// The executed steps, in order, with their threads.
    private final class RecordedSteps: Sendable {
        private let entries = Mutex<[(String, pthread_t)]>([])

        func add(_ text: String) { entries.withLock { $0.append((text, pthread_self())) } }

        var texts: [String] { entries.withLock { $0.map(\.0) } }
        var threads: Set<pthread_t> { entries.withLock { Set($0.map(\.1)) } }
    }

    @Test func oneThreadRunsFollowUps() {
        FollowUp.run {
            FollowUp.atEnd { steps.add("end") }
            first.async { [first, second, steps] in
                first.checkIsolated()
                second.async {
                    second.checkIsolated()
                    steps.add("second")
                    first.async { steps.add("first again") }
                }
                steps.add("first")
            }
            steps.add("body")
        }
        #expect(steps.texts == ["body", "first", "second", "first again", "end"])
        #expect(steps.threads == [pthread_self()])
    }

    @Test func keepsOrderOfWork() async {
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

    @Test func leavesBusyQueueToDispatch() async {
        let (isHeld, isFree) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        first.async { [steps] in
            isHeld.signal()
            isFree.wait()
            steps.add("held")
        }
        await Task.detached { [first, steps] in
            Self.wait(for: isHeld)
            FollowUp.run { first.async { steps.add("later") } }
            steps.add("returned")
            isFree.signal()
        }.value
        await withCheckedContinuation { done in first.async { done.resume() } }
        #expect(steps.texts.first == "returned" && steps.texts.last == "later")
    }

    @Test func doesNotFollowUpInsidePromptQueue() async {
        first.queue.sync {
            FollowUp.run {
                first.async { [steps] in steps.add("itself") }
                FollowUp.atEnd { steps.add("at once") }
            }
            steps.add("block")
        }
        await withCheckedContinuation { done in first.async { done.resume() } }
        #expect(steps.texts == ["at once", "block", "itself"])
    }

    private static func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }
}
