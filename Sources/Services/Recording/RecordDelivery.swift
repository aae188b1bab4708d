import Contract
import HostRuntime
import RingLog

/// What the publisher reads from the ring, and what it has not had acknowledged.
///
/// Of the positions of a stream (RecordLife.md) it owns the published one: records from the
/// cursor that the ring stores up to the last one in `inFlight`. Confined to the log queue.
final class RecordDelivery {
    /// A record that the publisher was given and that no broker has acknowledged.
    struct InFlight {
        var position: LogPosition
        var stream: StreamID
        var sequence: UInt64
        var unixMilliseconds: UInt64
    }

    private let reader = ResumableReader()
    /// In log order; at most a batch and the publisher's window.
    private var inFlight: [InFlight] = []
    /// Records that are gone before a broker had them.
    private(set) var losses: UndeclaredLosses
    /// What cursors are ahead of positions since another ring took the place of the first: in one
    /// ring they are the same, and cursors only grow.
    private var offset: UInt64 = 0
    /// Cursors up to this one are of a ring that is not in use any more.
    private var expired: UInt64?
    /// What the ring overwrites next, as far as the broker does not have it, and whether the reader
    /// is looking that up.
    var doomed: DoomedMessages?
    var isLookingAhead = false
    private let log: SystemLog

    init(losses: UndeclaredLosses, log: SystemLog) { (self.losses, self.log) = (losses, log) }

    func cursor(at position: LogPosition) -> UInt64 { position.rawValue &+ offset }

    /// Behind the entry at `cursor`; nil if that was in another ring.
    func position(behind cursor: UInt64) -> LogPosition? {
        if let expired, cursor <= expired { return nil }
        return LogPosition(rawValue: cursor &- offset + 1)
    }

    /// When the oldest record in flight was recorded; nil when there is none.
    var oldestUnixMilliseconds: UInt64? { inFlight.first?.unixMilliseconds }

    // MARK: - Reading

    /// At most `limit` records from `start` on, which is near the end.
    func read(
        _ ring: LogView, from start: LogPosition, limit: Int, _ state: RecorderState
    ) throws(RingLogError) -> RecordBatch {
        deliver(try reader.stretch(from: start, in: ring, messages: limit), state)
    }

    /// What was read, as the publisher gets it.
    func deliver(_ stretch: RingStretch, _ state: RecorderState) -> RecordBatch {
        var batch = RecordBatch(records: [], through: stretch.last.map(cursor))
        for item in stretch.items {
            switch item {
            case .gap(let gap): meet(gap, state)
            case .message(let message, let position):
                if let message = take(message, at: position) {
                    batch.records.append(OutgoingRecord(message, cursor: cursor(at: position)))
                }
            }
        }
        if stretch.isAtEnd { losses.reachedEnd { state.upcoming($0) } }
        return batch
    }

    /// The record if it is to be published; an erased one is declared instead, once.
    private func take(_ message: DurableMessage, at position: LogPosition) -> DurableMessage? {
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

    /// Damage before the publisher had what was there: which numbers that were will show.
    private func meet(_ gap: LogGap, _ state: RecorderState) {
        log.warning(
            "unreadable from byte \(gap.range.lowerBound) to \(gap.range.upperBound)",
            event: .ringDamaged)
        guard gap.reason == .damaged else { return }
        var last = state.lastAcknowledged
        for record in inFlight where record.position < gap.range.lowerBound {
            last[record.stream] = max(last[record.stream] ?? 0, record.sequence)
        }
        losses.metDamage(gap.range, last: last)
    }

    /// The broker has everything before `position`; returns which records that were.
    func acknowledged(before position: LogPosition) -> [InFlight] {
        let done = inFlight.prefix { $0.position < position }
        defer { inFlight.removeFirst(done.count) }
        return Array(done)
    }

    /// What was read ahead is out of date.
    func forgetReader() {
        reader.forget()
        doomed = nil
    }

    /// From now on another ring is read, from `consumed` on; the old one ended at `end`.
    func changeRing(end: LogPosition, consumed: LogPosition, losses: UndeclaredLosses) {
        forgetReader()
        inFlight = []
        let last = cursor(at: end)
        expired = last
        offset = last &+ 1 &- consumed.rawValue
        self.losses.add(losses)
    }

    // MARK: - Losses

    /// A record that the ring did not take.
    func lost(kind: UInt8, _ bytes: [UInt8]) { losses.add(kind: kind, bytes, reason: .unreadable) }

    /// Records that are about to be overwritten, to be declared by number: what the reader has not
    /// looked up is read now.
    ///
    /// Called by the ring within an append, which is no time to append the declaration.
    func lost(_ positions: Range<LogPosition>, of ring: LogView) {
        if let doomed, doomed.covers(positions, of: ring.device) {
            return losses.addMessages(in: positions, of: doomed)
        }
        do throws(RingLogError) {
            try losses.addMessages(in: positions, of: ring)
        } catch {
            log.error("what the full ring dropped could not be read: \(error)")
        }
    }

    /// Everything that is to be declared now.
    func takeLosses() -> [(loss: UndeclaredLosses.Loss, sequences: ClosedRange<UInt64>)] {
        losses.take()
    }
}

extension DurableMessage {
    var stream: StreamID { StreamID(station: station, kind: kind) }

    /// The message that an entry of the ring is or was, if it is one.
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
