import Contract
import Timeline

/// Decides which record may be sent now, and up to which cursor the broker has all records.
///
/// A pure state machine. It reads the log in order; at most `window` records are unacknowledged at
/// a time, each identified by its cursor. If the broker rejects a record, its stream waits: that
/// record is retried with a growing delay while all other streams continue. Once it is accepted,
/// the stream's later records are read from the log again. So the order within a stream is
/// preserved, a stream that an ACL denies does not block the others, and memory is bounded by the
/// window and the number of streams, however long a broker is away or rejects records.
///
/// Positions are cursors of the log. Records up to `readPosition` were read. A record is *settled*
/// once the broker accepted it, or if it has no subscriber and need not be held; until then it
/// waits, is in flight, or is rejected. Every record up to `acknowledged` is settled, and the log
/// may drop it.
package struct PublishQueue: Sendable {
    /// A record to be published now.
    package struct Transmission: Equatable, Sendable {
        /// The record to publish.
        package var record: OutgoingRecord
        /// Recorded before this connection began.
        package var isHistorical: Bool
    }

    /// Totals since the start.
    package struct Counts: Equatable, Sendable {
        /// Accepted by the broker, for at least one subscriber as far as reported.
        package var published: UInt64 = 0
        /// Rejected with a reason of 0x80 or more; counts each attempt.
        package var rejected: UInt64 = 0
        /// Accepted or held with reason 0x10: no subscriber.
        package var unsubscribed: UInt64 = 0
        /// Longer than the broker accepts: skipped.
        package var tooLong: UInt64 = 0
    }

    /// The first and the longest delay before a rejected record is retried.
    private static let retryDelays = Duration.seconds(1)...Duration.seconds(60)

    private struct Refusal {
        var record: OutgoingRecord
        var backoff = ExponentialBackoff(PublishQueue.retryDelays)
        var retry: BootInstant
        /// Not retried before `unpark`.
        var isParked = false
    }

    private struct Stream {
        /// Every record up to this cursor is settled.
        var settled: UInt64?
        /// Settled records behind an unsettled one.
        var ahead: Set<UInt64> = []
        /// The first rejected record; nothing after it is sent.
        var refusal: Refusal?
    }

    /// Records read and not sent, in log order; at most one batch.
    private var waiting: ArraySlice<OutgoingRecord> = []
    /// Sent and not acknowledged, by cursor; at most `window`.
    private var inFlight: [UInt64: StreamID] = [:]
    private var streams: [StreamID: Stream] = [:]
    private var nextSequences: [StreamID: UInt64] = [:]
    private var window = 0
    /// How often the log has grown.
    private(set) var growth = 0
    /// Whether the log had nothing after `readPosition` when it was last read.
    private var isExhausted = false
    private let holdsUnsubscribed: Bool
    /// Pace of records from before the connection; nil for no limit.
    private var pace: SendingPace?

    package private(set) var counts = Counts()
    /// Where reading continues; nil before the first record.
    package private(set) var readPosition: UInt64?
    /// Everything up to this cursor is settled; nil until something is.
    package private(set) var acknowledged: UInt64?

    /// - Parameters:
    ///   - holdsUnsubscribed: whether a record without a subscriber counts as rejected.
    ///   - backlogInterval: average time between two records from before the connection.
    package init(holdsUnsubscribed: Bool, backlogInterval: Duration? = nil) {
        self.holdsUnsubscribed = holdsUnsubscribed
        pace = backlogInterval.map { SendingPace(interval: $0) }
    }

    /// Whether more of the log should be read.
    package var wantsRecords: Bool { window > 0 && waiting.isEmpty && !isExhausted }

    // MARK: Connection

    /// Notes that a connection exists and its birth is published.
    ///
    /// - Parameters:
    ///   - window: maximum number of unacknowledged records.
    ///   - nextSequences: `next_seq` of that birth; a record below it is historical.
    package mutating func connected(
        window: Int, nextSequences: [StreamID: UInt64], at now: BootInstant
    ) {
        precondition(window > 0, "a window holds at least one record")
        self.window = window
        self.nextSequences = nextSequences
        // Permissions and subscribers may have changed, so rejected records are tried again.
        for (stream, state) in streams where state.refusal?.isParked == false {
            streams[stream]?.refusal?.retry = now
        }
    }

    /// Notes the end of the connection: unacknowledged records will be read and sent again, in
    /// order.
    package mutating func disconnected() {
        // Without rejected records that are being retried: each is in its stream's `refusal`.
        let unacknowledged = inFlight.filter { streams[$0.value]?.refusal?.record.cursor != $0.key }
        rewind(to: unacknowledged.keys.min() ?? .max)
        for (cursor, stream) in unacknowledged {
            // Reading goes back to an earlier record of the stream, so the record that the broker rejected
            // is read again after it.
            if let refusal = streams[stream]?.refusal, cursor < refusal.record.cursor {
                streams[stream]?.refusal = nil
            }
        }
        inFlight = [:]
        window = 0
    }

    // MARK: Records

    /// Notes that the log has grown since it was last read.
    package mutating func recordsAppended() {
        growth += 1
        isExhausted = false
    }

    /// Adds the records of the log after `position`; ignored if reading has moved meanwhile.
    ///
    /// - Parameter growth: the value when reading began, if it takes time: the batch may lack later
    ///   records.
    package mutating func supply(
        _ batch: RecordBatch, after position: UInt64?, growth: Int? = nil
    ) {
        guard position == readPosition, waiting.isEmpty else { return }
        waiting = batch.records.filter { !isHandled($0) }[...]
        isExhausted = batch.through == nil && growth ?? self.growth == self.growth
        if let through = batch.through { readPosition = through }
        advance()
    }

    /// Returns the record to publish now, if any; it counts as sent.
    package mutating func next(at now: BootInstant) -> Transmission? {
        guard inFlight.count < window else { return nil }
        if let retried = dueRetry(at: now) { return send(retried) }
        while let record = waiting.first {
            if isHandled(record) {
                waiting.removeFirst()
            } else {
                if isHistorical(record) {
                    if let pace, now < pace.earliest { return nil }
                    pace?.spend(at: now)
                }
                waiting.removeFirst()
                return send(record)
            }
        }
        advance()
        return nil
    }

    private func isHistorical(_ record: OutgoingRecord) -> Bool {
        record.sequence < nextSequences[record.stream] ?? 0
    }

    /// Handles the acknowledgement of a record; ignores unexpected ones.
    package mutating func settle(_ record: OutgoingRecord, reason: UInt8, at now: BootInstant) {
        guard let stream = inFlight.removeValue(forKey: record.cursor) else { return }
        if reason >= 0x80 { counts.rejected += 1 }
        if reason == PublishReason.noSubscribers { counts.unsubscribed += 1 }
        let held = reason == PublishReason.noSubscribers && holdsUnsubscribed
        if reason >= 0x80 || held {
            refused(record, at: now)
        } else {
            if reason != PublishReason.noSubscribers { counts.published += 1 }
            accepted(record.cursor, of: stream)
        }
        advance()
    }

    /// Skips a record that is longer than the broker accepts: its stream continues.
    package mutating func skip(_ record: OutgoingRecord) {
        guard let stream = inFlight.removeValue(forKey: record.cursor) else { return }
        counts.tooLong += 1
        accepted(record.cursor, of: stream)
        advance()
    }

    /// Parks a record over which the broker ends the connection: its stream waits until `unpark`.
    package mutating func park(_ record: OutgoingRecord, at now: BootInstant) {
        guard inFlight[record.cursor] != nil else { return }
        refused(record, at: now)
        streams[record.stream]?.refusal?.isParked = true
    }

    /// Retries the stream.
    package mutating func unpark(_ stream: StreamID, at now: BootInstant) {
        guard streams[stream]?.refusal?.isParked == true else { return }
        streams[stream]?.refusal?.isParked = false
        streams[stream]?.refusal?.retry = now
    }

    /// Whether there may be something to send besides rejected records.
    package var hasMore: Bool { !waiting.isEmpty || !isExhausted }

    /// When something can be sent again without an acknowledgement: a rejected record, or the next
    /// of the backlog; nil if nothing can.
    package var nextDue: BootInstant? {
        let retry = streams.values.compactMap(\.refusal)
            .filter { !$0.isParked && inFlight[$0.record.cursor] == nil }.map(\.retry).min()
        guard let pace, inFlight.count < window, !waiting.isEmpty else { return retry }
        return retry.map { min($0, pace.earliest) } ?? pace.earliest
    }

    // MARK: Settled records

    private mutating func send(_ record: OutgoingRecord) -> Transmission {
        inFlight[record.cursor] = record.stream
        return Transmission(record: record, isHistorical: isHistorical(record))
    }

    private func dueRetry(at now: BootInstant) -> OutgoingRecord? {
        streams.values.compactMap(\.refusal)
            .filter { !$0.isParked && $0.retry <= now && inFlight[$0.record.cursor] == nil }
            .map(\.record).min { $0.cursor < $1.cursor }
    }

    /// Whether a read record need not be queued: settled, in flight, or behind a rejected one (then
    /// it is read again later).
    private func isHandled(_ record: OutgoingRecord) -> Bool {
        guard inFlight[record.cursor] == nil else { return true }
        guard let stream = streams[record.stream] else { return false }
        if let settled = stream.settled, record.cursor <= settled { return true }
        if let refusal = stream.refusal, record.cursor >= refusal.record.cursor { return true }
        return stream.ahead.contains(record.cursor)
    }

    private mutating func refused(_ record: OutgoingRecord, at now: BootInstant) {
        var stream = streams[record.stream] ?? Stream()
        var refusal = stream.refusal ?? Refusal(record: record, retry: now)
        // An earlier record of the stream replaces it; a later one is read again in its turn.
        if record.cursor < refusal.record.cursor { refusal.record = record }
        if record.cursor == refusal.record.cursor {
            refusal.retry = now.advanced(by: refusal.backoff.next())
        }
        stream.refusal = refusal
        streams[record.stream] = stream
    }

    private mutating func accepted(_ cursor: UInt64, of id: StreamID) {
        var stream = streams[id] ?? Stream()
        stream.ahead.insert(cursor)
        if stream.refusal?.record.cursor == cursor {
            stream.refusal = nil
            rewind(to: cursor + 1)
        }
        // Everything below the first cursor that may still be sent is settled: one in flight or
        // rejected, one in the queue, or the next one to be read. Before the first read that is
        // all.
        let open =
            [
                inFlight.filter { $0.value == id }.keys.min(), stream.refusal?.record.cursor,
                waiting.first?.cursor, readPosition.map { $0 + 1 } ?? 0,
            ].compactMap { $0 }.min() ?? 0
        if let newest = stream.ahead.filter({ $0 < open }).max() {
            stream.settled = max(newest, stream.settled ?? 0)
            stream.ahead = stream.ahead.filter { $0 > newest }
        }
        streams[id] = stream
    }

    /// Empties the queue, and rereads all records from `cursor` on.
    private mutating func rewind(to cursor: UInt64) {
        let first = min(cursor, waiting.first?.cursor ?? cursor)
        waiting = []
        guard let position = readPosition, position >= first else { return }
        isExhausted = false
        readPosition = first == 0 ? nil : first - 1
    }

    /// Moves `acknowledged` up to the record before the first unsettled one.
    private mutating func advance() {
        let refusals = streams.values.compactMap { $0.refusal?.record.cursor }
        let open = [inFlight.keys.min(), waiting.first?.cursor, refusals.min()].compactMap { $0 }
        guard var end = readPosition else { return }
        if let first = open.min() {
            guard first > 0 else { return }
            end = min(end, first - 1)
        }
        acknowledged = max(end, acknowledged ?? end)
    }
}

/// Relevant MQTT 5 reason codes of a PUBACK (OASIS MQTT 5.0, table 3-4).
package enum PublishReason {
    /// Accepted without a subscriber. A 3.1.1 broker cannot report this.
    package static let noSubscribers: UInt8 = 0x10
    package static let unspecified: UInt8 = 0x80
    package static let notAuthorized: UInt8 = 0x87
}
