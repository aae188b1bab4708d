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
