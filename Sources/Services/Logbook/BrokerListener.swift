import Contract
import HostRuntime
import MQTTClient
import Timeline

/// Listens to every gateway on the broker, and connects again for as long as it runs.
actor BrokerListener {
    /// How long what the broker keeps may take to come after a subscription; what has not come then
    /// is no longer kept.
    private static let settling = Duration.seconds(5)

    nonisolated let executor: SerialQueueExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let configuration: BrokerConfiguration
    private let connector: BrokerConnector
    private let room: LiveRoom
    private let runtime: any Runtime
    private let log: SystemLog
    private var connection: (any BrokerConnection)?
    /// Counts connections: what an earlier one still reports is over.
    private var attempt = 0
    private var backoff: BrokerBackoff
    private var subscribed: BootInstant?
    private var lastWords = ""
    private var retry: QueueTimer?
    private var settle: QueueTimer?
    private var isStopped = false

    init(
        _ configuration: BrokerConfiguration, over connector: @escaping BrokerConnector,
        room: LiveRoom, runtime: any Runtime, log: SystemLog
    ) {
        self.configuration = configuration
        self.connector = connector
        self.room = room
        self.runtime = runtime
        self.log = log
        backoff = BrokerBackoff(delays: configuration.reconnectDelays)
        executor = runtime.makeQueue(label: "logbook.broker")
    }

    func start() {
        retry = QueueTimer(on: executor) { @Sendable [weak self] in
            self?.assumeIsolated { $0.connect() }
        }
        settle = QueueTimer(on: executor) { @Sendable [room] in room.forgetUnconfirmed() }
        connect()
    }

    func stop() {
        isStopped = true
        retry?.cancel()
        settle?.cancel()
        connection?.close()
    }

    private func connect() {
        guard !isStopped else { return }
        attempt += 1
        do throws(BrokerFailure) {
            let connection = try connector(configuration, nil) { [room, attempt, weak self] event in
                // Messages are taken here and now, so that a flood holds up its sender.
                if case .received(let message) = event { return room.hear(message) }
                guard let self else { return }
                executor.async { self.assumeIsolated { $0.follow(event, of: attempt) } }
            }
            self.connection = connection
            connection.start()
        } catch { ended(error) }
    }

    private func follow(_ event: MQTTEvent, of attempt: Int) {
        guard attempt == self.attempt else { return }
        switch event {
        case .connected: _ = connection?.subscribe(TopicMap.filter(of: nil), [])
        case .subscribed: listens()
        case .subscriptionRefused(_, let reason):
            connection?.abandon()
            ended(
                .refusal(
                    "subscribe to \(TopicMap.filter(of: nil))", broker: configuration.address,
                    reason: Int32(reason)))
        case .ended(let failure): ended(failure)
        case .oversized(let bytes): log.warning("a message of \(bytes) bytes is not shown")
        case .acknowledged, .rejected, .received: break
        }
    }

    private func listens() {
        room.subscribed()
        subscribed = runtime.now()
        settle?.fire(after: Self.settling)
        lastWords = ""
        log.notice("listening to the broker \(configuration.address)")
    }

    private func ended(_ failure: BrokerFailure?) {
        guard connection != nil || failure != nil else { return }
        connection = nil
        settle?.stop()
        room.lostBroker()
        if let subscribed { backoff.stood(for: subscribed.duration(to: runtime.now())) }
        subscribed = nil
        guard !isStopped else { return }
        // The same words again and again would bury everything else.
        let words = failure.map { "\($0)" } ?? "the connection to the broker has ended"
        if words != lastWords { log.warning(words) }
        lastWords = words
        retry?.fire(after: backoff.next(chance: Int(truncatingIfNeeded: runtime.random() & 1023)))
    }
}
