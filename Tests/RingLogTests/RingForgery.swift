import TestSupport
import Testing

@testable import RingLog

/// What no log writes, with a right checksum: LogFormat.md calls it damage.
enum RingForgery: CaseIterable {
    case headBeforeItsRecords, headBeforeItsCursor, overflowingHead, blockBeforeItsRecords,
        cursorAhead

    /// What `device` holds, with this in its newest segment, or in the one before that.
    ///
    /// - Parameter isFar: whether a position is the highest of all instead of one byte too far.
    func applied(
        to device: CrashingBlockDevice, _ geometry: LogGeometry, isFar: Bool, isNewest: Bool
    ) throws -> [UInt8] {
        let ring = RingFile(
            device: device, superblock: Superblock(epoch: epoch, geometry: geometry))
        let newest = try #require(
            try ring.newestSegment(scratch: PageBuffer(count: LogFormat.pageSize)))
        let segment = newest.sequence - (isNewest ? 0 : min(newest.sequence, 1))
        func ahead(of position: LogPosition) -> LogPosition {
            isFar ? LogPosition(rawValue: .max) : position.advanced(by: 1)
        }
        let start = geometry.start(ofSegment: segment)
        let (position, bytes) =
            switch self {
            case .headBeforeItsRecords:
                (start, head(segment, ring, previousEnd: ahead(of: start)))
            case .headBeforeItsCursor: (start, head(segment, ring, consumed: ahead(of: start)))
            case .overflowingHead: (start, head(overflowing(segment, geometry), ring))
            case .blockBeforeItsRecords: try block(in: segment, ring, ahead(of:))
            case .cursorAhead: try cursor(in: segment, ring, ahead(of:))
            }
        var image = device.content
        image.put(bytes, at: Int(geometry.fileOffset(of: position)))
        return image
    }

    /// The first number in the slot of `segment` whose positions do not fit into 63 bits.
    private func overflowing(_ segment: UInt64, _ geometry: LogGeometry) -> UInt64 {
        let first = (UInt64(1) << 63) / UInt64(geometry.segmentSize) - 1
        let count = UInt64(geometry.segmentCount)
        return first + (segment % count + count - first % count) % count
    }

    private func head(
        _ segment: UInt64, _ ring: RingFile, previousEnd: LogPosition = .zero,
        consumed: LogPosition = .zero
    ) -> [UInt8] {
        let page = PageBuffer(count: LogFormat.pageSize)
        SegmentHeader(
            sequence: segment, previousEnd: previousEnd, consumed: consumed, snapshot: []
        ).write(page.bytes, seed: ring.seed)
        return Array(page.readOnly)
    }

    private func block(
        in segment: UInt64, _ ring: RingFile, _ ahead: (LogPosition) -> LogPosition
    ) throws -> (LogPosition, [UInt8]) {
        let page = PageBuffer(count: LogFormat.pageSize)
        let first = try ring.firstBlock(ofSegment: segment, scratch: page)
        page.bytes.clear()
        BlockHeader(position: first, previousEnd: first).write(page.bytes, seed: ring.seed)
        // `write` itself refuses what cannot be.
        page.bytes.store(ahead(first).rawValue, at: 16)
        var checksum = ring.seed
        checksum.update(page.readOnly.part(8..<BlockHeader.size))
        page.bytes.store(checksum.value, at: 4)
        return (first, Array(page.readOnly.prefix(BlockHeader.size)))
    }

    /// The last cursor of `segment`, or of the newest one before it that has any.
    private func cursor(
        in segment: UInt64, _ ring: RingFile, _ ahead: (LogPosition) -> LogPosition
    ) throws -> (LogPosition, [UInt8]) {
        let window = LogWindow(ring: ring)
        var found: LogPosition?
        var page = ring.geometry.firstBlock(ofSegment: segment)
        while page < ring.geometry.end(ofSegment: segment) {
            if try window.blockHeader(at: page) != nil {
                var position = page.advanced(by: BlockHeader.size)
                while let (frame, _) = try window.record(at: position) {
                    if frame.kind == LogFormat.consumedKind { found = position }
                    position = position.advanced(by: frame.size)
                }
            }
            page = page.advanced(by: LogFormat.pageSize)
        }
        guard let found else {
            let earlier = try #require(segment > 0 ? segment - 1 : nil)
            return try cursor(in: earlier, ring, ahead)
        }
        let bytes = PageBuffer(count: LogFormat.pageSize)
        let size = withUnsafeBytes(of: ahead(found).rawValue.littleEndian) {
            RecordFrame.write(
                kind: LogFormat.consumedKind, payload: $0, at: found, seed: ring.seed,
                into: bytes.bytes)
        }
        return (found, Array(bytes.readOnly.prefix(size)))
    }
}
