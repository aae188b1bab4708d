import Contract
import HostRuntime
import LogbookStores
import MQTTClient
import Timeline

/// Listens to every gateway on the broker, and connects again for as long as it runs.
///
/// With a keeper there are two, `all`. The broker remembers the session of the one that hears records:
/// what comes while we are away waits there, as much as the broker's queue takes. What only the wall
/// needs does not wait, and is the other's: in a cluster, RabbitMQ 4, a session that is remembered and has
/// a subscription with QoS 0 lives at one node, and its client gets in at no other while that one is away.
actor BrokerListener: QueueActor {
    /// What one hears.
    enum Share {
        /// All there is; the broker keeps nothing of it for us.
        case everything
        /// What is to be kept, and replies, since they tell of it.
        case records
        /// The rest.
        case moment

        /// To everything at once where nothing is kept. Else to each topic by itself, since of two
        /// filters that match a message the broker may serve both.
        var subscriptions: [(filter: String, options: SubscriptionOptions)] {
            switch self {
            case .everything: [(TopicMap.filter(of: nil), [])]
            case .records: (TopicMap.durableFilters + TopicMap.replyFilters).map { ($0, []) }
            case .moment: TopicMap.otherFilters.map { ($0, .atMostOnce) }
            }
        }
    }

    /// How long what the broker keeps may take to come after a subscription; what has not come then
    /// is no longer kept.
    private static let settling = Duration.seconds(5)
    /// How long the broker remembers us: a week, which a ring log reaches back too.
    static let sessionExpirySeconds: UInt32 = 7 * 86_400
    /// What tells the client that hears records from the other one.
    static let recordsSuffix = "-records"
    /// What a request is worth to a gateway that does not get it at once.
    private static let requestExpirySeconds: UInt32 = 60

    nonisolated let executor: SerialQueueExecutor

    private let connector: BrokerConnector
    private let room: LiveRoom
    private let keeper: RecordKeeper?
    private let commands: CommandRoom
    private let seats: SuggestionSeats?
    private let erasures: ErasureClerk?
    private let answers: SuggestionCommands?
    private let share: Share
    private let runtime: any Runtime
    private let log: SystemLog
    private var connection: (any BrokerConnection)?
    /// Counts connections: what an earlier one still reports is over.
    private var attempt = 0
    /// Subscriptions that the broker has not granted yet.
    private var awaited = 0
    private var route: BrokerRoute
    private var subscribed: BootInstant?
    private var lastWords = ""
    /// By their numbers: commands that the broker has not acknowledged yet.
    private var underWay: [Int32: CommandRoom.Message] = [:]
    /// The subscription to what is said of suggestions: without it all else is heard.
    private var answersSubscription: Int32?
    /// What the broker does not allow of it is said once.
    private var isRefusalSaid = false
    /// The same of notices: their own numbers.
    private var notices: [Int32: UInt64] = [:]
    /// Of replies.
    private var replies: Set<Int32> = []
    private var retry: QueueTimer?
    private var settle: QueueTimer?
    private var isStopped = false

    /// Those that hear everything between them; the first one sends.
    static func all(
        _ configuration: BrokerConfiguration, over connector: @escaping BrokerConnector,
        room: LiveRoom, commands: CommandRoom, keeper: RecordKeeper?,
        seats: SuggestionSeats? = nil, erasures: ErasureClerk? = nil,
        answers: SuggestionCommands? = nil, runtime: any Runtime, log: SystemLog
    ) -> [BrokerListener] {
        func listener(_ share: Share, _ log: SystemLog) -> BrokerListener {
            BrokerListener(
                configuration, over: connector, share: share, room: room, commands: commands,
                keeper: keeper, seats: seats, erasures: erasures,
                answers: share == .records ? nil : answers, runtime: runtime, log: log)
        }
        guard keeper != nil else { return [listener(.everything, log)] }
        return [listener(.records, log.scoped(to: "records")), listener(.moment, log)]
    }

    private init(
        _ configuration: BrokerConfiguration, over connector: @escaping BrokerConnector,
        share: Share, room: LiveRoom, commands: CommandRoom, keeper: RecordKeeper?,
        seats: SuggestionSeats?, erasures: ErasureClerk?, answers: SuggestionCommands?,
        runtime: any Runtime, log: SystemLog
    ) {
        var configuration = configuration
        if share == .records {
            configuration.sessionExpirySeconds = Self.sessionExpirySeconds
            configuration.clientID += Self.recordsSuffix
        }
        self.share = share
        route = BrokerRoute(configuration)
        self.connector = connector
        self.room = room
        self.keeper = keeper
        self.commands = commands
        self.seats = seats
        self.erasures = erasures
        self.answers = answers
        self.runtime = runtime
        self.log = log
        executor = runtime.makeQueue(label: "logbook.broker")
    }

    func start() {
        retry = makeTimer { $0.connect() }
        settle = QueueTimer(on: executor) { @Sendable [room] in room.forgetUnconfirmed() }
        connect()
    }

    func stop() {
        isStopped = true
        retry?.cancel()
        settle?.cancel()
        connection?.close()
    }

    /// Sends a command to a gateway; what cannot be sent now is not sent at all.
    func send(_ request: ReplayDesk.Request) {
        _ = publish(request.payload, to: request.topic, for: Self.requestExpirySeconds)
    }

    /// Publishes what the logbook says by itself; its keeper hears whether the broker has it.
    func publish(_ notice: KeptNotice, as topics: LogbookTopicMap, epoch: String) {
        let payload = NoticePayload.published(
            notice.members, of: notice.kind, logbook: topics.logbook, epoch: epoch,
            sequence: notice.sequence, at: notice.madeAt)
        guard let number = publish(payload, to: topics.topic(of: notice.kind), for: nil) else {
            return
        }
        notices[number] = notice.sequence
    }

    /// Says what became of what was said of a suggestion.
    nonisolated func send(reply: [UInt8]) {
        later { listener in
            guard let answers = listener.answers else { return }
            let number = listener.publish(
                reply, to: answers.topics.suggestionReplies, for: Self.requestExpirySeconds)
            if let number { listener.replies.insert(number) } else { answers.replied() }
        }
    }

    /// The message's number; nil while nobody would get it.
    private func publish(_ payload: [UInt8], to topic: String, for seconds: UInt32?) -> Int32? {
        guard subscribed != nil else { return nil }
        return connection?.publish(
            payload, to: topic, qos: 1, retain: false,
            properties: MessageProperties(isJSON: true, expirySeconds: seconds))
    }

    private func connect() {
        guard !isStopped else { return }
        attempt += 1
        do throws(BrokerFailure) {
            let connection = try connector(route.broker, nil) {
                [room, commands, keeper, seats, erasures, answers, share, attempt, weak self]
                event in
                // Messages are taken here and now, so that a flood holds up its sender.
                if case .received(let message) = event {
                    if answers?.hear(message) == true { return }
                    if share == .records { keeper?.waitForRoom() }
                    keeper?.hear(message)
                    commands.hear(message.topic, message.payload)
                    erasures?.hear(message)
                    room.hear(message)
                    // Of a place that the room has.
                    seats?.hear(message)
                    return
                }
                // Ahead of what the broker kept, which comes under this subscription.
                if case .subscribed(message: 1) = event, share != .records { room.subscribed() }
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
            awaited -= 1
            if awaited == 0 { listens() }
        case .subscriptionRefused(let number, _) where number == answersSubscription:
            sayRefusal("read", answers?.topics.suggestionCommands)
            follow(.subscribed(message: 0), of: attempt)
        case .subscriptionRefused(_, let reason):
            connection?.abandon()
            ended(
                .refusal(
                    "subscribe to \(TopicMap.filter(of: nil))", broker: route.broker.address,
                    reason: Int32(reason)))
        case .ended(let failure): ended(failure)
        case .oversized(let bytes): log.warning("a message of \(bytes) bytes is not shown")
        case .acknowledged(let number, let reason): acknowledged(number, reason)
        case .rejected(let number, _): lose(number, .notPermitted)
        case .received: break
        }
    }

    private func subscribe() {
        let subscriptions = share.subscriptions
        awaited = subscriptions.count
        for (filter, options) in subscriptions { _ = connection?.subscribe(filter, options) }
        guard let answers else { return }
        awaited += 1
        answersSubscription = connection?.subscribe(answers.topics.suggestionCommands, [])
    }

    private func listens() {
        if share == .records { keeper?.connected() } else { settle?.fire(after: Self.settling) }
        subscribed = runtime.now()
        route.succeeded()
        lastWords = ""
        log.notice("listening to the broker \(route.broker.address)")
    }

    private func ended(_ failure: BrokerFailure?) {
        guard connection != nil || failure != nil else { return }
        connection = nil
        for message in underWay.values { commands.lose(message, .notSent) }
        for _ in replies { answers?.replied() }
        (underWay, notices, replies) = ([:], [:], [])
        settle?.stop()
        if share == .records { keeper?.disconnected() } else { room.lostBroker() }
        let stood = subscribed?.duration(to: runtime.now())
        subscribed = nil
        guard !isStopped else { return }
        // The same words again and again would bury everything else.
        let words = failure.map { "\($0)" } ?? "the connection to the broker has ended"
        if words != lastWords { log.warning(words) }
        lastWords = words
        let chance = Int(truncatingIfNeeded: runtime.random() & 1023)
        retry?.fire(after: route.failed(after: stood, chance: chance))
    }

    // MARK: Commands

    /// How long a command is worth anything: a gateway that comes back later does not obey it.
    private static let commandSeconds: UInt32 = 20

    nonisolated func send(_ messages: [CommandRoom.Message]) {
        later { $0.publish(messages) }
    }

    private func publish(_ messages: [CommandRoom.Message]) {
        for message in messages {
            if let number = publish(
                message.payload, to: message.topic, for: Self.commandSeconds)
            {
                underWay[number] = message
            } else {
                commands.lose(message, .notSent)
            }
        }
    }

    private func acknowledged(_ number: Int32, _ reason: UInt8) {
        if reason >= 0x80 { return lose(number, .notPermitted) }
        underWay[number] = nil
        if replies.remove(number) != nil { answers?.replied() }
        if let sequence = notices.removeValue(forKey: number) {
            keeper?.acknowledged(notice: sequence)
        }
    }

    private func lose(_ number: Int32, _ loss: CommandLedger.Loss) {
        if let sequence = notices.removeValue(forKey: number) {
            keeper?.refused(notice: sequence)
        }
        if replies.remove(number) != nil {
            answers?.replied()
            sayRefusal("write", answers?.topics.suggestionReplies)
        }
        guard let message = underWay.removeValue(forKey: number) else { return }
        commands.lose(message, loss)
    }

    /// - Parameter verb: what the user has to be let do with the topic.
    private func sayRefusal(_ verb: String, _ topic: String?) {
        guard let topic, !isRefusalSaid else { return }
        isRefusalSaid = true
        log.warning(
            "what is said of suggestions is not heard or answered: the broker's access list has to "
                + "let the user \(verb) \(topic)")
    }
}
