import Bytes
import Contract
import DeliveryProof
import LogbookStores
import Timeline

/// Queues records from the broker, forms batches for the store, and requests missing records. It has no
/// clock.
///
/// If the store fails to commit a batch, the queue retries it, and new records wait behind it. If the store
/// is only slower than the broker, the receiving thread waits too (`needsBackPressure`). If the queue is
/// full, it drops records: each stays in the gateway's ring log, and its number stays a gap.
struct IngestQueue {
    /// Limits of batches and of the queue.
    enum Limit {
        /// A batch is due when this many records wait.
        static let batch = 500
        /// The maximum time that a record waits before its batch is due.
        static let wait = Duration.seconds(1)
        /// The same for strokes and force curves, which are most records. Nothing depends on them before the session
        /// ends, and each commit writes whole pages to the card, so a few large ones wear it out less.
        static let strokeWait = Duration.seconds(5)
        /// The interval at which data other than records is stored while no record arrives.
        static let noteInterval = Duration.seconds(10)
        /// The maximum number of records in one commit. A larger commit would block the disk for too long.
        static let largestBatch = 5000
        /// The maximum number of payload bytes that wait. They use three times as much memory.
        static let waitingBytes = 16 << 20
        /// If the store has committed nothing for this long, back pressure ends and new records are dropped.
        static let stallTimeout = Duration.seconds(2)
        /// The first and the longest delay before a failed batch is retried.
        static let retryDelays = Duration.seconds(1)...Duration.seconds(30)
    }

    /// Why a message is refused.
    enum Refusal: Hashable {
        /// The message is not a valid record; the text names the defect.
        case defect(String)
        /// The limit of tracked streams is reached.
        case tooManyStreams
        /// The queue is full because the store is slower than the broker.
        case queueFull
        /// The queue is full because the store fails.
        case storeFailed(StoreFailure.Kind)

        var message: String {
            switch self {
            case .defect(let message): message
            case .tooManyStreams: "there are too many streams"
            case .queueFull: "the queue for the store is full; the records are requested later"
            case .storeFailed(let kind):
                "the store fails (\(kind.rawValue)) and the queue is full; the records are "
                    + "requested later"
            }
        }

        /// The machine-readable reason, as the health report and metrics show it.
        var reason: String {
            switch self {
            case .defect: "no_record"
            case .tooManyStreams: "too_many_streams"
            case .queueFull: "queue_full"
            case .storeFailed(let kind): kind.rawValue
            }
        }
    }

    private(set) var gapTracker: RecordGapTracker
    /// The gateways whose records this logbook stores. Announcements of all gateways are tracked, because a
    /// shard can move to another logbook.
    private(set) var shards: GatewayShards
    private var replays: ReplayScheduler
    private var waiting: [ValidatedRecord] = []
    private var waitingBytes = 0
    /// When the waiting records are due; nil without any.
    private var dueAt: BootInstant?
    private var lastBatchAt: BootInstant?
    private var sessionStates: [SessionName: SessionState] = [:]
    private var statusMessages: [GatewayStatusMessage] = []
    private var notices = NoticeChanges()
    /// The batch that the store has not committed yet.
    private var pending: StoreBatch?
    private var isStoring = false
    /// Counts the failed commits since the last success.
    private var backoff = ExponentialBackoff(Limit.retryDelays)
    /// Why the last commit failed; nil after a success.
    private var failure: StoreFailure.Kind?
    private var retryAt: BootInstant?
    /// The time of the last successful commit.
    private var storedAt: BootInstant?
    private(set) var refused: [Refusal: UInt64] = [:]
    /// The counts of refusals by gateway and reason since the last batch.
    private var refusalCounts: [GatewayID: [String: UInt64]] = [:]

    /// - Parameter token: see `ReplayScheduler`.
    init(
        _ gapTracker: RecordGapTracker, below topicPrefix: TopicPrefix = .standard,
        of shards: GatewayShards = .all, token: String
    ) {
        self.gapTracker = gapTracker
        self.shards = shards
        replays = ReplayScheduler(below: topicPrefix, token: token)
    }

    /// The number of records that are not durable yet.
    var waitingCount: Int { waiting.count + (pending?.records.count ?? 0) }

    // MARK: From the broker

    /// Handles a message. Ignores messages that are neither records nor useful for finding gaps. Returns the
    /// refusal if a message on a durable topic is refused for a new reason.
    mutating func handle(_ message: ReceivedMessage, at now: BootInstant) -> Refusal? {
        let gateway = message.gateway
        switch message.content {
        case .record(let stream, let content):
            if shards.contains(gateway) {
                return enqueue(message.payload, content.value, stream, gateway, at: now)
            }
        case .availability(nil, let content): replays.setOnline(content.value == .online, gateway)
        case .retained(let topic, let content):
            if let fields = Self.short(content, of: message) {
                gapTracker.apply(topic, fields, from: gateway)
            }
        case .reply(nil, ReplayRequest.verb, let content):
            if let fields = Self.short(content, of: message) {
                replays.handle(reply: fields, from: gateway, at: now)
            }
        case .availability, .live, .reply: break
        }
        return nil
    }

    /// The fields of a message that is not longer than a record; nil for other messages.
    private static func short(
        _ content: GatewayMessage.Content<JSONObject>, of message: ReceivedMessage
    ) -> JSONObject? {
        message.payload.count <= ValidatedRecord.maximumBytes ? content.value : nil
    }

    private mutating func enqueue(
        _ payload: [UInt8], _ fields: JSONObject?, _ stream: StreamID, _ gateway: GatewayID,
        at now: BootInstant
    ) -> Refusal? {
        do throws(RecordDefect) {
            let record = try ValidatedRecord(payload, parsed: fields, of: stream, from: gateway)
            guard gapTracker.hasRoom(for: record.stream) else { return refuse(.tooManyStreams, of: gateway) }
            guard gapTracker.isPlausible(record.sequence, in: record.stream) else {
                throw RecordDefect(reason: "its seq is far above all others of its stream")
            }
            guard waitingBytes < Limit.waitingBytes else {
                return refuse(failure.map(Refusal.storeFailed) ?? .queueFull, of: gateway)
            }
            replays.didReceive(stream, from: gateway, record.sequence, isHistorical: record.isHistorical)
            gapTracker.markReceived(record)
            waiting.append(record)
            waitingBytes += record.stored.count
            setDue(record, at: now)
            return nil
        } catch {
            replays.didReceive(stream, from: gateway, error.number?.sequence, isHistorical: true)
            if let number = error.number {
                let stored = StoredStream(gateway: gateway, epoch: number.epoch, stream: stream)
                gapTracker.markRefused(number.sequence, of: stored)
            }
            return refuse(.defect(error.reason), of: gateway)
        }
    }

    /// Moves the time at which the waiting records are due forward, if a record that arrives now is due earlier.
    private mutating func setDue(_ record: ValidatedRecord, at now: BootInstant) {
        let isOfStroke = [.stroke, .force].contains(record.stream.stream.kind)
        let due = now.advanced(by: isOfStroke ? Limit.strokeWait : Limit.wait)
        dueAt = min(dueAt ?? due, due)
    }

    /// Counts a refusal. Returns it if it is the first one for this reason, otherwise nil.
    private mutating func refuse(_ refusal: Refusal, of gateway: GatewayID) -> Refusal? {
        refused[refusal, default: 0] += 1
        if refusalCounts[gateway] != nil || refusalCounts.count < RecordGapTracker.maximumGateways {
            let known = refusalCounts[gateway]?.keys
            let isCounted =
                known?.contains(refusal.message) ?? true
                || (known?.count ?? 0) < RefusalCount.mostReasons
            let reason = isCounted ? refusal.message : RefusalCount.otherReason
            refusalCounts[gateway, default: [:]][reason, default: 0] += 1
        }
        return refused[refusal] == 1 ? refusal : nil
    }

    /// Whether the receiving thread should wait: the queue is full, and the store is making progress.
    func needsBackPressure(at now: BootInstant) -> Bool {
        guard waitingBytes >= Limit.waitingBytes, backoff.failures == 0, let storedAt else { return false }
        return storedAt.duration(to: now) < Limit.stallTimeout
    }

    /// The broker connection is up and subscribed.
    mutating func connected() { replays.connected() }

    mutating func disconnected() { replays.disconnected() }

    // MARK: Sharing a store

    /// Applies a new assignment of gateways to this logbook.
    ///
    /// - Parameters:
    ///   - states: The store's state of the streams.
    ///   - declarations: The declared losses in the store.
    mutating func apply(
        _ share: StoreShare, _ states: [StreamState], _ declarations: [StoredDeclaration]
    ) {
        shards = share.shards
        replays.release { [shards] in !shards.contains($0) }
        gapTracker.reload({ share.acquired.contains($0) }, states, declarations)
        let released = waiting.filter { !shards.contains($0.stream.gateway) }
        waitingBytes -= released.reduce(0) { $0 + $1.stored.count }
        waiting.removeAll { !shards.contains($0.stream.gateway) }
        markQueuedReceived(of: share.acquired)
    }

    /// Marks queued records as received, because the reloaded state does not contain them.
    private mutating func markQueuedReceived(of shards: GatewayShards) {
        for record in (pending?.records ?? []) + waiting
        where shards.contains(record.stream.gateway) {
            gapTracker.markReceived(record)
        }
    }

    /// Adopts the state of another store file that replaced the open one. Its missing records are requested
    /// again, and requests in flight are dropped.
    mutating func replaceStore(_ states: [StreamState], _ declarations: [StoredDeclaration]) {
        replays.release { _ in true }
        gapTracker.reload({ _ in true }, states, declarations)
        markQueuedReceived(of: .all)
    }

    // MARK: To the store

    /// Queues verified session states for the next batch.
    mutating func enqueue(_ new: [SessionName: SessionState]) { sessionStates.merge(new) { $1 } }

    /// Queues gateway status messages for the next batch. A newer message replaces one of the same kind.
    mutating func enqueue(_ new: [GatewayStatusMessage]) {
        statusMessages.removeAll { old in
            new.contains { $0.gateway == old.gateway && $0.kind == old.kind }
        }
        statusMessages += new
    }

    /// Queues changes of notices for the next batch.
    mutating func enqueue(_ changes: NoticeChanges) { notices.merge(changes) }

    /// Returns the batch to store now, if one is due. The caller then calls `stored` or `notStored`.
    ///
    /// - Parameter isLast: The program stops, so everything is due.
    mutating func nextBatch(
        at now: BootInstant, unixMilliseconds: Int64, isLast: Bool = false
    ) -> StoreBatch? {
        if lastBatchAt == nil { lastBatchAt = now }
        guard !isStoring else { return nil }
        if let retryAt, now < retryAt, !isLast { return nil }
        if pending == nil, isLast || isDue(at: now) {
            var batch = StoreBatch(now: unixMilliseconds)
            batch.records = Array(waiting.prefix(Limit.largestBatch))
            waiting.removeFirst(batch.records.count)
            batch.notes = gapTracker.drainNotes()
            (batch.states, batch.statusMessages, batch.notices) = (sessionStates, statusMessages, notices)
            batch.refusals = refusalCounts.flatMap { gateway, reasons in
                reasons.map {
                    RefusalCount(
                        gateway: gateway, reason: $0.key, times: $0.value, lastAt: unixMilliseconds)
                }
            }
            (sessionStates, statusMessages, notices, refusalCounts) = ([:], [], NoticeChanges(), [:])
            // What is left of a large batch is due at the next call.
            dueAt = waiting.isEmpty ? nil : now
            lastBatchAt = now
            if !batch.isEmpty { pending = batch }
        }
        isStoring = pending != nil
        return pending
    }

    private func isDue(at now: BootInstant) -> Bool {
        if waiting.count >= Limit.batch { return true }
        if let dueAt, now >= dueAt { return true }
        if !notices.isEmpty { return true }
        guard
            gapTracker.hasNotes || !sessionStates.isEmpty || !statusMessages.isEmpty || !refusalCounts.isEmpty
        else { return false }
        // Session states are stored soon, because other parts of the program wait for them, as for a new
        // best.
        let interval = sessionStates.isEmpty ? Limit.noteInterval : Limit.wait
        return lastBatchAt.map { $0.duration(to: now) >= interval } ?? true
    }

    /// Notes that the store committed the pending batch.
    mutating func stored(at now: BootInstant) {
        storedAt = now
        waitingBytes -= pending?.records.reduce(0) { $0 + $1.stored.count } ?? 0
        (pending, isStoring, retryAt) = (nil, false, nil)
        backoff.reset()
        failure = nil
    }

    /// Notes that the commit failed. The batch is retried later.
    mutating func notStored(at now: BootInstant, _ kind: StoreFailure.Kind = .other) {
        isStoring = false
        failure = kind
        retryAt = now.advanced(by: backoff.next())
    }

    // MARK: To the gateways

    /// Returns the replay requests to publish now; none while the store lags, because the records would only
    /// wait.
    mutating func requests(at now: BootInstant) -> [OutgoingCommand] {
        guard backoff.failures == 0, waitingBytes < Limit.waitingBytes / 4 else { return [] }
        return replays.step(&gapTracker, of: shards, at: now)
    }

    /// Returns and clears the replay events since the last call.
    mutating func drainReplayEvents() -> [ReplayScheduler.Event] { replays.drainEvents() }
}
