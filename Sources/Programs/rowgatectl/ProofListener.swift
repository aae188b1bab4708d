import DeliveryProof
import Glibc
import HostRuntime
import MQTTClient
import Synchronization
import Timeline

/// Runs a proof over connections to a broker, and prints its progress
/// to standard error.
final class ProofListener: Sendable {
    private struct State {
        var run: ProofRun
        var hasListened = false
        var hasEnded = true
        var failure: BrokerFailure?
    }

    /// A broker that cannot be reached at first may be a wrong name; later it may come back.
    private static let retryDelay = Duration.seconds(1)
    private static let step: UInt32 = 50_000

    private let broker: BrokerConfiguration
    private let filter: String
    private let state: Mutex<State>

    init(
        broker: BrokerConfiguration, filter: String, until end: ProofRun.End, requestsReplays: Bool,
        ledger: DeliveryLedger
    ) {
        self.broker = broker
        self.filter = filter
        let token = String(UInt64.random(in: 0 ... .max), radix: 36)
        state = Mutex(
            State(
                run: ProofRun(
                    until: end, requestsReplays: requestsReplays, ledger: ledger, token: token,
                    at: Self.now())))
    }

    /// Listens to the end. Throws when not even a first connection could be made.
    func run() throws(BrokerFailure) -> DeliveryVerdict {
        Interruption.catchSignals()
        var listener: TopicListener?
        var retry = Self.now()
        var wasInterrupted = false
        while !(state.withLock { $0.run.isDone }) {
            if state.withLock({ $0.hasEnded }), Self.now() >= retry {
                try reportFailure()
                listener = try connect()
                retry = Self.now().advanced(by: Self.retryDelay)
            }
            if Interruption.isRequested, !wasInterrupted {
                wasInterrupted = true
                state.withLock { $0.run.interrupt(at: Self.now()) }
            }
            for request in state.withLock({ $0.run.step(at: Self.now()) }) {
                listener?.publish(request.payload, to: request.topic)
            }
            usleep(Self.step)
        }
        listener?.close()
        return state.withLock { state in
            for refusal in state.run.refusals { Terminal.printError("no replay: \(refusal)") }
            return state.run.verdict()
        }
    }

    /// Throws the failure of the very first connection.
    private func reportFailure() throws(BrokerFailure) {
        let (failure, isFirst) = state.withLock { state in
            defer { state.failure = nil }
            return (state.failure, !state.hasListened)
        }
        guard let failure else { return }
        if isFirst { throw failure }
        Terminal.printError("\(BrokerOptions.text(of: failure)); trying again")
    }

    private func connect() throws(BrokerFailure) -> TopicListener {
        state.withLock { $0.hasEnded = false }
        return try TopicListener(broker, over: ConnectionProcess.connector, filter: filter) {
            [weak self] in self?.handle($0)
        }
    }

    /// On the connection's thread.
    private func handle(_ event: TopicListener.Event) {
        state.withLock { state in
            switch event {
            case .listening:
                if !state.hasListened {
                    Terminal.printError("listening to \(filter) at \(broker.address)")
                }
                state.hasListened = true
            case .denied(let failure): state.failure = failure
            case .received(let message):
                state.run.receive(topic: message.topic, payload: message.payload, at: Self.now())
            case .oversized: break
            case .ended(let failure):
                state.failure = failure ?? state.failure
                state.hasEnded = true
            }
        }
    }

    private static func now() -> BootInstant {
        BootInstant(nanoseconds: SystemClock.bootNanoseconds())
    }
}
