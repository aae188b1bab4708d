import CCurl
import Synchronization

/// Ends a transfer from any thread, before or while it runs.
final class TransferCancellation: Sendable {
    /// Unchecked, because `multi` is used only under the lock: the transfer removes it before it is freed.
    private struct State: @unchecked Sendable {
        var isCancelled = false
        var multi: UnsafeMutableRawPointer?
    }

    private let state = Mutex(State())

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// The transfer ends at once: libcurl is woken if it waits.
    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            if let multi = state.multi { _ = curl_multi_wakeup(multi) }
        }
    }

    /// Runs a transfer that waits in `multi`.
    func withWakeUp<Value>(of multi: UnsafeMutableRawPointer, _ body: () -> Value) -> Value {
        let address = UInt(bitPattern: multi)
        state.withLock { $0.multi = UnsafeMutableRawPointer(bitPattern: address) }
        defer { state.withLock { $0.multi = nil } }
        return body()
    }
}
