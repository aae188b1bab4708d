/// The only exception to "a durable page is never written again": erasing data of a person.
extension LogWriter {
    /// Replaces the payload of records by others of the same lengths, durably.
    ///
    /// Positions and lengths stay, so no other record changes. A power cut during the call leaves
    /// of each record the old payload, the new one, or bytes that do not verify and count as
    /// damage. The bytes around it are rewritten with their own values, if at all.
    ///
    /// - Returns: the number of replaced records. A record that was overwritten meanwhile, is damaged,
    ///   or has another length is not changed.
    package func overwrite(
        _ records: [(position: LogPosition, bytes: [UInt8])]
    ) throws(RingLogError) -> Int {
        // An open block in memory would be written again, with the old bytes.
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
        // Devices are read and written in whole pages; a record's pages all belong to its block.
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

/// Erasing data of a person outside of records.
extension LogWriter {
    /// The segments that can be read.
    package var segments: ClosedRange<UInt64> {
        geometry.sequence(of: oldest)...(segment ?? 0)
    }

    /// Replaces the snapshot in the header of a segment, and fills `remains` with zeros: the parts
    /// of the segment that no reader can read, as found in `view`. Durable on return.
    ///
    /// A power cut during the call may leave a header that does not verify, as when a segment is
    /// opened. The records of the segment stay.
    ///
    /// - Parameter replacement: a snapshot of the same length; nil does not change it.
    /// - Returns: false if the segment was being filled in `view` and no longer is: the caller has to
    ///   look up the remains again.
    package func scrub(
        segment sequence: UInt64, _ remains: [Range<LogPosition>], seenIn view: LogView,
        snapshot replacement: ([UInt8]) -> [UInt8]?
    ) throws(RingLogError) -> Bool {
        try commit()
        guard segments.contains(sequence) else { return true }
        let isNewest = sequence == segments.upperBound
        guard isNewest || !view.isFilling(sequence) else { return false }
        try replaceSnapshot(of: sequence, PageBuffer(count: LogFormat.pageSize), replacement)
        for range in remains {
            // Blocks may have been added behind the found ranges.
            let isBehind = isNewest && range.lowerBound >= view.end
            let start = isBehind ? max(range.lowerBound, nextPage) : range.lowerBound
            try clear(start, range.upperBound)
        }
        try ring.device.sync()
        return true
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

    /// Writes zeros.
    private func clear(_ start: LogPosition, _ end: LogPosition) throws(RingLogError) {
        precondition(start.isPageBoundary && end.isPageBoundary, "whole pages are cleared")
        let zeros = PageBuffer(count: LogFormat.maximumBlockSize)
        var position = start
        while position < end {
            let count = min(end.rawValue - position.rawValue, UInt64(zeros.bytes.count))
            try ring.write(at: position, bytes: zeros.readOnly.part(0..<Int(count)))
            position = position.advanced(by: Int(count))
        }
    }
}

/// The parts of a ring that can no longer be read.
extension LogView {
    /// Whether records may still be added to a segment.
    func isFilling(_ sequence: UInt64) -> Bool { sequence == newestSegment }

    /// Returns the pages of a segment that are not zero and hold nothing readable: leftovers of an
    /// earlier round behind and between the blocks. Bytes that may be records behind damage are not
    /// included.
    ///
    /// A range without a block is unused if the next header names the end of the last block as the
    /// end of the previous records. Otherwise the range is damaged and may hold records.
    package func remains(in sequence: UInt64) throws(RingLogError) -> [Range<LogPosition>] {
        let window = LogWindow(ring: ring)
        let segmentEnd = ring.geometry.end(ofSegment: sequence)
        var found: [Range<LogPosition>] = []
        var unused = try ring.firstBlock(
            ofSegment: sequence, scratch: PageBuffer(count: LogFormat.pageSize))
        var recordsEnd = unused
        var page = unused
        while page < segmentEnd {
            guard let header = try window.blockHeader(at: page) else {
                page = page.advanced(by: LogFormat.pageSize)
                continue
            }
            if header.previousEnd <= recordsEnd { found += try written(unused..<page) }
            recordsEnd = page.advanced(by: BlockHeader.size)
            while let (frame, _) = try window.record(at: recordsEnd) {
                recordsEnd = recordsEnd.advanced(by: frame.size)
            }
            unused = recordsEnd.advanced(by: 1).pageUp
            page = unused
        }
        guard let next = try previousEnd(after: sequence), next <= recordsEnd else { return found }
        return found + (try written(unused..<segmentEnd))
    }

    /// Returns the end of the records before the next segment, from its header, or from this view
    /// for the last one; nil if unknown.
    private func previousEnd(after sequence: UInt64) throws(RingLogError) -> LogPosition? {
        guard !isFilling(sequence) else { return end }
        let page = PageBuffer(count: LogFormat.pageSize)
        guard case .segment(let header) = try ring.slot(of: sequence + 1, scratch: page),
            header.sequence == sequence + 1
        else { return nil }
        return header.previousEnd
    }

    /// Returns the parts of a range that are not zero.
    private func written(_ range: Range<LogPosition>) throws(RingLogError) -> [Range<LogPosition>] {
        let buffer = PageBuffer(count: LogFormat.maximumBlockSize)
        var found: [Range<LogPosition>] = []
        var position = range.lowerBound
        while position < range.upperBound {
            let rest = range.upperBound.rawValue - position.rawValue
            let pages = buffer.bytes.part(0..<Int(min(rest, UInt64(buffer.bytes.count))))
            try ring.read(at: position, into: pages)
            let next = position.advanced(by: pages.count)
            if !UnsafeRawBufferPointer(pages).isZero { found.append(position..<next) }
            position = next
        }
        return found
    }
}
