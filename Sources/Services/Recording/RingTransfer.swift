import Contract
import RingLog

/// Brings the records of one ring behind those of another, in order.
///
/// Positions change on the way, so what names them is brought along: the cursor, and where open
/// sessions begin. Confined to the queue of whoever brings them.
final class RingTransfer {
    private let target: LogWriter
    private let isSameRecorder: Bool
    /// What the target's segments open with: as of the last record that was brought.
    private var state: RecorderState
    /// Of each stream of another recorder, the last number that the broker has, or that was brought.
    private var known: [StreamID: UInt64]
    /// Unpublished records for which there was no room, or that were damaged.
    private(set) var losses: UndeclaredLosses
    private let begin: LogPosition
    /// The first record of each segment of the source, and where the target had come to by then.
    private var places: [(source: LogPosition, target: LogPosition)] = []
    private var segment: UInt64?
    private var failure: RingLogError?

    /// - Parameters:
    ///   - target: gets the records; only this transfer writes to it.
    ///   - state: as it was before the first record that will be brought, if `isSameRecorder`; else
    ///     the target's own.
    ///   - acknowledged: of each stream of the source, if it is not `isSameRecorder`.
    ///   - isSameRecorder: whether the target has no records but those that are brought. Otherwise
    ///     its numbers belong to another epoch: the states among the records stay behind, so that a
    ///     death in between goes on from the target's own.
    init(
        into target: LogWriter, state: RecorderState, acknowledged: [StreamID: UInt64] = [:],
        isSameRecorder: Bool
    ) {
        (self.target, self.state, known) = (target, state, acknowledged)
        self.isSameRecorder = isSameRecorder
        losses = UndeclaredLosses(undeclared: state.undeclared)
        begin = target.end
        target.snapshot = { [unowned self] in self.state.declaring(self.losses).encode() }
        target.willOverwrite = { [unowned self] in willOverwrite($0) }
    }

    /// Unpublished records of `source` that do not come along.
    func leave(_ positions: Range<LogPosition>, of source: LogView) throws(RingLogError) {
        guard !positions.isEmpty else { return }
        try losses.addMessages(in: positions, of: source)
    }

    private func willOverwrite(_ positions: Range<LogPosition>) {
        do throws(RingLogError) {
            try losses.addMessages(in: positions, of: target.view)
        } catch {
            // Within an append, which is no place to throw: `bring` does.
            failure = error
        }
    }

    /// Brings what `source` holds from `start` on, at most `limit` records of it.
    ///
    /// - Parameters:
    ///   - cursor: where the unpublished records of the source begin.
    ///   - progress: called with each record.
    /// - Returns: where to go on.
    func bring(
        _ source: LogView, from start: LogPosition, unpublishedFrom cursor: LogPosition,
        limit: Int = .max, progress: (LogPosition) -> Void = { _ in }
    ) throws(RingLogError) -> LogPosition {
        // What the target has not published comes first, and the source's with it once more.
        let movesCursor = isSameRecorder || state.backlog == 0
        var reader = try source.reader(from: start)
        var (next, count) = (start, 0)
        while count < limit {
            switch try reader.next() {
            case nil:
                // Where nothing behind can be read either, the reader knows of no damage.
                if max(next, reader.position) < source.end { meetDamage(next..<source.end, cursor) }
                return max(next, source.end)
            case .gap(let gap)?:
                if gap.reason == .damaged { meetDamage(gap.range, cursor) }
                next = max(next, gap.range.upperBound)
            case .record(let record)?:
                let isPublished = record.position < cursor
                notePlace(record.position, segmentSize: reader.geometry.segmentSize)
                try bring(record, isPublished: isPublished)
                if isPublished, movesCursor { target.consumed = target.end }
                if let failure { throw failure }
                progress(record.position)
                (next, count) = (record.next, count + 1)
            }
        }
        return next
    }

    private func meetDamage(_ range: Range<LogPosition>, _ cursor: LogPosition) {
        guard range.upperBound > cursor else { return }
        losses.metDamage(range, last: isSameRecorder ? state.lastNumbers : known)
    }

    /// Everything was brought; makes it durable.
    ///
    /// - Parameter last: the state of the source behind its last record.
    func finish(through last: RecorderState) throws(RingLogError) {
        losses.reachedEnd { last.upcoming($0) }
        try commit()
    }

    /// Makes durable what was brought so far.
    func commit() throws(RingLogError) { try target.commit(cursor: true) }

    private func notePlace(_ position: LogPosition, segmentSize: Int) {
        let segment = position.rawValue / UInt64(segmentSize)
        if segment != self.segment { places.append((position, target.end)) }
        self.segment = segment
    }

    private func bring(_ record: LogRecord, isPublished: Bool) throws(RingLogError) {
        switch record.kind {
        case RingRecordKind.state:
            guard isSameRecorder, let newer = RecorderState(decoding: record.bytes) else { return }
            // What is brought holds all that was promised.
            let moved = relocated(state.replaced(by: newer)).withoutPromises
            try target.append(kind: record.kind, bytes: moved.encode())
            state = moved
        case RingRecordKind.entry:
            try target.append(kind: record.kind, bytes: record.bytes)
            // An entry that does not decode is a later version's, and is brought all the same.
            guard let entry = try? RingEntry.decode(record.bytes) else { return }
            state.observe(entry, isAcknowledged: isPublished)
            guard case .message(let message) = entry else { return }
            losses.read(message.stream, message.sequence)
            known[message.stream] = max(known[message.stream] ?? 0, message.sequence)
        default: try target.append(kind: record.kind, bytes: record.bytes)
        }
    }

    /// A state of the source, as it is in the target.
    func relocated(_ state: RecorderState) -> RecorderState {
        var state = state
        for station in state.streams.keys {
            guard let position = state.streams[station]?.open?.position else { continue }
            state.streams[station]?.open?.position = relocated(position)
        }
        for index in state.ended.indices {
            state.ended[index].begun.position = relocated(state.ended[index].begun.position)
        }
        return state
    }

    private func relocated(_ position: UInt64) -> UInt64 {
        (places.last { $0.source.rawValue <= position }?.target ?? begin).rawValue
    }
}

/// A ring that came back, or a new one where the old is lost, and what brings the records of the one
/// in use behind its own.
///
/// Of the reader's queue until all is brought that is not near, then of the log queue.
final class RingJoint: @unchecked Sendable {
    let found: RingStorage
    /// The found ring's own state.
    let theirs: RecorderState
    let transfer: RingTransfer

    /// - Parameter acknowledged: of each stream of the ring in use.
    init(
        _ found: RingStorage, _ theirs: RecorderState, acknowledged: [StreamID: UInt64]
    ) {
        (self.found, self.theirs) = (found, theirs)
        transfer = RingTransfer(
            into: found.writer, state: theirs, acknowledged: acknowledged, isSameRecorder: false)
    }
}
