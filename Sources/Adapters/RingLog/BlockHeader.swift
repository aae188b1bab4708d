/// The first bytes of a block: LogFormat.md, Block.
struct BlockHeader: Equatable {
    static let size = 24
    /// 00 `BLK`, as a little-endian integer. The zero makes a record parser stop here.
    private static let magic: UInt32 = 0x4B4C_4200

    let position: LogPosition
    let previousEnd: LogPosition

    static func hasMagic(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.littleEndian(at: 0, as: UInt32.self) == magic
    }

    /// Returns nil unless `bytes` begin with an intact header for exactly this position.
    static func read(
        _ bytes: UnsafeRawBufferPointer, at position: LogPosition, seed: CRC32C
    ) -> BlockHeader? {
        guard bytes.littleEndian(at: 0, as: UInt32.self) == magic,
            bytes.littleEndian(at: 8, as: UInt64.self) == position.rawValue,
            bytes.littleEndian(at: 4, as: UInt32.self) == checksum(bytes, seed)
        else { return nil }
        let previousEnd = LogPosition(rawValue: bytes.littleEndian(at: 16, as: UInt64.self))
        guard previousEnd <= position else { return nil }
        return BlockHeader(position: position, previousEnd: previousEnd)
    }

    /// Whether `bytes` look like a damaged header for this position.
    static func isLikely(
        _ bytes: UnsafeRawBufferPointer, at position: LogPosition, previousEnd: LogPosition
    ) -> Bool {
        let matches = [
            bytes.littleEndian(at: 0, as: UInt32.self) == magic,
            bytes.littleEndian(at: 8, as: UInt64.self) == position.rawValue,
            bytes.littleEndian(at: 16, as: UInt64.self) == previousEnd.rawValue,
        ]
        return matches.count { $0 } >= 2
    }

    func write(_ bytes: UnsafeMutableRawBufferPointer, seed: CRC32C) {
        precondition(position.isPageBoundary, "a block begins on a page")
        precondition(previousEnd <= position, "a block lies behind the records before it")
        bytes.store(Self.magic, at: 0)
        bytes.store(position.rawValue, at: 8)
        bytes.store(previousEnd.rawValue, at: 16)
        bytes.store(Self.checksum(UnsafeRawBufferPointer(bytes), seed), at: 4)
    }

    private static func checksum(_ bytes: UnsafeRawBufferPointer, _ seed: CRC32C) -> UInt32 {
        var crc = seed
        crc.update(bytes.part(8..<size))
        return crc.value
    }
}

/// The first pages of a segment, usually one: LogFormat.md, Segment.
struct SegmentHeader: Equatable {
    static let fixedSize = 40
    /// 00 `SEG`, as a little-endian integer.
    private static let magic: UInt32 = 0x4745_5300

    let sequence: UInt64
    let previousEnd: LogPosition
    let consumed: LogPosition
    let snapshot: [UInt8]

    /// Bytes of the header, in whole pages.
    var size: Int { Self.size(snapshot: snapshot.count) }

    private static func size(snapshot count: Int) -> Int {
        Int(LogFormat.pageUp(UInt64(fixedSize + count)))
    }

    /// Returns the size of the header that begins with this page, at most `limit`; nil for another
    /// page.
    static func size(_ page: UnsafeRawBufferPointer, limit: Int) -> Int? {
        let length = page.littleEndian(at: 12, as: UInt32.self)
        guard hasMagic(page), Int(length) <= limit - fixedSize else { return nil }
        return size(snapshot: Int(length))
    }

    static func hasMagic(_ page: UnsafeRawBufferPointer) -> Bool {
        page.littleEndian(at: 0, as: UInt32.self) == magic
    }

    /// Returns nil if the pages of the header do not verify.
    static func read(_ pages: UnsafeRawBufferPointer, seed: CRC32C) -> SegmentHeader? {
        guard let size = size(pages, limit: pages.count), size == pages.count,
            pages.littleEndian(at: 4, as: UInt32.self) == checksum(pages, seed),
            pages.littleEndian(at: 8, as: UInt32.self) <= LogFormat.version
        else { return nil }
        let length = Int(pages.littleEndian(at: 12, as: UInt32.self))
        return SegmentHeader(
            sequence: pages.littleEndian(at: 16, as: UInt64.self),
            previousEnd: LogPosition(rawValue: pages.littleEndian(at: 24, as: UInt64.self)),
            consumed: LogPosition(rawValue: pages.littleEndian(at: 32, as: UInt64.self)),
            snapshot: Array(pages[fixedSize..<fixedSize + length]))
    }

    /// Fills `size` zero bytes.
    func write(_ pages: UnsafeMutableRawBufferPointer, seed: CRC32C) {
        precondition(pages.count == size, "a segment header fills its pages")
        pages.store(Self.magic, at: 0)
        pages.store(LogFormat.version, at: 8)
        pages.store(UInt32(snapshot.count), at: 12)
        pages.store(sequence, at: 16)
        pages.store(previousEnd.rawValue, at: 24)
        pages.store(consumed.rawValue, at: 32)
        pages.part(Self.fixedSize..<pages.count).copyBytes(from: snapshot)
        pages.store(Self.checksum(UnsafeRawBufferPointer(pages), seed), at: 4)
    }

    private static func checksum(_ pages: UnsafeRawBufferPointer, _ seed: CRC32C) -> UInt32 {
        var crc = seed
        crc.update(pages.part(8..<pages.count))
        return crc.value
    }
}
