import Dispatch
import HostRuntime
import LogbookStores
import Synchronization
import TestSupport
import Testing

@testable import Logbook
@testable import WebServer

/// Who asks waits; the web server does not, and there are not too many.
@Suite struct StoreQueueTests {
    private let folder: TemporaryFolder
    private let gate = DispatchSemaphore(value: 0)
    private let answers = Answers()

    private final class Answers: Sendable {
        private let all = Mutex<[WebAnswer]>([])
        func add(_ answer: WebAnswer) { all.withLock { $0.append(answer) } }
        var count: Int { all.withLock { $0.count } }
        var failures: [String] {
            all.withLock { all in
                all.compactMap {
                    if case .failure(_, let code, _, _) = $0 { code } else { nil }
                }
            }
        }
    }

    init() throws {
        folder = try TemporaryFolder()
        try SQLiteStore(folder.path("logbook.db"), for: .keeping).close()
    }

    private func reader(_ path: String) -> StoreQueue {
        StoreQueue(
            runtime: SystemRuntime(), log: SystemLog(subsystem: "test", threshold: .critical)
        ) { () throws(StoreFailure) in try SQLiteStore(path, for: .looking) }
    }

    private func ask(_ reader: StoreQueue, _ read: @escaping @Sendable () -> Void = {}) {
        let answer = reader.answer { store in
            read()
            return .json(Array("\(try store.size().records)".utf8))
        }
        guard case .later(let begin) = answer else {
            Issue.record("it waits for the store")
            return
        }
        begin(answers.add)
    }

    @Test func questionsAreLimited() async {
        // Goal: whatever is asked, a bounded amount waits. Method: one that does not end, as many as may
        // wait beside it, and one more; then all end.
        let reader = reader(folder.path("logbook.db"))
        ask(reader) { [gate] in gate.wait() }
        for _ in 1..<StoreQueue.maximumWaiting { ask(reader) }
        #expect(answers.count == 0)
        ask(reader)
        #expect(answers.failures == ["busy"])
        gate.signal()
        #expect(await eventually { answers.count == StoreQueue.maximumWaiting + 1 })
        ask(reader)
        #expect(await eventually { answers.count == StoreQueue.maximumWaiting + 2 })
        #expect(answers.failures == ["busy"])
        reader.stop()
        ask(reader)
        #expect(await eventually { answers.failures == ["busy", "stopping"] })
    }

    @Test func whatIsDoneForNobodyWhoWaitsIsLimitedToo() async throws {
        // Goal: what comes over MQTT cannot crowd out the rest, and is told why it was not done. Method: as
        // many as may wait behind one that stands still; a store that is not there.
        let reader = reader(folder.path("logbook.db"))
        let done = Mutex(0)
        var taken: [Bool] = []
        for number in 0...StoreQueue.maximumWaiting {
            let isTaken = reader.carryOut { [gate] _ in
                if number == 0 { gate.wait() }
                done.withLock { $0 += 1 }
            } failed: {
                Issue.record("\($0)")
            }
            taken.append(isTaken)
        }
        #expect(taken.firstIndex(of: false) == StoreQueue.maximumWaiting)
        ask(reader)
        #expect(answers.failures == ["busy"])
        gate.signal()
        #expect(await eventually { done.withLock { $0 } == StoreQueue.maximumWaiting })
        let failures = Mutex(0)
        let lost = self.reader(folder.path("nowhere/logbook.db"))
        let isTaken = lost.carryOut { _ in
            Issue.record("there is no store")
        } failed: { _ in
            failures.withLock { $0 += 1 }
        }
        #expect(isTaken)
        #expect(await eventually { failures.withLock { $0 } == 1 })
        reader.stop()
    }

    @Test func aStoreThatFailsIsOpenedAgain() async throws {
        // Goal: a store that was away is no reason for a restart. Method: one that is not there yet.
        let path = folder.path("later.db")
        let reader = reader(path)
        ask(reader)
        #expect(await eventually { answers.failures == ["store_failed"] })
        try SQLiteStore(path, for: .keeping).close()
        ask(reader)
        #expect(await eventually { answers.count == 2 })
        #expect(answers.failures.count == 1)
        reader.stop()
    }
}
