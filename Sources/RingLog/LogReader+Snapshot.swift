extension LogReader {
    /// The snapshot that opens the oldest segment: the caller's state before the oldest record.
    ///
    /// nil while the ring has not come round once and when that header is damaged.
    package func oldestSnapshot() throws(RingLogError) -> [UInt8]? {
        guard let newest = try ring.newestSegment(scratch: scratch)?.sequence else { return nil }
        let oldest = geometry.oldestSegment(newest: newest)
        guard case .segment(let header) = try ring.slot(of: oldest, scratch: scratch),
            header.sequence == oldest
        else { return nil }
        return header.snapshot
    }
}
