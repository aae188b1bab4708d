/// The part of one segment that a reader has in memory.
final class LogWindow {
    /// A whole number of pages, longer than the longest record, and than the longest block with the page
    /// before it and the page after it.
    private static let size = 128 << 10

    private let ring: RingFile
    private let buffer = PageBuffer(count: size)
    private var start = LogPosition.zero
    private var count = 0
    /// Pages behind this position are not read.
    var limit: LogPosition?

    init(ring: RingFile) { self.ring = ring }

    /// The bytes from `position` to the end of the window.
    ///
    /// At least `wanted` bytes, or all up to the end of the segment or the limit. Valid until the next
    /// call.
    func bytes(
        at position: LogPosition, wanted: Int
    ) throws(RingLogError) -> UnsafeRawBufferPointer {
        let segmentEnd = ring.geometry.end(ofSegment: ring.geometry.sequence(of: position))
        let needed = min(segmentEnd.rawValue, position.rawValue + UInt64(wanted))
        if position < start || needed > start.rawValue + UInt64(count) { try load(at: position) }
        return buffer.readOnly.part(Int(position.rawValue - start.rawValue)..<count)
    }

    /// Reads again from the page of `position` on, whatever the window holds.
    func load(at position: LogPosition) throws(RingLogError) {
        let segmentEnd = ring.geometry.end(ofSegment: ring.geometry.sequence(of: position))
        count = 0
        start = position.pageDown
        // At least one page, whatever the limit is.
        let end = limit.map { min(segmentEnd, max($0, position).advanced(by: 1).pageUp) }
        let length = min(UInt64(Self.size), (end ?? segmentEnd).rawValue - start.rawValue)
        try ring.read(at: start, into: buffer.bytes.part(0..<Int(length)))
        count = Int(length)
    }

    /// Returns the intact record at `position` and its bytes, if it ends by `limit`.
    func record(
        at position: LogPosition, limit: LogPosition? = nil
    ) throws(RingLogError) -> (frame: RecordFrame, bytes: UnsafeRawBufferPointer)? {
        let wanted = RecordFrame.maximumHeaderSize + LogFormat.maximumPayload
        var bytes = try self.bytes(at: position, wanted: wanted)
        if let limit, limit.rawValue - position.rawValue < UInt64(bytes.count) {
            bytes = bytes.part(0..<Int(limit.rawValue - position.rawValue))
        }
        guard let frame = RecordFrame.parse(bytes),
            frame.verify(bytes, at: position, seed: ring.seed)
        else { return nil }
        return (frame, bytes)
    }

    /// Returns the intact block header at `position`, a page boundary, if there is one.
    func blockHeader(at position: LogPosition) throws(RingLogError) -> BlockHeader? {
        let bytes = try self.bytes(at: position, wanted: BlockHeader.size)
        return BlockHeader.read(bytes, at: position, seed: ring.seed)
    }
}

/// Identifies a record, or the place between two records, for the lifetime of a ring.
///
/// It grows with each record and is never reused, whatever happens to the record.
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

    var isPageBoundary: Bool { rawValue % UInt64(LogFormat.pageSize) == 0 }
    var pageUp: LogPosition { LogPosition(rawValue: LogFormat.pageUp(rawValue)) }
    var pageDown: LogPosition { LogPosition(rawValue: LogFormat.pageDown(rawValue)) }
}
