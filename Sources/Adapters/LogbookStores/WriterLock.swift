import Glibc
import HostRuntime

/// The lock on a store's file that the one process holds which stores records in it. Who only reads, or
/// changes what people say and plan, needs none.
///
/// It is of another kind than SQLite's own locks (flock(2) beside fcntl(2)), which every reader holds too.
struct WriterLock {
    private let descriptor: Int32

    /// Throws as busy while another process has it, with its number.
    init(_ path: String) throws(StoreFailure) {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw FilePlace(path).failure("open") }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            var status = stat()
            fstat(file, &status)
            close(file)
            guard code == EWOULDBLOCK else { throw FilePlace(path).failure("lock") }
            let holder = Self.holder(of: status.st_ino) ?? FilePlace(path).holder
            throw StoreFailure(
                .busy, "open", path,
                holder.map { "process \($0) has it open" } ?? "another process has it open",
                remedy: "stop that logbook (systemctl stop rowgate-logbook), or give this one another "
                    + "[store] path")
        }
        descriptor = file
    }

    func release() { close(descriptor) }

    /// The process that holds such a lock on a file, by the kernel's list: `1: FLOCK ADVISORY WRITE PID
    /// MAJOR:MINOR:INODE 0 EOF`. The device of some file systems is another one there than that of stat(2).
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
