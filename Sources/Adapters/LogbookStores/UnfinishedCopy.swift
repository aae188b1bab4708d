import Glibc
import HostRuntime

/// Unfinished copies of a store, which contain athletes' records. A signal handler removes them
/// (`UnfinishedFiles`); leftovers of a kill or a power cut are removed by the next command.
enum UnfinishedCopy {
    /// Suffixes of the files that SQLite creates.
    static let ends = ["", "-journal", "-wal", "-shm"]

    /// Seconds without a change after which a copy is a leftover. A copy in progress is also locked most of
    /// the time.
    private static let seconds = 60

    /// Removes a leftover copy with its companion files. Returns whether it was one.
    static func removeLeftovers(_ path: String) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            time(nil) - status.st_mtim.tv_sec >= seconds, StoreFile(path).holder == nil
        else { return false }
        for end in ends.reversed() { StoreFile(path + end).remove() }
        return true
    }

    /// Whether a file is a logbook store, or the beginning of one.
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
