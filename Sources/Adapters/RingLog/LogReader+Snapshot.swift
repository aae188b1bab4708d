extension LogReader {
    /// The snapshot that opens the oldest segment: the caller's state before the oldest record.
    ///
    /// nil while the ring has not come round once and when that header is damaged.
    package func oldestSnapshot() throws(RingLogError) -> [UInt8]? {
        guard let newest = try ring.newestSegment(scratch: scratch)?.sequence else { return nil }
        let oldest = geometry.oldestSegment(newest: newest)
        return try snapshot(ofSegmentAt: geometry.start(ofSegment: oldest))
    }

    /// The snapshot that opens the segment of `position`; nil where its header is damaged.
    package func snapshot(ofSegmentAt position: LogPosition) throws(RingLogError) -> [UInt8]? {
        let sequence = geometry.sequence(of: position)
        guard case .segment(let header) = try ring.slot(of: sequence, scratch: scratch),
            header.sequence == sequence
        else { return nil }
        return header.snapshot
    }

    /// Whether broken bytes follow the last record, once `next` has returned nil: a write that was
    /// cut short, unless the writer is at it in this moment.
    package func hasTornEnd() throws(RingLogError) -> Bool {
        try window.bytes(at: position, wanted: 1).first != 0
    }

    /// The cursor that the newest segment was opened with; records in it may hold a newer one.
    package func openingCursor() throws(RingLogError) -> LogPosition {
        try ring.newestSegment(scratch: scratch)?.consumed ?? .zero
    }

    /// Where the newest segment begins whose opening snapshot satisfies `isEarlyEnough`; the oldest
    /// segment where none does.
    ///
    /// Reads headers alone, from the newest back.
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
