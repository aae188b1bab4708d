/// The constants of LogFormat.md.
package enum LogFormat {
    /// The version this code writes, and the highest it reads.
    package static let version: UInt32 = 1
    /// Bytes a superblock, a segment header and every block start and end on.
    package static let pageSize = 4096
    /// Bytes in a block at most: also the bytes that positions can have run ahead of the medium.
    package static let maximumBlockSize = 65536
    /// Kinds that callers may use; the others belong to the log.
    package static let callerKinds: ClosedRange<UInt8> = 1...239

    static let consumedKind: UInt8 = 240
    static let closedKind: UInt8 = 241

    static func pageUp(_ value: UInt64) -> UInt64 {
        (value + UInt64(pageSize - 1)) & ~UInt64(pageSize - 1)
    }

    static func pageDown(_ value: UInt64) -> UInt64 { value & ~UInt64(pageSize - 1) }
}

/// The name of a record, or of the place between two, for the life of a ring.
///
/// Grows with each record and is never given to a second one, whatever happens to the first.
package struct LogPosition: Comparable, Hashable, Sendable, CustomStringConvertible {
    package var rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Before every record.
    package static let zero = LogPosition(rawValue: 0)

    package static func < (left: LogPosition, right: LogPosition) -> Bool {
        left.rawValue < right.rawValue
    }

    package var description: String { String(rawValue) }

    func advanced(by bytes: Int) -> LogPosition {
        LogPosition(rawValue: rawValue + UInt64(bytes))
    }

    var pageUp: LogPosition { LogPosition(rawValue: LogFormat.pageUp(rawValue)) }
    var pageDown: LogPosition { LogPosition(rawValue: LogFormat.pageDown(rawValue)) }
}

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

    /// The usual division of `capacity` bytes: 64 to 256 segments of 256 KiB to 1 MiB where the
    /// capacity allows it.
    ///
    /// The file is the capacity, rounded down to whole segments, plus two pages.
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

    /// Bytes in a caller's snapshot at most.
    package var maximumSnapshotSize: Int { maximumHeaderSize - SegmentHeader.fixedSize }

    /// Bytes in the longest record a ring of this geometry takes.
    package var maximumRecordSize: Int {
        let room = min(segmentSize - maximumHeaderSize, LogFormat.maximumBlockSize)
        let overhead = BlockHeader.size + OpenBlock.reserve + RecordFrame.maximumHeaderSize
        return min(RecordFrame.maximumPayload, room - overhead)
    }

    func sequence(of position: LogPosition) -> UInt64 {
        position.rawValue / UInt64(segmentSize)
    }

    func start(ofSegment sequence: UInt64) -> LogPosition {
        LogPosition(rawValue: sequence * UInt64(segmentSize))
    }

    func end(ofSegment sequence: UInt64) -> LogPosition { start(ofSegment: sequence + 1) }

    /// The page after the first of the segment's header: blocks begin there, unless the header has
    /// more pages.
    func firstBlock(ofSegment sequence: UInt64) -> LogPosition {
        start(ofSegment: sequence).advanced(by: LogFormat.pageSize)
    }

    /// Where a position lies in the file.
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
