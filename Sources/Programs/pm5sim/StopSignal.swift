import Dispatch
import Glibc
import HostRuntime
import PM5Simulator

/// Waits for the reason to end: a signal, a lost bus, or everything being done.
final class StopSignal: Sendable {
    enum Reason: Sendable {
        case requested
        case failure(String)
    }

    private let reasons: AsyncStream<Reason>
    private let continuation: AsyncStream<Reason>.Continuation
    private let executor = SerialQueueExecutor(label: "pm5sim.stop")
    // Only made and kept; Dispatch sources may be released from any thread once activated.
    nonisolated(unsafe) private let sources: [any DispatchSourceSignal]

    init() {
        (reasons, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
        let continuation = continuation
        sources = [SIGTERM, SIGINT].map { [executor] number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: executor.queue)
            source.setEventHandler { @Sendable in continuation.yield(.requested) }
            source.activate()
            return source
        }
    }

    func raise(_ reason: Reason) { continuation.yield(reason) }

    /// Looks every quarter of a second whether the service is done.
    func whenDone(_ service: BlueZService) {
        Task { [continuation] in
            while await !service.isDone { try? await Task.sleep(for: .milliseconds(250)) }
            continuation.yield(.requested)
        }
    }

    func wait() async -> Reason {
        for await reason in reasons { return reason }
        return .requested
    }
}
