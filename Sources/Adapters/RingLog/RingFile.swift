import Glibc

/// A device known to hold a ring, addressed by position instead of offset.
struct RingFile {
    let device: any BlockDevice
    let superblock: Superblock
    /// Where every checksum but the superblock's starts.
    let seed: CRC32C

    var geometry: LogGeometry { superblock.geometry }

    init(device: any BlockDevice, superblock: Superblock) {
        self.device = device
        self.superblock = superblock
        seed = superblock.seed
    }

    /// Reads from `position` on, within one segment.
    ///
    /// What the file lacks, or the medium cannot give back, reads as zeros: it then fails to
    /// verify, like any other damage.
    func read(
        at position: LogPosition, into buffer: UnsafeMutableRawBufferPointer
    ) throws(RingLogError) {
        precondition(
            geometry.isInOneSegment(position, count: buffer.count),
            "what is read at once is of one segment")
        try device.readAll(at: geometry.fileOffset(of: position), into: buffer)
    }

    func write(
        at position: LogPosition, bytes: UnsafeRawBufferPointer
    ) throws(RingLogError) {
        precondition(
            position.isPageBoundary && bytes.count % LogFormat.pageSize == 0,
            "a ring is written in whole pages")
        precondition(
            geometry.isInOneSegment(position, count: bytes.count),
            "what is written at once is of one segment")
        try device.write(at: geometry.fileOffset(of: position), bytes: bytes)
    }

    enum SlotContent: Equatable {
        case segment(SegmentHeader)
        /// Never written, as far as one can see.
        case blank
        case damaged
    }

    /// The header page in the slot that `sequence` has, or had, or will have.
    func slot(of sequence: UInt64, scratch: PageBuffer) throws(RingLogError) -> SlotContent {
        let page = scratch.bytes.part(0..<LogFormat.pageSize)
        try read(at: geometry.start(ofSegment: sequence), into: page)
        let bytes = UnsafeRawBufferPointer(page)
        if let header = try header(bytes, at: sequence), geometry.isPossible(header),
            header.sequence % UInt64(geometry.segmentCount) == sequence
                % UInt64(geometry.segmentCount)
        {
            return .segment(header)
        }
        return bytes.isZero ? .blank : .damaged
    }

    /// Where the blocks of a segment begin: behind its header, or behind the first page of one that
    /// does not verify.
    func firstBlock(
        ofSegment sequence: UInt64, scratch: PageBuffer
    ) throws(RingLogError) -> LogPosition {
        guard case .segment(let header) = try slot(of: sequence, scratch: scratch),
            header.sequence == sequence
        else { return geometry.firstBlock(ofSegment: sequence) }
        return geometry.start(ofSegment: sequence).advanced(by: header.size)
    }

    /// The header whose first page is `page`, with the others read for it.
    private func header(
        _ page: UnsafeRawBufferPointer, at sequence: UInt64
    ) throws(RingLogError) -> SegmentHeader? {
        let limit = geometry.maximumSnapshotSize + SegmentHeader.fixedSize
        guard let size = SegmentHeader.size(page, limit: limit) else { return nil }
        guard size > page.count else { return SegmentHeader.read(page, seed: seed) }
        let pages = PageBuffer(count: size)
        try read(at: geometry.start(ofSegment: sequence), into: pages.bytes)
        return SegmentHeader.read(pages.readOnly, seed: seed)
    }

    /// The header of the newest segment, read from the headers alone; nil if none verifies.
    func newestSegment(scratch: PageBuffer) throws(RingLogError) -> SegmentHeader? {
        var newest: SegmentHeader?
        for slot in 0..<UInt64(geometry.segmentCount) {
            guard case .segment(let header) = try self.slot(of: slot, scratch: scratch) else {
                continue
            }
            if header.sequence >= newest?.sequence ?? 0 { newest = header }
        }
        return newest
    }
}

extension Superblock {
    /// What both superblocks of a device say together.
    struct Copies {
        var front: Reading
        var back: Reading

        /// The one to go by, if any.
        var valid: Superblock? {
            if case .valid(let superblock) = front { return superblock }
            if case .valid(let superblock) = back { return superblock }
            return nil
        }

        /// The later version that wrote the ring, if it was one.
        var newerVersion: UInt32? {
            if case .newer(let version) = front { return version }
            if case .newer(let version) = back { return version }
            return nil
        }
    }

    static func readCopies(_ device: any BlockDevice) throws(RingLogError) -> Copies {
        let page = PageBuffer(count: LogFormat.pageSize)
        let front = try read(device, at: 0, page)
        if case .valid(let superblock) = front {
            let back = superblock.geometry.backSuperblockOffset
            return Copies(front: front, back: try read(device, at: back, page))
        }
        // Without the front one the geometry is unknown: the back one is where the file ends.
        let size = LogFormat.pageDown(try device.size())
        guard size >= UInt64(LogFormat.pageSize) else {
            return Copies(front: front, back: .invalid)
        }
        return Copies(
            front: front, back: try read(device, at: size - UInt64(LogFormat.pageSize), page))
    }

    private static func read(
        _ device: any BlockDevice, at offset: UInt64, _ page: PageBuffer
    ) throws(RingLogError) -> Reading {
        do {
            guard try device.read(at: offset, into: page.bytes) == LogFormat.pageSize else {
                return .invalid
            }
        } catch  where error.code == EIO {
            return .invalid
        }
        return read(page.readOnly)
    }
}

extension LogGeometry {
    /// Of the copy in the last page.
    var backSuperblockOffset: UInt64 { fileSize - UInt64(LogFormat.pageSize) }
}
