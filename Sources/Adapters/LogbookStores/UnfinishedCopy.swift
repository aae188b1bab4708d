import Glibc
import HostRuntime

/// Copies of a store that were not finished, and hold what athletes rowed. A signal has them removed
/// (`UnfinishedFiles`); what a kill or a power cut leaves is removed by whoever comes next.
enum UnfinishedCopy {
    /// SQLite has these next to a file.
    static let ends = ["", "-journal", "-wal", "-shm"]

    /// A copy that nobody has touched for so many seconds is of a process that was killed. One that is being
    /// written is also locked, but for moments.
    private static let seconds = 60

    /// Removes a copy with all that is next to it, if it was left. Whether it was.
    static func removeLeft(_ path: String) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            time(nil) - status.st_mtim.tv_sec >= seconds, FilePlace(path).holder == nil
        else { return false }
        for end in ends.reversed() { FilePlace(path + end).remove() }
        return true
    }

    /// Whether a file is a store of ours, or what is there of one.
    static func isStore(_ path: String) -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        var head = [UInt8](repeating: 0, count: 72)
        let count = read(file, &head, head.count)
        // The first page may be written last.
        if count == 0 || head.allSatisfy({ $0 == 0 }) { return true }
        let application = head[68...].reduce(0) { $0 << 8 | Int64($1) }
        return head.starts(with: "SQLite format 3".utf8)
            && application == SQLiteMigrations.applicationID
    }
}
