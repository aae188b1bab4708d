import Glibc

/// Changes of a state file by several processes: reading, editing and replacing it is one step for all.
extension StateFile {
    /// Runs `body`, which reads and replaces the file, under an exclusive lock for all files of
    /// the same folder, between processes and between threads. Waits for the lock.
    ///
    /// The folder is locked, because each replacement is another file. It is created if missing. The
    /// kernel releases the lock of a process that dies.
    ///
    /// - Parameter failed: makes the error of a folder that cannot be opened or locked.
    package func changing<Value, Fault: Error>(
        failed: (Failure) -> Fault, _ body: () throws(Fault) -> Value
    ) throws(Fault) -> Value {
        let lock: Int32
        do throws(Failure) { lock = try lockFolder() } catch { throw failed(error) }
        defer { close(lock) }
        return try body()
    }

    /// A descriptor of the folder that holds the lock until it is closed.
    private func lockFolder() throws(Failure) -> Int32 {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        mkdir(folder, 0o750)
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw Failure(operation: "open", path: folder, code: errno)
        }
        while flock(descriptor, LOCK_EX) != 0 {
            let code = errno
            if code == EINTR { continue }
            close(descriptor)
            throw Failure(operation: "lock", path: folder, code: code)
        }
        return descriptor
    }
}
