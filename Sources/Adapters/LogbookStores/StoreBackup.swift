import CSQLite
import Glibc
import HostRuntime

/// A copy of a store of SQLite in one file, made while a logbook writes to the store.
///
/// It is the store of one moment: a transaction that only reads holds that moment, and whatever is
/// written meanwhile waits in the write-ahead log. Pages are copied as they are, so the copy costs what
/// reading the file costs. It gets its name when it is whole and on the disk; until then it stands
/// beside it with `.partial` at its end.
package final class StoreBackup {
    /// What is copied, as it was when the copy began, until `finish`.
    package let source: SQLStore
    private let from: SQLiteDatabase
    private let path: String

    /// Pages between two looks at how far it is: 4 MiB of the usual ones.
    private static let step: Int32 = 1024
    private static let unfinished = ".partial"

    /// What is there of the copy until `finish`: to be removed if the process ends before.
    package var unfinishedPaths: [String] {
        UnfinishedCopy.ends.map { path + Self.unfinished + $0 }
    }

    /// Removes what backups left in a folder whose processes were killed. The paths that were removed.
    package static func removeLeft(in folder: String) -> [String] {
        SmallFile.names(in: folder).filter { $0.hasSuffix(unfinished) }
            .map { folder + "/" + $0 }
            .filter { UnfinishedCopy.isStore($0) && UnfinishedCopy.removeLeft($0) }
    }

    /// Where the copy is made.
    package var folder: String { FilePlace(path).folder }

    /// Opens the store. Throws where the copy would take the place of another file.
    package init(of store: String, to path: String) throws(StoreFailure) {
        self.path = path
        if FilePlace(path).exists {
            throw StoreFailure(
                .other, "write", path, "it is there already",
                remedy: "name a file that is not, with the day in its name; a backup replaces none")
        }
        let source = try SQLiteStore(store, for: .looking)
        guard let from = source.database as? SQLiteDatabase else {
            preconditionFailure("a store of SQLite is in SQLite")
        }
        (self.source, self.from) = (source, from)
        try from.execute("BEGIN", "read")
        // Only what is read makes it a moment.
        _ = try from.number("SELECT count(*) FROM sqlite_schema")
    }

    /// Copies the pages, and opens the copy. What `source` says is still of the moment of the copy.
    ///
    /// - Parameter progress: is told after each step how many bytes are there, and of how many.
    package func copy(
        progress: (_ bytes: Int64, _ all: Int64) -> Void
    ) throws(StoreFailure) -> SQLStore {
        let partial = path + Self.unfinished
        try FilePlace(partial).makeEmpty()
        do throws(StoreFailure) {
            try from.copyPages(to: partial, step: Self.step, progress)
            return try SQLiteStore(partial, for: .looking)
        } catch {
            FilePlace(partial).remove()
            throw error
        }
    }

    /// The copy was looked at: it gets its name, or goes.
    package func finish(_ copy: SQLStore, isGood: Bool) throws(StoreFailure) {
        copy.close()
        source.close()
        let partial = FilePlace(path + Self.unfinished)
        if isGood { try partial.settle(as: path) } else { partial.remove() }
    }
}

extension SQLiteDatabase {
    /// Copies everything into an empty file, which is then one file without a write-ahead log.
    func copyPages(
        to path: String, step: Int32, _ progress: (_ bytes: Int64, _ all: Int64) -> Void
    ) throws(StoreFailure) {
        let target = try SQLiteDatabase(path, for: .writing)
        defer { target.close() }
        guard let backup = sqlite3_backup_init(target.handle, "main", handle, "main") else {
            throw target.failure(sqlite3_extended_errcode(target.handle), "write")
        }
        let pageBytes = try number("PRAGMA page_size") ?? 0
        var code = SQLITE_OK
        while code == SQLITE_OK {
            code = sqlite3_backup_step(backup, step)
            let all = Int64(sqlite3_backup_pagecount(backup))
            progress((all - Int64(sqlite3_backup_remaining(backup))) * pageBytes, all * pageBytes)
        }
        sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE else { throw target.failure(code, "write") }
        try target.leaveWriteAheadLog()
    }

    /// Makes one file of it. Throws as busy while anybody else has it open.
    func leaveWriteAheadLog() throws(StoreFailure) {
        _ = try rows("PRAGMA journal_mode = DELETE") { _ in }
    }
}
