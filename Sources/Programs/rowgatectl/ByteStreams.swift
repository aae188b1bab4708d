import CommandLineText
import Glibc
import HostRuntime

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
        if let code = writeAll(bytes, to: STDOUT_FILENO) {
            throw FileFailure("standard output", code)
        }
        bytes.removeAll(keepingCapacity: true)
    }

    /// As `Terminal.show`, but what cannot be written is a failure.
    static func show(
        _ lines: @autoclosure () -> [StyledLine], orJSON json: [UInt8]?
    ) throws(FileFailure) {
        var output = json ?? Array(lines().rendered(inColour: Terminal.hasColour).utf8)
        try write(&output)
    }
}

/// A file that is replaced as a whole: a reader sees the old content or the new.
enum WholeFile {
    /// Throws when the folder cannot be written to.
    static func write(_ content: [UInt8], to path: String, mode: mode_t) throws(FileFailure) {
        // Beside it, because a file is moved within one file system only, and with another ending,
        // because node-exporter would read it.
        let draft = "\(path).\(getpid())"
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard file >= 0 else { throw FileFailure(path, errno) }
        defer { close(file) }
        do throws(FileFailure) {
            if let code = writeAll(content, to: file) { throw FileFailure(draft, code) }
            guard rename(draft, path) == 0 else { throw FileFailure(path, errno) }
        } catch {
            unlink(draft)
            throw error
        }
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
