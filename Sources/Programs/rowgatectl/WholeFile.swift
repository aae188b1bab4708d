import Glibc

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
