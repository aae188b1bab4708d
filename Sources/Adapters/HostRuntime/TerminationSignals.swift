import Dispatch
import Glibc
import Synchronization

/// That the program is to stop: made once, by whichever signal comes first.
package final class StopRequest: Sendable {
    private struct State {
        var signal: Int32?
        var actions: [@Sendable (Int32) -> Void] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Whether it was made.
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

    /// Has `action` called when the request is made, on any thread; at once if it was made.
    package func whenMade(_ action: @escaping @Sendable (Int32) -> Void) {
        let signal = state.withLock { state in
            if state.signal == nil { state.actions.append(action) }
            return state.signal
        }
        if let signal { action(signal) }
    }

    /// Waits for the request; the number of the signal.
    package func signal() async -> Int32 {
        await withCheckedContinuation { waiter in whenMade { waiter.resume(returning: $0) } }
    }
}

/// SIGTERM and SIGINT make a request; the process no longer dies of them, nor of SIGPIPE.
package final class TerminationSignals: Sendable {
    package let request = StopRequest()
    /// Kept for as long as signals are wanted.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]  // never changed

    /// Returns when signals are caught. Until then each ends the process as usual, so that none is
    /// lost: ignoring them first would drop one that comes before Dispatch has its handler in place.
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
