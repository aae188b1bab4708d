import CSystemd
import Dispatch
import Glibc

/// Calls a handler on a queue whenever a file descriptor can be read or written.
///
/// Confined to the queue of its executor. libdispatch traps if a source is released while suspended
/// or before activation; this type prevents both.
package final class ReadinessSource {
    /// The direction to watch.
    package enum Direction { case read, write }

    private let source: any DispatchSourceProtocol
    private let executor: SerialQueueExecutor
    private var suspended = true
    private var cancelled = false

    /// Watches `descriptor`. The source starts suspended: call `resume()`.
    ///
    /// - Parameters:
    ///   - closing: whether the descriptor is closed once Dispatch has released it.
    ///   - handler: runs on the executor's queue. End of file is reported only once, so a reader must
    ///     react to a read of zero bytes at once.
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

    /// Delivers events; does nothing if they are delivered already.
    package func resume() {
        executor.checkIsolated()
        guard suspended, !cancelled else { return }
        suspended = false
        source.resume()
    }

    /// Suspends events; does nothing if they are suspended already.
    package func suspend() {
        executor.checkIsolated()
        guard !suspended, !cancelled else { return }
        suspended = true
        source.suspend()
    }

    /// Stops watching for good. Idempotent.
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

/// Wakes the thread that waits for its descriptor: an eventfd(2). Any thread may signal it.
package final class EventFD: Sendable {
    /// Readable from the first `signal` until `clear`.
    package let descriptor: Int32

    package init() {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        precondition(descriptor >= 0, "no descriptor is left to wait with: errno \(errno)")
    }

    deinit { close(descriptor) }

    package func signal() { eventfd_write(descriptor, 1) }

    /// Clears all signals so far.
    package func clear() {
        var rings: eventfd_t = 0
        eventfd_read(descriptor, &rings)
    }
}
