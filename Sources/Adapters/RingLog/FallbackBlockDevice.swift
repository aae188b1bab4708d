import Glibc

/// A ring file with write-behind: a separate queue writes to it, and writes continue in memory
/// while the file system refuses them.
///
/// Written bytes are stored in memory and read from there. The disk's queue writes them to the file
/// in order, usually when a sync is requested. A sync is a barrier: later writes reach the file
/// only after the sync has finished. The file therefore passes through the same states as with
/// synchronous writes.
///
/// Once the file fails, or is given up, nothing more is written to it. Reads and writes continue in
/// memory, syncs make nothing durable, and `failure` holds the reason. `heal` writes the content of
/// memory to the file, or to a new file if the old one is gone.
///
/// Only opening, `allocate`, and reads of data that is not in memory wait for the disk. Reads may
/// come from any queue; all other calls come from the owner's queue.
///
///     writer ──▶ pages in memory ──▶ the disk's queue ──▶ file
///                  │                                        │ fails, or is given up
///                  └──▶ UnwrittenPages: a later             ▼
///                       process writes them if              memory only ──heal──▶ the file again,
///                       this one is killed                                        or a new one
///
/// This file has the calls of the writer; `+Steps` the work of the disk's queue; `+Healing` the
/// recovery of the file.
package final class FallbackBlockDevice: BlockDevice, @unchecked Sendable {
    // Sendable because all mutable state is in `state`, guarded by a lock, or in `buffer`, used on
    // the disk's queue only.
    /// Runs work on the disk's queue, in order.
    package typealias Queue = @Sendable (@escaping @Sendable () -> Void) -> Void

    /// How files are opened.
    package struct FileSystem: Sendable {
        /// Opens the file, creates it if it is missing, and locks it.
        package var openForWriting: @Sendable (String) throws(RingLogError) -> any BlockDevice
        /// Opens the file on a read-only file system.
        package var openForReading: @Sendable (String) throws(RingLogError) -> any BlockDevice
        package var rename: @Sendable (String, String) throws(RingLogError) -> Void
        package var remove: @Sendable (String) throws(RingLogError) -> Void

        /// The machine's file system, except for the given functions.
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
        /// The file was not empty when it was opened, or may have received a superblock since.
        var mayBeOnDisk = false
        var pages = PendingPages()
        /// Pages that are not in the file yet, stored where they outlive this process: if it is
        /// killed, the next process writes them. Used while steps have a queue.
        var unwritten: UnwrittenPages?
        /// Bytes of the ring. Known since its space was reserved, before the first write.
        var length: UInt64 = 0
        /// The greatest size of the file since it was opened.
        var fileLength: UInt64 = 0
        var failure: RingLogError?
        /// The file that replaces a missing one, and how far it has been filled.
        var successor: (file: any BlockDevice, copied: UInt64)?
        /// The disk's queue is writing, healing or checking, or is about to.
        var isWorking = false
        var isHealing = false
        var isChecking = false
        /// The queue that runs the steps; nil while the writer's own queue runs them.
        var queue: Queue?
        var onProgress: @Sendable () -> Void = {}

        func isSuperblock(_ offset: UInt64) -> Bool {
            offset == 0 || offset + UInt64(LogFormat.pageSize) == length
        }

        var size: UInt64 { max(length, fileLength) }
    }

    /// How much has been written to the disk.
    package struct Progress: Sendable {
        /// Number of requested syncs, and number of finished ones.
        package var ended: UInt64
        package var durable: UInt64
        /// Number of bytes that are not durable.
        package var pendingBytes: Int
        /// Why writes stay in memory; nil while the file accepts them.
        package var failure: RingLogError?
        /// Whether an attempt to write everything to the disk is running.
        package var isHealing: Bool
    }

    static let page = UInt64(LogFormat.pageSize)
    /// Number of pages that wait for the next sync if they outlive this process. The disk's queue
    /// then wakes once for several records, because consecutive records usually share a page.
    private static let gathered = 16

    /// The path of the ring file.
    package let path: String
    package let fileSystem: FileSystem
    /// Maximum bytes stored in memory while the disk refuses writes: three quarters of an hour of a
    /// full room, and small enough for a small Pi. The owner watches `memoryBytes` and drops the
    /// oldest pages with `forget`.
    package var memoryLimit = 16 << 20
    let state = Locked(State())
    /// Bytes being written to the file; used on the disk's queue only.
    let buffer = PageBuffer(count: LogFormat.maximumBlockSize)

    /// Opens `path`, or starts in memory. A file on a read-only file system can still be read.
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
                try UnwrittenPages(ofRing: path, limit: memoryLimit)?.write(to: file)
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

    /// Runs all further steps on the disk's queue, so that no caller waits for them.
    ///
    /// - Parameter onProgress: called on that queue when a sync is done, when the file fails, and when
    ///   an attempt to heal ends.
    package func writeBehind(on queue: @escaping Queue, onProgress: @escaping @Sendable () -> Void) {
        state.with {
            ($0.queue, $0.onProgress) = (queue, onProgress)
            $0.unwritten = UnwrittenPages(ofRing: path, limit: memoryLimit)
        }
    }

    /// Stops using the file because of `error`, and continues in memory.
    package func abandonFile(because error: RingLogError) {
        state.with {
            $0.unwritten?.abandon()
            var state = State()
            state.failure = error
            $0 = state
        }
    }

    /// Treats an unresponsive file like a file that refuses writes.
    package func abandonUnresponsiveFile() {
        state.with {
            $0.failure = $0.failure ?? RingLogError(.sync, code: ETIMEDOUT, path: path)
            $0.unwritten?.abandon()
        }
    }

    /// Removes the unwritten pages: the ring is closed, and all of it is durable.
    package func removeUnwrittenPages() { state.with { $0.unwritten?.remove() } }

    package var progress: Progress {
        state.with {
            Progress(
                ended: $0.pages.ended, durable: $0.pages.durable,
                pendingBytes: $0.pages.count * LogFormat.pageSize, failure: $0.failure,
                isHealing: $0.isHealing)
        }
    }

    /// Why writes stay in memory; nil while the file accepts them.
    package var failure: RingLogError? { state.with { $0.failure } }

    /// Number of bytes that are only in memory.
    package var memoryBytes: Int {
        state.with { $0.failure == nil ? 0 : $0.pages.count * LogFormat.pageSize }
    }

    /// Whether no disk holds a part of this ring that a later process would resume.
    package var isOnlyInMemory: Bool { state.with { $0.failure != nil && !$0.mayBeOnDisk } }

    /// The oldest page in memory except superblocks; nil if there is none.
    package var oldestInMemory: UInt64? {
        state.with { state in state.pages.oldest { !state.isSuperblock($0) } }
    }

    /// Drops the pages of these positions to free memory.
    package func forget(_ positions: Range<LogPosition>, of geometry: LogGeometry) {
        let start = geometry.fileOffset(of: positions.lowerBound)
        let end = start + (positions.upperBound.rawValue - positions.lowerBound.rawValue)
        precondition(
            geometry.isInOneSegment(positions.lowerBound, count: Int(end - start)),
            "one segment's pages are let go of")
        state.with {
            precondition($0.failure != nil, "what the file will get is kept until it has it")
            $0.pages.drop(start..<end)
        }
    }

    // MARK: - BlockDevice

    package func size() -> UInt64 { state.with { $0.size } }

    /// Waits for the disk. Called while opening.
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
            return $0.unwritten?.isComplete == true && $0.pages.unwritten < Self.gathered
        }
        if !mayWait { startNextStep() }
    }

    /// Requests a sync and returns immediately. Earlier writes are durable when `progress`
    /// reports as many finished syncs as were requested.
    package func sync() {
        state.with { $0.pages.sync() }
        startNextStep()
    }

    package func prepare(_ range: Range<UInt64>, limit: Int) -> UInt64? {
        let end = min(range.upperBound, range.lowerBound + UInt64(limit))
        state.with { if $0.failure == nil { $0.pages.prepare(range.lowerBound..<end) } }
        startNextStep()
        return end < range.upperBound ? end : nil
    }

    /// Treats a moved, deleted or truncated file like a file that refuses writes, because no
    /// reader would find later writes. `heal` then fills a new file at the path, or
    /// reports that the content is lost.
    package func checkFileIsInPlace() {
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

/// The work of the disk's queue, one step at a time, in the order of writing. Changes `state`.
extension FallbackBlockDevice {
    /// Work for the disk's queue.
    struct Work: @unchecked Sendable {  // begins on one queue, ends on another
        let body: () -> Void

        init(_ body: @escaping () -> Void) { self.body = body }
    }

    /// Runs `work` on the disk's queue, or immediately if there is none.
    func run(_ work: Work) {
        guard let queue = state.with({ $0.queue }) else { return work.body() }
        queue { work.body() }
    }

    /// Starts the next step, unless one is running or none is left.
    func startNextStep() {
        let isIdle = state.with { state in
            guard !state.isWorking, state.failure == nil, state.pages.hasStep else { return false }
            state.isWorking = true
            return true
        }
        if isIdle { run(Work { [self] in performStep() }) }
    }

    private func performStep() {
        let (file, step) = state.with { state in
            (state.file, state.failure == nil ? state.pages.nextStep(into: buffer) : nil)
        }
        var isDurable = false
        if let file, let step {
            do throws(RingLogError) {
                isDurable = try file.perform(step, from: buffer, noting: noteSuperblock)
            } catch { fail(error) }
        }
        let onProgress = state.with { state in
            if isDurable { state.pages.firstIsDurable() }
            if state.failure == nil, state.pages.unwritten == 0 { state.unwritten?.clear() }
            state.isWorking = false
            return state.onProgress
        }
        if isDurable { onProgress() }
        startNextStep()
    }

    private func noteSuperblock(_ offset: UInt64) {
        state.with { if $0.isSuperblock(offset) { $0.mayBeOnDisk = true } }
    }

    /// Records `error`. The first error counts until the file is healed.
    func fail(_ error: RingLogError) {
        let onProgress = state.with { state in
            state.failure = state.failure ?? error
            state.unwritten?.abandon()
            return state.onProgress
        }
        onProgress()
    }
}

extension BlockDevice {
    /// Performs a step. Returns whether everything written so far is durable.
    fileprivate func perform(
        _ step: PendingPages.Step, from buffer: PageBuffer, noting place: (UInt64) -> Void
    ) throws(RingLogError) -> Bool {
        switch step {
        case .prepare(let range):
            var rest = range
            while let next = try prepare(rest, limit: rest.count), next < range.upperBound {
                rest = next..<range.upperBound
            }
        case .write(let offset, let count):
            place(offset)
            try write(at: offset, bytes: buffer.readOnly.part(0..<count))
        case .sync:
            try sync()
            return true
        }
        return false
    }
}
