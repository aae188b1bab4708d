import Contract
import DeliveryProof

/// The logbook in an SQL database: the common part of SQLite and PostgreSQL.
///
/// Callers group records into batches.
package class SQLStore: LogbookStore {
    /// The purpose for which a store is opened.
    package enum Access: Sendable {
        /// For the process that stores records; creates the store if needed and migrates it to the newest
        /// version.
        case recording
        /// For reading, in parallel with the recording process.
        case readOnly
        /// For removing records, and for responses and plans, in parallel with the recording process.
        case editing
    }

    /// A stream's row in the database, with its stored numbers.
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
    /// The durable state; in a read-only store, as of opening.
    var entries: [StoredStream: Entry] = [:]
    /// Maximum stored notices; fewer in tests.
    var mostNotices = SQLStore.mostNotices
    /// The commit with unknown outcome, if any.
    var uncertainCommit: UncertainCommit?

    /// The database must be open and of the newest version.
    init(_ database: any SQLDatabase, for access: Access) throws(StoreFailure) {
        place = database.place
        self.access = access
        self.database = database
        entries = try Self.readEntries(of: database)
    }

    package func close() { database.close() }

    /// A server does not move.
    package func verifyPlace() throws(StoreFailure) {}

    package var replacement: (count: Int, last: ReplacedFile?) { (0, nil) }

    /// Returns the database, after reconnecting if needed.
    func liveDatabase() throws(StoreFailure) -> any SQLDatabase {
        if try database.reconnect() { try didReconnect() }
        return database
    }

    /// The connection was restored, or the database was replaced.
    func didReconnect() throws(StoreFailure) { entries = try Self.readEntries(of: database) }

    package func rebalanceShards() throws(StoreFailure) -> StoreShare? { nil }

    package func sharers() throws(StoreFailure) -> [StoreSharer] { [] }

    /// The part of a batch that belongs to this store's shards.
    func ownedPart(of batch: StoreBatch) -> StoreBatch { batch }

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
            // Earlier versions stored the number that arrived first, which may be greater.
            if let first = stored[id]?.first { extent.expect(from: first) }
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
    /// - Parameter stream: only of this stream; nil for all.
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

    /// The values of the same four columns.
    var columns: [SQLValue] {
        [
            .text(gateway.slug), .text(epoch), .text(stream.station?.slug ?? ""),
            .text(stream.kind.topicName),
        ]
    }
}
