import Glibc
import HostRuntime

/// The lock on a store's file, held by the one process that stores records. Processes that only read, or
/// change responses and plans, do not need it.
///
/// It uses flock(2), while SQLite's own locks, which readers hold too, use fcntl(2).
struct WriterLock {
    private let descriptor: Int32

    /// Throws `.busy` with the process id of the holder, if there is one.
    init(_ path: String) throws(StoreFailure) {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw StoreFile(path).failure("open") }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            var status = stat()
            fstat(file, &status)
            close(file)
            guard code == EWOULDBLOCK else { throw StoreFile(path).failure("lock") }
            let holder = Self.holder(of: status.st_ino) ?? StoreFile(path).holder
            throw StoreFailure(
                .busy, "open", path,
                holder.map { "process \($0) has it open" } ?? "another process has it open",
                remedy: "stop that logbook (systemctl stop rowgate-logbook), or give this one another "
                    + "[store] path")
        }
        descriptor = file
    }

    /// Unlocks, because a child process that is being started has the descriptor, too, for a moment.
    func release() {
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Finds the holder of a flock(2) lock in the kernel's list: `1: FLOCK ADVISORY WRITE PID
    /// MAJOR:MINOR:INODE 0 EOF`. On some file systems the device there differs from that of stat(2).
    private static func holder(of number: ino_t) -> Int32? {
        for line in (SmallFile.text("/proc/locks") ?? "").split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count > 5, words[1] == "FLOCK", words[5].hasSuffix(":\(number)"),
                let process = Int32(words[4]), process > 0
            else { continue }
            return process
        }
        return nil
    }
}
