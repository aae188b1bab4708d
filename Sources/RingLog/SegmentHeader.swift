/// The page that opens a segment: LogFormat.md, Segment.
struct SegmentHeader: Equatable {
    static let fixedSize = 40
    /// 00 `SEG`, as a little-endian integer.
    private static let magic: UInt32 = 0x4745_5300

    let sequence: UInt64
    let previousEnd: LogPosition
    let consumed: LogPosition
    let snapshot: [UInt8]

    static func hasMagic(_ page: UnsafeRawBufferPointer) -> Bool {
        page.littleEndian(at: 0, as: UInt32.self) == magic
    }

    /// Nil if the page does not verify.
    static func read(_ page: UnsafeRawBufferPointer, seed: CRC32C) -> SegmentHeader? {
        let length = page.littleEndian(at: 12, as: UInt32.self)
        guard page.littleEndian(at: 0, as: UInt32.self) == magic,
            page.littleEndian(at: 4, as: UInt32.self) == checksum(page, seed),
            page.littleEndian(at: 8, as: UInt32.self) <= LogFormat.version,
            length <= LogFormat.maximumSnapshotSize
        else { return nil }
        return SegmentHeader(
            sequence: page.littleEndian(at: 16, as: UInt64.self),
            previousEnd: LogPosition(rawValue: page.littleEndian(at: 24, as: UInt64.self)),
            consumed: LogPosition(rawValue: page.littleEndian(at: 32, as: UInt64.self)),
            snapshot: Array(page[fixedSize..<fixedSize + Int(length)]))
    }

    /// Fills a page that is zero.
    func write(_ page: UnsafeMutableRawBufferPointer, seed: CRC32C) {
        page.store(Self.magic, at: 0)
        page.store(LogFormat.version, at: 8)
        page.store(UInt32(snapshot.count), at: 12)
        page.store(sequence, at: 16)
        page.store(previousEnd.rawValue, at: 24)
        page.store(consumed.rawValue, at: 32)
        page.part(Self.fixedSize..<page.count).copyBytes(from: snapshot)
        page.store(Self.checksum(UnsafeRawBufferPointer(page), seed), at: 4)
    }

    private static func checksum(_ page: UnsafeRawBufferPointer, _ seed: CRC32C) -> UInt32 {
        var crc = seed
        crc.update(page.part(8..<LogFormat.pageSize))
        return crc.value
    }
}
