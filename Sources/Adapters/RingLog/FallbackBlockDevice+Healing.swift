import Glibc

/// Copies to a file what memory holds. Changes `state`, on the disk's queue.
extension FallbackBlockDevice {
    /// Maximum bytes copied per attempt, so that the disk's queue is not blocked for long.
    private static let copyStride: UInt64 = 4 << 20

    /// Whether a file is being filled that replaces a missing one: call `heal` again soon.
    package var isCopying: Bool { state.with { $0.successor != nil } }

    /// Tries to write everything to the disk. If it does not finish, another call continues or
    /// retries. Returns whether all of it is written; if the disk has its own queue, the result is
    /// known when the attempt ends.
    ///
    /// Fails with `EEXIST` if another ring has replaced the file. Fails with `ENODATA` if the file
    /// is gone and its content cannot be read back: a copy of the rest would be an invalid ring, or
    /// one that reuses positions. The owner then creates another ring and copies into it what can
    /// still be read.
    @discardableResult
    package func heal() -> Bool {
        let isBeginning = state.with { state in
            guard state.failure != nil, !state.isHealing else { return false }
            state.isHealing = true
            return true
        }
        if isBeginning { run(Work { [self] in attemptToHeal() }) }
        return failure == nil
    }

    private func attemptToHeal() {
        do throws(RingLogError) {
            if try hasFile() { try drain() }
        } catch {
            state.with { ($0.failure, $0.successor) = (error, nil) }
        }
        let onProgress = state.with { state in
            state.isHealing = false
            return state.onProgress
        }
        onProgress()
        startNextStep()
    }

    /// Returns whether there is a file to write to. Filling a new one may take several calls.
    private func hasFile() throws(RingLogError) -> Bool {
        if !isCopying {
            let (file, isReadOnly) = state.with { ($0.file, $0.isReadOnly) }
            if let file, file.isInPlace {
                guard isWhole(file) else { throw lost() }
                let writable = isReadOnly ? try fileSystem.openForWriting(path) : file
                state.with { ($0.file, $0.isReadOnly) = (writable, false) }
                return true
            }
            let successor = try openSuccessor()
            state.with { $0.successor = (successor, Self.page) }
            try storeSuperblocks()
        }
        guard try copyToSuccessor() else { return false }
        state.with {
            ($0.file, $0.successor, $0.fileLength) = ($0.successor?.file, nil, $0.size)
        }
        return true
    }

    /// Returns whether the file still has its full length.
    func isWhole(_ file: any BlockDevice) -> Bool {
        let length = state.with { $0.mayBeOnDisk ? $0.fileLength : 0 }
        return (try? file.size()).map { $0 >= length } ?? true
    }

    /// Frees the path of a file that is no longer a valid ring, because this process created it or
    /// it was truncated.
    private func lost() -> RingLogError {
        do throws(RingLogError) { try fileSystem.remove(path) } catch { return error }
        return RingLogError(.locate, code: ENODATA, path: path)
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
        try new.allocate(size: size())
        return new
    }

    /// Reads the superblocks of the old file. They make the new file a ring, so they are written
    /// last, with the pages from memory.
    private func storeSuperblocks() throws(RingLogError) {
        let superblock = PageBuffer(count: LogFormat.pageSize)
        for offset in [0, size() - Self.page] {
            // For pages that are not durable yet, memory has newer content than the file.
            guard try copy(offset, superblock.bytes) else { continue }
            state.with { state in
                guard !state.pages.isPending(offset) else { return }
                state.pages.write(at: offset, bytes: superblock.readOnly)
            }
        }
    }

    /// Copies a part of what lies between the superblocks of the old file.
    private func copyToSuccessor() throws(RingLogError) -> Bool {
        guard let successor = state.with({ $0.successor }) else { return false }
        let end = size() - Self.page
        precondition(successor.copied <= end, "no more is copied than there is")
        let limit = min(end, successor.copied + Self.copyStride)
        let buffer = PageBuffer(count: LogFormat.maximumBlockSize)
        for offset in stride(from: successor.copied, to: limit, by: buffer.bytes.count) {
            let chunk = buffer.bytes.part(0..<Int(min(UInt64(buffer.bytes.count), limit - offset)))
            guard try copy(offset, chunk) else { continue }
            try successor.file.write(at: offset, bytes: UnsafeRawBufferPointer(chunk))
        }
        state.with { $0.successor?.copied = limit }
        return limit == end
    }

    /// Reads from the old file; false if there is nothing to copy.
    private func copy(
        _ offset: UInt64, _ chunk: UnsafeMutableRawBufferPointer
    ) throws(RingLogError) -> Bool {
        let (file, length) = state.with { ($0.mayBeOnDisk ? $0.file : nil, $0.fileLength) }
        guard let file else { return false }
        do throws(RingLogError) {
            let count = try file.read(at: offset, into: chunk)
            guard offset + UInt64(count) >= min(offset + UInt64(chunk.count), length) else {
                throw lost()
            }
            chunk.part(count..<chunk.count).clear()
        } catch {
            throw error.code == EIO ? lost() : error
        }
        return chunk.contains { $0 != 0 }
    }

    /// Writes the pages in memory to the file, the superblocks last.
    private func drain() throws(RingLogError) {
        guard let file = state.with({ $0.file }) else { return }
        // If the disk was full when the ring was created, the space is not reserved yet.
        try file.allocate(size: size())
        let (count, last) = state.with { state in
            state.fileLength = state.size
            let isSuperblock = state.isSuperblock
            return state.pages.prepareRewrite(last: isSuperblock)
        }
        while let run = state.with({ $0.pages.nextRun(ofFirst: count, into: buffer) }) {
            try file.write(at: run.offset, bytes: buffer.readOnly.part(0..<run.count))
        }
        try file.sync()
        state.with { $0.mayBeOnDisk = true }
        for offset in last {
            let superblock = buffer.bytes.part(0..<LogFormat.pageSize)
            _ = try read(at: offset, into: superblock)
            try file.write(at: offset, bytes: UnsafeRawBufferPointer(superblock))
            try file.sync()
        }
        state.with { state in
            for _ in 0..<count { state.pages.firstIsDurable() }
            state.failure = nil
            // The file may have been replaced, and may lack later writes.
            if state.queue != nil {
                state.unwritten = UnwrittenPages(ofRing: path, limit: memoryLimit)
                state.unwritten?.abandon()
            }
        }
    }
}
