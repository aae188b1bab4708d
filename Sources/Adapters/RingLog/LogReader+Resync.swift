/// How a reader continues after the end of a block: LogFormat.md, Guarantees for readers.
///
/// Changes the reader's position (`block` and `lastEnd`) and the record of its attempts
/// (`probedSegment`, `searchedBlock`, `searchedEnd` and `ahead`).
extension LogReader {
    enum ResyncResult {
        case moved
        case gap(LogGap)
        case end
    }

    /// An intact header ahead. It proves that everything up to its previous end was durable.
    struct ResyncPoint {
        let first: LogPosition
        let previousEnd: LogPosition

        init(_ header: BlockHeader) {
            first = header.position.advanced(by: BlockHeader.size)
            previousEnd = header.previousEnd
        }

        init(_ header: SegmentHeader, _ geometry: LogGeometry) {
            first = geometry.start(ofSegment: header.sequence).advanced(by: header.size)
            previousEnd = header.previousEnd
        }
    }

    private enum LookAhead {
        /// The reader is in front of an intact record.
        case reached
        case nothing
        case damage(before: ResyncPoint)
    }

    /// Continues from `position`, where no intact record starts.
    mutating func resync() throws(RingLogError) -> ResyncResult {
        var outlook = try lookAhead()
        if case .damage = outlook { outlook = try recheckAhead() }
        if case .reached = outlook { return .moved }
        if let gap = try skipIfOvertaken() { return .gap(gap) }
        guard case .damage(let point) = outlook else { return try passBrokenEnd() }
        return try passDamage(before: point)
    }

    private mutating func lookAhead() throws(RingLogError) -> LookAhead {
        if let header = try adjacentHeader(), header.previousEnd <= position {
            move(to: ResyncPoint(header))
            return .reached
        }
        // The window may be older than the writer's last flush.
        try window.load(at: position)
        if try window.record(at: position) != nil { return .reached }
        guard let point = try nextResyncPoint() else { return .nothing }
        guard point.previousEnd <= position else { return .damage(before: point) }
        move(to: point)
        return .reached
    }

    /// A header ahead proves that everything before it was written, but an active writer may have
    /// written it after the reader looked.
    private mutating func recheckAhead() throws(RingLogError) -> LookAhead {
        (ahead, searchedBlock, probedSegment) = (nil, nil, nil)
        try window.load(at: position)
        return try lookAhead()
    }

    private mutating func move(to point: ResyncPoint) {
        restart(at: point.first)
        lastEnd = max(lastEnd, point.previousEnd)
    }

    private mutating func restart(at first: LogPosition) {
        precondition(first > position, "a reader only moves on")
        position = first
        block = first
        endsClosed = false
    }

    private var segment: UInt64 { ring.geometry.sequence(of: position) }
    private var segmentEnd: LogPosition { ring.geometry.end(ofSegment: segment) }

    /// The usual case, answered from memory: the next block follows on the next page.
    private func adjacentHeader() throws(RingLogError) -> BlockHeader? {
        let page = position.pageUp
        return page < segmentEnd ? try window.blockHeader(at: page) : nil
    }

    /// Returns the next header ahead, in this segment or a later one.
    ///
    /// Searches the rest of the segment once per block, and whenever the end looks damaged. At the
    /// end of a live log it searches only as far as a restarted writer can have skipped.
    private mutating func nextResyncPoint() throws(RingLogError) -> ResyncPoint? {
        if let ahead, ahead.first > position { return ahead }
        ahead = try searchResyncPoint()
        return ahead
    }

    private mutating func searchResyncPoint() throws(RingLogError) -> ResyncPoint? {
        let looksDamaged = try window.bytes(at: position, wanted: 1).first != 0
        let thorough = looksDamaged || searchedBlock != block
        searchedBlock = block
        let reach = LogFormat.maximumBlockSize + 2 * LogFormat.pageSize
        let limit = thorough ? segmentEnd : min(segmentEnd, position.pageUp.advanced(by: reach))
        if let point = try firstBlock(in: position.pageUp..<max(limit, position.pageUp)) {
            return point
        }
        return try nextSegmentResyncPoint(thorough: thorough)
    }

    private func firstBlock(in range: Range<LogPosition>) throws(RingLogError) -> ResyncPoint? {
        var page = range.lowerBound
        while page < range.upperBound {
            if let header = try window.blockHeader(at: page) { return ResyncPoint(header) }
            page = page.advanced(by: LogFormat.pageSize)
        }
        return nil
    }

    private mutating func nextSegmentResyncPoint(thorough: Bool) throws(RingLogError)
        -> ResyncPoint?
    {
        let geometry = ring.geometry
        for sequence in segment + 1...segment + UInt64(geometry.segmentCount) {
            let slot = try ring.slot(of: sequence, scratch: scratch)
            if case .segment(let header) = slot {
                // A segment with another number is from an earlier round: the log ends here.
                guard header.sequence == sequence else { return nil }
                return ResyncPoint(header, geometry)
            }
            guard thorough, slot == .damaged || probedSegment != sequence else { return nil }
            probedSegment = sequence
            let pages = geometry.firstBlock(ofSegment: sequence)..<geometry.end(ofSegment: sequence)
            if let point = try firstBlock(in: pages) { return point }
            if try newestSegment() <= sequence { return nil }
        }
        return nil
    }

    /// A reader that knows the end does not need the segment headers, which may be lost.
    private func newestSegment() throws(RingLogError) -> UInt64 {
        if let end { return ring.geometry.sequence(of: end) }
        return try ring.newestSegment(scratch: scratch)?.sequence ?? 0
    }

    /// Looks for an intact record between `position` and the point's previous end.
    private mutating func passDamage(before point: ResyncPoint) throws(RingLogError) -> ResyncResult {
        let start = position
        let limit = min(point.previousEnd, segmentEnd)
        if let intact = try intactRecord(before: limit) { return try resume(at: intact) }
        if point.previousEnd <= segmentEnd {
            move(to: point)
        } else {
            restart(at: try ring.firstBlock(ofSegment: segment + 1, scratch: scratch))
        }
        return .gap(LogGap(range: start..<limit, reason: .damaged))
    }

    /// No header follows: this is the end, or damage in the last block with records behind it.
    ///
    /// Looks once at each position: a waiting reader must not search in every call.
    private mutating func passBrokenEnd() throws(RingLogError) -> ResyncResult {
        guard searchedEnd != position, try !endsCleanly() else { return .end }
        searchedEnd = position
        let reach = position.advanced(by: 1).pageUp.advanced(by: LogFormat.maximumBlockSize)
        guard let intact = try intactRecord(before: min(reach, segmentEnd)) else { return .end }
        if case .reached = try recheckAhead() { return .moved }
        return try resume(at: intact)
    }

    /// Whether zeros follow up to the end of the page, and no block whose header is missing.
    private func endsCleanly() throws(RingLogError) -> Bool {
        guard position < segmentEnd else { return true }
        let next = position.advanced(by: 1).pageUp
        let rest = Int(next.rawValue - position.rawValue)
        // If the first byte of a record became zero, the records behind it on the page show it.
        guard rest >= RecordFrame.minimumSize,
            try isZero(at: position, count: rest)
        else { return false }
        guard next < segmentEnd else { return true }
        let page = try window.bytes(at: next, wanted: BlockHeader.size)
        return !BlockHeader.isLikely(page, at: next, previousEnd: lastEnd)
    }

    /// Returns the first intact record behind `position` that ends by `limit`.
    private func intactRecord(before limit: LogPosition) throws(RingLogError) -> LogPosition? {
        var candidate = position.advanced(by: 1)
        while candidate < limit {
            // A record begins with its kind, which is not zero.
            let zeros = try window.bytes(at: candidate, wanted: 1).prefix { $0 == 0 }.count
            candidate = candidate.advanced(by: zeros)
            guard candidate < limit else { break }
            if try window.record(at: candidate, limit: limit) != nil { return candidate }
            candidate = candidate.advanced(by: 1)
        }
        return nil
    }

    private mutating func resume(at intact: LogPosition) throws(RingLogError) -> ResyncResult {
        let lost = position..<intact
        let isHarmless = try isHeaderAlone(lost)
        position = intact
        // Earlier searches started before the damage and knew less.
        (searchedBlock, probedSegment) = (nil, nil)
        return isHarmless ? .moved : .gap(LogGap(range: lost, reason: .damaged))
    }

    /// Whether the only bytes that failed to verify are a block header, so that no record is lost.
    private func isHeaderAlone(_ range: Range<LogPosition>) throws(RingLogError) -> Bool {
        let page = range.lowerBound.pageUp
        guard range.upperBound == page.advanced(by: BlockHeader.size) else { return false }
        let padding = Int(page.rawValue - range.lowerBound.rawValue)
        return try isZero(at: range.lowerBound, count: padding)
    }

    private func isZero(at position: LogPosition, count: Int) throws(RingLogError) -> Bool {
        let bytes = try window.bytes(at: position, wanted: count)
        return bytes.part(0..<min(count, bytes.count)).isZero
    }

    /// If the writer has reused the segment being read, jumps to the oldest segment and returns the
    /// missed range.
    private mutating func skipIfOvertaken() throws(RingLogError) -> LogGap? {
        guard case .segment(let own) = try ring.slot(of: segment, scratch: scratch),
            own.sequence > segment, let newest = try ring.newestSegment(scratch: scratch),
            // Read a moment later, the writer may be at this very header.
            newest.sequence >= own.sequence
        else { return nil }
        let oldest = ring.geometry.oldestSegment(newest: newest.sequence)
        let range = position..<ring.geometry.start(ofSegment: oldest)
        restart(at: try ring.firstBlock(ofSegment: oldest, scratch: scratch))
        return LogGap(range: range, reason: .overwritten)
    }
}
