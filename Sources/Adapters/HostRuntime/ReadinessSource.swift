import Dispatch
import Glibc

/// Calls a handler on a queue whenever a file descriptor can be read or written.
///
/// Confined to the queue of its executor. The wrapped Dispatch source must never be released while
/// suspended or before activation (libdispatch traps on both), which is what this type is for.
package final class ReadinessSource {
    /// What the descriptor has to be ready for.
    package enum Direction { case read, write }

    private let source: any DispatchSourceProtocol
    private let executor: SerialQueueExecutor
    private var suspended = true
    private var cancelled = false

    /// Watches `descriptor`; the source is born suspended, call `resume()`.
    ///
    /// - Parameters:
    ///   - closing: whether the descriptor is closed once Dispatch has let go of it.
    ///   - handler: runs on the executor's queue. End of file is announced once only, so a reader
    ///     acts on a read of zero bytes at once.
    package init(
        _ direction: Direction, descriptor: Int32, on executor: SerialQueueExecutor,
        closing: Bool, handler: @escaping @Sendable () -> Void
    ) {
        self.executor = executor
        switch direction {
        case .read:
            source = DispatchSource.makeReadSource(
                fileDescriptor: descriptor, queue: executor.queue)
        case .write:
            source = DispatchSource.makeWriteSource(
                fileDescriptor: descriptor, queue: executor.queue)
        }
        source.setEventHandler(handler: handler)
        if closing {
            source.setCancelHandler { @Sendable in close(descriptor) }
        }
    }

    /// Lets events through; nothing happens when they already are.
    package func resume() {
        executor.checkIsolated()
        guard suspended, !cancelled else { return }
        suspended = false
        source.resume()
    }

    /// Holds events back; nothing happens when they already are.
    package func suspend() {
        executor.checkIsolated()
        guard !suspended, !cancelled else { return }
        suspended = true
        source.suspend()
    }

    /// Ends the watch for good. Idempotent.
    package func cancel() {
        executor.checkIsolated()
        guard !cancelled else { return }
        cancelled = true
        source.cancel()
        if suspended { source.resume() }
    }

    deinit {
        precondition(cancelled, "a readiness source was dropped without cancel()")
    }
}
