import Glibc

/// What a ring's file has not been given yet, in a file in memory that outlives the process.
///
/// The disk's queue gives the ring's file a page milliseconds after it was written as a rule, and after
/// a stall as late as that lasts. A process that is killed meanwhile would take the page with it,
/// though a broker may have its records. The next process gives the ring's file what it finds here,
/// before it looks at it. It is gone with the boot, as is all that no medium had.
///
/// Pages stand here in the order of writing, each behind its place in the ring's file (8 bytes, little
/// endian). One that was cut short in the writing has not been written.
///
/// Confined to its owner.
package final class UnwrittenPages {
    private static let entry = 8 + LogFormat.pageSize

    private let file: BootFile
    private var descriptor: Int32 { file.descriptor }
    /// Bytes of it that count; nil when it could not take a page: what follows would stand behind a
    /// hole, and is not taken before `clear`.
    private var length: Int? = 0
    private let limit: Int

    /// Everything since `clear` is here.
    var isWhole: Bool { length != nil }

    /// Of the ring file at `ring`; nil where there is no place for them.
    package init?(ofRing ring: String, limit: Int) {
        guard let file = BootFile("unwritten", ofRing: ring) else { return nil }
        (self.file, self.limit) = (file, limit)
    }

    /// Adds whole pages, for `offset` of the ring's file.
    func append(at offset: UInt64, bytes: UnsafeRawBufferPointer) {
        for start in stride(from: 0, to: bytes.count, by: LogFormat.pageSize) {
            guard let length, length + Self.entry <= limit else {
                self.length = nil
                return
            }
            let page = bytes.part(start..<start + LogFormat.pageSize)
            var place = (offset + UInt64(start)).littleEndian
            let count = withUnsafeMutableBytes(of: &place) { place in
                let parts = [
                    iovec(iov_base: place.baseAddress, iov_len: place.count),
                    iovec(
                        iov_base: UnsafeMutableRawPointer(mutating: page.baseAddress),
                        iov_len: page.count),
                ]
                return pwritev(descriptor, parts, 2, length)
            }
            self.length = count == Self.entry ? length + count : nil
        }
    }

    /// The ring's file has been given everything.
    func clear() {
        guard length != 0 else { return }
        length = ftruncate(descriptor, 0) == 0 ? 0 : nil
    }

    /// Holds nothing any more, nor takes anything before `clear`.
    func abandon() {
        ftruncate(descriptor, 0)
        length = nil
    }

    /// The ring is closed in order; the next process needs nothing.
    func remove() { file.remove() }

    /// Gives `file` what an earlier process left here, in its order.
    func give(to file: any BlockDevice) throws(RingLogError) {
        let size = try file.size()
        let entry = PageBuffer(count: LogFormat.pageSize)
        var (place, position) = (UInt64(0), 0)
        while pread(descriptor, &place, 8, position) == 8,
            pread(descriptor, entry.bytes.baseAddress, entry.bytes.count, position + 8)
                == entry.bytes.count
        {
            let offset = UInt64(littleEndian: place)
            // Nobody but the owner of the ring writes here, and no page of it lies behind its end.
            guard offset % UInt64(LogFormat.pageSize) == 0, offset < size else { break }
            try file.write(at: offset, bytes: entry.readOnly)
            position += Self.entry
        }
        length = nil
        clear()
    }
}
