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
