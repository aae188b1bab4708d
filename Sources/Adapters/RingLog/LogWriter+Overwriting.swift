/// The one exception to "a page is never written again once durable": what a person may demand.
extension LogWriter {
    /// Replaces the payload of records by others of the same lengths, durably.
    ///
    /// Positions and lengths stay, so no other record is touched. A power cut in the middle leaves
    /// of each record the old payload, the new one, or bytes that do not verify and are passed over
    /// as damage; the bytes around it are rewritten, if at all, with the values they have.
    ///
    /// - Returns: how many were replaced; a record that has been overwritten meanwhile, is damaged,
    ///   or has another length is left alone.
    package func overwrite(
        _ records: [(position: LogPosition, bytes: [UInt8])]
    ) throws(RingLogError) -> Int {
        // A block that is still open in memory would be written once more, with the old bytes.
        try commit()
        let buffer = PageBuffer(count: LogFormat.maximumBlockSize + LogFormat.pageSize)
        var count = 0
        for record in records where record.position >= oldest {
            if try overwrite(record.position, record.bytes, buffer) { count += 1 }
        }
        try ring.device.sync()
        return count
    }

    private func overwrite(
        _ position: LogPosition, _ bytes: [UInt8], _ buffer: PageBuffer
    ) throws(RingLogError) -> Bool {
        // Devices are read and written in whole pages; a record's pages are all of its own block.
        let first = position.pageDown
        let start = Int(position.rawValue - first.rawValue)
        let end = start + RecordFrame.size(payload: bytes.count)
        guard bytes.count <= geometry.maximumRecordSize, geometry.isInOneSegment(first, count: end)
        else { return false }
        let pages = buffer.bytes.part(0..<Int(LogFormat.pageUp(UInt64(end))))
        try ring.read(at: first, into: pages)
        let target = pages.part(start..<end)
        let old = UnsafeRawBufferPointer(target)
        guard let frame = RecordFrame.parse(old), frame.size == target.count,
            LogFormat.callerKinds.contains(frame.kind),
            frame.verify(old, at: position, seed: ring.seed)
        else { return false }
        let size = bytes.withUnsafeBytes { payload in
            RecordFrame.write(
                kind: frame.kind, payload: payload, at: position, seed: ring.seed, into: target)
        }
        precondition(size == frame.size, "an overwritten record keeps its length")
        try ring.write(at: first, bytes: UnsafeRawBufferPointer(pages))
        return true
    }
}

/// What a person may demand beyond records: that nothing of theirs is left beside them.
extension LogWriter {
    /// The segments that can be read.
    package var segments: ClosedRange<UInt64> {
        geometry.sequence(of: oldest)...(segment ?? 0)
    }

    /// Replaces the snapshot that opens a segment, and fills with zeros what no reader can read:
    /// the pages of an earlier turn behind the segment's blocks and between them. Durable on return.
    ///
    /// A power cut in the middle may leave a head that does not verify, as a cut in an opening does;
    /// the records of the segment stay. Bytes that may be records behind damage are left alone.
    ///
    /// - Parameter replacement: a snapshot of the same length; nil leaves the one there is.
    package func scrub(
        segment sequence: UInt64, snapshot replacement: ([UInt8]) -> [UInt8]?
    ) throws(RingLogError) {
        try commit()
        guard segments.contains(sequence) else { return }
        let page = PageBuffer(count: LogFormat.pageSize)
        try replaceSnapshot(of: sequence, page, replacement)
        try clearUnused(in: sequence, nextPreviousEnd: previousEnd(after: sequence, page))
        try ring.device.sync()
    }

    private func replaceSnapshot(
        of sequence: UInt64, _ page: PageBuffer, _ replacement: ([UInt8]) -> [UInt8]?
    ) throws(RingLogError) {
        guard case .segment(let header) = try ring.slot(of: sequence, scratch: page),
            header.sequence == sequence, let snapshot = replacement(header.snapshot)
        else { return }
        precondition(snapshot.count == header.snapshot.count, "a snapshot keeps its length")
        let new = SegmentHeader(
            sequence: sequence, previousEnd: header.previousEnd, consumed: header.consumed,
            snapshot: snapshot)
        let pages = PageBuffer(count: new.size)
        new.write(pages.bytes, seed: ring.seed)
        try ring.write(at: geometry.start(ofSegment: sequence), bytes: pages.readOnly)
    }

    /// Where the records before the next segment end, as its head says, or this writer for the last
    /// one; nil if that cannot be told.
    private func previousEnd(
        after sequence: UInt64, _ page: PageBuffer
    ) throws(RingLogError) -> LogPosition? {
        guard sequence < segments.upperBound else { return end }
        guard case .segment(let header) = try ring.slot(of: sequence + 1, scratch: page),
            header.sequence == sequence + 1
        else { return nil }
        return header.previousEnd
    }

    /// A stretch without a block is unused if the next header says that the records before it end
    /// where the last block's do; if not, that stretch is damage, and may hold records.
    private func clearUnused(
        in sequence: UInt64, nextPreviousEnd: LogPosition?
    ) throws(RingLogError) {
        let window = LogWindow(ring: ring)
        let segmentEnd = geometry.end(ofSegment: sequence)
        var unused = try ring.firstBlock(
            ofSegment: sequence, scratch: PageBuffer(count: LogFormat.pageSize))
        var recordsEnd = unused
        var page = unused
        while page < segmentEnd {
            guard let header = try window.blockHeader(at: page) else {
                page = page.advanced(by: LogFormat.pageSize)
                continue
            }
            if header.previousEnd <= recordsEnd { try clear(unused..<page) }
            recordsEnd = page.advanced(by: BlockHeader.size)
            while let (frame, _) = try window.record(at: recordsEnd) {
                recordsEnd = recordsEnd.advanced(by: frame.size)
            }
            unused = recordsEnd.advanced(by: 1).pageUp
            page = unused
        }
        if let nextPreviousEnd, nextPreviousEnd <= recordsEnd { try clear(unused..<segmentEnd) }
    }

    /// Writes zeros where there are none yet.
    private func clear(_ range: Range<LogPosition>) throws(RingLogError) {
        precondition(
            range.lowerBound.isPageBoundary && range.upperBound.isPageBoundary,
            "whole pages are cleared")
        let buffer = PageBuffer(count: LogFormat.maximumBlockSize)
        var position = range.lowerBound
        while position < range.upperBound {
            let rest = range.upperBound.rawValue - position.rawValue
            let pages = buffer.bytes.part(0..<Int(min(rest, UInt64(buffer.bytes.count))))
            try ring.read(at: position, into: pages)
            if pages.contains(where: { $0 != 0 }) {
                pages.clear()
                try ring.write(at: position, bytes: UnsafeRawBufferPointer(pages))
            }
            position = position.advanced(by: pages.count)
        }
    }
}
