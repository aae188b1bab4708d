import Glibc

/// Reads the file of a plan or of athletes.
enum InputFile {
    /// Maximum bytes to read; the parsers refuse files of this size.
    private static let mostBytes = 1 << 20

    struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }

    static func bytes(of path: String) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        while bytes.count < mostBytes {
            let count = read(descriptor, &chunk, chunk.count)
            if count == 0 { break }
            guard count > 0 else { throw unreadable(path) }
            bytes += chunk[..<count]
        }
        return bytes
    }

    private static func unreadable(_ path: String) -> Unreadable {
        Unreadable(description: "\(path) cannot be read: \(String(cString: strerror(errno)))")
    }
}
