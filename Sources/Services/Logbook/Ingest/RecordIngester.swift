import Contract
import DeliveryProof
import HostRuntime
import LogbookStores
import Synchronization
import Timeline

/// Stores the records that gateways publish: receives them from the broker connection, commits them in
/// batches on a serial queue, requests missing records from the gateways, and logs the results.
///
/// Messages are queued on the connection's thread under a lock that is never held during disk access. The
/// thread waits only while the queue is full (`BackPressure`).
final class RecordIngester: Sendable {
    /// The interval between two ticks.
    static let tickInterval = Duration.milliseconds(250)
    /// The number of ticks between two searches for sessions that cannot be completed: 10 s.
    private static let completionTicks = 40
    /// The number of ticks between two checks whether the store's file is still at its path: 2 s.
    private static let fileCheckTicks = 8
    /// The number of ticks between two negotiations with logbooks that share the store: 5 s.
    static let sharingTicks = 20

    /// The state that only the executor uses.
    struct ExecutorState {
        var timer: QueueTimer?
        var verifier = SessionVerifier()
        /// The sessions with newly stored records, which are not verified yet.
        var unverified: Set<SessionName>
        /// The text of the last failure, so that a repeated failure is logged once; nil after a success.
        var lastFailure: String?
        var ticks = 0
        var publish: @Sendable (OutgoingCommand) -> Void = { _ in }
        var statusMessages: @Sendable () -> [GatewayStatusMessage] = { [] }
        var statusFilter = GatewayStatusFilter()
        /// See `RecordIngester+Notices.swift`.
        var handlers = NoticeHandlers()
        var noticeQueue: NoticePublishQueue
        var noticeNumbers: NoticeNumbers?
        /// The number of the last notice that was shown or that existed at the start.
        var lastShownNotice: UInt64
        var retention: RetentionSchedule
        var compression = CompressionSchedule()
        /// See `RecordIngester+Sharing.swift`; nil if the store is not shared.
        var share: StoreShare?
        /// The number of file replacements when the store was last read.
        var replacements = 0
        /// Whether no file can be opened at the store's path.
        var isFileMissing = false
    }

    let topicPrefix: TopicPrefix
    nonisolated(unsafe) let store: any LogbookStore  // of the executor, after init
    let queue: Mutex<IngestQueue>
    let storeCondition = Mutex(StoreCondition())
    private let pressure = BackPressure()
    let runtime: any Runtime
    let log: SystemLog
    let executor: SerialQueueExecutor
    nonisolated(unsafe) var executorState: ExecutorState  // of the executor alone

    /// Reads the state of the streams from the store.
    init(
        _ store: any LogbookStore, below topicPrefix: TopicPrefix = .standard,
        retention: RetentionSchedule = RetentionSchedule(), runtime: any Runtime, log: SystemLog
    ) throws(StoreFailure) {
        self.topicPrefix = topicPrefix
        self.store = store
        self.runtime = runtime
        self.log = log
        let share = try store.rebalanceShards()
        let gapTracker = RecordGapTracker(try store.streams(), try store.declarations())
        let token = runtime.makeULID().description.lowercased()
        let shards = share?.shards ?? .all
        queue = Mutex(IngestQueue(gapTracker, below: topicPrefix, of: shards, token: token))
        let numbers = try store.noticeNumbers()
        executorState = ExecutorState(
            unverified: try Self.incompleteSessions(in: store, shards),
            noticeQueue: NoticePublishQueue(published: numbers?.published ?? 0), noticeNumbers: numbers,
            lastShownNotice: numbers?.last ?? 0, retention: retention, share: share)
        executor = runtime.makeQueue(label: "logbook.store")
        if numbers == nil { beginNoticeEpoch() }
    }

    /// Starts storing records and requesting missing ones. The closures are called on the ingester's queue.
    ///
    /// - Parameters:
    ///   - statusMessages: Returns the current status messages of the gateways.
    ///   - notices: The handlers of notices.
    ///   - publish: Publishes a command to a gateway.
    func start(
        statusMessages: @escaping @Sendable () -> [GatewayStatusMessage] = { [] },
        notices: NoticeHandlers = NoticeHandlers(),
        publish: @escaping @Sendable (OutgoingCommand) -> Void
    ) {
        executor.async { [self] in
            executorState.publish = publish
            (executorState.statusMessages, executorState.handlers) = (statusMessages, notices)
            logShare()
            executorState.timer = QueueTimer(on: executor) { @Sendable [weak self] in self?.step() }
            executorState.timer?.fire(every: Self.tickInterval)
        }
    }

    /// Stores the waiting records, closes the store, and waits for both.
    func stop() {
        executor.enter { [self] in
            executorState.timer?.cancel()
            enqueueStatusMessages(isLast: true)
            // Each commit can produce session states, which need another commit.
            repeat { verifySessions() } while commitBatch(isLast: true)
            let waiting = waitingCount
            if waiting > 0 {
                log.warning("\(waiting) records were not stored; they will be requested again")
            }
            store.close()
        }
    }

    // MARK: From the broker

    /// Blocks the calling thread while the queue is full, so that the broker stops sending.
    func waitForQueueSpace() {
        pressure.wait { queue.withLock { $0.needsBackPressure(at: runtime.now()) } }
    }

    func handle(_ message: ReceivedMessage) {
        let now = runtime.now()
        let refusal = queue.withLock { $0.handle(message, at: now) }
        guard let refusal else { return }
        log.warning(
            "a record on \(message.topicName) is refused: \(refusal.message); "
                + "further ones are only counted")
    }

    func connected() {
        queue.withLock { $0.connected() }
        executor.async { [self] in executorState.noticeQueue.connected() }
    }

    func disconnected() {
        queue.withLock { $0.disconnected() }
        executor.async { [self] in executorState.noticeQueue.disconnected() }
    }

    /// The path or address of the store.
    var place: String { store.place }

    /// The number of refused messages by reason.
    var refused: [IngestQueue.Refusal: UInt64] { queue.withLock { $0.refused } }

    /// The number of records that are not durable yet.
    var waitingCount: Int { queue.withLock { $0.waitingCount } }

    // MARK: On the queue

    /// Returns the stored sessions of these gateways whose state is `missing`.
    static func incompleteSessions(
        in store: any LogbookStore, _ shards: GatewayShards
    ) throws(StoreFailure) -> Set<SessionName> {
        var filter = SessionFilter(limit: Int(Int32.max))
        filter.states = [.missing]
        return Set(try store.sessions(filter).map(\.name)).filter { shards.contains($0.gateway) }
    }

    /// Does the work that is due at this tick.
    func step() {
        if executorState.ticks % Self.fileCheckTicks == 0 { verifyPlace() }
        reloadReplacedStore()
        if executorState.share != nil, executorState.ticks % Self.sharingTicks == 0 { updateShare() }
        commitBatch()
        verifySessions()
        executorState.ticks += 1
        if executorState.ticks % Self.completionTicks == 0 {
            closeIncompleteSessions()
            enqueueStatusMessages()
            executorState.handlers.tick()
            showNewNotices()
        }
        publishNextNotice()
        let now = runtime.now()
        let (requests, events) = queue.withLock { queue in
            (queue.requests(at: now), queue.drainReplayEvents())
        }
        for request in requests { executorState.publish(request) }
        for event in events { report(event) }
        removeOldRecords(at: now)
        compressRecords(at: now)
    }

    /// Commits the next batch if one is due. Returns whether it was stored.
    @discardableResult func commitBatch(isLast: Bool = false) -> Bool {
        let (now, unix) = (runtime.now(), runtime.unixMilliseconds())
        let batch = queue.withLock {
            $0.nextBatch(at: now, unixMilliseconds: unix, isLast: isLast)
        }
        guard let batch else { return false }
        do throws(StoreFailure) {
            let report = try store.commit(batch)
            queue.withLock { $0.stored(at: runtime.now()) }
            pressure.release()
            recovered()
            if report.conflicts > 0 {
                log.warning(
                    "\(report.conflicts) records were received again with different content; "
                        + "the first ones stay"
                )
            }
            executorState.unverified.formUnion(report.sessions)
            didCommit(batch)
            return true
        } catch {
            queue.withLock { $0.notStored(at: now, error.kind) }
            failed(error)
            return false
        }
    }

    private func verifySessions() {
        guard !executorState.unverified.isEmpty else { return }
        do throws(StoreFailure) {
            let unverified = executorState.unverified
            enqueue(try executorState.verifier.verify(unverified, in: store, at: runtime.now()))
            executorState.unverified = []
        } catch { failed(error) }
    }

    private func closeIncompleteSessions() {
        let gapTracker = queue.withLock { $0.gapTracker }
        enqueue(executorState.verifier.closeIncomplete(gapTracker, at: runtime.now()))
    }

    /// Queues changed status messages for the store, which then has the last status of an offline gateway.
    private func enqueueStatusMessages(isLast: Bool = false) {
        let current = executorState.statusMessages()
        let messages = executorState.statusFilter.selectForStorage(current, isLast: isLast)
        if !messages.isEmpty { queue.withLock { $0.enqueue(messages) } }
    }

    /// Removes some records that are older than their retention time, unless many records wait.
    private func removeOldRecords(at now: BootInstant) {
        guard executorState.share?.shards.isFirst ?? true, executorState.lastFailure == nil,
            waitingCount < IngestQueue.Limit.batch / 2,
            var pass = executorState.retention.next(at: now, runtime.wall())
        else { return }
        let removedBefore = pass.removed
        do throws(StoreFailure) {
            try store.remove(&pass)
            executorState.retention.update(pass)
            if pass.removed > removedBefore { executorState.handlers.recordsRemoved() }
            guard pass.isDone, pass.removed > 0 else { return }
            let days = executorState.retention.days[pass.kind] ?? 0
            log.notice(
                "removed \(pass.removed) \(pass.kind.topicName) records older than "
                    + "\(days) \(days == 1 ? "day" : "days"), as configured")
        } catch { failed(error) }
    }

    /// Compresses some stored records, unless many records wait.
    private func compressRecords(at now: BootInstant) {
        guard executorState.lastFailure == nil, waitingCount < IngestQueue.Limit.batch / 2,
            var pass = executorState.compression.next(at: now)
        else { return }
        do throws(StoreFailure) {
            try store.compress(&pass)
            executorState.compression.update(pass)
            guard pass.isDone, pass.records > 0 else { return }
            log.notice(
                "compressed \(pass.records) stored records from \(pass.publishedBytes >> 20) MiB to "
                    + "\(pass.storedBytes >> 20) MiB; the store file uses the free space for new records")
        } catch {
            // New records are stored all the same.
            executorState.compression.cancel()
            log.warning("stored records are not compressed, which is tried again in an hour: \(error)")
        }
    }

    private func enqueue(_ states: [SessionName: SessionState]) {
        if states.isEmpty { return }
        queue.withLock { $0.enqueue(states) }
        for (name, state) in states where state != .missing {
            let line = "\(name.gateway): session \(name.session) \(state.summary)"
            if state == .verified { log.info(line) } else { log.warning(line) }
        }
    }

    // MARK: Log

    func failed(_ failure: StoreFailure) {
        let text = "\(failure)"
        if text != executorState.lastFailure {
            log.error("\(text); \(waitingCount) records wait in memory; retrying")
        }
        executorState.lastFailure = text
        noteFailure(failure)
    }

    func recovered() {
        if executorState.lastFailure != nil { log.notice("the store \(store.place) takes records again") }
        executorState.lastFailure = nil
        storeCondition.withLock { $0.failure = nil }
    }

    private func report(_ event: ReplayScheduler.Event) {
        switch event {
        case .requested(let gap): log.notice("\(gap.subject) missing; requested")
        case .filled(let gap): log.info("\(gap.subject) now stored")
        case .gone(let gap): log.warning("\(gap.subject) gone: the gateway has no such record")
        case .refused(let gap):
            log.warning("\(gap.subject) refused; rowgate-logbook gateways shows the reasons")
        case .postponed(let gap, let reason):
            log.warning("\(gap.subject) missing; requesting again later: \(reason)")
        }
    }
}

extension RecordGapTracker.Gap {
    /// The start of a sentence: `boathouse/erg-1 stroke 7-9 are`.
    fileprivate var subject: String {
        "\(stream.label) \(sequences.text) \(sequences.length == 1 ? "is" : "are")"
    }
}

extension SessionState {
    /// The end of a sentence about the session.
    fileprivate var summary: String {
        switch self {
        case .open: "is in progress"
        case .verified: "is verified: all its records are stored"
        case .missing: "is incomplete; its missing records are requested"
        case .gone: "is incomplete; its missing records no longer exist"
        case .differs: "does not match its manifest"
        }
    }
}

/// Sharing one store between several logbooks. Changes `executorState`.
///
/// Each logbook receives all messages and stores the records of its gateways. A logbook that takes over a
/// shard reads its state from the store. Records that were not stored meanwhile are gaps and are requested.
extension RecordIngester {
    /// Whether this logbook, and not another one, stores the gateway's records.
    func stores(_ gateway: GatewayID) -> Bool {
        queue.withLock { $0.shards.contains(gateway) }
    }

    /// Whether this logbook publishes for all logbooks that share the store.
    var isFirst: Bool { queue.withLock { $0.shards.isFirst } }

    /// Negotiates the shards with the other logbooks and applies the result.
    func updateShare() {
        // The next owner of a shard must find all its records in the store.
        if executorState.lastFailure == nil { commitBatch(isLast: true) }
        do throws(StoreFailure) {
            guard let share = try store.rebalanceShards() else { return }
            recovered()
            guard let before = executorState.share, share.isChanged(from: before) else { return }
            try apply(share)
            if share.shards.isFirst, !before.shards.isFirst { try startPublishingNotices() }
            logShare()
        } catch { failed(error) }
    }

    func logShare() {
        if let share = executorState.share { log.notice("this logbook stores \(share.summary)") }
    }

    private func apply(_ share: StoreShare) throws(StoreFailure) {
        let (states, declarations) = (try store.streams(), try store.declarations())
        let incomplete = try Self.incompleteSessions(in: store, share.acquired)
        queue.withLock { $0.apply(share, states, declarations) }
        executorState.unverified = executorState.unverified.filter { share.shards.contains($0.gateway) }
        executorState.unverified.formUnion(incomplete)
        executorState.verifier.release { !share.shards.contains($0) }
        executorState.share = share
    }

    /// Publishes the notices of all logbooks from now on.
    private func startPublishingNotices() throws(StoreFailure) {
        executorState.noticeNumbers = try store.noticeNumbers()
        executorState.noticeQueue.restart(published: executorState.noticeNumbers?.published ?? 0)
    }
}

extension StoreShare {
    fileprivate func isChanged(from before: StoreShare) -> Bool {
        acquired != .none || shards != before.shards || logbooks != before.logbooks
    }

    /// A text such as `8 of 16 shards of the gateways; 2 logbooks share the store`.
    fileprivate var summary: String {
        "\(shards.numbers.count) of \(GatewayShards.count) shards of the gateways; \(logbooks) "
            + "\(logbooks == 1 ? "logbook uses" : "logbooks share") the store"
    }
}

/// Handlers of notices and related events. The ingester calls them on its queue.
struct NoticeHandlers: Sendable {
    /// Publishes a notice under the store's epoch.
    var publish: @Sendable (StoredNotice, _ epoch: String) -> Void = { _, _ in }
    /// Shows a stored notice on the pages.
    var show: @Sendable (StoredNotice) -> Void = { _ in }
    /// Handles new or changed states of sessions.
    var sessionsChanged: @Sendable (Set<SessionName>) -> Void = { _ in }
    /// Called after old records were removed.
    var recordsRemoved: @Sendable () -> Void = {}
    /// Called every 10 s.
    var tick: @Sendable () -> Void = {}

    init() {}
}

/// Stores and publishes notices. Changes `executorState`.
extension RecordIngester {
    /// The maximum number of notices in one read from the store.
    private static let pageSize = 20

    /// Queues changes of notices for the store.
    func enqueue(_ changes: NoticeChanges) {
        if !changes.isEmpty { queue.withLock { $0.enqueue(changes) } }
    }

    /// Calls the handlers for the contents of a committed batch.
    func didCommit(_ batch: StoreBatch) {
        if !batch.states.isEmpty { executorState.handlers.sessionsChanged(Set(batch.states.keys)) }
        if !batch.notices.isEmpty { showNewNotices() }
    }

    /// Shows the stored notices that were not shown yet. They include the notices of other logbooks that
    /// share the store, and withdrawals after an erasure.
    func showNewNotices() {
        executorState.noticeQueue.stored()
        do throws(StoreFailure) {
            if executorState.noticeNumbers == nil { executorState.noticeNumbers = try store.noticeNumbers() }
            for notice in try store.notices(after: executorState.lastShownNotice, limit: Self.pageSize) {
                executorState.lastShownNotice = notice.sequence
                if notice.withdraws == nil, !notice.members.isEmpty { executorState.handlers.show(notice) }
            }
        } catch { failed(error) }
    }

    /// Publishes the next notice if it is due.
    func publishNextNotice() {
        guard executorState.share?.shards.isFirst ?? true, let epoch = executorState.noticeNumbers?.epoch,
            executorState.noticeQueue.isDue(at: runtime.now())
        else { return }
        do throws(StoreFailure) {
            let found = try store.notices(after: executorState.noticeQueue.position, limit: Self.pageSize)
            if let notice = executorState.noticeQueue.next(of: found) {
                executorState.handlers.publish(notice, epoch)
            }
        } catch { failed(error) }
    }

    /// Handles the broker's acknowledgement of a notice.
    func acknowledged(notice sequence: UInt64) {
        executor.async { [self] in
            guard executorState.noticeQueue.acknowledged(sequence) else { return }
            var changes = NoticeChanges()
            changes.published = sequence
            enqueue(changes)
            step()
        }
    }

    /// Handles the broker's refusal of a notice.
    func refused(notice sequence: UInt64) {
        executor.async { [self] in
            guard executorState.noticeQueue.refused(sequence, at: runtime.now()) else { return }
            log.warning(
                "the broker refuses this logbook's notices: let its user write below "
                    + "\(topicPrefix.logbookRoot) in the broker's access list; retrying every 5 minutes")
        }
    }
}
