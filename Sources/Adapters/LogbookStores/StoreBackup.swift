import CSQLite
import Glibc
import HostRuntime

/// A copy of a SQLite store in one file, made while a logbook writes to the store.
///
/// The copy is consistent: a read transaction holds one moment, and new data stays in the write-ahead log
/// meanwhile. Pages are copied unchanged, so the copy takes as long as reading the file. Then the accounts of
/// athletes at other services are removed from it. It has the suffix `.partial` until it is complete and durable.
package final class StoreBackup {
    /// The store as of the beginning of the copy, until `finish`.
    package let source: SQLStore
    private let from: SQLiteDatabase
    private let path: String

    /// Pages between progress reports: 4 MiB with the usual page size.
    private static let step: Int32 = 1024
    private static let unfinished = ".partial"

    /// Files to be removed if the process ends before `finish`.
    package var unfinishedPaths: [String] {
        UnfinishedCopy.ends.map { path + Self.unfinished + $0 }
    }

    /// Removes leftovers in a folder from backups that were killed. Returns the removed paths.
    package static func removeLeftovers(in folder: String) -> [String] {
        SmallFile.names(in: folder).filter { $0.hasSuffix(unfinished) }
            .map { folder + "/" + $0 }
            .filter { UnfinishedCopy.isStore($0) && UnfinishedCopy.removeLeftovers($0) }
    }

    /// The folder of the copy.
    package var folder: String { StoreFile(path).folder }

    /// Opens the store. Throws if the copy would replace a file.
    package init(of store: String, to path: String) throws(StoreFailure) {
        self.path = path
        if StoreFile(path).exists {
            throw StoreFailure(
                .other, "write", path, "it exists already",
                remedy: "use a new file name, for example with the date; a backup replaces no files")
        }
        let source = try SQLiteStore(store, for: .readOnly)
        guard let from = source.database as? SQLiteDatabase else {
            preconditionFailure("a store of SQLite is in SQLite")
        }
        (self.source, self.from) = (source, from)
        try from.execute("BEGIN", "read")
        // The snapshot begins with the first read.
        _ = try from.number("SELECT count(*) FROM sqlite_schema")
    }

    /// Copies the pages and opens the copy. `source` still reads the snapshot of the copy.
    ///
    /// - Parameter progress: called after each step with the copied bytes and the total.
    package func copy(
        progress: (_ bytes: Int64, _ all: Int64) -> Void
    ) throws(StoreFailure) -> SQLStore {
        let partial = path + Self.unfinished
        try StoreFile(partial).makeEmpty()
        do throws(StoreFailure) {
            try from.copyPages(to: partial, step: Self.step, progress) { copy throws(StoreFailure) in
                try copy.execute("PRAGMA secure_delete = ON; DELETE FROM upload_account", "write")
            }
            return try SQLiteStore(partial, for: .readOnly)
        } catch {
            StoreFile(partial).remove()
            throw error
        }
    }

    /// Closes both stores, and renames a good copy or removes a bad one.
    package func finish(_ copy: SQLStore, isGood: Bool) throws(StoreFailure) {
        copy.close()
        source.close()
        let partial = StoreFile(path + Self.unfinished)
        if isGood { try partial.settle(as: path) } else { partial.remove() }
    }
}

extension SQLiteDatabase {
    /// Copies the database into an empty file without a write-ahead log.
    ///
    /// - Parameter change: changes the copy before it becomes one file.
    func copyPages(
        to path: String, step: Int32, _ progress: (_ bytes: Int64, _ all: Int64) -> Void,
        change: (SQLiteDatabase) throws(StoreFailure) -> Void = { _ in }
    ) throws(StoreFailure) {
        let target = try SQLiteDatabase(path, for: .readWrite)
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
        try change(target)
        try target.leaveWriteAheadLog()
    }

    /// Leaves WAL mode, so that the database is one file. Throws `.busy` while another connection is open.
    func leaveWriteAheadLog() throws(StoreFailure) {
        _ = try rows("PRAGMA journal_mode = DELETE") { _ in }
    }
}
