/// The logbook in one file of SQLite: nothing to set up, and fast enough for any boathouse.
///
/// WAL, so that readers never wait for the writer; `synchronous` FULL, so that a commit survives a
/// power cut.
package final class SQLiteStore: SQLStore {
    /// To which a write-ahead log shrinks again that a reader held up between two checkpoints.
    private static let journalBytes = 64 << 20

    /// Opens the store, or makes it. Its folder has to be there.
    package init(_ path: String, for access: Access) throws(StoreFailure) {
        try super.init(try Self.database(path, access), for: access)
    }

    /// A store of any version that this program knows, for a copy of it.
    static func toCopy(_ path: String) throws(StoreFailure) -> SQLiteDatabase {
        let database = try SQLiteDatabase(path, for: .reading)
        try StoreVersion.check(
            try version(of: database), of: SQLiteMigrations.newest, at: path, .keeping)
        guard try database.number("PRAGMA application_id") == SQLiteMigrations.applicationID else {
            throw StoreFailure(
                .corrupt, "open", path, "it is empty",
                remedy: "name a file that rowgate-logbook backup wrote")
        }
        return database
    }

    private static func database(
        _ path: String, _ access: Access
    ) throws(StoreFailure) -> SQLiteDatabase {
        let database: SQLiteDatabase
        do throws(StoreFailure) {
            database = try SQLiteDatabase(path, for: access.ofFile)
        } catch {
            guard access != .keeping, error.kind == .absent else { throw error }
            throw StoreFailure(
                .absent, "open", path, error.cause,
                remedy: "rowgate-logbook makes it when it is started with this [store] path")
        }
        try prepare(database, access)
        database.noteFiles()
        if access == .keeping {
            database.replacement.prepare = { database throws(StoreFailure) in
                try prepare(database, .keeping)
            }
        }
        return database
    }

    private static func prepare(
        _ database: SQLiteDatabase, _ access: Access
    ) throws(StoreFailure) {
        if access == .keeping { try database.lockForWriter() }
        let version = try version(of: database)
        try StoreVersion.check(
            version, of: SQLiteMigrations.newest, at: database.path, access)
        switch access {
        case .keeping: try prepare(database, from: version)
        case .looking: break
        case .changing:
            // Freed parts of pages are overwritten with zeros.
            try database.execute(
                "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON")
        }
    }

    override package func verifyPlace() throws(StoreFailure) { _ = try live() }

    override package var replacement: (count: Int, last: ReplacedFile?) {
        guard let database = database as? SQLiteDatabase else { return (0, nil) }
        return (database.replacement.count, database.replacement.last)
    }

    /// 0 for a file that was just made. Throws for one that somebody else wrote.
    private static func version(of database: SQLiteDatabase) throws(StoreFailure) -> Int {
        let version = try database.number("PRAGMA user_version") ?? 0
        let application = try database.number("PRAGMA application_id") ?? 0
        let tables = try database.number("SELECT count(*) FROM sqlite_schema") ?? 0
        guard application == SQLiteMigrations.applicationID || (application, tables) == (0, 0)
        else {
            throw StoreFailure(
                .corrupt, "open", database.path, "it is a database of another program",
                remedy: "give [store] path another file")
        }
        return Int(version)
    }

    private static func prepare(
        _ database: SQLiteDatabase, from version: Int
    ) throws(StoreFailure) {
        // Before there is a table: what is removed can be given back to the disk bit by bit.
        if version == 0 { try database.execute("PRAGMA auto_vacuum = INCREMENTAL") }
        _ = try database.rows("PRAGMA journal_mode = WAL") { _ in }
        try database.execute("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON")
        try database.execute("PRAGMA journal_size_limit = \(journalBytes)")
        for (index, migration) in SQLiteMigrations.all.enumerated().dropFirst(version) {
            try database.transaction { () throws(StoreFailure) in
                try database.execute(migration)
                try database.execute("PRAGMA application_id = \(SQLiteMigrations.applicationID)")
                try database.execute("PRAGMA user_version = \(index + 1)")
            }
        }
    }
}

extension SQLStore.Access {
    /// Who keeps it makes the file where there is none.
    fileprivate var ofFile: SQLiteDatabase.Access {
        switch self {
        case .keeping: .making
        case .looking: .reading
        case .changing: .writing
        }
    }
}

/// Which version of the tables a program can use.
enum StoreVersion {
    /// Throws for a store that is newer than the program, or older where it only looks.
    static func check(
        _ version: Int, of newest: Int, at place: String, _ access: SQLStore.Access
    ) throws(StoreFailure) {
        guard version <= newest else {
            throw StoreFailure(
                .newer, "open", place,
                "it is of version \(version), and this program knows \(newest)",
                remedy: "install the rowgate-logbook that wrote it, or a newer one")
        }
        guard access == .keeping || version == newest else {
            throw StoreFailure(
                .absent, "open", place, "it is of an older version",
                remedy: "start rowgate-logbook once, which brings it up to date")
        }
    }
}
