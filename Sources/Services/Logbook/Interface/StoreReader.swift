import HostRuntime
import LogbookStores
import Synchronization
import WebServer

/// Looks into the store for those who ask over HTTP.
///
/// It has a connection to the store and a queue of its own, and reads one thing after the other: the
/// keeper's writing waits for no reader, and neither does the web server's thread.
final class StoreReader: Sendable {
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

    /// - Parameters:
    ///   - label: of its queue.
    ///   - open: opens the store for looking, or for planning; called again after a failure.
    init(
        label: String = "logbook.reading", runtime: any Runtime, log: SystemLog,
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
            do {
                let store = try store ?? open()
                self.store = store
                if try read(store) { readAhead(read) }
            } catch { close() }
        }
    }

    /// Lets go of the store when what is being read has been read; nobody is to ask any more.
    func stop() {
        state.withLock { $0.isStopping = true }
        executor.enter { [self] in close() }
    }

    private func look(_ read: (any LogbookStore) throws -> WebAnswer) -> WebAnswer {
        do {
            let store = try store ?? open()
            self.store = store
            let answer = try read(store)
            isFailing = false
            return answer
        } catch let fault as InterfaceFault {
            return fault.answer
        } catch {
            close()
            if !isFailing { log.error("a question cannot be answered: \(error)") }
            isFailing = true
            return Self.failure("store_failed", "\(error)", 30)
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
