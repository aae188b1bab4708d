import Contract
import HostRuntime
import RingLog

/// Reads records behind the publisher's cursor, and tracks which of them are not acknowledged.
///
/// Of the positions of a stream (RecordLife.md) it owns the published one: the records from the
/// ring's cursor to the last one in `inFlight`. Confined to the log queue.
final class RecordCursorReader {
    /// A record that was passed to the publisher and is not acknowledged by any broker.
    struct InFlight {
        var position: LogPosition
        var stream: StreamID
        var sequence: UInt64
        var unixMilliseconds: UInt64
    }

    private let reader = ResumableReader()
    /// In log order; at most a batch and the publisher's window.
    private var inFlight: [InFlight] = []
    /// Records that were lost before a broker received them.
    private(set) var losses: UndeclaredLosses
    /// Difference between cursors and positions since another ring replaced the first. Within one
    /// ring both are equal, and cursors only grow.
    private var offset: UInt64 = 0
    /// Cursors up to this value belong to a ring that is no longer used.
    private var expired: UInt64?
    /// Unacknowledged records that the ring overwrites next, and whether the reader is looking them
    /// up.
    private var upcomingOverwrites: UpcomingOverwrites?
    private var isLookingAhead = false
    private let log: SystemLog

    init(losses: UndeclaredLosses, log: SystemLog) { (self.losses, self.log) = (losses, log) }

    func cursor(at position: LogPosition) -> UInt64 { position.rawValue &+ offset }

    /// Returns the position behind the entry at `cursor`; nil if that was in another ring.
    func position(behind cursor: UInt64) -> LogPosition? {
        if let expired, cursor <= expired { return nil }
        return LogPosition(rawValue: cursor &- offset + 1)
    }

    /// When the oldest record in flight was recorded; nil without one.
    var oldestUnixMilliseconds: UInt64? { inFlight.first?.unixMilliseconds }

    // MARK: - Reading

    /// Reads at most `limit` records from `start` on, which is near the end.
    func read(
        _ ring: LogView, from start: LogPosition, limit: Int, _ state: RecorderState
    ) throws(RingLogError) -> RecordBatch {
        makeBatch(try reader.stretch(from: start, in: ring, messages: limit), state)
    }

    /// Converts a stretch of the ring into a batch for the publisher.
    func makeBatch(_ stretch: RingStretch, _ state: RecorderState) -> RecordBatch {
        var batch = RecordBatch(records: [], through: stretch.last.map(cursor))
        for item in stretch.items {
            switch item {
            case .gap(let gap): handle(gap, state)
            case .message(let message, let position):
                if let message = accept(message, at: position) {
                    batch.records.append(OutgoingRecord(message, cursor: cursor(at: position)))
                }
            }
        }
        if stretch.isAtEnd { losses.reachedEnd { state.upcoming($0) } }
        return batch
    }

    /// Returns the record if it must be published; an erased record is declared once instead.
    private func accept(_ message: DurableMessage, at position: LogPosition) -> DurableMessage? {
        losses.read(message.stream, message.sequence)
        // The publisher may read a record several times.
        let isNew = position > inFlight.last?.position ?? .zero
        if isNew {
            inFlight.append(
                InFlight(
                    position: position, stream: message.stream, sequence: message.sequence,
                    unixMilliseconds: message.unixMilliseconds))
        }
        guard message.isErased else { return message }
        if isNew {
            losses.add(
                message.sequence...message.sequence, .init(stream: message.stream, reason: .erased))
        }
        return nil
    }

    /// Handles damage in unpublished records: the missing numbers become known later.
    private func handle(_ gap: LogGap, _ state: RecorderState) {
        log.warning(
            "unreadable from byte \(gap.range.lowerBound) to \(gap.range.upperBound)",
            event: .ringDamaged)
        guard gap.reason == .damaged else { return }
        var last = state.lastAcknowledged
        for record in inFlight where record.position < gap.range.lowerBound {
            last[record.stream] = max(last[record.stream] ?? 0, record.sequence)
        }
        losses.noteDamage(gap.range, last: last)
    }

    /// Notes that the broker has everything before `position`; returns the records acknowledged by
    /// this.
    func acknowledged(before position: LogPosition) -> [InFlight] {
        let done = inFlight.prefix { $0.position < position }
        defer { inFlight.removeFirst(done.count) }
        return Array(done)
    }

    /// Drops data read ahead, which is outdated.
    func forgetReader() {
        reader.forget()
        upcomingOverwrites = nil
    }

    /// Switches to another ring, read from `consumed` on; the old one ended at `end`.
    func changeRing(end: LogPosition, consumed: LogPosition, losses: UndeclaredLosses) {
        forgetReader()
        inFlight = []
        let last = cursor(at: end)
        expired = last
        offset = last &+ 1 &- consumed.rawValue
        self.losses.add(losses)
    }

    // MARK: - Losses

    /// Begins to look up the unacknowledged records that the ring overwrites next; `endLookAhead` follows.
    /// Returns false if they are known, and while a look-up is running.
    func beginLookAhead(of range: Range<LogPosition>) -> Bool {
        guard upcomingOverwrites?.range != range, !isLookingAhead else { return false }
        isLookingAhead = true
        return true
    }

    func endLookAhead(_ found: UpcomingOverwrites?) {
        upcomingOverwrites = found
        isLookingAhead = false
    }

    /// Declares a record that the ring did not accept.
    func lost(kind: UInt8, _ bytes: [UInt8]) { losses.add(kind: kind, bytes, reason: .unreadable) }

    /// Declares records that are about to be overwritten, by number; reads them unless they were looked up
    /// before.
    ///
    /// The ring calls this within an append, so the declaration cannot be appended here.
    func lost(_ positions: Range<LogPosition>, of ring: LogView) {
        if let upcomingOverwrites, upcomingOverwrites.covers(positions, of: ring.device) {
            return losses.addMessages(in: positions, of: upcomingOverwrites)
        }
        do throws(RingLogError) {
            try losses.addMessages(in: positions, of: ring)
        } catch {
            log.error("overwritten records could not be read: \(error)")
        }
    }

    /// Returns the lost records that must be reported to subscribers now, and removes them from the list.
    func drainLosses() -> [(loss: UndeclaredLosses.Loss, sequences: ClosedRange<UInt64>)] {
        losses.drain()
    }
}

extension DurableMessage {
    var stream: StreamID { StreamID(station: station, kind: kind) }

    /// Decodes an entry of the ring that is or was a message.
    init?(stored kind: UInt8, _ bytes: [UInt8]) {
        guard kind == RingRecordKind.entry, RingEntry.isMessage(bytes),
            case .message(let message)? = try? RingEntry.decode(bytes)
        else { return nil }
        self = message
    }

    var session: String? { StoredRecord.text(of: "session_id", in: payload) }
}

extension OutgoingRecord {
    init(_ message: DurableMessage, cursor: UInt64) {
        self.init(
            cursor: cursor, station: message.station, kind: message.kind,
            sequence: message.sequence, payload: message.payload)
    }
}
