import Glibc
import HostRuntime

/// Blocks the thread that receives records while the queue for the store is full.
///
/// libmosquitto acknowledges a message before the program handles it, so acknowledgements cannot slow the
/// broker down. A blocked thread does not read its socket, so further messages stay in the broker's queue, in
/// order. Dropped records would have to be replayed by the gateways range by range.
struct BackPressure: Sendable {
    /// The poll interval in milliseconds, and the maximum number of polls. Counting polls limits the wait
    /// without a clock, so that the thread can answer the broker's keep-alive in time.
    private static let pollInterval: Int32 = 100
    private static let maximumPolls = Int(IngestQueue.Limit.stallTimeout / .milliseconds(pollInterval))

    /// Signalled after each commit.
    private let roomEvent = EventFD()

    /// Blocks the calling thread until the condition is false or the time limit is reached.
    func wait(while isFull: () -> Bool) {
        for _ in 0..<Self.maximumPolls {
            guard isFull() else { return }
            var ready = pollfd(fd: roomEvent.descriptor, events: Int16(POLLIN), revents: 0)
            poll(&ready, 1, Self.pollInterval)
            roomEvent.clear()
        }
    }

    /// Wakes the waiting thread, because the queue may have room now.
    func release() { roomEvent.signal() }
}
