import Contract
import HostRuntime
import MQTTClient
import Rowing
import Synchronization
import Timeline

/// Publishes the gateway's messages, and reconnects to the broker as needed.
///
/// After each connect it sends `availability` and `birth`. Once the broker has acknowledged those, it sends
/// the retained state, the subscriptions, and records from the log. A record counts as published when the
/// broker has acknowledged it; after a broken connection, unacknowledged records are read from the log
/// again. No failure here ends the daemon, and no caller waits for the network.
///
/// The state consists of several values with private fields. Each extension names the values that it changes.
package actor Publisher: QueueActor {
    /// Records read from the log at a time.
    static let batchLimit = 256
    /// Maximum number of live samples, or of incoming messages, that wait for the publisher's queue.
    private static let mailboxCapacity = 64

    package nonisolated let executor: SerialQueueExecutor

    private let configuration: BrokerConfiguration
    let connector: BrokerConnector
    let topics: TopicMap
    let source: any RecordSource
    let log: SystemLog
    let runtime: any Runtime
    // Set once, by `start`.
    private(set) var onCommand: (@Sendable (IncomingCommand) -> Void)?
    private(set) var onHomeAssistant: (@Sendable (IncomingMessage) -> Void)?
    private(set) var formerErgs: FormerErgSearch?
    /// Ends a delay or an attempt.
    private(set) var connectionTimer: QueueTimer?
    /// Fires when the next delayed message is due.
    private(set) var pumpTimer: QueueTimer?
    /// Fires when all retained messages are published again; nil for never.
    private var announceTimer: QueueTimer?

    var state: ConnectionState {
        didSet {
            let isUp = state.phase == .online
            if isUp != (oldValue.phase == .online) { connectionChanged = now() }
            isOnline.store(isUp, ordering: .relaxed)
        }
    }
    private var connectionChanged: BootInstant?
    /// nil between two connections.
    var connection: (any BrokerConnection)?
    var pendingAcks = PendingAcknowledgements()
    var retained = RetainedState()
    var queue: PublishQueue
    var latencies = LatencyWindow()
    var logCalls = LogCalls()
    var replays = ReplayQueue()
    /// Callers that wait for the end of a replay, by its number.
    var waiters: [UInt64: CheckedContinuation<ReplayOutcome, Never>] = [:]
    var live = LiveEncoder()
    var rateLimits = PublisherRateLimits()
    var parked = ParkedSubjects()
    var budget: PublishBudget
    /// When a live message was last sent.
    var lastLive: BootInstant?
    private var droppedMessages: UInt64 = 0
    private var stopWaiter: CheckedContinuation<Void, Never>?

    /// Can be read outside the queue, so that live samples cost nothing without a connection.
    private nonisolated let isOnline = Atomic(false)
    private nonisolated let isPumpScheduled = Atomic(false)
    private nonisolated let liveMailbox: BoundedMailbox<LiveSample>
    nonisolated let incomingMailbox: BoundedMailbox<Incoming>

    struct Incoming: Sendable {
        var generation: Int
        var message: IncomingMessage
        var receivedAt: BootInstant
    }

    struct LiveSample: Sendable {
        var station: StationID
        var sample: MetricsSample
        var clock: WallClock
    }

    /// - Parameter connector: creates each connection; called on the publisher's queue.
    package init(
        configuration: BrokerConfiguration, connector: @escaping BrokerConnector, topics: TopicMap,
        source: any RecordSource, runtime: any Runtime, log: SystemLog
    ) {
        self.configuration = configuration
        self.connector = connector
        self.topics = topics
        self.source = source
        executor = runtime.makeQueue(label: "rowgate.mqtt", isPrompt: true)
        self.runtime = runtime
        self.log = log
        state = ConnectionState(configuration)
        budget = PublishBudget(perSecond: configuration.maximumPublishRate)
        queue = PublishQueue(
            holdsUnsubscribed: configuration.holdsWhenUnsubscribed,
            backlogInterval: configuration.backlogInterval)
        // The mailboxes need a reference to the actor, which is set below.
        let owner = WeakPublisher()
        liveMailbox = BoundedMailbox(capacity: Self.mailboxCapacity, to: executor) { batch in
            owner.publisher?.assumeIsolated { $0.publish(live: batch) }
        }
        incomingMailbox = BoundedMailbox(capacity: Self.mailboxCapacity, to: executor) { batch in
            owner.publisher?.assumeIsolated { $0.receive(batch) }
        }
        owner.publisher = self
    }

    // MARK: Start and stop

    /// Starts to connect, and returns immediately.
    ///
    /// - Parameters:
    ///   - onCommand: receives each command on the publisher's queue.
    ///   - onHomeAssistant: receives Home Assistant's status messages on the same queue.
    ///   - ergs: ergs that the gateway can have. Retained messages of other ergs, from an earlier
    ///     configuration, are cleared; nil leaves them.
    package func start(
        onCommand: (@Sendable (IncomingCommand) -> Void)? = nil,
        onHomeAssistant: (@Sendable (IncomingMessage) -> Void)? = nil, ergs: GatewayErgs? = nil
    ) {
        precondition(state.phase == .idle, "a publisher is started once")
        self.onCommand = onCommand
        self.onHomeAssistant = onHomeAssistant
        formerErgs = ergs.map { FormerErgSearch(topics, $0) }
        connectionTimer = makeTimer { $0.timerFired() }
        pumpTimer = makeTimer { $0.pump() }
        announceTimer = configuration.announcePeriod.map { period in
            let timer = makeTimer { _ = $0.announceEverything() }
            timer.fire(every: period)
            return timer
        }
        if configuration.protocolVersion == .v311 {
            log.warning(
                "MQTT 3.1.1: the broker acknowledges records that its access list denies, and "
                    + "does not report missing subscribers; such records are dropped")
        }
        connect()
    }

    /// Publishes `offline`, waits for all acknowledgements, and disconnects.
    ///
    /// Returns after `deadline` at the latest; unacknowledged records stay in the log.
    package func stop(deadline: Duration) async {
        guard state.phase != .idle else { return }
        let isUp = state.stopping()
        pumpTimer?.stop()
        for stopped in replays.stop() { resumeWaiter(of: stopped) }
        if isUp, connection != nil {
            send(Availability.offline.payload, to: .availability)
            connectionTimer?.fire(after: deadline)
            await withCheckedContinuation { waiter in
                stopWaiter = waiter
                finishWhenFlushed()
            }
        }
        connection?.abandon()
        dropConnection()
        connectionTimer?.cancel()
        pumpTimer?.cancel()
        announceTimer?.cancel()
        if let cursor = queue.acknowledged { await source.acknowledged(through: cursor) }
        state.stopped()
    }

    /// Closes the connection once every message is acknowledged.
    func finishWhenFlushed() {
        guard state.phase == .stopping, pendingAcks.isEmpty else { return }
        connection?.close()
    }

    /// Resumes `stop` after the disconnect or its deadline.
    func resumeStop() {
        stopWaiter?.resume()
        stopWaiter = nil
    }

    /// Returns the current statistics.
    package func statistics() -> PublisherStatistics {
        PublisherStatistics(
            isConnected: state.phase == .online, published: queue.counts.published,
            rejected: queue.counts.rejected, unsubscribed: queue.counts.unsubscribed,
            tooLong: queue.counts.tooLong, parked: parkedTopics,
            incomingDropped: incomingMailbox.droppedCount + droppedMessages,
            lastFailure: state.lastFailure, latency: latencies.percentile(99),
            connectionChanged: connectionChanged, server: state.broker.server,
            certificates: state.certificates)
    }

    /// Counts a message that was too long, or a command that gets no reply.
    func countDropped() { droppedMessages += 1 }

    private var parkedTopics: [PublisherStatistics.Parked] {
        parked.subjects.compactMap { subject in
            parked.until(subject).map { .init(topic: name(of: subject), until: $0) }
        }.sorted { $0.topic < $1.topic }
    }

    /// Returns the topic of a subject, or a filter of its topics.
    func name(of subject: PublishSubject) -> String {
        switch subject {
        case .stream(let stream): topics.topic(of: stream)
        case .retained(let topic): topics.topic(of: topic)
        case .replies: topics.replyFilter
        case .live: topics.liveFilter
        }
    }

    // MARK: From other queues

    /// Notes that the log has new records. Cheap; calls are merged.
    package nonisolated func recordsAvailable() {
        guard !isPumpScheduled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        later { publisher in
            publisher.isPumpScheduled.store(false, ordering: .releasing)
            publisher.queue.recordsAppended()
            publisher.pump()
        }
    }

    /// Sets the retained payload of a topic. It is published now and after each connect.
    ///
    /// An empty payload clears the topic. The publisher sets `availability` and `birth` itself.
    package nonisolated func setRetained(_ topic: RetainedTopic, _ payload: [UInt8]) {
        precondition(topic != .availability && topic != .birth, "the publisher sets these itself")
        later { publisher in
            publisher.retained.set(payload, on: topic)
            publisher.pump()
        }
    }

    /// Publishes all retained payloads again, subject to the rate limit.
    package nonisolated func repeatRetained() {
        later { publisher in
            guard publisher.state.phase == .online else { return }
            if publisher.rateLimits.retained.trigger(at: publisher.now()) != nil {
                publisher.retained.repeatAll()
            }
            publisher.pump()
        }
    }

    /// Publishes all retained messages again, including birth and availability, for brokers that have lost
    /// them. Returns the number of messages, or nil without a connection.
    package func announceEverything() -> Int? {
        guard state.phase == .online, let birth = state.birth else { return nil }
        send(Availability.online.payload, to: .availability)
        send(birth, of: .birth, awaiting: .retained(.birth))
        retained.repeatAll()
        pump()
        return retained.count + 2
    }

    /// Publishes a sample; drops it unformatted without a connection.
    package nonisolated func publishLive(
        _ sample: MetricsSample, of station: StationID, clock: WallClock
    ) {
        guard isOnline.load(ordering: .relaxed) else { return }
        liveMailbox.send(LiveSample(station: station, sample: sample, clock: clock))
    }

    /// Whether live messages can be published now.
    package nonisolated var canPublishLive: Bool { isOnline.load(ordering: .relaxed) }

    /// Publishes an encoded live message; drops it without a connection.
    package nonisolated func publishLive(_ payload: [UInt8], on topic: GatewayTopic) {
        guard canPublishLive else { return }
        later { $0.publish(live: payload, on: topic) }
    }

    /// The boot clock, for latencies and back-offs.
    nonisolated func now() -> BootInstant { runtime.now() }
}

/// A reference from the mailboxes to their publisher; set once, before the first message.
private final class WeakPublisher: @unchecked Sendable {
    weak var publisher: Publisher?
}
