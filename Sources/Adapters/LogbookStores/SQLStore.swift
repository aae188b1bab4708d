import Contract
import DeliveryProof

/// The logbook in a database that SQL is spoken to: what SQLite and PostgreSQL have in common.
///
/// Group commit is the caller's, who hands over batches.
package class SQLStore: LogbookStore {
    /// What a store is opened for.
    package enum Access: Sendable {
        /// It is made where there is none, and brought to the newest version.
        case keeping
        /// By a command beside the program that keeps it; nothing is changed.
        case looking
        /// Beside that program: to take records out, or for what people say and plan.
        case changing
    }

    /// A stream as it is in the database, with the numbers that have been stored.
    struct Entry {
        let row: Int64
        var extent: StreamExtent
        var gone = SequenceSet()
        var refused = SequenceSet()
        var repeats: UInt64 = 0
        var conflicts: UInt64 = 0
    }

    package let place: String
    let database: any SQLDatabase
    let access: Access
    /// What is durable; of a store for looking, when it was opened.
    var entries: [StoredStream: Entry] = [:]
    /// Notices that are kept; fewer in a test.
    var mostNotices = SQLStore.mostNotices
    /// A batch of which nobody said whether it is durable.
    var doubtful: Doubtful?

    /// With a database that is open, and of the newest version.
    init(_ database: any SQLDatabase, for access: Access) throws(StoreFailure) {
        place = database.place
        self.access = access
        self.database = database
        entries = try Self.readEntries(of: database)
    }

    package func close() { database.close() }

    /// A server's place does not go away by itself.
    package func verifyPlace() throws(StoreFailure) {}

    package var replacement: (count: Int, last: ReplacedFile?) { (0, nil) }

    /// The database, as it is now: one that was lost is there again, or the call fails.
    func live() throws(StoreFailure) -> any SQLDatabase {
        if try database.revive() { try revived() }
        return database
    }

    /// The database was lost and is there again, or another one is in its place.
    func revived() throws(StoreFailure) { entries = try Self.readEntries(of: database) }

    package func deal() throws(StoreFailure) -> StoreShare? { nil }

    package func sharers() throws(StoreFailure) -> [StoreSharer] { [] }

    /// What of a batch is this store's to keep.
    func own(_ batch: StoreBatch) -> StoreBatch { batch }

    static func readEntries(
        of database: any SQLDatabase
    ) throws(StoreFailure) -> [StoredStream: Entry] {
        let stored = try ranges("span", database)
        let gone = try ranges("gone", database)
        let refused = try ranges("refused", database)
        let rows = try database.rows(
            """
            SELECT id, gw, epoch, erg, kind, begin, announced, repeats, conflicts FROM stream
            """
        ) { row throws(StoreFailure) -> (StoredStream, Entry)? in
            guard let stream = StoredStream(row, from: 1), let id = row.whole(0) else { return nil }
            var extent = StreamExtent(
                received: stored[id] ?? SequenceSet(),
                begin: row.whole(5).map { UInt64(clamping: $0) },
                announced: row.natural(6))
            // Earlier versions noted the number that came first, which may be another one.
            if let first = stored[id]?.first { extent.owe(from: first) }
            return (
                stream,
                Entry(
                    row: id, extent: extent, gone: gone[id] ?? SequenceSet(),
                    refused: refused[id] ?? SequenceSet(), repeats: row.natural(7),
                    conflicts: row.natural(8))
            )
        }
        return Dictionary(rows.compactMap { $0 }, uniquingKeysWith: { first, _ in first })
    }

    /// Ranges of numbers by the row of their stream.
    ///
    /// - Parameter stream: of one alone.
    static func ranges(
        _ table: String, _ database: any SQLDatabase, of stream: Int64? = nil
    ) throws(StoreFailure) -> [Int64: SequenceSet] {
        let rows = try database.rows(
            "SELECT stream, first, last FROM \(table)" + (stream == nil ? "" : " WHERE stream = ?"),
            stream.map { [.whole($0)] } ?? []
        ) { row throws(StoreFailure) in
            (row.whole(0) ?? 0, row.natural(1), row.natural(2))
        }
        var found: [Int64: SequenceSet] = [:]
        for (stream, first, last) in rows where first <= last {
            found[stream, default: SequenceSet()].insert(first...last)
        }
        return found
    }
}

extension StoredStream {
    /// From four columns: gw, epoch, erg, kind.
    init?(_ row: any SQLRow, from column: Int32) {
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
