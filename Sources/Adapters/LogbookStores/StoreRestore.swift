import Glibc

/// Replaces a SQLite store with a backup after checking it, and preserves the old store.
///
/// The backup is copied next to the store and migrated. The caller checks that copy; then it is renamed
/// atomically. A failure or power cut before the renaming leaves the store unchanged. The old store stays
/// under another name.
package struct StoreRestore {
    /// The path of the store.
    package let path: String
    private let backup: String

    /// Pages between progress reports.
    private static let step: Int32 = 1024

    private var prepared: StoreFile { StoreFile(Self.prepared(for: path)) }

    private static func prepared(for path: String) -> String { path + ".restoring" }

    /// Files to be removed if the process ends before the copy has its final name.
    package var unfinishedPaths: [String] { UnfinishedCopy.ends.map { prepared.path + $0 } }

    /// Removes a leftover next to a store from a restore that was killed. Returns the removed path.
    package static func removeLeftovers(of path: String) -> [String] {
        [prepared(for: path)].filter(UnfinishedCopy.removeLeftovers)
    }

    /// Throws while a logbook has the store open.
    package init(_ backup: String, to path: String) throws(StoreFailure) {
        (self.backup, self.path) = (backup, path)
        if Self.isSame(backup, path) {
            throw StoreFailure(
                .other, "restore", backup, "it is the store itself",
                remedy: "use a file written by rowgate-logbook backup")
        }
        try refuseWhileOpen()
    }

    /// Copies the backup next to the store, and opens the copy for checking.
    package func prepare(
        progress: (_ bytes: Int64, _ all: Int64) -> Void
    ) throws(StoreFailure) -> SQLStore {
        let source = try SQLiteStore.toCopy(backup)
        defer { source.close() }
        try prepared.makeEmpty()
        do throws(StoreFailure) {
            try source.copyPages(to: prepared.path, step: Self.step, progress)
            try prepared.copyOwner(from: StoreFile(path).exists ? path : prepared.folder)
            // Opening it for recording migrates it.
            try SQLiteStore(prepared.path, for: .recording).close()
            return try SQLiteStore(prepared.path, for: .readOnly)
        } catch {
            discard()
            throw error
        }
    }

    /// Removes a copy that failed the check; the store stays.
    package func discard() {
        for path in unfinishedPaths { StoreFile(path).remove() }
    }

    /// Renames the copy to the store's name. Returns the new path of the old store; nil if there was none.
    ///
    /// - Parameter time: makes the old store's new name unique.
    package func replace(_ copy: SQLStore, at time: String) throws(StoreFailure) -> String? {
        copy.close()
        do throws(StoreFailure) {
            try Self.makeOneFile(prepared.path)
            let old = try keepOld(as: path + ".until-" + time)
            try prepared.settle(as: path)
            return old
        } catch {
            discard()
            throw error
        }
    }

    /// Gives the old store a second name, after leaving WAL mode. A logbook that starts at this moment and
    /// has opened the file cannot write to it: SQLite needs a journal to return to WAL mode, and creates
    /// none for a file that has lost its name.
    private func keepOld(as name: String) throws(StoreFailure) -> String? {
        let (old, log) = (StoreFile(path), StoreFile(path + "-wal"))
        try refuseWhileOpen()
        guard old.exists else { return nil }
        let savedLog = StoreFile(name + "-wal")
        if log.exists { try log.link(to: savedLog.path) }
        do throws(StoreFailure) {
            try Self.makeOneFile(path)
            savedLog.remove()
        } catch {
            // Damaged stores are the reason for restores. Preserves the log too, which SQLite may have
            // discarded as unreadable.
            guard error.kind == .corrupt else {
                savedLog.remove()
                throw error
            }
        }
        try old.link(to: name)
        log.remove()
        StoreFile(path + "-shm").remove()
        return name
    }

    /// Throws `.busy` while another connection is open.
    private static func makeOneFile(_ path: String) throws(StoreFailure) {
        let database = try SQLiteDatabase(path, for: .readWrite)
        defer { database.close() }
        try database.leaveWriteAheadLog()
    }

    private func refuseWhileOpen() throws(StoreFailure) {
        try StoreFile(path).refuseWhileOpen("restore")
    }

    private static func isSame(_ one: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        guard stat(one, &first) == 0, stat(other, &second) == 0 else { return one == other }
        return (first.st_dev, first.st_ino) == (second.st_dev, second.st_ino)
    }
}
