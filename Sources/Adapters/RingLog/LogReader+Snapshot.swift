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
