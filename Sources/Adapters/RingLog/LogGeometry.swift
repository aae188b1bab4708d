/// How a ring divides its file; fixed at creation.
package struct LogGeometry: Equatable, Sendable {
    /// Bytes per segment, a multiple of the page, at least four pages.
    package let segmentSize: Int
    /// Segments in the ring, at least 2.
    package let segmentCount: Int

    package init(segmentSize: Int, segmentCount: Int) {
        precondition(
            Self.isValid(segmentSize: UInt64(segmentSize), segmentCount: UInt64(segmentCount)),
            "a ring has 2 or more segments, of 4 or more whole pages each")
        self.segmentSize = segmentSize
        self.segmentCount = segmentCount
    }

    /// The default division of `capacity` bytes: 64 to 256 segments of 256 KiB to 1 MiB, if the
    /// capacity allows it.
    ///
    /// The file has the capacity, rounded down to whole segments, plus two pages.
    package init(capacity: Int) {
        let wanted = max(capacity / 64, 1).nextPowerOfTwo
        let size = min(max(wanted, 256 << 10), max(1 << 20, (capacity / 256).nextPowerOfTwo))
        self.init(segmentSize: size, segmentCount: max(capacity / size, 2))
    }

    static func isValid(segmentSize: UInt64, segmentCount: UInt64) -> Bool {
        let page = UInt64(LogFormat.pageSize)
        return segmentSize % page == 0 && (4 * page...1 << 30).contains(segmentSize)
            && (2...1 << 20).contains(segmentCount)
    }

    /// Bytes of the file: both superblocks and all segments.
    package var fileSize: UInt64 {
        UInt64(segmentSize) * UInt64(segmentCount) + 2 * UInt64(LogFormat.pageSize)
    }

    /// Bytes of all segments.
    package var capacity: UInt64 { UInt64(segmentSize) * UInt64(segmentCount) }

    /// Bytes of the longest segment header: at most a quarter of the segment.
    private var maximumHeaderSize: Int {
        min(Int(LogFormat.pageDown(UInt64(segmentSize / 4))), LogFormat.maximumBlockSize)
    }

    /// Maximum bytes of a caller's snapshot.
    package var maximumSnapshotSize: Int { maximumHeaderSize - SegmentHeader.fixedSize }

    /// Bytes of the longest record that fits into a ring of this geometry.
    package var maximumRecordSize: Int {
        let room = min(segmentSize - maximumHeaderSize, LogFormat.maximumBlockSize)
        let overhead = BlockHeader.size + OpenBlock.reserve + RecordFrame.maximumHeaderSize
        return min(LogFormat.maximumPayload, room - overhead)
    }

    func sequence(of position: LogPosition) -> UInt64 {
        position.rawValue / UInt64(segmentSize)
    }

    func start(ofSegment sequence: UInt64) -> LogPosition {
        LogPosition(rawValue: sequence * UInt64(segmentSize))
    }

    func end(ofSegment sequence: UInt64) -> LogPosition { start(ofSegment: sequence + 1) }

    /// The page after the first page of the segment's header. Blocks begin there, unless the header
    /// has more pages.
    func firstBlock(ofSegment sequence: UInt64) -> LogPosition {
        start(ofSegment: sequence).advanced(by: LogFormat.pageSize)
    }

    /// Whether `count` bytes from `position` on are in one segment, and therefore contiguous in the
    /// file.
    func isInOneSegment(_ position: LogPosition, count: Int) -> Bool {
        position.rawValue % UInt64(segmentSize) + UInt64(count) <= UInt64(segmentSize)
    }

    /// Whether a segment header can have these values: the positions before a segment are less than
    /// its start. A header that verifies but has other values was not written by a log, and counts
    /// as damage.
    func isPossible(_ header: SegmentHeader) -> Bool {
        guard header.sequence < UInt64.max / UInt64(segmentSize) / 2 else { return false }
        let start = start(ofSegment: header.sequence)
        return header.previousEnd <= start && header.consumed <= start
    }

    /// Returns the offset of a position in the file.
    func fileOffset(of position: LogPosition) -> UInt64 {
        let inSegment = position.rawValue % UInt64(segmentSize)
        let slot = sequence(of: position) % UInt64(segmentCount)
        return UInt64(LogFormat.pageSize) + slot * UInt64(segmentSize) + inSegment
    }

    /// The oldest segment the ring still holds when `newest` is its newest.
    func oldestSegment(newest: UInt64) -> UInt64 {
        newest < UInt64(segmentCount) ? 0 : newest - UInt64(segmentCount) + 1
    }
}

extension Int {
    fileprivate var nextPowerOfTwo: Int {
        self <= 1 ? 1 : 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount)
    }
}
