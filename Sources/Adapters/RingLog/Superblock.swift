/// The page that identifies the file: LogFormat.md, Superblock.
struct Superblock: Equatable {
    static let epochSize = 16
    private static let size = 64
    private static let magic: [UInt8] = Array("RINGLOG\n".utf8)

    let epoch: [UInt8]
    let geometry: LogGeometry

    enum Reading: Equatable {
        case valid(Superblock)
        /// Intact, with a format version above ours.
        case newer(version: UInt32)
        case invalid
    }

    static func read(_ page: UnsafeRawBufferPointer) -> Reading {
        guard page.prefix(magic.count).elementsEqual(magic),
            page.littleEndian(at: 60, as: UInt32.self) == checksum(page)
        else { return .invalid }
        let version = page.littleEndian(at: 8, as: UInt32.self)
        guard version <= LogFormat.version else { return .newer(version: version) }
        let segmentSize = page.littleEndian(at: 32, as: UInt64.self)
        let segmentCount = page.littleEndian(at: 40, as: UInt64.self)
        guard page.littleEndian(at: 12, as: UInt32.self) == UInt32(LogFormat.pageSize),
            LogGeometry.isValid(segmentSize: segmentSize, segmentCount: segmentCount)
        else { return .invalid }
        return .valid(
            Superblock(
                epoch: Array(page[16..<32]),
                geometry: LogGeometry(
                    segmentSize: Int(segmentSize), segmentCount: Int(segmentCount))))
    }

    /// Whether a page begins like a superblock, or like one whose write was interrupted.
    static func hasMagic(_ page: PageBuffer) -> Bool {
        let bytes = page.readOnly.prefix(magic.count)
        guard !bytes.elementsEqual(magic) else { return true }
        let written = bytes.prefix { $0 != 0 }
        return !written.isEmpty && magic.starts(with: written)
            && page.readOnly.part(written.count..<page.readOnly.count).isZero
    }

    /// Fills a zero page.
    func write(_ page: UnsafeMutableRawBufferPointer) {
        precondition(page.count == LogFormat.pageSize, "a superblock has a page")
        page.copyBytes(from: Self.magic)
        page.store(LogFormat.version, at: 8)
        page.store(UInt32(LogFormat.pageSize), at: 12)
        page.part(16..<32).copyBytes(from: epoch)
        page.store(UInt64(geometry.segmentSize), at: 32)
        page.store(UInt64(geometry.segmentCount), at: 40)
        page.store(Self.checksum(UnsafeRawBufferPointer(page)), at: 60)
    }

    /// The initial value of all other checksums of the ring.
    var seed: CRC32C {
        var crc = CRC32C()
        epoch.withUnsafeBytes { crc.update($0) }
        return crc
    }

    private static func checksum(_ page: UnsafeRawBufferPointer) -> UInt32 {
        var crc = CRC32C()
        crc.update(page.part(0..<size - 4))
        return crc.value
    }
}
