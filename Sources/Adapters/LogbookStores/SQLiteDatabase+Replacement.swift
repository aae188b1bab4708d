import CSQLite
import Glibc

/// A file that is removed, moved away or replaced while it is open. A connection goes on with the old file,
/// whatever its name leads to now, so that everything written would be lost. Changes `replacement`.
extension SQLiteDatabase {
    /// What was found at the path when a file was opened again.
    struct Replacement {
        /// Prepares the file that was opened; nil for a connection that is never opened again.
        var prepare: ((SQLiteDatabase) throws(StoreFailure) -> Void)?
        /// The files that are open, as `noteFiles` found them.
        var file: FileIdentity?
        var log: FileIdentity?
        /// Whether the path led to a file when it was noticed that the open one has gone.
        var wasThere = false
        /// How often another file was opened, and what the last one is.
        var count = 0
        var last: ReplacedFile?
    }

    /// Whether the path no longer leads to the file that is open.
    private var hasMoved: Bool {
        guard let handle else { return true }
        var moved: Int32 = 0
        let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved)
        return code == SQLITE_OK && moved != 0
    }

    /// Remembers which files are open, once the file is prepared.
    func noteFiles() {
        replacement.file = FileIdentity(path)
        replacement.log = FileIdentity(path + "-wal")
    }

    /// Opens what the path leads to now, if that is another file than the open one. Whether it did.
    ///
    /// A connection that only looks throws `.moved`: who stores records has to be the first to open the
    /// file, because it removes the write-ahead log of the old one, which SQLite would take for the new one's.
    func revive() throws(StoreFailure) -> Bool {
        guard hasMoved else { return false }
        guard let prepare = replacement.prepare else {
            throw StoreFailure(.moved, "read", path, "its file was removed or moved away")
        }
        if handle != nil {
            replacement.wasThere = FileIdentity(path) != nil
            leaveMovedFile()
        } else if !replacement.wasThere {
            replacement.wasThere = FileIdentity(path) != nil
        }
        let before = replacement.file
        try open()
        do throws(StoreFailure) { try prepare(self) } catch {
            closeFile()
            throw error
        }
        noteFiles()
        replacement.last =
            !replacement.wasThere ? .new : replacement.file == before ? .same : .another
        replacement.count += 1
        return true
    }

    /// Closes the old file so that it is whole by itself, wherever it is, and removes its write-ahead log
    /// from the path.
    private func leaveMovedFile() {
        // A reader may hold it up; then the last transactions stay in the log, and gateways have them.
        sqlite3_busy_timeout(handle, 1000)
        sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        closeFile()
        guard let log = replacement.log, FileIdentity(path + "-wal") == log else { return }
        for end in ["-wal", "-shm"] { FilePlace(path + end).remove() }
    }
}

/// What the path of a store leads to after its open file was taken away.
package enum ReplacedFile: String, Sendable {
    /// Nothing was there: a new store was made.
    case new
    /// Another file.
    case another
    /// The same file, which was away for a while.
    case same
}

/// Which file a path leads to.
struct FileIdentity: Equatable {
    private let device: dev_t
    private let number: ino_t

    /// nil where there is none.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        (device, number) = (status.st_dev, status.st_ino)
    }
}
