import Glibc

/// A file in memory beside a ring's file: it outlives the process, and is gone with the boot.
///
/// It stands in systemd's `RUNTIME_DIRECTORY`, or in shared memory where that is not set, and is
/// named after the ring's inode: a copy of a ring is another ring.
package final class BootFile {
    package let descriptor: Int32
    private let path: String

    /// Opens or makes the file `rowgate-<name>-...` of the ring at `ring`; nil where there is no place
    /// for it, and where somebody else has made it, as anybody may in shared memory.
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

    /// Nobody needs it any more.
    package func remove() { unlink(path) }
}
