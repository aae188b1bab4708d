import HostRuntime
import LogbookStores
import Synchronization
import WebServer

/// A connection to the store with its own serial queue.
///
/// There are two: one reads for requests, the other writes what users change. The record ingester has a third
/// connection. So requests never delay ingestion, writes never delay reads, and the web server's thread never
/// waits for the store.
final class StoreQueue: Sendable {
    private struct State {
        var waiting = 0
        var isStopping = false
    }

    /// The largest number of waiting requests. Each may hold the bytes of a page or a file.
    static let maximumWaiting = 32

    private let open: @Sendable () throws(StoreFailure) -> any LogbookStore
    private let executor: SerialQueueExecutor
    private let log: SystemLog
    private let state = Mutex(State())
    // Used on the executor only.
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

    /// Queues `read` and returns an answer that is completed later.
    func answer(_ read: @escaping @Sendable (any LogbookStore) throws -> WebAnswer) -> WebAnswer {
        .deferred { [self] answer in
            guard reserveSlot() else { return answer(Self.busy) }
            executor.async { [self] in
                let isStopping = state.withLock(\.isStopping)
                let found = isStopping ? Self.stopping : result(of: read)
                state.withLock { $0.waiting -= 1 }
                answer(found)
            }
        }
    }

    /// Queues work that has no HTTP response; `failed` is called with its error. Returns false if the queue
    /// is full.
    func perform(
        _ work: @escaping @Sendable (any LogbookStore) throws -> Void,
        failed: @escaping @Sendable (any Error) -> Void
    ) -> Bool {
        guard reserveSlot() else { return false }
        executor.async { [self] in
            defer { state.withLock { $0.waiting -= 1 } }
            guard !state.withLock(\.isStopping) else { return }
            do { try withStore(work) } catch { failed(error) }
        }
        return true
    }

    /// Waits for work on the store. Throws its error, or `Unavailable` if the queue is full or stopped.
    func result<Value: Sendable>(
        of work: @escaping @Sendable (any LogbookStore) throws -> Value
    ) async throws -> Value {
        guard reserveSlot() else { throw Unavailable() }
        return try await withCheckedThrowingContinuation { continuation in
            executor.async { [self] in
                defer { state.withLock { $0.waiting -= 1 } }
                guard !state.withLock(\.isStopping) else {
                    return continuation.resume(throwing: Unavailable())
                }
                do { continuation.resume(returning: try withStore(work)) } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
    }

    /// The queue does no work now.
    struct Unavailable: Error, CustomStringConvertible {
        var description: String { "the store is busy or closed" }
    }

    /// Counts one more waiting request, unless the queue is full.
    private func reserveSlot() -> Bool {
        state.withLock { state in
            guard state.waiting < Self.maximumWaiting else { return false }
            state.waiting += 1
            return true
        }
    }

    /// Repeats `step` until it returns false or throws. Requests run between two steps.
    func runInBackground(_ step: @escaping @Sendable (any LogbookStore) throws -> Bool) {
        executor.async { [self] in
            guard !state.withLock(\.isStopping) else { return }
            // Errors are ignored: a request for the same data reports them.
            if (try? withStore(step)) == true { runInBackground(step) }
        }
    }

    /// Closes the store after the current work. Later requests fail.
    func stop() {
        state.withLock { $0.isStopping = true }
        executor.enter { [self] in close() }
    }

    private func result(of read: (any LogbookStore) throws -> WebAnswer) -> WebAnswer {
        do {
            let answer = try withStore(read)
            isFailing = false
            return answer
        } catch let fault as InterfaceFault {
            return fault.answer
        } catch {
            if !isFailing { log.error("a request to the store failed: \(error)") }
            isFailing = true
            return Self.failure("store_failed", "\(error)", 30)
        }
    }

    /// Closes a store that failed, so that the next request opens it again. If the file was moved or deleted,
    /// opens it again at once.
    private func withStore<Found>(_ work: (any LogbookStore) throws -> Found) throws -> Found {
        do {
            return try withOpenStore(work)
        } catch let failure as StoreFailure where failure.kind == .moved {
            close()
            return try withOpenStore(work)
        }
    }

    private func withOpenStore<Found>(_ work: (any LogbookStore) throws -> Found) throws -> Found {
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
        "busy", "\(maximumWaiting) requests are waiting for the store; retry later", 5)
    private static let stopping = failure("stopping", "the logbook is stopping; retry later", 5)

    private static func failure(_ code: String, _ message: String, _ seconds: Int64) -> WebAnswer {
        .failure(
            status: 503, code: code, message: message,
            headers: [WebAnswer.retryAfter(seconds)])
    }

    private func close() {
        store?.close()
        store = nil
    }
}
