import Glibc

/// A file in memory that belongs to a ring's file. It outlives the process and disappears at the
/// next boot.
///
/// It is stored in systemd's `RUNTIME_DIRECTORY`, or in shared memory if that is not set. Its name
/// contains the ring's inode, because a copy of a ring is a different ring.
package final class BootFile {
    package let descriptor: Int32
    private let path: String

    /// Opens or creates the file `rowgate-<name>-...` of the ring at `ring`. Returns nil if there
    /// is no place for it, or if another user created it, which is possible in shared memory.
    package init?(_ name: String, ofRing ring: String) {
        let directory = getenv("RUNTIME_DIRECTORY").map { String(cString: $0) } ?? "/dev/shm"
        var file = stat()
        guard stat(ring, &file) == 0 else { return nil }
        path = "\(directory)/rowgate-\(name)-\(file.st_dev)-\(file.st_ino)"
        descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0, fstat(descriptor, &file) == 0, file.st_uid == geteuid() else {
            return nil
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Deletes the file.
    package func remove() { unlink(path) }
}
