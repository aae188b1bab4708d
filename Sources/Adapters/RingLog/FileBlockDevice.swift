import Glibc

/// A file as block device. All calls may come from any thread; the descriptor is immutable.
package final class FileBlockDevice: BlockDevice, Sendable {
    /// The path used to open it, for error messages.
    package let path: String
    private let descriptor: Int32

    /// Opens `path` for one writer, and creates it if it is missing.
    ///
    /// A second writer fails with operation `.lock` and `EWOULDBLOCK`. The lock ends with the
    /// descriptor, so a killed process leaves no lock.
    package static func writing(path: String) throws(RingLogError) -> FileBlockDevice {
        let device = try FileBlockDevice(path: path, flags: O_RDWR | O_CREAT | O_NONBLOCK)
        // A device, a pipe or a terminal would accept any write.
        guard try device.status().st_mode & S_IFMT == S_IFREG else {
            throw RingLogError(.recognize, code: ENOTSUP, path: path)
        }
        guard flock(device.descriptor, LOCK_EX | LOCK_NB) == 0 else { throw device.failure(.lock) }
        try device.syncDirectory()
        return device
    }

    /// Opens `path` for reading, whether or not it has a writer.
    package static func reading(path: String) throws(RingLogError) -> FileBlockDevice {
        try FileBlockDevice(path: path, flags: O_RDONLY)
    }

    private init(path: String, flags: Int32) throws(RingLogError) {
        self.path = path
        descriptor = open(path, flags | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else { throw RingLogError(.open, code: errno, path: path) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    package func size() throws(RingLogError) -> UInt64 {
        UInt64(try status().st_size)
    }

    package func allocate(size: UInt64) throws(RingLogError) {
        guard try self.size() < size else { return }
        let before = try self.size()
        // posix_fallocate returns its error and does not set errno.
        let code = posix_fallocate(descriptor, 0, off_t(size))
        if code != 0 {
            // Release the space again: a useless file must not keep the disk full.
            ftruncate(descriptor, off_t(before))
            throw RingLogError(.allocate, code: code, path: path)
        }
    }

    package func read(
        at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
    ) throws(RingLogError) -> Int {
        var done = 0
        while done < buffer.count {
            let rest = buffer.part(done..<buffer.count)
            let count = pread(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
            if count < 0 {
                guard errno == EINTR else { throw failure(.read) }
            } else if count == 0 {
                break
            } else {
                done += count
            }
        }
        return done
    }

    package func write(at offset: UInt64, bytes: UnsafeRawBufferPointer) throws(RingLogError) {
        var done = 0
        while done < bytes.count {
            let rest = bytes.part(done..<bytes.count)
            let count = pwrite(
                descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
            if count >= 0 {
                done += count
            } else if errno != EINTR {
                throw failure(.write)
            }
        }
    }

    /// Fails with `ENOENT` if the file has been deleted: later writes would be lost at exit.
    package func sync() throws(RingLogError) {
        guard try status().st_nlink > 0 else { throw RingLogError(.sync, code: ENOENT, path: path) }
        while fdatasync(descriptor) != 0 {
            guard errno == EINTR else { throw failure(.sync) }
        }
    }

    package var isInPlace: Bool {
        var named = stat()
        guard let own = try? status(), stat(path, &named) == 0 else { return false }
        return own.st_dev == named.st_dev && own.st_ino == named.st_ino
    }

    package func prepare(
        _ range: Range<UInt64>, limit: Int
    ) throws(RingLogError) -> UInt64? {
        // See lseek(2): file systems report reserved space that was never written as a hole. A file
        // system without this feature reports none.
        let (seekData, seekHole): (Int32, Int32) = (3, 4)
        let hole = lseek(descriptor, off_t(range.lowerBound), seekHole)
        guard hole >= 0, hole < range.upperBound else { return nil }
        let data = lseek(descriptor, hole, seekData)
        let end = min(data < 0 ? range.upperBound : UInt64(data), range.upperBound)
        let stop = min(end, UInt64(hole) + UInt64(limit))
        guard stop > UInt64(hole) else { return stop }
        let length = Int(LogFormat.pageUp(stop - UInt64(hole)))
        let zeros = PageBuffer(count: min(LogFormat.maximumBlockSize, length))
        for offset in stride(from: UInt64(hole), to: stop, by: zeros.bytes.count) {
            let count = min(UInt64(zeros.bytes.count), stop - offset)
            try write(at: offset, bytes: zeros.readOnly.part(0..<Int(count)))
        }
        return stop
    }

    /// Renames a file, so that its name becomes free.
    package static func rename(_ path: String, to newPath: String) throws(RingLogError) {
        guard Glibc.rename(path, newPath) == 0 else {
            throw RingLogError(.rename, code: errno, path: path)
        }
    }

    /// Deletes a file if it exists.
    package static func remove(_ path: String) throws(RingLogError) {
        guard unlink(path) == 0 || errno == ENOENT else {
            throw RingLogError(.remove, code: errno, path: path)
        }
    }

    /// Makes the name of a new file durable. A file system that cannot sync directories does this
    /// itself.
    private func syncDirectory() throws(RingLogError) {
        let slash = path.lastIndex(of: "/")
        let directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(.open) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure(.sync) }
    }

    private func status() throws(RingLogError) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(.measure) }
        return status
    }

    private func failure(_ operation: RingLogError.Operation) -> RingLogError {
        RingLogError(operation, code: errno, path: path)
    }
}
