import Contract
import Timeline

/// Replays, one after the other, in a lane of their own beside the records that are published for
/// the first time.
///
/// A pure machine. It moves no cursor and knows no order with the `PublishQueue`; its window is
/// small and its pace limited, so that first deliveries hardly notice it, and so that the broker's
/// queue for a slow subscriber is not overrun by the very replay that is to mend an earlier
/// overrun. What a broken connection left unanswered is sent again on the next one.
package struct ReplayLane: Sendable {
    /// Replays that may wait, the one under way included.
    package static let capacity = 16
    /// Records that the broker may owe an answer for.
    package static let window = 5
    /// Between two records on the average: 500 a second.
    package static let interval = Duration.milliseconds(2)

    /// A replay that waits or is under way.
    package struct Job: Equatable, Sendable {
        /// Given out by the lane: 1, 2, 3, ...
        package let id: UInt64
        /// What is wanted.
        package let request: ReplayRequest
        /// Where the log is read on; nil before the first look.
        package var position: UInt64?
    }

    private var jobs: [Job] = []
    private var lastID: UInt64 = 0

    // Of the first job.
    private var waiting: ArraySlice<OutgoingRecord> = []
    /// Sent and not answered, by cursor.
    private var inFlight: [UInt64: OutgoingRecord] = [:]
    private var outcome = ReplayOutcome(ending: .complete)
    /// The number that the next record has, unless the log lacks it.
    private var expected: UInt64 = 0
    private var isRead = false

    private var window = 0
    private var pace = SendingPace(interval: Self.interval)

    package init() {}

    // MARK: Jobs

    /// Takes a replay; nil when too many wait already.
    package mutating func add(_ request: ReplayRequest) -> UInt64? {
        guard jobs.count < Self.capacity else { return nil }
        lastID += 1
        jobs.append(Job(id: lastID, request: request))
        if jobs.count == 1 { begin() }
        return lastID
    }

    /// The first replay, if all of it is settled; the next one begins.
    package mutating func takeFinished() -> (id: UInt64, outcome: ReplayOutcome)? {
        guard let job = jobs.first, isRead, waiting.isEmpty, inFlight.isEmpty else { return nil }
        if outcome.ending == .complete { noteGone(through: outcome.lastSequence) }
        return (job.id, remove())
    }

    /// Gives up: every replay that is not finished, with what it came to.
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

    /// Ends the first job early; whatever the broker still answers for it is ignored.
    private mutating func fail(_ ending: ReplayOutcome.Ending) {
        outcome.ending = ending
        outcome.gone = []
        isRead = true
        waiting = []
        inFlight = [:]
    }

    // MARK: Connection

    /// - Parameter window: how many answers the broker is willing to owe, all messages together.
    package mutating func connected(window: Int) { self.window = min(Self.window, window) }

    /// What was on its way is sent once more on the next connection.
    package mutating func disconnected() {
        window = 0
        waiting = (inFlight.values.sorted { $0.cursor < $1.cursor } + waiting)[...]
        inFlight = [:]
    }

    // MARK: Records

    /// The replay that the log should be read on for; nil when it need not.
    package var wantsRecords: Job? { window > 0 && waiting.isEmpty && !isRead ? jobs.first : nil }

    /// Takes what the log holds; ignored when `job` has ended or moved on meanwhile.
    package mutating func supply(_ batch: ReplayBatch, for job: Job) {
        guard job == jobs.first, waiting.isEmpty, !isRead else { return }
        outcome.lastSequence = batch.lastSequence
        if batch.isUnreadable { return fail(.unreadable) }
        for record in batch.records where record.sequence >= expected {
            noteGone(through: record.sequence - 1)
            expected = record.sequence + 1
            waiting.append(record)
        }
        isRead = batch.through == nil
        jobs[0].position = batch.through
    }

    /// The numbers from `expected` to `sequence` are not in the log.
    private mutating func noteGone(through sequence: UInt64) {
        guard let range = jobs.first?.request.sequences else { return }
        let last = min(sequence, range.upperBound)
        if expected <= last { outcome.gone.append(expected...last) }
    }

    /// The record to be published now, if any; it counts as sent.
    package mutating func next(at now: BootInstant) -> OutgoingRecord? {
        guard inFlight.count < window, now >= pace.earliest, let record = waiting.popFirst() else {
            return nil
        }
        inFlight[record.cursor] = record
        pace.spend(at: now)
        return record
    }

    /// When `next` has a record again without any further answer; nil when it waits for one.
    package var nextDue: BootInstant? {
        inFlight.count < window && !waiting.isEmpty ? pace.earliest : nil
    }

    /// The broker ends the connection over this stream: a replay of it ends.
    package mutating func refuse(_ stream: StreamID) {
        guard jobs.first?.request.stream == stream else { return }
        fail(.brokerRefused(reason: PublishReason.notAuthorized))
    }

    /// The record is longer than the broker takes, and counts as gone.
    package mutating func passOver(_ record: OutgoingRecord) {
        guard inFlight.removeValue(forKey: record.cursor) != nil else { return }
        let place = outcome.gone.firstIndex { $0.lowerBound > record.sequence }
        outcome.gone.insert(
            record.sequence...record.sequence, at: place ?? outcome.gone.endIndex)
    }

    /// The broker answered for a record; an answer that nothing waits for is ignored.
    package mutating func settle(_ record: OutgoingRecord, reason: UInt8) {
        guard inFlight.removeValue(forKey: record.cursor) != nil else { return }
        if reason >= 0x80 { return fail(.brokerRefused(reason: reason)) }
        outcome.published += 1
        if reason == PublishReason.noSubscribers { outcome.unsubscribed += 1 }
    }
}
