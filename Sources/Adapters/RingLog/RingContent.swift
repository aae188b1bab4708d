import Glibc

/// The kind of content of a file, judged by its first and last pages: LogFormat.md, Opening.
package enum RingContent: Equatable, Sendable {
    /// Nothing, or the rest of an interrupted creation of a ring: treated as new.
    case blank
    /// A ring. Only reading shows whether it is intact.
    case ring
    /// A ring whose superblocks are both damaged: its geometry and epoch are lost.
    case damaged
    case laterVersion
    /// Content of another kind, which is never overwritten.
    case foreign

    package init(of device: any BlockDevice) throws(RingLogError) {
        let copies = try Superblock.readCopies(device)
        if copies.newerVersion != nil {
            self = .laterVersion
        } else if copies.valid != nil {
            self = .ring
        } else {
            self = try Self.unrecognized(device)
        }
    }

    private static func unrecognized(
        _ device: any BlockDevice
    ) throws(RingLogError) -> RingContent {
        let size = LogFormat.pageUp(try device.size())
        let last = size - min(size, UInt64(LogFormat.pageSize))
        if Superblock.hasMagic(try page(of: device, at: 0)) { return .damaged }
        // The rear superblock is written first, so an interrupted creation leaves only that.
        if Superblock.hasMagic(try page(of: device, at: last)) {
            return try firstWritten(in: device, before: last) == nil ? .blank : .damaged
        }
        guard let first = try firstWritten(in: device, before: size) else { return .blank }
        return try hasHead(device, from: first) ? .damaged : .foreign
    }

    /// Whether a segment or a block of a ring begins at `offset`, or behind a possible rest of the
    /// block before. This remains if a ring was truncated to zero and then written to.
    private static func hasHead(
        _ device: any BlockDevice, from offset: UInt64
    ) throws(RingLogError) -> Bool {
        for page in 0...UInt64(LogFormat.maximumBlockSize / LogFormat.pageSize) {
            let bytes = try self.page(of: device, at: offset + page * UInt64(LogFormat.pageSize))
            if SegmentHeader.hasMagic(bytes.readOnly) || BlockHeader.hasMagic(bytes.readOnly) {
                return true
            }
        }
        return false
    }

    /// Returns the page at `offset`; zeros for bytes beyond the end or that cannot be read.
    private static func page(
        of device: any BlockDevice, at offset: UInt64
    ) throws(RingLogError) -> PageBuffer {
        let page = PageBuffer(count: LogFormat.pageSize)
        try device.readAll(at: offset, into: page.bytes)
        return page
    }

    /// Returns the first page before `end` that is not zero; an unreadable page counts as not zero.
    private static func firstWritten(
        in device: any BlockDevice, before end: UInt64
    ) throws(RingLogError) -> UInt64? {
        let buffer = PageBuffer(count: LogFormat.maximumBlockSize)
        for offset in stride(from: 0, to: end, by: buffer.bytes.count) {
            let wanted = buffer.bytes.part(0..<Int(min(UInt64(buffer.bytes.count), end - offset)))
            do throws(RingLogError) {
                let count = try device.read(at: offset, into: wanted)
                let found = UnsafeRawBufferPointer(wanted.part(0..<count))
                if !found.isZero, let written = found.firstIndex(where: { $0 != 0 }) {
                    return LogFormat.pageDown(offset + UInt64(written))
                }
            } catch {
                guard error.code == EIO else { throw error }
                return offset
            }
        }
        return nil
    }
}
