import Glibc

/// A path, and what is done with whole files there: what SQLite leaves to its users.
struct FilePlace {
    let path: String

    /// `F_OFD_GETLK` of <fcntl.h>, which Swift does not import: who holds a lock, this process as well.
    private static let askForLock: Int32 = 36

    init(_ path: String) { self.path = path }

    var exists: Bool { access(path, F_OK) == 0 }

    /// The folder that it is in.
    var folder: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Makes a file that nobody else may read, in the place of what an ended run left. Throws while another
    /// process writes to it.
    func makeEmpty() throws(StoreFailure) {
        if let holder {
            throw StoreFailure(
                .busy, "write", path, "process \(holder) writes it at this moment",
                remedy: "wait until that has ended")
        }
        remove()
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure("write") }
        close(file)
    }

    func remove() { unlink(path) }

    /// Gives a whole file its name, in one step: after a power cut there is the old one or the new one.
    func settle(as name: String) throws(StoreFailure) {
        try sync(path)
        guard rename(path, name) == 0 else { throw failure("rename") }
        try sync(FilePlace(name).folder)
    }

    /// Another name of the same file, so that the first may be given to another.
    func link(to name: String) throws(StoreFailure) {
        guard Glibc.link(path, name) == 0 else { throw failure("keep") }
    }

    /// The owner of another place: a restore by root is not to keep the logbook out.
    func takeOwner(of other: String) throws(StoreFailure) {
        var found = stat()
        guard stat(other, &found) == 0 else { return }
        if geteuid() == 0, chown(path, found.st_uid, found.st_gid) != 0 { throw failure("write") }
    }

    /// The process that has a database of SQLite open here, by the lock that each holds on its file
    /// while it has a write-ahead log; nil where there is none.
    var holder: Int32? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        // The bytes that SQLite's file format sets aside for it ("The Lock-Byte Page", `SHARED_FIRST`).
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        (lock.l_start, lock.l_len) = (0x4000_0002, 510)
        guard fcntl(file, Self.askForLock, &lock) == 0, Int32(lock.l_type) != F_UNLCK else {
            return nil
        }
        return lock.l_pid
    }

    /// Throws while a database of SQLite is open here.
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
        guard let trouble = FileTrouble(at: path, isWriting: true, code: code) else {
            return StoreFailure(.other, operation, path, String(cString: strerror(code)))
        }
        return StoreFailure(trouble, operation, path)
    }
}
