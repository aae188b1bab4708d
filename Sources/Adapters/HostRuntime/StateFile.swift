import Glibc

/// A small file that is replaced as a whole: after a power cut it holds the old bytes or the new
/// ones.
///
/// The new content is written to a second file, synced, and renamed; the folder is synced too, so
/// that the new name survives the power cut (open(2), O_SYNC; rename(2)).
package struct StateFile: Sendable {
    package let path: String
    /// Permission bits of the file.
    private let mode: mode_t

    /// - Parameter mode: 0o600 for a file that only its owner may read.
    package init(path: String, mode: mode_t = 0o640) {
        self.path = path
        self.mode = mode
    }

    /// An operation on the file that failed.
    package struct Failure: Error, Equatable, CustomStringConvertible {
        var operation: String
        var path: String
        var code: Int32

        package var description: String {
            "cannot \(operation) \(path): \(String(cString: strerror(code)))"
        }
    }

    /// Far above the size of any such file.
    private static let maximumSize = 1 << 20

    /// Returns the content; nil if the file does not exist yet.
    package func read() throws(Failure) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("open", path)
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 * 1024)
        while bytes.count <= Self.maximumSize {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count == 0 { return bytes }
            if count < 0 {
                if errno == EINTR { continue }
                throw failure("read", path)
            }
            bytes += chunk[..<count]
        }
        throw Failure(operation: "read", path: path, code: EFBIG)
    }

    package func replace(with bytes: [UInt8]) throws(Failure) {
        let new = path + ".new"
        let descriptor = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw failure("create", new) }
        do {
            defer { close(descriptor) }
            if let code = writeAll(bytes, to: descriptor) {
                throw Failure(operation: "write", path: new, code: code)
            }
            guard fdatasync(descriptor) == 0 else { throw failure("sync", new) }
        }
        guard rename(new, path) == 0 else { throw failure("replace", path) }
        try syncFolder()
    }

    /// Replaces the file in a service's folder, and creates the folder if it is missing. A file
    /// written by root is given to the owner of the folder, the service.
    package func replaceForService(with bytes: [UInt8]) throws(Failure) {
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        if !folder.isEmpty { mkdir(folder, 0o750) }
        try replace(with: bytes)
        var status = stat()
        guard geteuid() == 0, stat(folder, &status) == 0 else { return }
        guard chown(path, status.st_uid, status.st_gid) == 0 else {
            throw failure("give to the owner of its folder", path)
        }
    }

    private func syncFolder() throws(Failure) {
        let folder = String(path[...(path.lastIndex(of: "/") ?? path.startIndex)])
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", folder) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("sync", folder) }
    }

    private func failure(_ operation: String, _ path: String) -> Failure {
        Failure(operation: operation, path: path, code: errno)
    }
}

/// Changes of a state file by several processes: reading, editing and replacing it is one step for all.
extension StateFile {
    /// Runs `body`, which reads and replaces the file, under an exclusive lock for all files of
    /// the same folder, between processes and between threads. Waits for the lock.
    ///
    /// The folder is locked, because each replacement is another file. It is created if missing. The
    /// kernel releases the lock of a process that dies.
    ///
    /// - Parameter failed: makes the error of a folder that cannot be opened or locked.
    package func changing<Value, Fault: Error>(
        failed: (Failure) -> Fault, _ body: () throws(Fault) -> Value
    ) throws(Fault) -> Value {
        let lock: Int32
        do throws(Failure) { lock = try lockFolder() } catch { throw failed(error) }
        defer { close(lock) }
        return try body()
    }

    /// A descriptor of the folder that holds the lock until it is closed.
    private func lockFolder() throws(Failure) -> Int32 {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        mkdir(folder, 0o750)
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw Failure(operation: "open", path: folder, code: errno)
        }
        while flock(descriptor, LOCK_EX) != 0 {
            let code = errno
            if code == EINTR { continue }
            close(descriptor)
            throw Failure(operation: "lock", path: folder, code: code)
        }
        return descriptor
    }
}
