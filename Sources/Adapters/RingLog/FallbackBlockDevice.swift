import Glibc

/// A ring file that is written later, on a queue of its own (write-behind), and that goes on in memory
/// while the file system refuses it.
///
/// What is written stands in memory, and is read from there. The disk's queue writes it to the file in
/// order, mostly when a sync is asked for, and a sync is a barrier: what was written after it reaches the
/// file only when the sync is done. So the file passes through the states that it would pass through if
/// its writer waited for it.
///
/// Once the file fails, or is given up, it is given nothing any more: reads and writes go on in memory,
/// syncs make nothing durable, and `failure` says why. `heal` brings what memory has to the file, or to
/// a new one where the old one is gone.
///
/// Nothing here waits for the disk but the opening and `allocate`, and a read of what is not in memory.
/// Reads may come from any queue, all else from its owner's.
///
///     writer ──▶ pages in memory ──▶ the disk's queue ──▶ file
///                  │                                        │ fails, or is given up
///                  └──▶ UnwrittenPages: what a later         ▼
///                       process writes if this one        memory alone ──heal──▶ the file again,
///                       is killed                                               or a successor
///
/// This file has what the writer calls; `+Steps` what the disk's queue does, `+Healing` how the file is
/// brought back.
package final class FallbackBlockDevice: BlockDevice, @unchecked Sendable {
    // Sendable because everything that changes is in `state`, a lock's, or in `buffer`, the disk
    // queue's.
    /// Runs work on the disk's queue, one piece behind the other.
    package typealias Queue = @Sendable (@escaping @Sendable () -> Void) -> Void

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

    struct State {
        var file: (any BlockDevice)?
        var isReadOnly = false
        /// The file held something when it was opened, or may have got a superblock since.
        var mayBeOnDisk = false
        var pages = PendingPages()
        /// Pages that are not in the file yet, in a place that outlives this process: if it is killed, the
        /// next one writes them. Kept while steps have a queue.
        var unwritten: UnwrittenPages?
        /// Bytes of the ring, known since its space was reserved, which comes before any writing.
        var length: UInt64 = 0
        /// Bytes that the file has had at least, since it was opened.
        var fileLength: UInt64 = 0
        var failure: RingLogError?
        /// The file that takes the place of one that is gone, and how far it has been filled.
        var successor: (file: any BlockDevice, copied: UInt64)?
        /// The disk's queue is writing, or is about to; healing and checking are kinds of that.
        var isWorking = false
        var isHealing = false
        var isChecking = false
        /// Where steps are done; nil while whoever writes does them.
        var queue: Queue?
        var onProgress: @Sendable () -> Void = {}

        func isSuperblock(_ offset: UInt64) -> Bool {
            offset == 0 || offset + UInt64(LogFormat.pageSize) == length
        }

        var size: UInt64 { max(length, fileLength) }
    }

    /// How far the disk has come.
    package struct Progress: Sendable {
        /// Syncs asked for, and how many of them are done.
        package var ended: UInt64
        package var durable: UInt64
        /// Bytes that are not durable.
        package var pendingBytes: Int
        /// Why writes stay in memory; nil while the file takes them.
        package var failure: RingLogError?
        /// An attempt to bring everything to the disk is under way.
        package var isHealing: Bool
    }

    static let page = UInt64(LogFormat.pageSize)
    /// Pages that wait for the next sync where they outlive this process, so that the disk's queue is
    /// woken once for both: a record after the other is mostly of one page.
    private static let gathered = 16

    /// Of the file that it stands in for.
    package let path: String
    package let fileSystem: FileSystem
    /// Bytes kept in memory while the disk refuses them: three quarters of an hour of a full room,
    /// little enough for a small Pi. Whoever writes looks at `memoryBytes`, and lets go of the
    /// oldest with `forget`.
    package var memoryLimit = 16 << 20
    let state = Locked(State())
    /// What is on its way to the file; of the disk's queue.
    let buffer = PageBuffer(count: LogFormat.maximumBlockSize)

    /// Opens `path`, or begins in memory. A file on a read-only file system is read, at least.
    package init(path: String, fileSystem: FileSystem = FileSystem()) {
        self.path = path
        self.fileSystem = fileSystem
        var (file, failure): ((any BlockDevice)?, RingLogError?) = (nil, nil)
        do throws(RingLogError) {
            file = try fileSystem.openForWriting(path)
        } catch {
            failure = error
            if error.code == EROFS { file = try? fileSystem.openForReading(path) }
        }
        if let file, failure == nil {
            do throws(RingLogError) {
                try UnwrittenPages(ofRing: path, limit: memoryLimit)?.give(to: file)
            } catch {
                failure = error
            }
        }
        let size = file.map { try? $0.size() } ?? 0
        state.with {
            ($0.file, $0.failure, $0.isReadOnly) = (file, failure, failure != nil && file != nil)
            ($0.mayBeOnDisk, $0.fileLength) = (file != nil && size != 0, size ?? 0)
        }
    }

    /// From now on steps are done on the disk's queue, and nobody waits for them.
    ///
    /// - Parameter onProgress: called there when a sync is done, when the file fails, and when an
    ///   attempt to heal is over.
    package func writeBehind(on queue: @escaping Queue, onProgress: @escaping @Sendable () -> Void)
    {
        state.with {
            ($0.queue, $0.onProgress) = (queue, onProgress)
            $0.unwritten = UnwrittenPages(ofRing: path, limit: memoryLimit)
        }
    }

    /// Leaves the file alone, because of `error`, and begins in memory.
    package func abandonFile(because error: RingLogError) {
        state.with {
            $0.unwritten?.abandon()
            var state = State()
            state.failure = error
            $0 = state
        }
    }

    /// Takes a file that does not answer for one that refuses.
    package func giveUp() {
        state.with {
            $0.failure = $0.failure ?? RingLogError(.sync, code: ETIMEDOUT, path: path)
            $0.unwritten?.abandon()
        }
    }

    /// The ring is closed, and all of it durable.
    package func closedInOrder() { state.with { $0.unwritten?.remove() } }

    package var progress: Progress {
        state.with {
            Progress(
                ended: $0.pages.ended, durable: $0.pages.durable,
                pendingBytes: $0.pages.count * LogFormat.pageSize, failure: $0.failure,
                isHealing: $0.isHealing)
        }
    }

    /// Why writes stay in memory; nil while the file takes them.
    package var failure: RingLogError? { state.with { $0.failure } }

    /// Bytes that memory holds because the file does not.
    package var memoryBytes: Int {
        state.with { $0.failure == nil ? 0 : $0.pages.count * LogFormat.pageSize }
    }

    /// No disk has anything of this ring that a later process would take up.
    package var isInMemoryAlone: Bool { state.with { $0.failure != nil && !$0.mayBeOnDisk } }

    /// The oldest page in memory, superblocks apart; nil if there is none.
    package var oldestInMemory: UInt64? {
        state.with { state in state.pages.oldest { !state.isSuperblock($0) } }
    }

    /// Lets go of the pages of some positions, for want of memory.
    package func forget(_ positions: Range<LogPosition>, of geometry: LogGeometry) {
        let start = geometry.fileOffset(of: positions.lowerBound)
        let end = start + (positions.upperBound.rawValue - positions.lowerBound.rawValue)
        precondition(
            geometry.isInOneSegment(positions.lowerBound, count: Int(end - start)),
            "one segment's pages are let go of")
        state.with {
            precondition($0.failure != nil, "what the file will get is kept until it has it")
            $0.pages.forget(start..<end)
        }
    }

    // MARK: - BlockDevice

    package func size() -> UInt64 { state.with { $0.size } }

    /// Waits for the disk: for an opening.
    package func allocate(size: UInt64) {
        let file = state.with { $0.failure == nil ? $0.file : nil }
        do throws(RingLogError) { try file?.allocate(size: size) } catch { fail(error) }
        state.with {
            $0.length = max($0.length, size)
            if $0.failure == nil { $0.fileLength = max($0.fileLength, size) }
        }
    }

    package func read(
        at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(RingLogError) -> Int {
        precondition(offset % Self.page == 0, "a ring is read from page boundaries on")
        let (file, size) = state.with { ($0.file, $0.size) }
        let count = Int(min(UInt64(buffer.count), size - min(size, offset)))
        var done = 0
        while done < count {
            let (begin, rest) = (offset + UInt64(done), buffer.part(done..<count))
            let (here, elsewhere) = state.with { $0.pages.read(at: begin, into: rest) }
            if elsewhere > 0 {
                let part = rest.part(here..<here + elsewhere)
                let found = try file?.read(at: begin + UInt64(here), into: part) ?? 0
                part.part(found..<elsewhere).clear()
            }
            done += here + elsewhere
        }
        return count
    }

    package func write(at offset: UInt64, bytes: UnsafeRawBufferPointer) {
        precondition(
            offset % Self.page == 0 && bytes.count % LogFormat.pageSize == 0,
            "a ring is written in whole pages")
        let mayWait = state.with {
            precondition(
                offset + UInt64(bytes.count) <= $0.length, "space is reserved, then written")
            $0.pages.write(at: offset, bytes: bytes)
            if $0.failure == nil { $0.unwritten?.append(at: offset, bytes: bytes) }
            return $0.unwritten?.isWhole == true && $0.pages.unwritten < Self.gathered
        }
        if !mayWait { goOn() }
    }

    /// Returns at once. What was written so far is durable when `progress` says that as many syncs
    /// are done as have been asked for.
    package func sync() {
        state.with { $0.pages.sync() }
        goOn()
    }

    package func prepare(_ range: Range<UInt64>, limit: Int) -> UInt64? {
        let end = min(range.upperBound, range.lowerBound + UInt64(limit))
        state.with { if $0.failure == nil { $0.pages.prepare(range.lowerBound..<end) } }
        goOn()
        return end < range.upperBound ? end : nil
    }

    /// Takes a file that was moved away, removed or cut short for one that refuses writes: nobody
    /// would find there what is written to it. `heal` then fills a new one at the path, or says that
    /// there is nothing to fill it with.
    package func checkPlace() {
        let file = state.with { state -> (any BlockDevice)? in
            guard state.failure == nil, !state.isChecking else { return nil }
            state.isChecking = state.file != nil
            return state.file
        }
        guard let file else { return }
        let check = Work { [self] in
            let isInPlace = file.isInPlace
            let isItself = isInPlace && isWhole(file)
            state.with { $0.isChecking = false }
            if !isItself {
                fail(RingLogError(.locate, code: isInPlace ? ENODATA : ESTALE, path: path))
            }
        }
        run(check)
    }
}
