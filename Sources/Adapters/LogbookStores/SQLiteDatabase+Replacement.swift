import CSQLite
import Glibc

/// Handles a store file that is removed, moved or replaced while it is open. The connection would continue
/// with the old file, so that new data would be lost. Changes `replacement`.
extension SQLiteDatabase {
    /// The state of file replacements.
    struct Replacement {
        /// Prepares a newly opened file; nil for a connection that never reopens.
        var prepare: ((SQLiteDatabase) throws(StoreFailure) -> Void)?
        /// The open files, as found by `noteFiles`.
        var file: FileIdentity?
        var log: FileIdentity?
        /// Whether the path led to a file when the loss was noticed.
        var wasThere = false
        /// How often a file was replaced, and the kind of the last replacement.
        var count = 0
        var last: ReplacedFile?
    }

    /// Whether the path no longer leads to the open file.
    private var hasMoved: Bool {
        guard let handle else { return true }
        var moved: Int32 = 0
        let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved)
        return code == SQLITE_OK && moved != 0
    }

    /// Remembers the open files once the file is prepared.
    func noteFiles() {
        replacement.file = FileIdentity(path)
        replacement.log = FileIdentity(path + "-wal")
    }

    /// If the path leads to another file now, opens that one. Returns whether it did.
    ///
    /// A read-only connection throws `.moved` instead. The recording process must open the file first,
    /// because it removes the old file's write-ahead log, which SQLite would apply to the new file.
    func reconnect() throws(StoreFailure) -> Bool {
        guard !isInTransaction, hasMoved else { return false }
        guard let prepare = replacement.prepare else {
            throw StoreFailure(.moved, "read", path, "its file was removed or moved")
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

    /// Closes the old file in a complete state, wherever it is now, and removes its write-ahead log from
    /// the path.
    private func leaveMovedFile() {
        // A reader may block the checkpoint; then the last transactions stay in the log, but gateways still
        // have them.
        sqlite3_busy_timeout(handle, 1000)
        sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        closeFile()
        guard let log = replacement.log, FileIdentity(path + "-wal") == log else { return }
        for end in ["-wal", "-shm"] { StoreFile(path + end).remove() }
    }
}

/// The file at a store's path after the open file was removed.
package enum ReplacedFile: String, Sendable {
    /// There was none: a new store was created.
    case new
    /// A different file.
    case another
    /// The same file, which was temporarily absent.
    case same
}

/// Identifies the file at a path.
struct FileIdentity: Equatable {
    private let device: dev_t
    private let number: ino_t

    /// nil if there is none.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        (device, number) = (status.st_dev, status.st_ino)
    }
}
