import Contract
import HostRuntime
import LogbookStores
import MQTTClient
import Timeline

/// Subscribes to all gateways on the broker and reconnects until it is stopped.
///
/// If records are stored, there are two listeners; see `all`. One subscribes to records with a persistent
/// session, so that the broker queues records while the logbook is offline. The other one subscribes to live
/// messages with a transient session. They are separate because of clusters with RabbitMQ 4: a persistent
/// session with a QoS 0 subscription is bound to one node, and the client cannot connect to another node
/// while that one is offline.
actor BrokerListener: QueueActor {
    /// The messages to which a listener subscribes.
    enum Scope {
        /// All messages, with a transient session.
        case everything
        /// Records, and replies, which belong to replays.
        case records
        /// All other messages.
        case live

        /// One filter for everything if no records are stored, otherwise one filter for each topic: a broker
        /// may deliver a message once for each matching filter.
        func subscriptions(
            below prefix: TopicPrefix
        ) -> [(filter: String, options: SubscriptionOptions)] {
            switch self {
            case .everything: [(prefix.filter(of: nil), [])]
            case .records: (prefix.durableFilters + prefix.replyFilters).map { ($0, []) }
            case .live: prefix.otherFilters.map { ($0, .atMostOnce) }
            }
        }
    }

    /// The time after a subscription in which the broker delivers its retained messages. Others no longer
    /// exist then.
    private static let retainedMessageTime = Duration.seconds(5)
    /// The lifetime of the persistent session: a week, which a ring log covers too.
    static let sessionExpirySeconds: UInt32 = 7 * 86_400
    /// The suffix of the client id for records.
    static let recordsSuffix = "-records"
    /// The time after which the broker discards an undelivered request.
    private static let requestExpirySeconds: UInt32 = 60

    nonisolated let executor: SerialQueueExecutor

    private let connector: BrokerConnector
    private let room: LiveRoom
    private let ingester: RecordIngester?
    private let commands: CommandService
    private let workoutSender: SuggestedWorkoutSender?
    private let erasures: ErasureService?
    private let suggestionCommands: SuggestionCommandHandler?
    private let scope: Scope
    private let runtime: any Runtime
    private let log: SystemLog
    private var connection: (any BrokerConnection)?
    /// The number of the current connection. Events of earlier connections are ignored.
    private var attempt = 0
    /// The number of subscriptions that the broker has not confirmed yet.
    private var pendingSubscriptions = 0
    private var route: BrokerRoute
    private var subscribedAt: BootInstant?
    private var lastFailure = ""
    /// The commands that the broker has not acknowledged yet, by message number.
    private var unacknowledgedCommands: [Int32: CommandService.Message] = [:]
    /// The number of the subscription to suggestion commands. If the broker refuses it, the listener works
    /// without it.
    private var suggestionSubscription: Int32?
    /// Whether a refusal of suggestion commands was logged.
    private var isRefusalLogged = false
    /// The sequence numbers of unacknowledged notices, by message number.
    private var unacknowledgedNotices: [Int32: UInt64] = [:]
    /// The message numbers of unacknowledged replies.
    private var unacknowledgedReplies: Set<Int32> = []
    private var retryTimer: QueueTimer?
    private var retainedMessageTimer: QueueTimer?
    private var isStopped = false

    /// Creates the listeners that together receive all messages. The first one sends commands.
    static func all(
        _ configuration: BrokerConfiguration, over connector: @escaping BrokerConnector,
        room: LiveRoom, commands: CommandService, ingester: RecordIngester?,
        workoutSender: SuggestedWorkoutSender? = nil, erasures: ErasureService? = nil,
        suggestionCommands: SuggestionCommandHandler? = nil, runtime: any Runtime, log: SystemLog
    ) -> [BrokerListener] {
        func listener(_ scope: Scope, _ log: SystemLog) -> BrokerListener {
            BrokerListener(
                configuration, over: connector, scope: scope, room: room, commands: commands,
                ingester: ingester, workoutSender: workoutSender, erasures: erasures,
                suggestionCommands: scope == .records ? nil : suggestionCommands, runtime: runtime,
                log: log)
        }
        guard ingester != nil else { return [listener(.everything, log)] }
        return [listener(.records, log.scoped(to: "records")), listener(.live, log)]
    }

    private init(
        _ configuration: BrokerConfiguration, over connector: @escaping BrokerConnector,
        scope: Scope, room: LiveRoom, commands: CommandService, ingester: RecordIngester?,
        workoutSender: SuggestedWorkoutSender?, erasures: ErasureService?,
        suggestionCommands: SuggestionCommandHandler?, runtime: any Runtime, log: SystemLog
    ) {
        var configuration = configuration
        if scope == .records {
            configuration.sessionExpirySeconds = Self.sessionExpirySeconds
            configuration.clientID += Self.recordsSuffix
        }
        self.scope = scope
        route = BrokerRoute(configuration)
        self.connector = connector
        self.room = room
        self.ingester = ingester
        self.commands = commands
        self.workoutSender = workoutSender
        self.erasures = erasures
        self.suggestionCommands = suggestionCommands
        self.runtime = runtime
        self.log = log
        executor = runtime.makeQueue(label: "logbook.broker")
    }

    func start() {
        retryTimer = makeTimer { $0.connect() }
        retainedMessageTimer = QueueTimer(on: executor) { @Sendable [room] in room.removeUnconfirmed() }
        connect()
    }

    func stop() {
        isStopped = true
        retryTimer?.cancel()
        retainedMessageTimer?.cancel()
        connection?.close()
    }

    /// Sends a command to a gateway. Drops it if it cannot be sent now.
    func send(_ command: OutgoingCommand) {
        _ = publish(command.payload, to: command.topic, for: Self.requestExpirySeconds)
    }

    /// Publishes a notice. The ingester is informed of the broker's acknowledgement.
    func publish(_ notice: StoredNotice, as topics: LogbookTopicMap, epoch: String) {
        let payload = NoticePayload.published(
            notice.members, of: notice.kind, logbook: topics.logbook, epoch: epoch,
            sequence: notice.sequence, at: notice.madeAt)
        guard let number = publish(payload, to: topics.topic(of: notice.kind), for: nil) else {
            return
        }
        unacknowledgedNotices[number] = notice.sequence
    }

    /// Publishes the reply to a suggestion command.
    nonisolated func send(reply: [UInt8]) {
        later { listener in
            guard let suggestionCommands = listener.suggestionCommands else { return }
            let number = listener.publish(
                reply, to: suggestionCommands.topics.suggestionReplies, for: Self.requestExpirySeconds)
            if let number {
                listener.unacknowledgedReplies.insert(number)
            } else {
                suggestionCommands.replyEnded()
            }
        }
    }

    /// Publishes a message and returns its number; nil while not connected.
    private func publish(_ payload: [UInt8], to topic: String, for seconds: UInt32?) -> Int32? {
        guard subscribedAt != nil else { return nil }
        return connection?.publish(
            payload, to: topic, qos: 1, retain: false,
            properties: MessageProperties(isJSON: true, expirySeconds: seconds))
    }

    private func connect() {
        guard !isStopped else { return }
        attempt += 1
        do throws(BrokerFailure) {
            let connection = try connector(route.broker, nil) {
                [
                    room, commands, ingester, workoutSender, erasures, suggestionCommands, scope, attempt,
                    weak self
                ] event in
                // Messages are handled on the connection's thread, so that a flood slows its sender down.
                if case .received(let message) = event {
                    if suggestionCommands?.handle(message) == true { return }
                    if scope == .records { ingester?.waitForQueueSpace() }
                    ingester?.handle(message)
                    commands.handle(message.topic, message.payload)
                    erasures?.handle(message)
                    room.handle(message)
                    // After the room, which must have the place of the message.
                    workoutSender?.handle(message)
                    return
                }
                // Handled here, before the retained messages of this subscription arrive.
                if case .subscribed(message: 1) = event, scope != .records { room.subscribed() }
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
        case .connected: subscribe()
        case .subscribed:
            pendingSubscriptions -= 1
            if pendingSubscriptions == 0 { didSubscribe() }
        case .subscriptionRefused(let number, _) where number == suggestionSubscription:
            logRefusal("read", suggestionCommands?.topics.suggestionCommands)
            follow(.subscribed(message: 0), of: attempt)
        case .subscriptionRefused(_, let reason):
            connection?.abandon()
            ended(
                .refusal(
                    "subscribe to \(room.topicPrefix.filter(of: nil))", broker: route.broker.address,
                    reason: Int32(reason)))
        case .ended(let failure): ended(failure)
        case .oversized(let bytes): log.warning("a message of \(bytes) bytes is not shown")
        case .acknowledged(let number, let reason): acknowledged(number, reason)
        case .rejected(let number, _): fail(number, .notPermitted)
        case .received: break
        }
    }

    private func subscribe() {
        let subscriptions = scope.subscriptions(below: room.topicPrefix)
        pendingSubscriptions = subscriptions.count
        for (filter, options) in subscriptions { _ = connection?.subscribe(filter, options) }
        guard let suggestionCommands else { return }
        pendingSubscriptions += 1
        suggestionSubscription = connection?.subscribe(suggestionCommands.topics.suggestionCommands, [])
    }

    private func didSubscribe() {
        if scope == .records {
            ingester?.connected()
        } else {
            retainedMessageTimer?.fire(after: Self.retainedMessageTime)
        }
        subscribedAt = runtime.now()
        route.succeeded()
        lastFailure = ""
        log.notice("listening to the broker \(route.broker.address)")
    }

    private func ended(_ failure: BrokerFailure?) {
        guard connection != nil || failure != nil else { return }
        connection = nil
        for message in unacknowledgedCommands.values { commands.fail(message, .notSent) }
        for _ in unacknowledgedReplies { suggestionCommands?.replyEnded() }
        (unacknowledgedCommands, unacknowledgedNotices, unacknowledgedReplies) = ([:], [:], [])
        retainedMessageTimer?.stop()
        if scope == .records { ingester?.disconnected() } else { room.lostBroker() }
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

    // MARK: Commands

    /// The time after which the broker discards an undelivered command, so that a gateway that reconnects
    /// later does not execute it.
    private static let commandExpirySeconds: UInt32 = 20

    nonisolated func send(_ messages: [CommandService.Message]) {
        later { $0.publish(messages) }
    }

    private func publish(_ messages: [CommandService.Message]) {
        for message in messages {
            if let number = publish(
                message.payload, to: message.topic, for: Self.commandExpirySeconds)
            {
                unacknowledgedCommands[number] = message
            } else {
                commands.fail(message, .notSent)
            }
        }
    }

    private func acknowledged(_ number: Int32, _ reason: UInt8) {
        if reason >= 0x80 { return fail(number, .notPermitted) }
        unacknowledgedCommands[number] = nil
        if unacknowledgedReplies.remove(number) != nil { suggestionCommands?.replyEnded() }
        if let sequence = unacknowledgedNotices.removeValue(forKey: number) {
            ingester?.acknowledged(notice: sequence)
        }
    }

    private func fail(_ number: Int32, _ failure: CommandHistory.Failure) {
        if let sequence = unacknowledgedNotices.removeValue(forKey: number) {
            ingester?.refused(notice: sequence)
        }
        if unacknowledgedReplies.remove(number) != nil {
            suggestionCommands?.replyEnded()
            logRefusal("write", suggestionCommands?.topics.suggestionReplies)
        }
        guard let message = unacknowledgedCommands.removeValue(forKey: number) else { return }
        commands.fail(message, failure)
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
