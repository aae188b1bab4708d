import Glibc

/// A device known to hold a ring, addressed by position instead of offset.
struct RingFile {
    let device: any BlockDevice
    let superblock: Superblock
    /// The initial value of every checksum except the superblock's.
    let seed: CRC32C

    var geometry: LogGeometry { superblock.geometry }

    init(device: any BlockDevice, superblock: Superblock) {
        self.device = device
        self.superblock = superblock
        seed = superblock.seed
    }

    /// Reads from `position` on, within one segment.
    ///
    /// Bytes that the file lacks or the medium cannot return become zeros: they fail to verify like
    /// other damage.
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
        /// Apparently never written.
        case blank
        case damaged
    }

    /// Returns the header page in the slot of segment `sequence`, whatever segment it holds now.
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

    /// Returns where the blocks of a segment begin: behind its header, or behind the first page of
    /// a header that does not verify.
    func firstBlock(
        ofSegment sequence: UInt64, scratch: PageBuffer
    ) throws(RingLogError) -> LogPosition {
        guard case .segment(let header) = try slot(of: sequence, scratch: scratch),
            header.sequence == sequence
        else { return geometry.firstBlock(ofSegment: sequence) }
        return geometry.start(ofSegment: sequence).advanced(by: header.size)
    }

    /// Returns the header whose first page is `page`, and reads its other pages.
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

    /// Returns the header of the newest segment, from the headers alone; nil if none verifies.
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
    /// The content of both superblocks of a device.
    struct Copies {
        var front: Reading
        var back: Reading

        /// The superblock to use, if any is valid.
        var valid: Superblock? {
            if case .valid(let superblock) = front { return superblock }
            if case .valid(let superblock) = back { return superblock }
            return nil
        }

        /// The version of a ring that a later version wrote.
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
        // Without the front superblock the geometry is unknown: the rear one is at the end of the
        // file.
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
    /// The offset of the copy in the last page.
    var backSuperblockOffset: UInt64 { fileSize - UInt64(LogFormat.pageSize) }
}
