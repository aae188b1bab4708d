import CSystemd
import Dispatch
import Glibc
import Synchronization

/// The one thread that waits for the sockets of all links.
///
/// A Dispatch source costs three switches of threads each time something arrives: its manager's,
/// the worker's, and the manager's again to watch on. This thread enters the queue of the group
/// that has something by itself, so one arrival costs one switch; what several groups have at the
/// same time costs one altogether. A queue that hangs holds up all of them; the
/// liveness watch then lets systemd start the daemon anew.
package final class ReadinessThread: Sendable {
    /// Every group is looked at as often, whether it has something or not: for what `readAlong` holds
    /// back. The longest time between two status messages of a monitor.
    private static let sweep = Duration.seconds(1)
    /// How long the thread lets gather what follows a `beginning`, in microseconds: less than anybody
    /// sees.
    private static let gathering: UInt32 = 3000

    private let epoll: Int32
    /// Ends the wait.
    private let bell = Bell()
    /// By their descriptor.
    private let groups = Mutex<[Int32: ReadinessGroup]>([:])

    /// Begins to wait, until `stop`.
    package init() {
        epoll = .newEpoll()
        epoll.watch(bell.descriptor)
        SerialQueueExecutor(label: "rowgate.sockets").async { [self] in wait() }
    }

    deinit { close(epoll) }

    /// Ends the thread; what arrives from now on is not read.
    package func stop() { bell.ring() }

    fileprivate func add(_ group: ReadinessGroup) {
        groups.withLock { $0[group.epoll] = group }
        epoll.watch(group.epoll)
    }

    /// A turn of the group that has begun meanwhile finds it cancelled.
    fileprivate func remove(_ group: ReadinessGroup) {
        groups.withLock { $0[group.epoll] = nil }
        epoll_ctl(epoll, EPOLL_CTL_DEL, group.epoll, nil)
    }

    private func wait() {
        var ready = ReadyDescriptors()
        var swept = ContinuousClock.now
        while true {
            let count = ready.wait(epoll, atMost: Self.sweep)
            var (isOver, isBeginning) = (false, false)
            FollowUp.run {
                for index in 0..<count {
                    isOver = isOver || ready[index] == bell.descriptor
                    guard let group = groups.withLock({ $0[ready[index]] }) else { continue }
                    isBeginning = group.visit() || isBeginning
                }
                let now = ContinuousClock.now
                guard now - swept >= Self.sweep else { return }
                swept = now
                for group in groups.withLock({ Array($0.values) }) {
                    isBeginning = group.visit() || isBeginning
                }
            }
            if isOver { return }
            if isBeginning { usleep(Self.gathering) }
        }
    }
}

/// Calls a handler for whichever of several descriptors can be read.
///
/// An epoll descriptor stands for those that wake the thread: it can itself be read whenever one of them
/// can (epoll(7)). Another one has all of them, in the order in which they became ready. Confined to the
/// queue of its executor.
package final class ReadinessGroup: @unchecked Sendable {
    /// What a handler found to read.
    package enum Found {
        case nothing, something
        /// Something that is the first part of more, which is on its way: it is let gather, so that
        /// each part does not wake the thread by itself.
        case beginning
    }

    fileprivate let executor: SerialQueueExecutor
    fileprivate let epoll = Int32.newEpoll()
    private let everything = Int32.newEpoll()
    private let thread: ReadinessThread
    /// By descriptor.
    private var handlers: [Int32: () -> Found] = [:]
    private var ready = ReadyDescriptors()
    private var isCancelled = false

    /// Watches nothing yet. To be cancelled before it is let go of.
    ///
    /// - Parameter thread: the one that waits.
    package init(on executor: SerialQueueExecutor, waitingOn thread: ReadinessThread) {
        self.executor = executor
        self.thread = thread
        thread.add(self)
    }

    /// Watches `descriptor`, which is the group's to close from now on.
    ///
    /// - Parameter handler: runs on the executor's queue, again and again while there is something
    ///   to read or the other side is gone. One read in each call is enough.
    package func add(_ descriptor: Int32, handler: @escaping () -> Found) {
        executor.checkIsolated()
        handlers[descriptor] = handler
        everything.watch(descriptor)
        epoll.watch(descriptor)
    }

    /// From now on `descriptor` is read together with others of the group, or within a second: for what
    /// is sent right before something else, so that one of them wakes the thread. Nothing happens to one
    /// that is not watched, or is read so already.
    package func readAlong(_ descriptor: Int32) {
        executor.checkIsolated()
        epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil)
    }

    /// Closes `descriptor`, which is watched no more.
    package func remove(_ descriptor: Int32) {
        executor.checkIsolated()
        guard handlers.removeValue(forKey: descriptor) != nil else { return }
        close(descriptor)
    }

    /// Enters the queue and reads what there is; true where more is on its way.
    fileprivate func visit() -> Bool { executor.queue.sync { drain() } }

    /// Until there is nothing to read, or a handler has ended the watch.
    private func drain() -> Bool {
        var (count, last) = (0, Found.nothing)
        repeat {
            guard !isCancelled else { return false }
            count = ready.wait(everything, atMost: .zero)
            for index in 0..<count { last = handlers[ready[index]]?() ?? .nothing }
        } while count > 0
        return last == .beginning
    }

    /// Ends the watch for good and closes every descriptor. Idempotent.
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

/// What one system call reports; the rest follows in the next.
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

    /// Has the epoll descriptor report `descriptor` for as long as it can be read.
    fileprivate func watch(_ descriptor: Int32) {
        var event = epoll_event()
        event.events = EPOLLIN.rawValue
        event.data.fd = descriptor
        let result = epoll_ctl(self, EPOLL_CTL_ADD, descriptor, &event)
        precondition(result == 0, "descriptor \(descriptor) can be watched: errno \(errno)")
    }
}
