/// The logbook in one SQLite file; it needs no setup and is fast enough for a boathouse.
///
/// WAL, so that readers never wait for the writer; `synchronous` FULL, so that a commit survives a power
/// cut.
package final class SQLiteStore: SQLStore {
    /// Maximum size of the write-ahead log after a checkpoint; a reader may have let it grow.
    private static let journalBytes = 64 << 20

    /// Opens or creates the store. Its folder must exist.
    package init(_ path: String, for access: Access) throws(StoreFailure) {
        try super.init(try Self.database(path, access), for: access)
    }

    /// Opens a store of any known version, for copying it.
    static func toCopy(_ path: String) throws(StoreFailure) -> SQLiteDatabase {
        let database = try SQLiteDatabase(path, for: .readOnly)
        try StoreVersion.check(
            try version(of: database), of: SQLiteMigrations.newest, at: path, .recording)
        guard try database.number("PRAGMA application_id") == SQLiteMigrations.applicationID else {
            throw StoreFailure(
                .corrupt, "open", path, "it is empty",
                remedy: "use a file written by rowgate-logbook backup")
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
            guard access != .recording, error.kind == .absent else { throw error }
            throw StoreFailure(
                .absent, "open", path, error.cause,
                remedy: "rowgate-logbook creates it when it starts with this [store] path")
        }
        try prepare(database, access)
        database.noteFiles()
        if access == .recording {
            database.replacement.prepare = { database throws(StoreFailure) in
                try prepare(database, .recording)
            }
        }
        return database
    }

    private static func prepare(
        _ database: SQLiteDatabase, _ access: Access
    ) throws(StoreFailure) {
        if access == .recording { try database.lockForWriter() }
        let version = try version(of: database)
        try StoreVersion.check(
            version, of: SQLiteMigrations.newest, at: database.path, access)
        switch access {
        case .recording: try prepare(database, from: version)
        case .readOnly: break
        case .editing:
            // Deleted content is overwritten with zeros.
            try database.execute(
                "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON")
        }
    }

    override package func compress(_ pass: inout CompressionPass) throws(StoreFailure) {
        guard let database = try connection.live() as? SQLiteDatabase else { return }
        try database.compression.continuePass(&pass)
    }

    override package func bytesPerYear(at now: Int64) throws(StoreFailure) -> Int? {
        let (week, year) = (7 * 86_400_000 as Int64, 365 * 86_400_000 as Int64)
        guard let database = try connection.live() as? SQLiteDatabase else { return nil }
        let first = try database.number("SELECT stored_ms FROM record ORDER BY id LIMIT 1") ?? now
        let since = max(first, now - 4 * week)
        guard now - since >= week else { return nil }
        let free =
            try (database.number("PRAGMA freelist_count") ?? 0) * (database.number("PRAGMA page_size") ?? 0)
        let records = try database.number("SELECT count(*) FROM record") ?? 0
        let recent = try database.rowsStored(since: since)
        guard recent > 0 else { return nil }
        let bytesPerRecord = Double(try database.bytes() - free) / Double(max(records, 1))
        return Int(Double(recent) * bytesPerRecord * Double(year) / Double(now - since))
    }

    override package func verifyPlace() throws(StoreFailure) { _ = try connection.live() }

    override package var replacement: (count: Int, last: ReplacedFile?) {
        guard let database = database as? SQLiteDatabase else { return (0, nil) }
        return (database.replacement.count, database.replacement.last)
    }

    /// 0 for a new file. Throws for a file of another program.
    private static func version(of database: SQLiteDatabase) throws(StoreFailure) -> Int {
        let version = try database.number("PRAGMA user_version") ?? 0
        let application = try database.number("PRAGMA application_id") ?? 0
        let tables = try database.number("SELECT count(*) FROM sqlite_schema") ?? 0
        guard application == SQLiteMigrations.applicationID || (application, tables) == (0, 0)
        else {
            throw StoreFailure(
                .corrupt, "open", database.path, "it belongs to another program",
                remedy: "set [store] path to another file")
        }
        return Int(version)
    }

    private static func prepare(
        _ database: SQLiteDatabase, from version: Int
    ) throws(StoreFailure) {
        // Must be set before the first table exists, so that free pages can be released in steps.
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
    /// Only the recording process creates the file.
    fileprivate var ofFile: SQLiteDatabase.Access {
        switch self {
        case .recording: .create
        case .readOnly: .readOnly
        case .editing: .readWrite
        }
    }
}

/// Checks which versions of the tables a program can use.
enum StoreVersion {
    /// Throws for a store that is newer than the program, or older unless it is opened for recording.
    static func check(
        _ version: Int, of newest: Int, at place: String, _ access: SQLStore.Access
    ) throws(StoreFailure) {
        guard version <= newest else {
            throw StoreFailure(
                .newer, "open", place,
                "it has version \(version), but this program supports only \(newest)",
                remedy: "install the rowgate-logbook version that wrote it, or a newer one")
        }
        guard access == .recording || version == newest else {
            throw StoreFailure(
                .absent, "open", place, "it has an older version",
                remedy: "start rowgate-logbook once to migrate it")
        }
    }
}
