import Glibc

/// Pages that have not been written to the ring's file yet, in a file in memory that outlives the
/// process.
///
/// The disk's queue usually writes a page some milliseconds after it was appended, and much later
/// if the disk stalls. A process that is killed meanwhile would lose the page, although a broker
/// may already have its records. The next process first writes the pages found here to the ring's
/// file. The pages disappear at the next boot, like everything that no medium has.
///
/// Pages are stored in the order of writing, each behind its offset in the ring's file (8 bytes,
/// little endian). A page that is incomplete has not been written.
///
/// Confined to its owner.
package final class UnwrittenPages {
    private static let entry = 8 + LogFormat.pageSize

    private let file: BootFile
    private var descriptor: Int32 { file.descriptor }
    /// Number of valid bytes; nil if a page could not be stored: later pages would follow a gap,
    /// and are not stored before `clear`.
    private var length: Int? = 0
    private let limit: Int

    /// Whether every page since `clear` is here.
    var isComplete: Bool { length != nil }

    /// Creates the storage for the ring file at `ring`; nil if there is no place for it.
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

    /// Empties the storage: the ring's file has everything.
    func clear() {
        guard length != 0 else { return }
        length = ftruncate(descriptor, 0) == 0 ? 0 : nil
    }

    /// Empties the storage and stores nothing before `clear`.
    func abandon() {
        ftruncate(descriptor, 0)
        length = nil
    }

    /// Deletes the storage: the ring is closed and the next process needs nothing.
    func remove() { file.remove() }

    /// Writes the pages of an earlier process to `file`, in their order.
    func write(to file: any BlockDevice) throws(RingLogError) {
        let size = try file.size()
        let entry = PageBuffer(count: LogFormat.pageSize)
        var (place, position) = (UInt64(0), 0)
        while pread(descriptor, &place, 8, position) == 8,
            pread(descriptor, entry.bytes.baseAddress, entry.bytes.count, position + 8)
                == entry.bytes.count
        {
            let offset = UInt64(littleEndian: place)
            // Only the owner of the ring writes here, and no page lies behind its end.
            guard offset % UInt64(LogFormat.pageSize) == 0, offset < size else { break }
            try file.write(at: offset, bytes: entry.readOnly)
            position += Self.entry
        }
        length = nil
        clear()
    }
}
