import Contract
import DeliveryProof

/// The logbook in one file of SQLite: nothing to set up, and fast enough for any boathouse.
///
/// WAL, so that readers never wait for the writer; `synchronous` FULL, so that a commit survives a
/// power cut; group commit is the caller's, who hands over batches.
package final class SQLiteStore: LogbookStore {
    /// What a store is opened for.
    package enum Access: Sendable {
        /// It is made where there is none, and brought to the newest version.
        case keeping
        /// By a command beside the program that keeps it; nothing is changed.
        case looking
    }

    /// A stream as it is in the database, with the numbers that have been stored.
    struct Entry {
        let row: Int64
        var extent: StreamExtent
        var gone = SequenceSet()
        var repeats: UInt64 = 0
        var conflicts: UInt64 = 0
    }

    package let place: String
    let database: SQLiteDatabase
    let access: Access
    /// What is durable; of a store for looking, when it was opened.
    var entries: [StoredStream: Entry] = [:]

    /// Opens the store, or makes it. Its folder has to be there.
    package init(_ path: String, for access: Access) throws(StoreFailure) {
        place = path
        self.access = access
        database = try Self.database(path, access)
        entries = try readEntries()
    }

    private static func database(
        _ path: String, _ access: Access
    ) throws(StoreFailure) -> SQLiteDatabase {
        let database: SQLiteDatabase
        do throws(StoreFailure) {
            database = try SQLiteDatabase(path, for: access == .keeping ? .writing : .reading)
        } catch {
            guard access == .looking, error.kind == .other else { throw error }
            throw StoreFailure(
                .absent, "open", path, error.cause,
                remedy: "rowgate-logbook makes it when it is started with this [store] path")
        }
        let version = try version(of: database)
        guard version <= SQLiteMigrations.newest else {
            throw StoreFailure(
                .newer, "open", path,
                "it is of version \(version), and this program knows \(SQLiteMigrations.newest)",
                remedy: "install the rowgate-logbook that wrote it, or a newer one")
        }
        switch access {
        case .keeping: try prepare(database, from: version)
        case .looking:
            guard version == SQLiteMigrations.newest else {
                throw StoreFailure(
                    .absent, "open", path, "it is of an older version",
                    remedy: "start rowgate-logbook once, which brings it up to date")
            }
        }
        return database
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
        _ = try database.rows("PRAGMA journal_mode = WAL") { _ in }
        try database.execute("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON")
        // Between two checkpoints; a write-ahead log that a reader held up shrinks again to this.
        try database.execute("PRAGMA journal_size_limit = 67108864")
        for (index, migration) in SQLiteMigrations.all.enumerated().dropFirst(version) {
            try database.transaction { () throws(StoreFailure) in
                try database.execute(migration)
                try database.execute("PRAGMA application_id = \(SQLiteMigrations.applicationID)")
                try database.execute("PRAGMA user_version = \(index + 1)")
            }
        }
    }

    func readEntries() throws(StoreFailure) -> [StoredStream: Entry] {
        var (stored, gone): ([Int64: SequenceSet], [Int64: SequenceSet]) = ([:], [:])
        for (table, isGone) in [("span", false), ("gone", true)] {
            let ranges = try database.rows("SELECT stream, first, last FROM \(table)") { row in
                (row.whole(0) ?? 0, row.natural(1), row.natural(2))
            }
            for (stream, first, last) in ranges where first <= last {
                if isGone { gone[stream, default: SequenceSet()].insert(first...last) }
                if !isGone { stored[stream, default: SequenceSet()].insert(first...last) }
            }
        }
        let rows = try database.rows(
            """
            SELECT id, gw, epoch, erg, kind, begin, announced, repeats, conflicts FROM stream
            """
        ) { row -> (StoredStream, Entry)? in
            guard let stream = StoredStream(row, from: 1), let id = row.whole(0) else { return nil }
            let extent = StreamExtent(
                received: stored[id] ?? SequenceSet(),
                begin: row.whole(5).map { UInt64(clamping: $0) },
                announced: row.natural(6))
            return (
                stream,
                Entry(
                    row: id, extent: extent, gone: gone[id] ?? SequenceSet(),
                    repeats: row.natural(7), conflicts: row.natural(8))
            )
        }
        return Dictionary(rows.compactMap { $0 }, uniquingKeysWith: { first, _ in first })
    }

    package func close() { database.close() }
}

extension StoredStream {
    /// From four columns: gw, epoch, erg, kind.
    init?(_ row: SQLiteRow, from column: Int32) {
        guard let gateway = row.text(column).flatMap(GatewayID.init),
            let epoch = row.text(column + 1), let erg = row.text(column + 2),
            let kind = row.text(column + 3).flatMap(StreamKind.init(topicName:))
        else { return nil }
        self.init(
            gateway: gateway, epoch: epoch,
            stream: StreamID(station: StationID(erg), kind: kind))
    }

    /// The same four.
    var columns: [ReadValue] {
        [
            .text(gateway.slug), .text(epoch), .text(stream.station?.slug ?? ""),
            .text(stream.kind.topicName),
        ]
    }
}
