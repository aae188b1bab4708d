import Glibc

/// A ring file that goes on in memory while the file system refuses it.
///
/// What was written and is not durable yet is kept, page by page. Once a write or a sync fails,
/// these pages stand in for the file: reads see them, writes add to them, and syncs return without
/// having made anything durable; `failure` says why. `heal` brings the pages to the file, or to a
/// new one where the old one is gone.
///
/// Confined to the caller's queue.
package final class FallbackBlockDevice: BlockDevice {
    /// How to come by the file.
    package struct FileSystem: Sendable {
        /// Makes the file where there is none, and takes its lock.
        package var openForWriting: @Sendable (String) throws(RingLogError) -> any BlockDevice
        /// For a file system that takes no writes.
        package var openForReading: @Sendable (String) throws(RingLogError) -> any BlockDevice
        package var rename: @Sendable (String, String) throws(RingLogError) -> Void
        package var remove: @Sendable (String) throws(RingLogError) -> Void

        /// The machine's own, but for what is given.
        package init(
            openForWriting: @escaping @Sendable (String) throws(RingLogError) -> any BlockDevice = {
                path throws(RingLogError) in try FileBlockDevice.writing(path: path)
            },
            openForReading: @escaping @Sendable (String) throws(RingLogError) -> any BlockDevice = {
                path throws(RingLogError) in try FileBlockDevice.reading(path: path)
            },
            rename: @escaping @Sendable (String, String) throws(RingLogError) -> Void =
                FileBlockDevice.rename,
            remove: @escaping @Sendable (String) throws(RingLogError) -> Void =
                FileBlockDevice.remove
        ) {
            self.openForWriting = openForWriting
            self.openForReading = openForReading
            self.rename = rename
            self.remove = remove
        }
    }

    /// Bytes copied in one call of `heal` at most, so that its caller gets on.
    private static let copyStride: UInt64 = 4 << 20
    private static let page = UInt64(LogFormat.pageSize)

    /// Of the file that it stands in for.
    package let path: String
    /// Bytes kept in memory while the disk refuses them: three quarters of an hour of a full room,
    /// little enough for a small Pi. Whoever writes looks at `memoryBytes`, and lets go of the
    /// oldest with `forget`.
    package var memoryLimit = 16 << 20
    /// Why writes stay in memory; nil while the file takes them.
    package private(set) var failure: RingLogError?
    package let fileSystem: FileSystem
    private var file: (any BlockDevice)?
    private var isReadOnly = false
    /// The file held something when it was opened, or may have got a superblock since.
    private var mayBeOnDisk = false
    /// Written and not durable, by offset.
    private var pages: [UInt64: [UInt8]] = [:]
    /// Their offsets, in the order of their first writing.
    private var order: [UInt64] = []
    /// Bytes of the ring, known since its space was reserved, which comes before any writing.
    private var length: UInt64 = 0
    /// The file that takes the place of one that is gone, and how far it has been filled.
    private var successor: (file: any BlockDevice, copied: UInt64)?

    /// Opens `path`, or begins in memory. A file on a read-only file system is read, at least.
    package init(path: String, fileSystem: FileSystem = FileSystem()) {
        self.path = path
        self.fileSystem = fileSystem
        do throws(RingLogError) {
            file = try fileSystem.openForWriting(path)
        } catch {
            failure = error
            if error.code == EROFS { file = try? fileSystem.openForReading(path) }
            isReadOnly = file != nil
        }
        mayBeOnDisk = file.map { (try? $0.size()) != 0 } ?? false
    }

    /// Leaves the file alone, because of `error`, and begins in memory.
    package func abandonFile(because error: RingLogError) {
        file = nil
        (isReadOnly, mayBeOnDisk) = (false, false)
        (pages, order, length) = ([:], [], 0)
        failure = error
    }

    /// Bytes that memory holds because the file does not.
    package var memoryBytes: Int { failure == nil ? 0 : pages.count * LogFormat.pageSize }

    /// A file is being filled that takes the place of one that is gone: `heal` soon again.
    package var isCopying: Bool { successor != nil }

    /// No disk has anything of this ring that a later process would take up.
    package var isInMemoryAlone: Bool { failure != nil && !mayBeOnDisk }

    /// The oldest page in memory, superblocks apart; nil if there is none.
    package var oldestInMemory: UInt64? { order.first { !isSuperblock($0) } }

    private func isSuperblock(_ offset: UInt64) -> Bool {
        offset == 0 || offset + Self.page == length
    }

    /// Lets go of the pages of some positions, for want of memory.
    package func forget(_ positions: Range<LogPosition>, of geometry: LogGeometry) {
        let start = geometry.fileOffset(of: positions.lowerBound)
        let end = start + (positions.upperBound.rawValue - positions.lowerBound.rawValue)
        precondition(failure != nil, "what the file will get is kept until it has it")
        precondition(
            geometry.isInOneSegment(positions.lowerBound, count: Int(end - start)),
            "one segment's pages are let go of")
        order.removeAll { (start..<end).contains($0) }
        for offset in pages.keys.filter((start..<end).contains) { pages[offset] = nil }
        precondition(pages.count == order.count, "each page in memory has its turn")
    }

    // MARK: - BlockDevice

    package func size() throws(RingLogError) -> UInt64 {
        max(length, try file?.size() ?? 0)
    }

    package func allocate(size: UInt64) {
        attempt { (file) throws(RingLogError) in try file.allocate(size: size) }
        length = max(length, size)
    }

    package func read(
        at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(RingLogError) -> Int {
        guard failure != nil else { return try file?.read(at: offset, into: buffer) ?? 0 }
        let count = Int(min(UInt64(buffer.count), try size() - min(try size(), offset)))
        for start in stride(from: 0, to: count, by: LogFormat.pageSize) {
            let part = buffer.part(start..<min(start + LogFormat.pageSize, count))
            try readPage(at: offset + UInt64(start), into: part)
        }
        return count
    }

    /// At most a page, from a page boundary on.
    private func readPage(
        at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(RingLogError) {
        precondition(offset % Self.page == 0, "a ring is read from page boundaries on")
        if let page = pages[offset] {
            buffer.copyBytes(from: page.prefix(buffer.count))
            return
        }
        let count = try file?.read(at: offset, into: buffer) ?? 0
        buffer.part(count..<buffer.count).clear()
    }

    package func write(at offset: UInt64, bytes: UnsafeRawBufferPointer) {
        precondition(
            offset % Self.page == 0 && bytes.count % LogFormat.pageSize == 0,
            "a ring is written in whole pages")
        precondition(offset + UInt64(bytes.count) <= length, "space is reserved, then written")
        attempt { (file) throws(RingLogError) in
            if isSuperblock(offset) { mayBeOnDisk = true }
            try file.write(at: offset, bytes: bytes)
        }
        for start in stride(from: 0, to: bytes.count, by: LogFormat.pageSize) {
            let page = Array(bytes[start..<start + LogFormat.pageSize])
            let place = offset + UInt64(start)
            if pages.updateValue(page, forKey: place) == nil { order.append(place) }
        }
        precondition(pages.count == order.count, "each page in memory has its turn")
    }

    /// Returns at once, with nothing made durable, while `failure` stands.
    package func sync() {
        attempt { (file) throws(RingLogError) in
            try file.sync()
            (pages, order) = ([:], [])
        }
    }

    package func prepare(_ range: Range<UInt64>, limit: Int) -> UInt64? {
        var next: UInt64?
        attempt { (file) throws(RingLogError) in next = try file.prepare(range, limit: limit) }
        return next
    }

    /// Takes a file that was moved away or removed for one that refuses writes: nobody would find
    /// there what is written to it. `heal` then fills a new one at the path.
    package func checkPlace() {
        attempt { (file) throws(RingLogError) in
            guard !file.isInPlace else { return }
            throw RingLogError(.locate, code: ESTALE, path: path)
        }
    }

    private func attempt(_ body: (any BlockDevice) throws(RingLogError) -> Void) {
        guard failure == nil, let file else { return }
        do throws(RingLogError) { try body(file) } catch { failure = error }
    }

    // MARK: - Healing

    /// Tries to bring everything to the disk. Returns whether all of it is there; if not, another
    /// call goes on, or tries again.
    ///
    /// Fails with code `EEXIST` where another ring stands in the file's place.
    @discardableResult
    package func heal() -> Bool {
        guard failure != nil else { return true }
        do throws(RingLogError) {
            guard try hasFile() else { return false }
            try drain()
            failure = nil
            return true
        } catch {
            failure = error
            successor = nil
            return false
        }
    }

    /// Whether there is a file to write to; it may take several calls to fill a new one.
    private func hasFile() throws(RingLogError) -> Bool {
        if successor == nil {
            if let file, file.isInPlace {
                if isReadOnly { self.file = try fileSystem.openForWriting(path) }
                isReadOnly = false
                return true
            }
            successor = (try openSuccessor(), Self.page)
        }
        guard try fillSuccessor(), let successor else { return false }
        file = successor.file
        self.successor = nil
        return true
    }

    private func openSuccessor() throws(RingLogError) -> any BlockDevice {
        let new = try fileSystem.openForWriting(path)
        switch try RingContent(of: new) {
        case .blank: break
        case .ring: throw RingLogError(.open, code: EEXIST, path: path)
        case .damaged: throw RingLogError(.recognize, code: EUCLEAN, path: path)
        case .foreign: throw RingLogError(.recognize, code: ENOTSUP, path: path)
        case .laterVersion: throw RingLogError(.recognize, code: EPROTONOSUPPORT, path: path)
        }
        try new.allocate(size: try size())
        return new
    }

    /// Copies what the old file still gives, but for the superblocks: those make it a ring, and
    /// come last, with the pages from memory.
    private func fillSuccessor() throws(RingLogError) -> Bool {
        guard let successor else { return false }
        let end = try size() - Self.page
        precondition(successor.copied <= end, "no more is copied than there is")
        let limit = min(end, successor.copied + Self.copyStride)
        let buffer = PageBuffer(count: LogFormat.maximumBlockSize)
        for offset in stride(from: successor.copied, to: limit, by: buffer.bytes.count) {
            let chunk = buffer.bytes.part(0..<Int(min(UInt64(buffer.bytes.count), limit - offset)))
            guard try copy(offset, chunk) else { continue }
            try successor.file.write(at: offset, bytes: UnsafeRawBufferPointer(chunk))
        }
        self.successor?.copied = limit
        guard limit == end else { return false }
        for offset in [0, end] where pages[offset] == nil {
            let superblock = buffer.bytes.part(0..<LogFormat.pageSize)
            if try copy(offset, superblock) {
                write(at: offset, bytes: UnsafeRawBufferPointer(superblock))
            }
        }
        return true
    }

    /// Reads from the old file; false where there is nothing to copy.
    private func copy(
        _ offset: UInt64, _ chunk: UnsafeMutableRawBufferPointer
    ) throws(RingLogError) -> Bool {
        guard let file else { return false }
        do throws(RingLogError) {
            let count = try file.read(at: offset, into: chunk)
            chunk.part(count..<chunk.count).clear()
        } catch {
            // What the medium lost reads as damage in the copy as well.
            guard error.code == EIO else { throw error }
            return false
        }
        return chunk.contains { $0 != 0 }
    }

    /// Writes the pages in memory to the file, the superblocks last.
    private func drain() throws(RingLogError) {
        guard let file else { return }
        // A disk that was full when the ring was made has not reserved the space yet.
        try file.allocate(size: try size())
        for offset in order where !isSuperblock(offset) { try write(page: offset, to: file) }
        try file.sync()
        mayBeOnDisk = true
        for offset in order where isSuperblock(offset) {
            try write(page: offset, to: file)
            try file.sync()
        }
        (pages, order) = ([:], [])
    }

    private func write(page offset: UInt64, to file: any BlockDevice) throws(RingLogError) {
        guard let page = pages[offset] else { return }
        let result = page.withUnsafeBytes { bytes in
            Result { () throws(RingLogError) in try file.write(at: offset, bytes: bytes) }
        }
        try result.get()
    }
}
