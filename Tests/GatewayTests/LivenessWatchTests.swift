import Synchronization
import Testing

@testable import Gateway
@testable import HostRuntime

struct LivenessWatchTests {
    @Test func hungQueueStopsPings() async {
        let healthy = SerialQueueExecutor(label: "healthy")
        let hung = SerialQueueExecutor(label: "hung")
        let pings = Mutex(0)
        let watch = LivenessWatch(
            runtime: SystemRuntime(), log: SystemLog(subsystem: "test", threshold: .error),
            ping: { pings.withLock { $0 += 1 } })
        await watch.round(checking: [healthy, hung])
        #expect(pings.withLock { $0 } == 1)
        hung.queue.suspend()
        await watch.settle(healthy)
        await watch.round(checking: [healthy, hung])
        await watch.settle(healthy)
        let before = pings.withLock { $0 }
        await watch.round(checking: [healthy, hung])
        #expect(pings.withLock { $0 } == before)
        hung.queue.resume()
        await watch.settle(hung)
        await watch.settle(healthy)
        await watch.round(checking: [healthy, hung])
        #expect(pings.withLock { $0 } == before + 1)
    }
}

extension LivenessWatch {
    /// Waits until the blocks that are on `queue` now, and what they sent here, have run.
    fileprivate func settle(_ queue: SerialQueueExecutor) async {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume() }
        }
    }
}
