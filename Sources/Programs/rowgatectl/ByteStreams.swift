import Glibc

/// A file, or standard input, read in pieces.
struct InputFile: ~Copyable {
    private static let chunkLength = 1 << 16

    private let path: String
    private let descriptor: Int32

    /// `-` is standard input.
    init(path: String) throws(FileFailure) {
        self.path = path
        descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure(path, errno) }
    }

    deinit {
        if descriptor != STDIN_FILENO { close(descriptor) }
    }

    /// Calls `body` with each piece as it arrives; a piece is valid only during the call.
    func forEachChunk(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        var buffer = [UInt8](repeating: 0, count: Self.chunkLength)
        while true {
            let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw FileFailure(path, errno) }
            guard count > 0 else { return }
            try buffer.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
    }
}

enum StandardOutput {
    /// Writes all of `bytes` and empties them.
    static func write(_ bytes: inout [UInt8]) throws(FileFailure) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { bytes in
                Glibc.write(STDOUT_FILENO, bytes.baseAddress! + written, bytes.count - written)
            }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw FileFailure("standard output", errno) }
            written += count
        }
        bytes.removeAll(keepingCapacity: true)
    }
}

/// A file that could not be opened, read or written.
struct FileFailure: Error, CustomStringConvertible {
    let path: String
    let code: Int32

    init(_ path: String, _ code: Int32) {
        self.path = path
        self.code = code
    }

    var description: String {
        let text = "\(path): \(String(cString: strerror(code)))"
        return remedy.map { "\(text); \($0)" } ?? text
    }

    private var remedy: String? {
        switch code {
        case ENOENT, ENOTDIR: "check the path"
        case EACCES, EPERM: "try again with sudo, or choose another place"
        case EROFS, ENOSPC: "choose another place"
        case EISDIR: "give the path of a file, not of a folder"
        default: nil
        }
    }
}
