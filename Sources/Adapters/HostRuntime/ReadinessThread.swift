import CSystemd
import Dispatch
import Glibc
import Synchronization

/// The single thread that waits for the sockets of all links.
///
/// A Dispatch source costs three thread switches per arrival: its manager's, the worker's, and the
/// manager's again to re-arm. This thread enters the queue of the ready group itself, so one
/// arrival costs one switch, and simultaneous arrivals of several groups cost one in total. A queue
/// that hangs blocks all of them; the liveness watch then lets systemd restart the daemon.
package final class ReadinessThread: Sendable {
    /// How long the thread waits for the rest after a `partialValue`, in microseconds: too short to
    /// notice.
    private static let gathering: UInt32 = 3000

    private let sweep: Duration
    private let epoll: Int32
    /// Ends the wait.
    private let wakeUp = EventFD()
    /// Groups by their descriptor.
    private let groups = Mutex<[Int32: ReadinessGroup]>([:])

    /// Starts waiting, until `stop`.
    ///
    /// - Parameter sweep: how often every group is read, whether or not it was reported ready, because of the
    ///   values that `readAlong` delays. The default is the longest time between two status messages of a monitor.
    package init(sweep: Duration = .seconds(1)) {
        self.sweep = sweep
        epoll = .newEpoll()
        epoll.watch(wakeUp.descriptor)
        SerialQueueExecutor(label: "rowgate.sockets").async { [self] in wait() }
    }

    deinit { close(epoll) }

    /// Ends the thread; later arrivals are not read.
    package func stop() { wakeUp.signal() }

    fileprivate func add(_ group: ReadinessGroup) {
        groups.withLock { $0[group.epoll] = group }
        epoll.watch(group.epoll)
    }

    /// A turn of the group that has already started finds it cancelled.
    fileprivate func remove(_ group: ReadinessGroup) {
        groups.withLock { $0[group.epoll] = nil }
        epoll_ctl(epoll, EPOLL_CTL_DEL, group.epoll, nil)
    }

    private func wait() {
        var ready = ReadyDescriptors()
        var swept = ContinuousClock.now
        while true {
            let count = ready.wait(epoll, atMost: sweep)
            var (isOver, isPartial) = (false, false)
            FollowUp.run {
                for index in 0..<count {
                    isOver = isOver || ready[index] == wakeUp.descriptor
                    guard let group = groups.withLock({ $0[ready[index]] }) else { continue }
                    isPartial = group.readAvailable() || isPartial
                }
                let now = ContinuousClock.now
                guard now - swept >= sweep else { return }
                swept = now
                for group in groups.withLock({ Array($0.values) }) {
                    isPartial = group.readAvailable() || isPartial
                }
            }
            if isOver { return }
            if isPartial { usleep(Self.gathering) }
        }
    }
}

/// Calls a handler for each of several descriptors that can be read.
///
/// One epoll descriptor covers the descriptors that wake the thread: it is itself readable whenever
/// one of them is (epoll(7)). Another one covers all of them, in the order in which they became
/// ready. Confined to the queue of its executor.
package final class ReadinessGroup: @unchecked Sendable {
    /// The result of a handler's read.
    package enum ReadResult {
        case nothing, value
        /// The first part of a longer value whose rest is on its way. The thread waits for the
        /// rest, so that each part does not wake it separately.
        case partialValue
    }

    fileprivate let executor: SerialQueueExecutor
    fileprivate let epoll = Int32.newEpoll()
    private let everything = Int32.newEpoll()
    private let thread: ReadinessThread
    /// Handlers by descriptor.
    private var handlers: [Int32: () -> ReadResult] = [:]
    private var ready = ReadyDescriptors()
    private var isCancelled = false

    /// Creates a group without descriptors. It must be cancelled before it is released.
    ///
    /// - Parameter thread: the thread that waits.
    package init(on executor: SerialQueueExecutor, waitingOn thread: ReadinessThread) {
        self.executor = executor
        self.thread = thread
        thread.add(self)
    }

    /// Watches `descriptor`, which the group closes from now on.
    ///
    /// - Parameter handler: runs on the executor's queue, repeatedly while there is something to read or
    ///   the other side has closed. It may read once per call.
    package func add(_ descriptor: Int32, handler: @escaping () -> ReadResult) {
        executor.checkIsolated()
        handlers[descriptor] = handler
        everything.watch(descriptor)
        epoll.watch(descriptor)
    }

    /// Reads `descriptor` together with others of the group, or within a second. For values that
    /// are sent shortly before another one, so that only the last wakes the thread. Does nothing
    /// for a descriptor that is not watched, or already has this setting.
    package func readAlong(_ descriptor: Int32) {
        executor.checkIsolated()
        epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil)
    }

    /// Undoes `readAlong`: `descriptor` wakes the thread again. Does nothing for one that does, or is not watched.
    package func readAtOnce(_ descriptor: Int32) {
        executor.checkIsolated()
        guard handlers[descriptor] != nil else { return }
        var event = epoll_event()
        event.events = EPOLLIN.rawValue
        event.data.fd = descriptor
        // EEXIST if it wakes the thread already.
        epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event)
    }

    /// Closes `descriptor` and stops watching it.
    package func remove(_ descriptor: Int32) {
        executor.checkIsolated()
        guard handlers.removeValue(forKey: descriptor) != nil else { return }
        close(descriptor)
    }

    /// Enters the queue and reads everything available; true if more is on its way.
    fileprivate func readAvailable() -> Bool { executor.queue.sync { drain() } }

    /// Reads until nothing is left, or a handler has cancelled the group.
    private func drain() -> Bool {
        var (count, last) = (0, ReadResult.nothing)
        repeat {
            guard !isCancelled else { return false }
            count = ready.wait(everything, atMost: .zero)
            for index in 0..<count { last = handlers[ready[index]]?() ?? .nothing }
        } while count > 0
        return last == .partialValue
    }

    /// Stops watching for good and closes every descriptor. Idempotent.
    package func cancel() {
        executor.checkIsolated()
        guard !isCancelled else { return }
        isCancelled = true
        thread.remove(self)
        for descriptor in handlers.keys { close(descriptor) }
        handlers = [:]
        close(everything)
        close(epoll)
    }

    deinit { precondition(isCancelled, "a group was dropped without cancel()") }
}

/// The result of one system call; further descriptors follow in the next one.
private struct ReadyDescriptors {
    private var events = [epoll_event](repeating: epoll_event(), count: 16)

    subscript(index: Int) -> Int32 { events[index].data.fd }

    /// Returns how many descriptors of `epoll` can be read, after `limit` at the latest.
    mutating func wait(_ epoll: Int32, atMost limit: Duration) -> Int {
        let milliseconds = Int32(limit / .milliseconds(1))
        return max(0, Int(epoll_wait(epoll, &events, Int32(events.count), milliseconds)))
    }
}

extension Int32 {
    fileprivate static func newEpoll() -> Int32 {
        let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        precondition(epoll >= 0, "no descriptor is left to watch others with: errno \(errno)")
        return epoll
    }

    /// Makes the epoll descriptor report `descriptor` while it can be read.
    fileprivate func watch(_ descriptor: Int32) {
        var event = epoll_event()
        event.events = EPOLLIN.rawValue
        event.data.fd = descriptor
        let result = epoll_ctl(self, EPOLL_CTL_ADD, descriptor, &event)
        precondition(result == 0, "descriptor \(descriptor) can be watched: errno \(errno)")
    }
}
