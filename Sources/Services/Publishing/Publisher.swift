import Contract
import HostRuntime
import MQTTClient
import Rowing
import Synchronization
import Timeline

/// Publishes what a gateway has to say, and keeps at it: the one place that talks to the broker.
///
/// After each connect the order is: `availability` and `birth`, and once the broker has taken
/// those, the retained state, the subscriptions, and then records from the log. A record counts as
/// published when the broker acknowledged it; what it had not acknowledged when a connection broke
/// is read from the log again. Nothing here ends the daemon, and no caller waits for the network.
///
/// Its state is in parts, values that keep their fields to themselves and say what is to be done.
/// Each extension names the parts that it changes.
package actor Publisher: QueueActor {
    /// Records read from the log at a time.
    static let batchLimit = 256
    /// Live samples and incoming messages that may wait for the publisher's queue.
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
    /// The end of a pause, or of an attempt.
    private(set) var connectionTimer: QueueTimer?
    /// The next message that has to wait.
    private(set) var pumpTimer: QueueTimer?
    /// Until everything retained is published once more; nil for never.
    private var announceTimer: QueueTimer?

    var life: ConnectionLife {
        didSet {
            let isUp = life.phase == .online
            if isUp != (oldValue.phase == .online) { connectionChanged = now() }
            isOnline.store(isUp, ordering: .relaxed)
        }
    }
    private var connectionChanged: BootInstant?
    /// nil between two connections.
    var connection: (any BrokerConnection)?
    var answers = AwaitedAnswers()
    var retained = RetainedState()
    var queue: PublishQueue
    var latencies = LatencyWindow()
    var logCalls = LogCalls()
    var replays = ReplayLane()
    /// Who waits for which replay, by its number.
    var waiters: [UInt64: CheckedContinuation<ReplayOutcome, Never>] = [:]
    var live = LiveEncoder()
    var restraints = Restraints()
    var parked = ParkedSubjects()
    var budget: PublishBudget
    /// When something live last went out.
    var lastLive: BootInstant?
    private var droppedMessages: UInt64 = 0
    private var stopWaiter: CheckedContinuation<Void, Never>?

    /// Read without the queue, so that live samples cost nothing while there is no connection.
    private nonisolated let isOnline = Atomic(false)
    private nonisolated let isNudged = Atomic(false)
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

    /// - Parameter connector: makes each connection; asked on the publisher's queue.
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
        life = ConnectionLife(configuration)
        budget = PublishBudget(perSecond: configuration.maximumPublishRate)
        queue = PublishQueue(
            holdsUnsubscribed: configuration.holdsWhenUnsubscribed,
            backlogInterval: configuration.backlogInterval)
        // The mailboxes need the actor, which is not there yet: a box that is filled below.
        let owner = WeakPublisher()
        liveMailbox = BoundedMailbox(capacity: Self.mailboxCapacity, to: executor) { batch in
            owner.publisher?.assumeIsolated { $0.publish(live: batch) }
        }
        incomingMailbox = BoundedMailbox(capacity: Self.mailboxCapacity, to: executor) { batch in
            owner.publisher?.assumeIsolated { $0.receive(batch) }
        }
        owner.publisher = self
    }

    // MARK: Life

    /// Begins to connect, and returns at once.
    ///
    /// - Parameters:
    ///   - onCommand: gets each command, on the publisher's queue.
    ///   - onHomeAssistant: gets what Home Assistant says of itself, on the same queue.
    ///   - ergs: those that the gateway may have. Retained messages of other ergs, which an earlier
    ///     configuration had, are cleared; nil leaves them.
    package func start(
        onCommand: (@Sendable (IncomingCommand) -> Void)? = nil,
        onHomeAssistant: (@Sendable (IncomingMessage) -> Void)? = nil, ergs: GatewayErgs? = nil
    ) {
        precondition(life.phase == .idle, "a publisher is started once")
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
                    + "does not say when nobody subscribes; such records are not kept")
        }
        connect()
    }

    /// Publishes `offline`, waits until the broker has taken what it was given, and disconnects.
    ///
    /// Returns after `deadline` at the latest; what was not acknowledged stays in the log.
    package func stop(deadline: Duration) async {
        guard life.phase != .idle else { return }
        let isUp = life.stopping()
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
        forgetConnection()
        connectionTimer?.cancel()
        pumpTimer?.cancel()
        announceTimer?.cancel()
        if let cursor = queue.acknowledged { await source.acknowledged(through: cursor) }
        life.stopped()
    }

    /// Says goodbye once nothing is in flight any more.
    func finishWhenFlushed() {
        guard life.phase == .stopping, answers.isEmpty else { return }
        connection?.close()
    }

    /// The goodbye is said, or has had its time.
    func resumeStop() {
        stopWaiter?.resume()
        stopWaiter = nil
    }

    /// As of now.
    package func statistics() -> PublisherStatistics {
        PublisherStatistics(
            isConnected: life.phase == .online, published: queue.counts.published,
            rejected: queue.counts.rejected, unsubscribed: queue.counts.unsubscribed,
            tooLong: queue.counts.tooLong, parked: parkedTopics,
            incomingDropped: incomingMailbox.droppedCount + droppedMessages,
            lastFailure: life.lastFailure, latency: latencies.percentile(99),
            connectionChanged: connectionChanged, server: life.broker.server,
            certificates: life.certificates)
    }

    /// A message was too long to look at, or is not answered.
    func countDropped() { droppedMessages += 1 }

    private var parkedTopics: [PublisherStatistics.Parked] {
        parked.subjects.compactMap { subject in
            parked.until(subject).map { .init(topic: name(of: subject), until: $0) }
        }.sorted { $0.topic < $1.topic }
    }

    /// The topic that a subject goes to, or a filter of its topics.
    func name(of subject: PublishSubject) -> String {
        switch subject {
        case .stream(let stream): topics.topic(of: stream)
        case .retained(let topic): topics.topic(of: topic)
        case .replies: topics.replyFilter
        case .live: topics.liveFilter
        }
    }

    // MARK: From other queues

    /// The log holds something new. Cheap, and calls are merged.
    package nonisolated func recordsAvailable() {
        guard !isNudged.exchange(true, ordering: .acquiringAndReleasing) else { return }
        later { publisher in
            publisher.isNudged.store(false, ordering: .releasing)
            publisher.queue.recordsAppended()
            publisher.pump()
        }
    }

    /// Wants `payload` to be what the broker keeps on a topic, from now on and after each connect.
    ///
    /// An empty payload clears the topic. `availability` and `birth` are the publisher's own.
    package nonisolated func setRetained(_ topic: RetainedTopic, _ payload: [UInt8]) {
        precondition(topic != .availability && topic != .birth, "the publisher sets these itself")
        later { publisher in
            publisher.retained.want(payload, on: topic)
            publisher.pump()
        }
    }

    /// Publishes everything that is wanted on retained topics once more, soon.
    package nonisolated func repeatRetained() {
        later { publisher in
            guard publisher.life.phase == .online else { return }
            if publisher.restraints.retained.call(at: publisher.now()) != nil {
                publisher.retained.repeatAll()
            }
            publisher.pump()
        }
    }

    /// Publishes all that the broker is to keep once more, birth and availability included, for
    /// subscribers at a broker that does not have it. Returns how many messages these are, or nil
    /// while there is no connection.
    package func announceEverything() -> Int? {
        guard life.phase == .online, let birth = life.birth else { return nil }
        send(Availability.online.payload, to: .availability)
        send(birth, of: .birth, awaiting: .retained(.birth))
        retained.repeatAll()
        pump()
        return retained.count + 2
    }

    /// Publishes a sample if somebody could get it now; else it is gone, not even formatted.
    package nonisolated func publishLive(
        _ sample: MetricsSample, of station: StationID, clock: WallClock
    ) {
        guard isOnline.load(ordering: .relaxed) else { return }
        liveMailbox.send(LiveSample(station: station, sample: sample, clock: clock))
    }

    /// Whether somebody could get what is published now.
    package nonisolated var isListenedTo: Bool { isOnline.load(ordering: .relaxed) }

    /// The same of a message that is written already.
    package nonisolated func publishLive(_ payload: [UInt8], on topic: GatewayTopic) {
        guard isListenedTo else { return }
        later { $0.publish(live: payload, on: topic) }
    }

    /// The boot clock, for latencies and back-offs.
    nonisolated func now() -> BootInstant { runtime.now() }
}

/// Lets the mailboxes of a publisher know it; written once, before anything can be sent.
private final class WeakPublisher: @unchecked Sendable {
    weak var publisher: Publisher?
}
