import Glibc

/// Operations on a whole file at a path that SQLite leaves to its users.
struct StoreFile {
    let path: String

    /// `F_OFD_GETLK` of <fcntl.h>, which Swift does not import: finds the holder of a lock, this process
    /// included.
    private static let getLock: Int32 = 36

    init(_ path: String) { self.path = path }

    var exists: Bool { access(path, F_OK) == 0 }

    /// The folder of the file.
    var folder: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Creates an empty file that only this user may read, and replaces the leftover of an ended run.
    /// Throws while another process writes to it.
    func makeEmpty() throws(StoreFailure) {
        if let holder {
            throw StoreFailure(
                .busy, "write", path, "process \(holder) is writing it",
                remedy: "wait until it ends")
        }
        remove()
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure("write") }
        close(file)
    }

    func remove() { unlink(path) }

    /// Renames a complete file durably: after a power cut there is either the old file or the new one.
    func settle(as name: String) throws(StoreFailure) {
        try sync(path)
        guard rename(path, name) == 0 else { throw failure("rename") }
        try sync(StoreFile(name).folder)
    }

    /// Adds a second name to the file, so that the first name can be given to another file.
    func link(to name: String) throws(StoreFailure) {
        guard Glibc.link(path, name) == 0 else { throw failure("keep") }
    }

    /// Takes over the owner of another file, so that the logbook can open a file that root restored.
    func copyOwner(from other: String) throws(StoreFailure) {
        var found = stat()
        guard stat(other, &found) == 0 else { return }
        if geteuid() == 0, chown(path, found.st_uid, found.st_gid) != 0 { throw failure("write") }
    }

    /// The process that has a SQLite database open here, found by the lock that SQLite holds on a file in
    /// WAL mode; nil if there is none.
    var holder: Int32? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        // The lock bytes of SQLite's file format ("The Lock-Byte Page", `SHARED_FIRST`).
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        (lock.l_start, lock.l_len) = (0x4000_0002, 510)
        guard fcntl(file, Self.getLock, &lock) == 0, Int32(lock.l_type) != F_UNLCK else {
            return nil
        }
        return lock.l_pid
    }

    /// Throws while a SQLite database is open here.
    func refuseWhileOpen(_ operation: String) throws(StoreFailure) {
        guard let holder else { return }
        throw StoreFailure(
            .busy, operation, path, "process \(holder) has it open",
            remedy: "stop the logbook: systemctl stop rowgate-logbook")
    }

    private func sync(_ place: String) throws(StoreFailure) {
        let file = open(place, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw failure("write") }
        defer { close(file) }
        guard fsync(file) == 0 else { throw failure("write") }
    }

    func failure(_ operation: String) -> StoreFailure {
        let code = errno
        guard let trouble = FileDiagnosis(at: path, isWriting: true, code: code) else {
            return StoreFailure(.other, operation, path, String(cString: strerror(code)))
        }
        return StoreFailure(trouble, operation, path)
    }
}
