import Glibc

/// What a file holds, as far as its outermost pages tell: LogFormat.md, Opening.
package enum RingContent: Equatable, Sendable {
    /// Nothing, or what a cut left of the making of a ring: as good as new.
    case blank
    /// A ring; whether it can be read is for the reading to find out.
    case ring
    /// A ring whose superblocks are both damaged: its geometry and epoch are lost.
    case damaged
    case laterVersion
    /// Something else, which is never written to.
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
        // The rear superblock is made first, so a cut in its making leaves nothing else.
        if Superblock.hasMagic(try page(of: device, at: last)) {
            return try isZero(device, before: last) ? .blank : .damaged
        }
        if try isZero(device, before: size) { return .blank }
        let segment = try self.page(of: device, at: UInt64(LogFormat.pageSize))
        return SegmentHeader.hasMagic(segment.readOnly) ? .damaged : .foreign
    }

    /// The page at `offset`; zeros for what is beyond the end or cannot be read.
    private static func page(
        of device: any BlockDevice, at offset: UInt64
    ) throws(RingLogError) -> PageBuffer {
        let page = PageBuffer(count: LogFormat.pageSize)
        try device.readAll(at: offset, into: page.bytes)
        return page
    }

    /// Whether there is nothing but zeros up to `end`; what cannot be read counts as something.
    private static func isZero(
        _ device: any BlockDevice, before end: UInt64
    ) throws(RingLogError) -> Bool {
        let buffer = PageBuffer(count: LogFormat.maximumBlockSize)
        for offset in stride(from: 0, to: end, by: buffer.bytes.count) {
            let wanted = buffer.bytes.part(0..<Int(min(UInt64(buffer.bytes.count), end - offset)))
            do throws(RingLogError) {
                let count = try device.read(at: offset, into: wanted)
                guard UnsafeRawBufferPointer(wanted.part(0..<count)).isZero else { return false }
            } catch {
                guard error.code == EIO else { throw error }
                return false
            }
        }
        return true
    }
}
