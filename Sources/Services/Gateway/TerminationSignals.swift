import Dispatch
import Glibc

/// SIGTERM and SIGINT as values; the process no longer dies of them, nor of SIGPIPE.
final class TerminationSignals: Sendable {
    private let signals: AsyncStream<Int32>
    /// Kept for as long as signals are wanted.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]  // never changed

    init() {
        let (signals, report) = AsyncStream.makeStream(of: Int32.self)
        self.signals = signals
        signal(SIGPIPE, SIG_IGN)
        sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(
                signal: number, queue: .global())
            source.setEventHandler { @Sendable in report.yield(number) }
            source.activate()
            return source
        }
    }

    deinit { for source in sources { source.cancel() } }

    /// The number of the first signal that arrives.
    func first() async -> Int32 { await signals.first { _ in true } ?? SIGTERM }
}
