import Dispatch
import HostRuntime
import LogbookStores
import Synchronization
import TestSupport
import Testing

@testable import Logbook
@testable import WebServer

/// The queue is bounded, does not block the web server, and reopens a failed store.
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
        try SQLiteStore(folder.path("logbook.db"), for: .recording).close()
    }

    private func reader(_ path: String) -> StoreQueue {
        StoreQueue(
            runtime: SystemRuntime(), log: SystemLog(subsystem: "test", threshold: .critical)
        ) { () throws(StoreFailure) in try SQLiteStore(path, for: .readOnly) }
    }

    private func request(_ reader: StoreQueue, _ read: @escaping @Sendable () -> Void = {}) {
        let answer = reader.answer { store in
            read()
            return .json(Array("\(try store.size().records)".utf8))
        }
        guard case .deferred(let begin) = answer else {
            Issue.record("it waits for the store")
            return
        }
        begin(answers.add)
    }

    @Test func limitsWaitingRequests() async {
        let reader = reader(folder.path("logbook.db"))
        request(reader) { [gate] in gate.wait() }
        for _ in 1..<StoreQueue.maximumWaiting { request(reader) }
        #expect(answers.count == 0)
        request(reader)
        #expect(answers.failures == ["busy"])
        gate.signal()
        #expect(await eventually { answers.count == StoreQueue.maximumWaiting + 1 })
        request(reader)
        #expect(await eventually { answers.count == StoreQueue.maximumWaiting + 2 })
        #expect(answers.failures == ["busy"])
        reader.stop()
        request(reader)
        #expect(await eventually { answers.failures == ["busy", "stopping"] })
    }

    @Test func limitsWaitingWorkAndReportsErrors() async throws {
        let reader = reader(folder.path("logbook.db"))
        let done = Mutex(0)
        var accepted: [Bool] = []
        for number in 0...StoreQueue.maximumWaiting {
            let isQueued = reader.perform { [gate] _ in
                if number == 0 { gate.wait() }
                done.withLock { $0 += 1 }
            } failed: {
                Issue.record("\($0)")
            }
            accepted.append(isQueued)
        }
        #expect(accepted.firstIndex(of: false) == StoreQueue.maximumWaiting)
        request(reader)
        #expect(answers.failures == ["busy"])
        gate.signal()
        #expect(await eventually { done.withLock { $0 } == StoreQueue.maximumWaiting })
        let failures = Mutex(0)
        let lost = self.reader(folder.path("nowhere/logbook.db"))
        let isQueued = lost.perform { _ in
            Issue.record("there is no store")
        } failed: { _ in
            failures.withLock { $0 += 1 }
        }
        #expect(isQueued)
        #expect(await eventually { failures.withLock { $0 } == 1 })
        reader.stop()
    }

    @Test func reopensStoreAfterFailure() async throws {
        let path = folder.path("later.db")
        let reader = reader(path)
        request(reader)
        #expect(await eventually { answers.failures == ["store_failed"] })
        try SQLiteStore(path, for: .recording).close()
        request(reader)
        #expect(await eventually { answers.count == 2 })
        #expect(answers.failures.count == 1)
        reader.stop()
    }
}
