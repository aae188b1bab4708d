import Contract
import Timeline

/// Replays, one after the other, in parallel to the records that are published for the first time.
///
/// A pure state machine. It moves no cursor and is independent of the order of the `PublishQueue`.
/// Its window is small and its pace limited, so that first deliveries are hardly affected, and so
/// that the replay does not overrun the broker's queue for a slow subscriber again. Records left
/// unacknowledged by a broken connection are sent again on the next one.
package struct ReplayQueue: Sendable {
    /// Maximum number of replays, including the running one.
    package static let capacity = 16
    /// Maximum number of unacknowledged records.
    package static let window = 5
    /// Average time between two records: 500 a second.
    package static let interval = Duration.milliseconds(2)

    /// A waiting or running replay.
    package struct Job: Equatable, Sendable {
        /// Assigned by the queue: 1, 2, 3, ...
        package let id: UInt64
        /// The requested range.
        package let request: ReplayRequest
        /// Where reading continues; nil before the first read.
        package var position: UInt64?
    }

    private var jobs: [Job] = []
    private var lastID: UInt64 = 0

    // Of the first job.
    private var waiting: ArraySlice<OutgoingRecord> = []
    /// Sent and not acknowledged, by cursor.
    private var inFlight: [UInt64: OutgoingRecord] = [:]
    private var outcome = ReplayOutcome(ending: .complete)
    /// The expected number of the next record, unless the log lacks it.
    private var expected: UInt64 = 0
    private var isRead = false

    private var window = 0
    private var pace = SendingPace(interval: Self.interval)

    package init() {}

    // MARK: Jobs

    /// Adds a replay; nil if too many wait already.
    package mutating func add(_ request: ReplayRequest) -> UInt64? {
        guard jobs.count < Self.capacity else { return nil }
        lastID += 1
        jobs.append(Job(id: lastID, request: request))
        if jobs.count == 1 { begin() }
        return lastID
    }

    /// Returns the first replay if all of it is settled; the next one starts.
    package mutating func removeFinished() -> (id: UInt64, outcome: ReplayOutcome)? {
        guard let job = jobs.first, isRead, waiting.isEmpty, inFlight.isEmpty else { return nil }
        if outcome.ending == .complete { noteMissing(through: outcome.lastSequence) }
        return (job.id, remove())
    }

    /// Ends all replays, and returns each with its result.
    package mutating func stop() -> [(id: UInt64, outcome: ReplayOutcome)] {
        var stopped: [(id: UInt64, outcome: ReplayOutcome)] = []
        while let job = jobs.first {
            outcome.ending = .stopped
            outcome.gone = []
            stopped.append((job.id, remove()))
        }
        return stopped
    }

    private mutating func begin() {
        waiting = []
        inFlight = [:]
        isRead = false
        outcome = ReplayOutcome(ending: .complete)
        expected = jobs.first?.request.sequences.lowerBound ?? 0
    }

    private mutating func remove() -> ReplayOutcome {
        let outcome = outcome
        jobs.removeFirst()
        begin()
        return outcome
    }

    /// Ends the first job early; later acknowledgements for it are ignored.
    private mutating func fail(_ ending: ReplayOutcome.Ending) {
        outcome.ending = ending
        outcome.gone = []
        isRead = true
        waiting = []
        inFlight = [:]
    }

    // MARK: Connection

    /// - Parameter window: maximum number of unacknowledged messages, all kinds together.
    package mutating func connected(window: Int) { self.window = min(Self.window, window) }

    /// Records in flight are sent again on the next connection.
    package mutating func disconnected() {
        window = 0
        waiting = (inFlight.values.sorted { $0.cursor < $1.cursor } + waiting)[...]
        inFlight = [:]
    }

    // MARK: Records

    /// The replay for which more of the log should be read; nil if none.
    package var wantsRecords: Job? { window > 0 && waiting.isEmpty && !isRead ? jobs.first : nil }

    /// Adds a batch of the log; ignored if `job` has ended or moved on meanwhile.
    package mutating func supply(_ batch: ReplayBatch, for job: Job) {
        guard job == jobs.first, waiting.isEmpty, !isRead else { return }
        outcome.lastSequence = batch.lastSequence
        if batch.isUnreadable { return fail(.unreadable) }
        for record in batch.records where record.sequence >= expected {
            noteMissing(through: record.sequence - 1)
            expected = record.sequence + 1
            waiting.append(record)
        }
        isRead = batch.through == nil
        jobs[0].position = batch.through
    }

    /// Notes that the numbers from `expected` to `sequence` are not in the log.
    private mutating func noteMissing(through sequence: UInt64) {
        guard let range = jobs.first?.request.sequences else { return }
        let last = min(sequence, range.upperBound)
        if expected <= last { outcome.gone.append(expected...last) }
    }

    /// Returns the record to publish now, if any; it counts as sent.
    package mutating func next(at now: BootInstant) -> OutgoingRecord? {
        guard inFlight.count < window, now >= pace.earliest, let record = waiting.popFirst() else {
            return nil
        }
        inFlight[record.cursor] = record
        pace.spend(at: now)
        return record
    }

    /// When `next` has a record again without an acknowledgement; nil if it waits for one.
    package var nextDue: BootInstant? {
        inFlight.count < window && !waiting.isEmpty ? pace.earliest : nil
    }

    /// Ends a replay of this stream, over which the broker ends the connection.
    package mutating func refuse(_ stream: StreamID) {
        guard jobs.first?.request.stream == stream else { return }
        fail(.brokerRefused(reason: PublishReason.notAuthorized))
    }

    /// Counts a record that is longer than the broker accepts as missing.
    package mutating func skip(_ record: OutgoingRecord) {
        guard inFlight.removeValue(forKey: record.cursor) != nil else { return }
        let place = outcome.gone.firstIndex { $0.lowerBound > record.sequence }
        outcome.gone.insert(
            record.sequence...record.sequence, at: place ?? outcome.gone.endIndex)
    }

    /// Handles the acknowledgement of a record; ignores unexpected ones.
    package mutating func settle(_ record: OutgoingRecord, reason: UInt8) {
        guard inFlight.removeValue(forKey: record.cursor) != nil else { return }
        if reason >= 0x80 { return fail(.brokerRefused(reason: reason)) }
        outcome.published += 1
        if reason == PublishReason.noSubscribers { outcome.unsubscribed += 1 }
    }
}

/// Replays of records: `replays` and `waiters`.
extension Publisher {
    /// Publishes the stored records of a range again, as `historical`. Returns when the broker has
    /// acknowledged them.
    ///
    /// First deliveries continue meanwhile, and the cursor does not move. After a broken connection
    /// the replay continues; only `stop` ends it early.
    package func replay(_ request: ReplayRequest) async -> ReplayOutcome {
        guard state.phase != .idle, state.phase != .stopping else {
            return ReplayOutcome(ending: .stopped)
        }
        if parked.isParked(.stream(request.stream)) {
            return ReplayOutcome(ending: .brokerRefused(reason: PublishReason.notAuthorized))
        }
        guard let id = replays.add(request) else { return ReplayOutcome(ending: .busy) }
        return await withCheckedContinuation { waiter in
            waiters[id] = waiter
            pump()
        }
    }

    func resumeWaiter(of finished: (id: UInt64, outcome: ReplayOutcome)) {
        waiters.removeValue(forKey: finished.id)?.resume(returning: finished.outcome)
    }

    /// Sends due records of the replays, after the records that are published for the first time.
    func pumpReplays() {
        while mayPublishRecord, let record = replays.next(at: now()) {
            send(record, historical: true, awaiting: .replay(record))
        }
        while let finished = replays.removeFinished() { resumeWaiter(of: finished) }
        guard let job = replays.wantsRecords, logCalls.begin(.readForReplay) else { return }
        Task {
            let batch = await source.records(
                of: job.request, after: job.position, limit: Self.batchLimit)
            logCalls.end(.readForReplay)
            replays.supply(batch, for: job)
            pump()
        }
    }
}
