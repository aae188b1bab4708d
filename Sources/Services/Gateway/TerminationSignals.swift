import Dispatch
import Glibc
import Synchronization

/// SIGTERM and SIGINT as values; the process no longer dies of them, nor of SIGPIPE.
final class TerminationSignals: Sendable {
    private final class Flag: Sendable {
        let isSet = Atomic(false)
    }

    private let signals: AsyncStream<Int32>
    private let arrival: Flag
    /// Kept for as long as signals are wanted.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]  // never changed

    /// Returns when signals are caught. Until then each ends the process as usual, so that none is
    /// lost: ignoring them first would drop one that comes before Dispatch has its handler in place.
    init() async {
        signal(SIGPIPE, SIG_IGN)
        let (signals, report) = AsyncStream.makeStream(of: Int32.self)
        let arrival = Flag()
        var sources: [any DispatchSourceSignal] = []
        for number in [SIGTERM, SIGINT] {
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { @Sendable in
                arrival.isSet.store(true, ordering: .relaxed)
                report.yield(number)
            }
            await withCheckedContinuation { continuation in
                source.setRegistrationHandler { @Sendable in continuation.resume() }
                source.activate()
            }
            sources.append(source)
        }
        self.signals = signals
        self.arrival = arrival
        self.sources = sources
    }

    deinit { for source in sources { source.cancel() } }

    /// Whether one has arrived already.
    var haveCome: Bool { arrival.isSet.load(ordering: .relaxed) }

    /// The number of the first signal that arrives.
    func first() async -> Int32 { await signals.first { _ in true } ?? SIGTERM }
}
