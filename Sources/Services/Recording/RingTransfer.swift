import Contract
import RingLog

/// Brings the records of one ring behind those of another, in order.
///
/// Positions change on the way, so what names them is brought along: the cursor, and where open
/// sessions begin. Confined to the log queue.
final class RingTransfer {
    private let target: LogWriter
    private let device: any BlockDevice
    private let isSameRecorder: Bool
    /// What the target's segments open with: as of the last record that was brought.
    private var state: RecorderState
    /// Unpublished records for which there was no room, or that were damaged.
    private(set) var losses: UndeclaredLosses
    private let begin: LogPosition
    /// The first record of each segment of the source, and where the target had come to by then.
    private var places: [(source: LogPosition, target: LogPosition)] = []
    private var segment: UInt64?
    private var failure: RingLogError?

    /// - Parameters:
    ///   - target: gets the records; only this transfer writes to it.
    ///   - device: what `target` writes to.
    ///   - state: as it was before the first record that will be brought, if `isSameRecorder`; else
    ///     the target's own.
    ///   - isSameRecorder: whether the target has no records but those that are brought. Otherwise
    ///     its numbers belong to another epoch: the states among the records stay behind, so that a
    ///     death in between goes on from the target's own.
    init(
        into target: LogWriter, on device: any BlockDevice, state: RecorderState,
        isSameRecorder: Bool
    ) {
        (self.target, self.device, self.state) = (target, device, state)
        self.isSameRecorder = isSameRecorder
        losses = UndeclaredLosses(undeclared: state.undeclared)
        begin = target.end
        target.snapshot = { [unowned self] in self.state.declaring(self.losses).encode() }
        target.willOverwrite = { [unowned self] in willOverwrite($0) }
    }

    /// Unpublished records of `source` that do not come along.
    func leave(_ positions: Range<LogPosition>, of source: any BlockDevice) throws(RingLogError) {
        guard !positions.isEmpty else { return }
        try losses.addMessages(in: positions, of: source)
    }

    private func willOverwrite(_ positions: Range<LogPosition>) {
        do throws(RingLogError) {
            try losses.addMessages(in: positions, of: device)
        } catch {
            // Within an append, which is no place to throw: `bring` does.
            failure = error
        }
    }

    /// Brings what `source` holds from `start` on, and makes it durable.
    ///
    /// - Parameters:
    ///   - cursor: where the unpublished records of the source begin.
    ///   - last: the state of the source behind its last record.
    ///   - progress: called with each record.
    func bring(
        _ source: any BlockDevice, from start: LogPosition, unpublishedFrom cursor: LogPosition,
        through last: RecorderState, progress: (LogPosition) -> Void = { _ in }
    ) throws(RingLogError) {
        // What the target has not published comes first, and the source's with it once more.
        let movesCursor = isSameRecorder || state.backlog == 0
        var reader = try LogReader(device: source, from: start)
        while let item = try reader.next() {
            switch item {
            case .gap(let gap):
                guard isSameRecorder, gap.reason == .damaged, gap.range.upperBound > cursor else {
                    continue
                }
                losses.metDamage(gap.range, last: state.lastNumbers)
            case .record(let record):
                let isPublished = record.position < cursor
                notePlace(record.position, segmentSize: reader.geometry.segmentSize)
                try bring(record, isPublished: isPublished)
                if isPublished, movesCursor { target.consumed = target.end }
                if let failure { throw failure }
                progress(record.position)
            }
        }
        losses.reachedEnd { last.upcoming($0) }
        try target.commit(cursor: true)
    }

    private func notePlace(_ position: LogPosition, segmentSize: Int) {
        let segment = position.rawValue / UInt64(segmentSize)
        if segment != self.segment { places.append((position, target.end)) }
        self.segment = segment
    }

    private func bring(_ record: LogRecord, isPublished: Bool) throws(RingLogError) {
        switch record.kind {
        case RingRecordKind.state:
            guard isSameRecorder, let newer = RecorderState(decoding: record.bytes) else { return }
            let moved = relocated(state.replaced(by: newer))
            try target.append(kind: record.kind, bytes: moved.encode())
            state = moved
        case RingRecordKind.entry:
            try target.append(kind: record.kind, bytes: record.bytes)
            // An entry that does not decode is a later version's, and is brought all the same.
            guard let entry = try? RingEntry.decode(record.bytes) else { return }
            state.observe(entry, isAcknowledged: isPublished)
            guard case .message(let message) = entry else { return }
            losses.read(
                StreamID(station: message.station, kind: message.kind), message.sequence)
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
