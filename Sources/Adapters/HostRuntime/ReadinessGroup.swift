import CSystemd
import Glibc

/// Calls a handler for whichever of several descriptors can be read, with one Dispatch source.
///
/// What arrives on several sockets at about the same time, as the values of a monitor's status do,
/// wakes the queue once. An epoll descriptor stands for all of them: it can itself be read whenever
/// one of them can (epoll(7)). Confined to the queue of its executor.
package final class ReadinessGroup: @unchecked Sendable {
    /// Descriptors that one system call reports; what is left follows in the next.
    private static let batch = 16

    private let executor: SerialQueueExecutor
    private let epoll: Int32
    private var source: ReadinessSource?
    /// By descriptor.
    private var handlers: [Int32: () -> Void] = [:]
    private var ready = [epoll_event](repeating: epoll_event(), count: batch)

    /// Watches nothing yet. To be cancelled before it is let go of.
    package init(on executor: SerialQueueExecutor) {
        self.executor = executor
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        precondition(epoll >= 0, "no descriptor is left to watch others with: errno \(errno)")
        source = ReadinessSource(.read, descriptor: epoll, on: executor, closing: true) {
            @Sendable [weak self] in self?.drain()
        }
        source?.resume()
    }

    /// Watches `descriptor`, which is the group's to close from now on.
    ///
    /// - Parameter handler: runs on the executor's queue, again and again while there is something
    ///   to read or the other side is gone. One read in each call is enough.
    package func add(_ descriptor: Int32, handler: @escaping () -> Void) {
        executor.checkIsolated()
        handlers[descriptor] = handler
        var event = epoll_event()
        event.events = EPOLLIN.rawValue
        event.data.fd = descriptor
        let result = epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event)
        precondition(result == 0, "a socket can be watched: errno \(errno)")
    }

    /// Closes `descriptor`, which is watched no more.
    package func remove(_ descriptor: Int32) {
        executor.checkIsolated()
        guard handlers.removeValue(forKey: descriptor) != nil else { return }
        close(descriptor)
    }

    /// Until there is nothing to read, or a handler has ended the watch.
    private func drain() {
        while source != nil {
            let count = epoll_wait(epoll, &ready, Int32(ready.count), 0)
            guard count > 0 else { return }
            for index in 0..<Int(count) { handlers[ready[index].data.fd]?() }
        }
    }

    /// Ends the watch for good and closes every descriptor. Idempotent.
    package func cancel() {
        executor.checkIsolated()
        for descriptor in handlers.keys { close(descriptor) }
        handlers = [:]
        source?.cancel()
        source = nil
    }

    deinit {
        precondition(source == nil, "a group was dropped without cancel()")
    }
}
