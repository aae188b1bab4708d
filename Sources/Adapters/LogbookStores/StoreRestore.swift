import Glibc

/// Puts a backup in the place of a store of SQLite, once it is proven, and keeps what was there.
///
/// The backup is copied beside the store and brought to this program's version there; who restores
/// looks at that copy, and it takes the store's name in one step. A failure or a power cut before that
/// step leaves the store as it was. The store that was there stays under another name.
package struct StoreRestore {
    /// Where the store is.
    package let path: String
    private let backup: String

    /// Pages between two looks at how far it is.
    private static let step: Int32 = 1024

    private var prepared: FilePlace { FilePlace(Self.prepared(for: path)) }

    private static func prepared(for path: String) -> String { path + ".restoring" }

    /// What is there of the copy until it has the store's name: to be removed if the process ends before.
    package var unfinishedPaths: [String] { UnfinishedCopy.ends.map { prepared.path + $0 } }

    /// Removes what a restore left next to a store when its process was killed. The path that was removed.
    package static func removeLeft(of path: String) -> [String] {
        [prepared(for: path)].filter(UnfinishedCopy.removeLeft)
    }

    /// Throws while a logbook has the store open.
    package init(_ backup: String, to path: String) throws(StoreFailure) {
        (self.backup, self.path) = (backup, path)
        if Self.isSame(backup, path) {
            throw StoreFailure(
                .other, "restore", backup, "it is the store itself",
                remedy: "name a file that rowgate-logbook backup wrote")
        }
        try refuseWhileOpen()
    }

    /// Copies the backup beside the store, and opens the copy for the one look that decides.
    package func prepare(
        progress: (_ bytes: Int64, _ all: Int64) -> Void
    ) throws(StoreFailure) -> SQLStore {
        let source = try SQLiteStore.toCopy(backup)
        defer { source.close() }
        try prepared.makeEmpty()
        do throws(StoreFailure) {
            try source.copyPages(to: prepared.path, step: Self.step, progress)
            try prepared.takeOwner(of: FilePlace(path).exists ? path : prepared.folder)
            // Whoever opens it to keep records brings it up to date.
            try SQLiteStore(prepared.path, for: .keeping).close()
            return try SQLiteStore(prepared.path, for: .looking)
        } catch {
            discard()
            throw error
        }
    }

    /// The copy is not what it has to be: the store stays.
    package func discard() {
        for path in unfinishedPaths { FilePlace(path).remove() }
    }

    /// Gives the copy the store's name. Where the old store is from now on; nil if there was none.
    ///
    /// - Parameter time: what tells the old store's name from others.
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

    /// The old store under two names, the second its own. It is made one file before. A logbook that is
    /// started in this moment and has opened that file cannot write to it: SQLite needs a journal for
    /// the step back to a write-ahead log, and makes none for a file that has lost its name.
    private func keepOld(as name: String) throws(StoreFailure) -> String? {
        let (old, log) = (FilePlace(path), FilePlace(path + "-wal"))
        try refuseWhileOpen()
        guard old.exists else { return nil }
        let keptLog = FilePlace(name + "-wal")
        if log.exists { try log.link(to: keptLog.path) }
        do throws(StoreFailure) {
            try Self.makeOneFile(path)
            keptLog.remove()
        } catch {
            // A store that is damaged is what a backup is for. Its log, which SQLite may have thrown
            // away as unreadable, stays with it.
            guard error.kind == .corrupt else {
                keptLog.remove()
                throw error
            }
        }
        try old.link(to: name)
        log.remove()
        FilePlace(path + "-shm").remove()
        return name
    }

    /// Throws as busy while anybody has it open.
    private static func makeOneFile(_ path: String) throws(StoreFailure) {
        let database = try SQLiteDatabase(path, for: .writing)
        defer { database.close() }
        try database.leaveWriteAheadLog()
    }

    private func refuseWhileOpen() throws(StoreFailure) {
        try FilePlace(path).refuseWhileOpen("restore")
    }

    private static func isSame(_ one: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        guard stat(one, &first) == 0, stat(other, &second) == 0 else { return one == other }
        return (first.st_dev, first.st_ino) == (second.st_dev, second.st_ino)
    }
}
