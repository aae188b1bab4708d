import Glibc

/// A small file that is replaced as a whole: after a power cut it holds the old bytes or the new.
///
/// Written beside itself, synced, and renamed into place; the folder is synced too, so that the new
/// name outlives the cut (open(2), O_SYNC; rename(2)).
struct StateFile: Sendable {
    let path: String

    /// An operation on the file that failed.
    struct Failure: Error, Equatable, CustomStringConvertible {
        var operation: String
        var path: String
        var code: Int32

        var description: String {
            "cannot \(operation) \(path): \(String(cString: strerror(code)))"
        }
    }

    /// Nothing that is kept here comes near it.
    private static let maximumSize = 1 << 20

    /// nil when there is no such file yet.
    func read() throws(Failure) -> [UInt8]? {
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

    func replace(with bytes: [UInt8]) throws(Failure) {
        let new = path + ".new"
        let descriptor = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else { throw failure("create", new) }
        do {
            defer { close(descriptor) }
            try Self.write(bytes, to: descriptor, path: new)
            guard fdatasync(descriptor) == 0 else { throw failure("sync", new) }
        }
        guard rename(new, path) == 0 else { throw failure("replace", path) }
        try syncFolder()
    }

    private static func write(
        _ bytes: [UInt8], to descriptor: Int32, path: String
    ) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw Failure(operation: "write", path: path, code: errno)
            }
            rest = rest.dropFirst(count)
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
