import Contract
import HostRuntime
import LogbookStores
import MQTTClient
import Timeline

/// A connection to the broker that receives messages of all gateways. It reconnects until it is stopped.
///
/// If records are stored, there are two listeners; see `all`. One subscribes to records with a persistent
/// session, so that the broker queues records while the logbook is offline. The other one subscribes to live
/// messages with a transient session. They are separate because of clusters with RabbitMQ 4: a persistent
/// session with a QoS 0 subscription is bound to one node, and the client cannot connect to another node
/// while that one is offline.
actor BrokerListener: QueueActor {
    /// The time after a subscription in which the broker delivers its retained messages. Others no longer
    /// exist then.
    private static let retainedMessageTime = Duration.seconds(5)
    /// The lifetime of the persistent session: a week, which a ring log covers too.
    static let sessionExpirySeconds: UInt32 = 7 * 86_400
    /// The suffix of the client id for records.
    static let recordsSuffix = "-records"

    nonisolated let executor: SerialQueueExecutor

    private let connector: BrokerConnector
    private let scope: BrokerSubscriptions.Scope
    private let handlers: MessageRouter
    private let runtime: any Runtime
    private let log: SystemLog
    private var connection: (any BrokerConnection)?
    /// The number of the current connection. Events of earlier connections are ignored.
    private var attempt = 0
    private var route: BrokerRoute
    private var subscriptions: BrokerSubscriptions
    private var sender: BrokerSender
    private var subscribedAt: BootInstant?
    private var lastFailure = ""
    /// Whether a refusal of suggestion commands was logged.
    private var isRefusalLogged = false
    private var retryTimer: QueueTimer?
    private var retainedMessageTimer: QueueTimer?
    private var isStopped = false

    /// Creates the listeners that together receive all messages. The first one sends commands. The last one
    /// receives and answers suggestion commands.
    ///
    /// - Parameter handlers: The handlers of all messages.
    static func all(
        _ configuration: BrokerConfiguration, over connector: @escaping BrokerConnector,
        handlers: MessageRouter, runtime: any Runtime, log: SystemLog
    ) -> [BrokerListener] {
        func listener(_ scope: BrokerSubscriptions.Scope, _ log: SystemLog) -> BrokerListener {
            BrokerListener(
                configuration, over: connector, scope: scope, handlers: handlers, runtime: runtime, log: log)
        }
        guard handlers.ingester != nil else { return [listener(.everything, log)] }
        return [listener(.records, log.scoped(to: "records")), listener(.live, log)]
    }

    private init(
        _ configuration: BrokerConfiguration, over connector: @escaping BrokerConnector,
        scope: BrokerSubscriptions.Scope, handlers: MessageRouter, runtime: any Runtime, log: SystemLog
    ) {
        var (configuration, handlers) = (configuration, handlers)
        if scope == .records {
            configuration.sessionExpirySeconds = Self.sessionExpirySeconds
            configuration.clientID += Self.recordsSuffix
            handlers.suggestionCommands = nil
            handlers.waitsForQueueSpace = true
        }
        self.scope = scope
        self.handlers = handlers
        route = BrokerRoute(configuration)
        self.connector = connector
        subscriptions = BrokerSubscriptions(
            scope, below: handlers.room.topicPrefix,
            suggestionTopic: handlers.suggestionCommands?.topics.suggestionCommands)
        sender = BrokerSender(
            commands: handlers.commands, ingester: handlers.ingester,
            suggestionCommands: handlers.suggestionCommands)
        self.runtime = runtime
        self.log = log
        executor = runtime.makeQueue(label: "logbook.broker")
    }

    func start() {
        retryTimer = makeTimer { $0.connect() }
        retainedMessageTimer = QueueTimer(on: executor) { @Sendable [room = handlers.room] in
            room.removeUnconfirmed()
        }
        connect()
    }

    func stop() {
        isStopped = true
        retryTimer?.cancel()
        retainedMessageTimer?.cancel()
        connection?.close()
    }

    // MARK: Sending

    /// Sends a request to a gateway. Drops it if it cannot be sent now.
    func send(_ request: OutgoingCommand) { sender.send(request) }

    /// Publishes a notice. The ingester is informed of the broker's acknowledgement.
    func publish(_ notice: StoredNotice, as topics: LogbookTopicMap, epoch: String) {
        sender.publish(notice, as: topics, epoch: epoch)
    }

    /// Sends commands. `CommandService.fail` is called for those that were not delivered.
    nonisolated func send(_ messages: [CommandService.Message]) { later { $0.sender.send(messages) } }

    /// Publishes the reply to a suggestion command.
    nonisolated func send(reply: [UInt8]) { later { $0.sender.send(reply: reply) } }

    // MARK: The connection

    private func connect() {
        guard !isStopped else { return }
        attempt += 1
        do throws(BrokerFailure) {
            let connection = try connector(route.broker, nil) {
                [handlers, scope, attempt, weak self] event in
                if case .received(let message) = event { return handlers.route(message) }
                // Handled here, before the retained messages of this subscription arrive.
                if case .subscribed(message: 1) = event, scope != .records { handlers.room.subscribed() }
                guard let self else { return }
                later { $0.follow(event, of: attempt) }
            }
            self.connection = connection
            connection.start()
        } catch { ended(error) }
    }

    private func follow(_ event: MQTTEvent, of attempt: Int) {
        guard attempt == self.attempt else { return }
        switch event {
        case .connected: subscriptions.subscribe(over: connection)
        case .subscribed: subscriptionAnswered()
        case .subscriptionRefused(let number, _) where subscriptions.isOptional(number):
            logRefusal("read", handlers.suggestionCommands?.topics.suggestionCommands)
            subscriptionAnswered()
        case .subscriptionRefused(_, let reason):
            connection?.abandon()
            ended(
                .refusal(
                    "subscribe to \(subscriptions.summary)", broker: route.broker.address,
                    reason: Int32(reason)))
        case .ended(let failure): ended(failure)
        case .oversized(let bytes): log.warning("a message of \(bytes) bytes is not shown")
        case .acknowledged(let number, let reason) where reason < 0x80: sender.acknowledged(number)
        case .acknowledged(let number, _), .rejected(let number, _):
            if sender.refused(number) {
                logRefusal("write", handlers.suggestionCommands?.topics.suggestionReplies)
            }
        case .received: break
        }
    }

    private func subscriptionAnswered() {
        guard subscriptions.answered() else { return }
        if scope == .records {
            handlers.ingester?.connected()
        } else {
            retainedMessageTimer?.fire(after: Self.retainedMessageTime)
        }
        sender.connected(over: connection)
        subscribedAt = runtime.now()
        route.succeeded()
        lastFailure = ""
        log.notice("listening to the broker \(route.broker.address)")
    }

    private func ended(_ failure: BrokerFailure?) {
        guard connection != nil || failure != nil else { return }
        connection = nil
        sender.disconnected()
        retainedMessageTimer?.stop()
        if scope == .records { handlers.ingester?.disconnected() } else { handlers.room.lostBroker() }
        let connectedTime = subscribedAt?.duration(to: runtime.now())
        subscribedAt = nil
        guard !isStopped else { return }
        // A repeated failure is logged once.
        let text = failure.map { "\($0)" } ?? "the connection to the broker has ended"
        if text != lastFailure { log.warning(text) }
        lastFailure = text
        let chance = Int(truncatingIfNeeded: runtime.random() & 1023)
        retryTimer?.fire(after: route.failed(after: connectedTime, chance: chance))
    }

    /// - Parameter verb: The missing permission, `read` or `write`.
    private func logRefusal(_ verb: String, _ topic: String?) {
        guard let topic, !isRefusalLogged else { return }
        isRefusalLogged = true
        log.warning(
            "suggestion commands are not received or answered: let the user \(verb) \(topic) in the "
                + "broker's access list")
    }
}
