import Glibc

/// Appends records to a ring log.
///
/// Confined to the caller's queue. A record survives the end of the process once `flush` has
/// returned, and a power cut once `commit` has returned. After an error nothing is lost: the caller
/// may repeat the call at any later time.
package final class LogWriter {
    /// Returns the caller's state after all records appended so far, at most
    /// ``LogGeometry/maximumSnapshotSize`` bytes. Called within `append` when a segment is opened,
    /// before its record counts; must not use the writer.
    package var snapshot: () -> [UInt8] = { [] }
    /// Receives the unconsumed positions that are about to be overwritten. During the call a
    /// ``LogReader`` can still read them; the writer must not be used.
    package var willOverwrite: (Range<LogPosition>) -> Void = { _ in }

    /// The end of the last appended record.
    package private(set) var end: LogPosition

    let ring: RingFile
    private let blockBuffer = PageBuffer(count: LogFormat.maximumBlockSize)
    private(set) var segment: UInt64?
    private(set) var nextPage: LogPosition
    private var block: OpenBlock?
    /// Whether `snapshot` or `willOverwrite` is being called.
    private var isInCallback = false
    private var reservedThrough: UInt64
    /// Whether this writer has made its starting position durable.
    private var isAnchored = false
    /// Whether the log is already closed if nothing more is written.
    private let wasClosed: Bool
    private var isClosed = false
    /// The offset up to which `prepareAhead` has finished.
    private var preparedOffset: UInt64 = 0
    private var cursor: LogPosition
    private var storedCursor: LogPosition

    /// Opens the ring on `device`, or creates one on a blank device with `geometry` and `newEpoch`
    /// (16 bytes).
    ///
    /// Fails if the device fails. Fails with operation `.recognize`, without writing, if the device
    /// holds something that is not a ring, a ring that is damaged beyond reading, or one of a later
    /// version.
    package static func open(
        device: any BlockDevice, geometry: LogGeometry, newEpoch: [UInt8]
    ) throws(RingLogError) -> (LogWriter, RecoveryReport) {
        let (state, report) = try LogRecovery.open(device, geometry: geometry, newEpoch: newEpoch)
        return (LogWriter(state, wasClosed: report.wasClosed), report)
    }

    private init(_ state: LogRecovery.State, wasClosed: Bool) {
        self.wasClosed = wasClosed
        ring = state.ring
        segment = state.segment
        end = state.end
        nextPage = state.nextPage
        reservedThrough = state.reservedThrough
        cursor = state.consumed
        storedCursor = state.consumed
        precondition(nextPage.isPageBoundary, "blocks begin on pages")
        precondition(segment.map { $0 <= reservedThrough } ?? (end == .zero), "no end, no segment")
        checkPositions()
    }

    /// Checks the invariants that hold while no block is open.
    private func checkPositions() {
        precondition(end <= nextPage, "the next block lies behind every record")
        precondition(storedCursor <= cursor, "the cursor only grows")
        let start = segment.map(geometry.start(ofSegment:)) ?? .zero
        precondition(cursor <= max(end, start), "nothing is consumed that was not appended")
    }

    /// 16 bytes, chosen when the ring was created: positions of different rings cannot be compared.
    package var epoch: [UInt8] { ring.superblock.epoch }
    /// The geometry of the existing ring, whatever was requested.
    package var geometry: LogGeometry { ring.geometry }

    /// The start of the oldest segment.
    package var oldest: LogPosition {
        geometry.start(ofSegment: geometry.oldestSegment(newest: segment ?? 0))
    }

    /// Records before this position are processed. Only grows; stored with the next commit.
    package var consumed: LogPosition {
        get { cursor }
        set { cursor = max(cursor, min(newValue, end)) }
    }

    /// The part of the ring that holds unconsumed records, 0...1.
    package var usedFraction: Double {
        Double(end.rawValue - min(end, max(cursor, oldest)).rawValue) / Double(geometry.capacity)
    }

    /// Appends a record and returns its position. It is in memory until `flush` or `commit`.
    ///
    /// Commits automatically when a block is full, every 64 KiB. After an error the record was not
    /// appended.
    @discardableResult
    package func append(
        kind: UInt8, bytes: UnsafeRawBufferPointer
    ) throws(RingLogError) -> LogPosition {
        precondition(LogFormat.callerKinds.contains(kind), "kind \(kind) belongs to the log")
        guard bytes.count <= geometry.maximumRecordSize else {
            throw RingLogError(.append, code: EMSGSIZE, path: ring.device.path)
        }
        try makeRoom(forPayload: bytes.count)
        return add(kind: kind, payload: bytes)
    }

    @discardableResult
    package func append(kind: UInt8, bytes: [UInt8]) throws(RingLogError) -> LogPosition {
        // withUnsafeBytes would lose the type of the error.
        let result = bytes.withUnsafeBytes { payload in
            Result { () throws(RingLogError) in try append(kind: kind, bytes: payload) }
        }
        return try result.get()
    }

    /// Passes everything appended to the system, so that it survives this process and readers see
    /// it.
    package func flush() throws(RingLogError) {
        precondition(!isInCallback, "the writer is not used from within its own questions")
        guard let (position, bytes) = block?.unflushed else { return }
        try ring.write(at: position, bytes: bytes)
        block?.markFlushed()
    }

    /// Makes everything appended durable. Does nothing if there is nothing to do.
    ///
    /// The cursor is the last record of each commit. A commit of only the cursor happens if
    /// `always` is true, at the cost of a page.
    package func commit(cursor always: Bool = false) throws(RingLogError) {
        if block == nil {
            guard always, cursor > storedCursor else { return }
            try makeRoom(forPayload: 0)
        }
        if block?.isSealed == false {
            addCursor()
            block?.isSealed = true
        }
        try flush()
        do {
            try ring.device.sync()
        } catch {
            block?.markLost()
            throw error
        }
        if let block {
            precondition(block.end == end, "a commit ends with the last record")
            nextPage = block.pagesEnd
        }
        precondition(nextPage <= segmentEnd, "a block lies in its segment")
        block = nil
        checkPositions()
    }

    /// Commits and writes a closing record, so that the next process finds a log that was closed.
    /// The writer cannot be used afterwards.
    ///
    /// The closing record has its own block: its header protects the last records from later
    /// damage, as each block does for the one before.
    package func close() throws(RingLogError) {
        guard !isClosed else { return }
        try commit(cursor: true)
        if isAnchored || !wasClosed {
            try makeRoom(forPayload: 0)
            _ = add(
                kind: LogFormat.closedKind, payload: UnsafeRawBufferPointer(start: nil, count: 0))
            block?.isSealed = true
            try commit()
        }
        isClosed = true
    }

    private func add(kind: UInt8, payload: UnsafeRawBufferPointer) -> LogPosition {
        guard let position = block?.append(kind: kind, payload: payload) else {
            preconditionFailure("a record is added to an open block")
        }
        precondition(position >= end, "positions only grow")
        end = position.advanced(by: RecordFrame.size(payload: payload.count))
        return position
    }

    /// Also adds a cursor that has not moved: later damage to the records before it is then
    /// recognized as damage, not as the end.
    private func addCursor() {
        let cursor = cursor
        _ = withUnsafeBytes(of: cursor.rawValue.littleEndian) {
            add(kind: LogFormat.consumedKind, payload: $0)
        }
        storedCursor = cursor
    }

    private func makeRoom(forPayload count: Int) throws(RingLogError) {
        precondition(!isClosed, "a closed log takes no records")
        precondition(!isInCallback, "the writer is not used from within its own questions")
        if let block {
            if block.hasRoom(forPayload: count) { return }
            try commit()
        }
        if !isAnchored { try anchor() }
        let next = openBlock()
        if let next, next.hasRoom(forPayload: count) {
            block = next
            return
        }
        try openSegment()
        block = openBlock()
        precondition(block?.hasRoom(forPayload: count) == true, "a new segment takes any record")
    }

    /// Opens a block on the next page, with the room that the segment leaves; nil if there is none.
    private func openBlock() -> OpenBlock? {
        let room = segmentEnd.rawValue - min(nextPage, segmentEnd).rawValue
        guard room > 0 else { return nil }
        return OpenBlock(
            start: nextPage, previousEnd: end, room: Int(room), buffer: blockBuffer, seed: ring.seed
        )
    }

    private var segmentEnd: LogPosition { segment.map(geometry.end(ofSegment:)) ?? .zero }

    /// Makes the starting position of this writer durable before it assigns a position.
    private func anchor() throws(RingLogError) {
        while let segment, segment < reservedThrough { try openSegment() }
        if !isAnchored, let anchor = openBlock(), let (position, bytes) = anchor.unflushed {
            try ring.write(at: position, bytes: bytes)
            try ring.device.sync()
            nextPage = anchor.pagesEnd
        }
        isAnchored = isAnchored || segment != nil
    }

    private func openSegment() throws(RingLogError) {
        precondition(block == nil, "no block is open while a segment is opened")
        let sequence = segment.map { $0 + 1 } ?? 0
        announceOverwrite()
        isInCallback = true
        let snapshot = snapshot()
        isInCallback = false
        guard snapshot.count <= geometry.maximumSnapshotSize else {
            throw RingLogError(.snapshot, code: EMSGSIZE, path: ring.device.path)
        }
        try prepare(segment: sequence)
        let header = SegmentHeader(
            sequence: sequence, previousEnd: end, consumed: cursor, snapshot: snapshot)
        precondition(geometry.isPossible(header), "a segment lies behind the records before it")
        // The memory of the block that is not open.
        let pages = blockBuffer.bytes.part(0..<header.size)
        pages.clear()
        header.write(pages, seed: ring.seed)
        let start = geometry.start(ofSegment: sequence)
        try ring.write(at: start, bytes: UnsafeRawBufferPointer(pages))
        try ring.device.sync()
        segment = sequence
        nextPage = start.advanced(by: header.size)
        storedCursor = cursor
        isAnchored = true
    }

    /// Prepares up to `limit` bytes of space behind the segment being filled, so that the first
    /// writes to it are cheap: LogFormat.md, Segment. Does nothing once all is prepared.
    package func prepareAhead(limit: Int) throws(RingLogError) {
        guard let segment else { return }
        let next = segment + 1
        guard next < UInt64(geometry.segmentCount) else { return }
        let start = geometry.fileOffset(of: geometry.start(ofSegment: next))
        let from = max(start, preparedOffset)
        guard from < geometry.backSuperblockOffset else { return }
        preparedOffset =
            try ring.device.prepare(from..<geometry.backSuperblockOffset, limit: limit)
            ?? geometry.backSuperblockOffset
    }

    /// Prepares the rest of a segment.
    private func prepare(segment sequence: UInt64) throws(RingLogError) {
        guard sequence < UInt64(geometry.segmentCount) else { return }
        let start = geometry.fileOffset(of: geometry.start(ofSegment: sequence))
        let end = start + UInt64(geometry.segmentSize)
        var offset = max(start, preparedOffset)
        while offset < end {
            let next = try ring.device.prepare(offset..<end, limit: geometry.segmentSize) ?? end
            precondition(next > offset, "preparing gets on")
            offset = next
        }
    }

    /// Returns the positions of the whole segment at `offset` in the file; nil for the segment
    /// being filled and outside of the segments.
    package func positions(ofFileOffset offset: UInt64) -> Range<LogPosition>? {
        guard let segment, offset >= UInt64(LogFormat.pageSize),
            offset < geometry.backSuperblockOffset
        else { return nil }
        let count = UInt64(geometry.segmentCount)
        let slot = (offset - UInt64(LogFormat.pageSize)) / UInt64(geometry.segmentSize)
        let age = (segment % count + count - slot) % count
        guard age > 0, age <= segment else { return nil }
        return geometry.start(ofSegment: segment - age)..<geometry.end(ofSegment: segment - age)
    }

    /// The segment that the next opened one overwrites; nil while there is room.
    package var nextOverwritten: Range<LogPosition>? {
        guard let segment, segment + 1 >= UInt64(geometry.segmentCount) else { return nil }
        let oldest = segment + 1 - UInt64(geometry.segmentCount)
        return geometry.start(ofSegment: oldest)..<geometry.end(ofSegment: oldest)
    }

    private func announceOverwrite() {
        guard let next = nextOverwritten, cursor < next.upperBound else { return }
        isInCallback = true
        willOverwrite(max(cursor, next.lowerBound)..<next.upperBound)
        isInCallback = false
        cursor = next.upperBound
    }
}
