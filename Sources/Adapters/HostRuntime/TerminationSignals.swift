import Dispatch
import Glibc
import Synchronization

/// The request to stop the program. The first signal makes it.
package final class StopRequest: Sendable {
    private struct State {
        var signal: Int32?
        var actions: [@Sendable (Int32) -> Void] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Whether the request was made.
    package var isMade: Bool { state.withLock { $0.signal != nil } }

    /// Makes the request; a second signal changes nothing.
    package func make(_ signal: Int32) {
        let actions = state.withLock { state in
            guard state.signal == nil else { return [@Sendable (Int32) -> Void]() }
            state.signal = signal
            defer { state.actions = [] }
            return state.actions
        }
        for action in actions { action(signal) }
    }

    /// Calls `action` on any thread when the request is made, or immediately if it was made
    /// already.
    package func whenMade(_ action: @escaping @Sendable (Int32) -> Void) {
        let signal = state.withLock { state in
            if state.signal == nil { state.actions.append(action) }
            return state.signal
        }
        if let signal { action(signal) }
    }

    /// Waits for the request and returns the signal number.
    package func signal() async -> Int32 {
        await withCheckedContinuation { waiter in whenMade { waiter.resume(returning: $0) } }
    }
}

/// Turns SIGTERM and SIGINT into a stop request; the process no longer ends because of them or of
/// SIGPIPE.
package final class TerminationSignals: Sendable {
    package let request = StopRequest()
    /// Stored while signals are wanted.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]  // never changed

    /// Returns when the signals are caught. Until then each ends the process as usual: ignoring
    /// them first would lose a signal that arrives before Dispatch has installed its handler.
    package init() async {
        signal(SIGPIPE, SIG_IGN)
        var sources: [any DispatchSourceSignal] = []
        for number in [SIGTERM, SIGINT] {
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { @Sendable [request] in request.make(number) }
            await withCheckedContinuation { continuation in
                source.setRegistrationHandler { @Sendable in continuation.resume() }
                source.activate()
            }
            sources.append(source)
        }
        self.sources = sources
    }

    deinit { for source in sources { source.cancel() } }
}
