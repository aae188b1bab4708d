import Glibc

/// Reads a ring log by position, whether or not it has a writer.
///
/// Confined to the caller's queue. Takes no lock, writes nothing, and sees only flushed
/// records. LogFormat.md describes its guarantees.
package struct LogReader: ~Copyable {
    let ring: RingFile
    let window: LogWindow
    let scratch = PageBuffer(count: LogFormat.pageSize)

    /// The position at which reading continues, behind the last item.
    package internal(set) var position: LogPosition
    /// Number of ranges that did not verify so far.
    package private(set) var damagedRanges = 0
    /// Number of intact records so far, without the log's own.
    package private(set) var recordCount = 0

    /// The newest cursor among the records read so far.
    package private(set) var consumed = LogPosition.zero
    /// Whether the last record is the writer's closing record and no block follows it.
    package internal(set) var endsClosed = false
    /// The end of the last record, or of the last range that is known to be lost.
    var lastEnd = LogPosition.zero

    /// The end of the log, if known: nothing behind it is read.
    package var end: LogPosition? { didSet { window.limit = end } }

    /// Items before this position are skipped: reading starts with the block that holds it.
    private var first: LogPosition
    private var initialGap: LogGap?
    /// The first record of the block being read, and of the last block whose end was fully
    /// searched.
    var block: LogPosition
    var searchedBlock: LogPosition?
    /// Where records behind broken bytes were searched last.
    var searchedEnd: LogPosition?
    var probedSegment: UInt64?
    /// The last header found ahead; no header lies before it.
    var ahead: ResyncPoint?

    /// Starts with the first record at or after `from`, or with the oldest.
    ///
    /// Fails with operation `.recognize` if the device holds no ring, or one of a later format.
    package init(device: any BlockDevice, from: LogPosition? = nil) throws(RingLogError) {
        let copies = try Superblock.readCopies(device)
        guard let superblock = copies.valid, copies.newerVersion == nil else {
            let code = copies.newerVersion == nil ? ENOTSUP : EPROTONOSUPPORT
            throw RingLogError(.recognize, code: code, path: device.path)
        }
        let ring = RingFile(device: device, superblock: superblock)
        let newest = try ring.newestSegment(scratch: PageBuffer(count: LogFormat.pageSize))
        try self.init(ring: ring, newestSegment: newest?.sequence ?? 0, from: from)
    }

    init(ring: RingFile, newestSegment: UInt64, from: LogPosition?) throws(RingLogError) {
        self.ring = ring
        window = LogWindow(ring: ring)
        let geometry = ring.geometry
        let oldest = geometry.oldestSegment(newest: newestSegment)
        first = from ?? .zero
        position = geometry.firstBlock(ofSegment: oldest)
        block = position
        position = try ring.firstBlock(ofSegment: oldest, scratch: scratch)
        block = position
        guard let from else { return }
        if from < geometry.start(ofSegment: oldest) {
            let range = from..<geometry.start(ofSegment: oldest)
            initialGap = LogGap(range: range, reason: .overwritten)
        } else {
            position = try Self.firstRecord(ofBlockWith: from, ring, window)
            block = position
        }
    }

    /// The epoch of the ring, as given at its creation.
    package var epoch: [UInt8] { ring.superblock.epoch }

    /// The geometry with which the ring was created.
    package var geometry: LogGeometry { ring.geometry }

    /// Returns the next record or gap; nil at the end of the log. A later call returns records
    /// flushed since.
    package mutating func next() throws(RingLogError) -> LogItem? {
        if let gap = initialGap {
            initialGap = nil
            return .gap(gap)
        }
        while true {
            if let end, position >= end { return nil }
            if let record = try nextRecord() {
                if record.position >= first { return .record(record) }
            } else if let end, position >= end {
                // Behind the log's own records a search would be long and useless.
                return nil
            } else {
                switch try resync() {
                case .end: return nil
                case .moved: break
                case .gap(let gap):
                    if gap.reason == .damaged { damagedRanges += 1 }
                    if gap.range.upperBound > first {
                        return .gap(gap.clipped(from: first))
                    }
                }
            }
        }
    }

    /// Returns the caller's record at `position`, skipping the log's own; nil where the intact
    /// records end.
    private mutating func nextRecord() throws(RingLogError) -> LogRecord? {
        while let (frame, bytes) = try window.record(at: position) {
            let start = position
            position = position.advanced(by: frame.size)
            lastEnd = position
            let payload = bytes.part(frame.payload)
            endsClosed = frame.kind == LogFormat.closedKind
            if frame.kind == LogFormat.consumedKind, payload.count == 8 {
                // A cursor is never ahead of the log; a record that claims so is not valid.
                let cursor = LogPosition(rawValue: payload.littleEndian(at: 0, as: UInt64.self))
                if cursor <= start { consumed = max(consumed, cursor) }
            }
            guard LogFormat.callerKinds.contains(frame.kind) else { continue }
            recordCount += 1
            return LogRecord(
                position: start, next: position, kind: frame.kind, bytes: Array(payload))
        }
        return nil
    }

    /// Returns where the records of the block around `position` start, or those of its segment if
    /// no header is found.
    private static func firstRecord(
        ofBlockWith position: LogPosition, _ ring: RingFile, _ window: LogWindow
    ) throws(RingLogError) -> LogPosition {
        let geometry = ring.geometry
        let firstBlock = geometry.firstBlock(ofSegment: geometry.sequence(of: position))
        guard position >= firstBlock else { return firstBlock }
        let reach = UInt64(LogFormat.maximumBlockSize)
        let lowest = max(
            firstBlock.rawValue, position.pageDown.rawValue - min(position.pageDown.rawValue, reach)
        )
        try window.load(at: LogPosition(rawValue: lowest))
        for page in stride(
            from: position.pageDown.rawValue, through: lowest, by: -LogFormat.pageSize)
        {
            let header = try window.blockHeader(at: LogPosition(rawValue: page))
            if let header { return header.position.advanced(by: BlockHeader.size) }
        }
        return firstBlock
    }
}

extension LogGap {
    fileprivate func clipped(from first: LogPosition) -> LogGap {
        LogGap(range: max(range.lowerBound, first)..<range.upperBound, reason: reason)
    }
}

extension LogReader {
    /// The snapshot in the header of the oldest segment: the caller's state before the oldest
    /// record.
    ///
    /// Nil until the ring has been filled once, and when that header is damaged.
    package func oldestSnapshot() throws(RingLogError) -> [UInt8]? {
        guard let newest = try ring.newestSegment(scratch: scratch)?.sequence else { return nil }
        let oldest = geometry.oldestSegment(newest: newest)
        return try snapshot(ofSegmentAt: geometry.start(ofSegment: oldest))
    }

    /// The snapshot in the header of the segment of `position`; nil if the header is damaged.
    package func snapshot(ofSegmentAt position: LogPosition) throws(RingLogError) -> [UInt8]? {
        let sequence = geometry.sequence(of: position)
        guard case .segment(let header) = try ring.slot(of: sequence, scratch: scratch),
            header.sequence == sequence
        else { return nil }
        return header.snapshot
    }

    /// Whether broken bytes follow the last record, once `next` has returned nil: an interrupted
    /// write, or one in progress.
    package func hasTornEnd() throws(RingLogError) -> Bool {
        try window.bytes(at: position, wanted: 1).first != 0
    }

    /// The cursor stored when the newest segment was opened; its records may hold a newer one.
    package func openingCursor() throws(RingLogError) -> LogPosition {
        try ring.newestSegment(scratch: scratch)?.consumed ?? .zero
    }

    /// Returns the start of the newest segment whose opening snapshot satisfies `isEarlyEnough`, or
    /// of the oldest segment if none does.
    ///
    /// Reads headers only, from the newest back.
    package func segmentStart(
        _ isEarlyEnough: ([UInt8]) -> Bool
    ) throws(RingLogError) -> LogPosition {
        let newest = try ring.newestSegment(scratch: scratch)?.sequence ?? 0
        let oldest = geometry.oldestSegment(newest: newest)
        for sequence in (oldest...newest).reversed() {
            if case .segment(let header) = try ring.slot(of: sequence, scratch: scratch),
                header.sequence == sequence, isEarlyEnough(header.snapshot)
            {
                return geometry.firstBlock(ofSegment: sequence)
            }
        }
        return geometry.firstBlock(ofSegment: oldest)
    }
}
