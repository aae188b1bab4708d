import Dispatch
import HostRuntime
import LogbookStores
import Synchronization
import TestSupport
import Testing

@testable import Logbook
@testable import WebServer

/// Who asks waits; the web server does not, and there are not too many.
@Suite struct StoreReaderTests {
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

    private func reader(_ path: String) -> StoreReader {
        StoreReader(
            runtime: SystemRuntime(), log: SystemLog(subsystem: "test", threshold: .critical)
        ) { () throws(StoreFailure) in try SQLiteStore(path, for: .looking) }
    }

    private func ask(_ reader: StoreReader, _ read: @escaping @Sendable () -> Void = {}) {
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
        for _ in 1..<StoreReader.maximumWaiting { ask(reader) }
        #expect(answers.count == 0)
        ask(reader)
        #expect(answers.failures == ["busy"])
        gate.signal()
        #expect(await eventually { answers.count == StoreReader.maximumWaiting + 1 })
        ask(reader)
        #expect(await eventually { answers.count == StoreReader.maximumWaiting + 2 })
        #expect(answers.failures == ["busy"])
        reader.stop()
        ask(reader)
        #expect(await eventually { answers.failures == ["busy", "stopping"] })
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
