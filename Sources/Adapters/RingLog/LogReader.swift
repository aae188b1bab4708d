import Glibc

/// Reads a ring log by position, beside its writer or without one.
///
/// Confined to the caller's queue. Takes no lock and writes nothing; sees what the writer has
/// flushed. LogFormat.md says what it relies on.
package struct LogReader: ~Copyable {
    let ring: RingFile
    let window: LogWindow
    let scratch = PageBuffer(count: LogFormat.pageSize)

    /// Where reading goes on: behind the last item.
    package internal(set) var position: LogPosition
    /// Stretches that did not verify, so far.
    package private(set) var damagedRanges = 0
    /// Intact records passed so far, the log's own not counted.
    package private(set) var recordCount = 0

    /// The newest cursor met among the records passed so far.
    package private(set) var consumed = LogPosition.zero
    /// Whether the last record met is the writer's farewell, and no block follows it.
    package internal(set) var endsClosed = false
    /// Behind the last record met, or known to have been lost.
    var lastEnd = LogPosition.zero

    /// The end of the log, where that is known: nothing behind it is looked at.
    package var end: LogPosition? { didSet { window.limit = end } }

    /// Items before this are passed over in silence: reading starts with the block that holds it.
    private var first: LogPosition
    private var initialGap: LogGap?
    /// The first record of the block being read, and of the last block whose end was searched to
    /// the full.
    var block: LogPosition
    var searchedBlock: LogPosition?
    /// Where records behind broken bytes were last looked for.
    var searchedEnd: LogPosition?
    var probedSegment: UInt64?
    /// The last header found ahead: there is none before it.
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

    /// As the ring was made.
    package var geometry: LogGeometry { ring.geometry }

    /// The next record or gap; nil at the end of the log, where a later call finds what was flushed
    /// since.
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
                // Past the log's own records: what lies behind would be searched far and wide.
                return nil
            } else {
                switch try pass() {
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

    /// The caller's record at `position`, past any of the log's own; nil where the intact ones end.
    private mutating func nextRecord() throws(RingLogError) -> LogRecord? {
        while let (frame, bytes) = try window.record(at: position) {
            let start = position
            position = position.advanced(by: frame.size)
            lastEnd = position
            let payload = bytes.part(frame.payload)
            endsClosed = frame.kind == LogFormat.closedKind
            if frame.kind == LogFormat.consumedKind, payload.count == 8 {
                // A cursor never runs ahead of the log; one that says so was written by none.
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

    /// Where the records of the block around `position` start, or those of its segment if no header
    /// is found.
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
