import Bytes
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
package actor Publisher {
    /// Records read from the log at a time.
    static let batchLimit = 256
    /// An attempt that got no answer by then is given up.
    static let connectDeadline = Duration.seconds(30)
    /// A connection that stood no longer than this may have been pushed out by a namesake.
    static let pushedOut = Duration.seconds(5)
    /// Live samples and incoming messages that may wait for the publisher's queue.
    static let mailboxCapacity = 64

    enum Phase {
        /// Not started, or stopped.
        case idle
        /// Until the back-off has passed.
        case waiting
        case connecting
        /// Connected; the birth is not acknowledged yet.
        case announcing
        case online
        /// Saying goodbye: what is in flight is waited for.
        case stopping
    }

    /// What an acknowledgement is awaited for.
    enum Pending {
        case birth
        case retained(RetainedTopic)
        case reply(topic: String)
        case record(OutgoingRecord, sent: BootInstant)
        case replay(OutgoingRecord)
    }

    /// The queue on which everything of the publisher happens.
    package nonisolated let executor: SerialQueueExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    let configuration: BrokerConfiguration
    let topics: TopicMap
    let source: any RecordSource
    let log: SystemLog
    let now: @Sendable () -> BootInstant
    private(set) var onCommand: (@Sendable (IncomingCommand) -> Void)?

    var phase = Phase.idle
    var connection: MQTTConnection?
    /// Tells the events of this connection from those of an abandoned one.
    var generation = 0
    var connects = 0
    var onlineSince: BootInstant?
    private var connectionChanged: BootInstant?
    /// The birth of this connection and its window, until the broker has taken it.
    var announcement: (notice: BirthNotice, window: Int)?
    /// Topics that the broker refused on this connection, to say so once.
    var refusedTopics: Set<String> = []
    var backoff: BrokerBackoff
    var lastFailure: BrokerFailure?
    var timer: QueueTimer?
    var retryTimer: QueueTimer?
    var replayTimer: QueueTimer?

    var queue: PublishQueue
    var replays = ReplayLane()
    var replayWaiters: [UInt64: CheckedContinuation<ReplayOutcome, Never>] = [:]
    var isReadingReplay = false
    var pending: [Int32: Pending] = [:]
    var subscribing: [Int32: String] = [:]
    var latencies = LatencyWindow()
    var isReading = false
    /// A nudge came while the log was being read: what was read may lack the newest.
    var grewWhileReading = false
    var reportedCursor: UInt64?
    var isReporting = false

    /// Wanted state by topic, in the order in which the topics were first set.
    var retained: [RetainedTopic: [UInt8]] = [:]
    var retainedOrder: [RetainedTopic] = []
    /// Whether Home Assistant was heard on this broker, or is known to be there; its topics are
    /// none of ours until then.
    var knowsHomeAssistant: Bool

    var liveSequences: [StationID: UInt64] = [:]
    var liveWriter = JSONWriter()
    var stopWaiter: CheckedContinuation<Void, Never>?
    var oversizedMessages: UInt64 = 0

    /// Whether live samples are worth handing over; read by the stations' queues.
    private nonisolated let isOnline = Atomic(false)
    /// Whether a nudge is on its way to the queue already.
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

    /// - Parameters:
    ///   - executor: the queue that the publisher runs on, and nothing else.
    ///   - now: the boot clock, for latencies and back-offs.
    package init(
        configuration: BrokerConfiguration, topics: TopicMap,
        source: any RecordSource, executor: SerialQueueExecutor, log: SystemLog,
        now: @escaping @Sendable () -> BootInstant
    ) {
        self.configuration = configuration
        self.topics = topics
        self.source = source
        self.executor = executor
        self.log = log
        self.now = now
        knowsHomeAssistant = configuration.homeAssistantDiscovery == .always
        backoff = BrokerBackoff(delays: configuration.reconnectDelays)
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
    /// - Parameter onCommand: gets each command, on the publisher's queue.
    package func start(onCommand: (@Sendable (IncomingCommand) -> Void)? = nil) {
        precondition(phase == .idle, "a publisher is started once")
        self.onCommand = onCommand
        timer = QueueTimer(on: executor) { [weak self] in
            self?.assumeIsolated { $0.timerFired() }
        }
        retryTimer = QueueTimer(on: executor) { [weak self] in
            self?.assumeIsolated { $0.pump() }
        }
        replayTimer = QueueTimer(on: executor) { [weak self] in
            self?.assumeIsolated { $0.pump() }
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
        guard phase != .idle else { return }
        let isUp = phase == .online || phase == .announcing
        enter(.stopping)
        retryTimer?.stop()
        replayTimer?.stop()
        resumeReplays(replays.stop())
        if isUp, connection != nil {
            send(Availability.offline.payload, to: .availability)
            timer?.fire(after: deadline)
            await withCheckedContinuation { waiter in
                stopWaiter = waiter
                finishWhenFlushed()
            }
        }
        connection?.abandon()
        connection = nil
        generation += 1
        timer?.cancel()
        retryTimer?.cancel()
        replayTimer?.cancel()
        pending = [:]
        queue.disconnected()
        if let cursor = queue.acknowledged { await source.acknowledged(through: cursor) }
        enter(.idle)
    }

    /// As of now.
    package func statistics() async -> PublisherStatistics {
        let backlog = await source.backlog()
        return PublisherStatistics(
            isConnected: phase == .online,
            usesFallbackProtocol: configuration.protocolVersion == .v311,
            backlog: backlog, published: queue.counts.published,
            rejected: queue.counts.rejected, unsubscribed: queue.counts.unsubscribed,
            refusedStreams: queue.refusedStreams, liveDropped: liveMailbox.refusedCount,
            incomingDropped: incomingMailbox.refusedCount + oversizedMessages,
            reconnects: max(0, connects - 1), lastFailure: lastFailure,
            latency: latencies.percentile(99), connectionChanged: connectionChanged)
    }

    // MARK: From other queues

    /// The log holds something new. Cheap, and calls are merged.
    package nonisolated func recordsAvailable() {
        guard !isNudged.exchange(true, ordering: .acquiringAndReleasing) else { return }
        executor.queue.async { [weak self] in
            self?.isNudged.store(false, ordering: .releasing)
            self?.assumeIsolated {
                $0.grewWhileReading = true
                $0.queue.recordsAppended()
                $0.pump()
            }
        }
    }

    /// Wants `payload` to be what the broker keeps on a topic, from now on and after each connect.
    ///
    /// An empty payload clears the topic. `availability` and `birth` are the publisher's own.
    package nonisolated func setRetained(_ topic: RetainedTopic, _ payload: [UInt8]) {
        precondition(topic != .availability && topic != .birth, "the publisher sets these itself")
        executor.queue.async { [weak self] in
            self?.assumeIsolated { $0.want(payload, on: topic) }
        }
    }

    /// Publishes a sample if somebody could get it now; else it is gone, not even formatted.
    package nonisolated func publishLive(
        _ sample: MetricsSample, of station: StationID, clock: WallClock
    ) {
        guard isOnline.load(ordering: .relaxed) else { return }
        liveMailbox.send(LiveSample(station: station, sample: sample, clock: clock))
    }

    func enter(_ phase: Phase) {
        if (phase == .online) != (self.phase == .online) { connectionChanged = now() }
        self.phase = phase
        isOnline.store(phase == .online, ordering: .relaxed)
    }
}

/// Lets the mailboxes of a publisher know it; written once, before anything can be sent.
private final class WeakPublisher: @unchecked Sendable {
    weak var publisher: Publisher?
}
