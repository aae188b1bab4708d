import HostRuntime
import LogbookStores
import Synchronization
import WebServer

/// A connection to the store with a queue of its own, which does one thing after the other.
///
/// There are two besides the keeper's: one reads for those who ask, the other writes what people say
/// and plan. So the keeper waits for no question, no question for a store in which somebody writes, and
/// the web server's thread for neither.
final class StoreQueue: Sendable {
    private struct State {
        var waiting = 0
        var isStopping = false
    }

    /// Questions that wait; each of them may have read as much as a page or a file has.
    static let maximumWaiting = 32

    private let open: @Sendable () throws(StoreFailure) -> any LogbookStore
    private let executor: SerialQueueExecutor
    private let log: SystemLog
    private let state = Mutex(State())
    // Both are of the executor alone.
    private nonisolated(unsafe) var store: (any LogbookStore)?
    private nonisolated(unsafe) var isFailing = false  // as above

    /// - Parameter open: opens the store; called again after a failure.
    init(
        _ label: String = "logbook.reading", runtime: any Runtime, log: SystemLog,
        _ open: @escaping @Sendable () throws(StoreFailure) -> any LogbookStore
    ) {
        self.open = open
        self.log = log
        executor = runtime.makeQueue(label: label)
    }

    /// What `read` makes of the store, as soon as it is its turn.
    func answer(_ read: @escaping @Sendable (any LogbookStore) throws -> WebAnswer) -> WebAnswer {
        .later { [self] answer in
            guard begin() else { return answer(Self.busy) }
            executor.async { [self] in
                let isStopping = state.withLock(\.isStopping)
                let found = isStopping ? Self.stopping : look(read)
                state.withLock { $0.waiting -= 1 }
                answer(found)
            }
        }
    }

    /// Has something done for somebody who waits for no answer over HTTP. `failed` hears why it was not.
    /// False where too many wait already.
    func carryOut(
        _ work: @escaping @Sendable (any LogbookStore) throws -> Void,
        failed: @escaping @Sendable (any Error) -> Void
    ) -> Bool {
        guard begin() else { return false }
        executor.async { [self] in
            defer { state.withLock { $0.waiting -= 1 } }
            guard !state.withLock(\.isStopping) else { return }
            do { try use(work) } catch { failed(error) }
        }
        return true
    }

    /// Whether one more may wait; it does then.
    private func begin() -> Bool {
        state.withLock { state in
            guard state.waiting < Self.maximumWaiting else { return false }
            state.waiting += 1
            return true
        }
    }

    /// Has something read while nobody asks, step by step: `read` again until it says that it is done.
    func readAhead(_ read: @escaping @Sendable (any LogbookStore) throws -> Bool) {
        executor.async { [self] in
            guard !state.withLock(\.isStopping) else { return }
            // What cannot be read now is read when it is asked for.
            if (try? use(read)) == true { readAhead(read) }
        }
    }

    /// Lets go of the store when what is being read has been read; nobody is to ask any more.
    func stop() {
        state.withLock { $0.isStopping = true }
        executor.enter { [self] in close() }
    }

    private func look(_ read: (any LogbookStore) throws -> WebAnswer) -> WebAnswer {
        do {
            let answer = try use(read)
            isFailing = false
            return answer
        } catch let fault as InterfaceFault {
            return fault.answer
        } catch {
            if !isFailing { log.error("a question cannot be answered: \(error)") }
            isFailing = true
            return Self.failure("store_failed", "\(error)", 30)
        }
    }

    /// A store that failed is opened anew the next time; one whose file was taken away at once.
    private func use<Found>(_ work: (any LogbookStore) throws -> Found) throws -> Found {
        do {
            return try useOnce(work)
        } catch let failure as StoreFailure where failure.kind == .moved {
            close()
            return try useOnce(work)
        }
    }

    private func useOnce<Found>(_ work: (any LogbookStore) throws -> Found) throws -> Found {
        do {
            let store = try store ?? open()
            self.store = store
            return try work(store)
        } catch let fault as InterfaceFault {
            throw fault
        } catch {
            close()
            throw error
        }
    }

    private static let busy = failure(
        "busy", "\(maximumWaiting) questions wait for the store; ask again later", 5)
    private static let stopping = failure("stopping", "the logbook stops; ask when it is back", 5)

    private static func failure(_ code: String, _ words: String, _ seconds: Int64) -> WebAnswer {
        .failure(
            status: 503, code: code, message: words,
            headers: [WebAnswer.retryAfter(seconds)])
    }

    private func close() {
        store?.close()
        store = nil
    }
}
