import Contract
import DeliveryProof

/// A stream of one gateway in one epoch, within which a number identifies one record forever.
package struct StoredStream: Hashable, Sendable {
    /// The gateway that assigned the numbers.
    package var gateway: GatewayID
    /// ULID of the ring to which the numbers belong.
    package var epoch: String
    /// Erg and kind.
    package var stream: StreamID

    package init(gateway: GatewayID, epoch: String, stream: StreamID) {
        self.gateway = gateway
        self.epoch = epoch
        self.stream = stream
    }
}

/// A session's identifier: its gateway and its ULID.
package struct SessionName: Hashable, Sendable {
    /// The gateway that recorded it. ULIDs of one gateway never refer to sessions of another.
    package var gateway: GatewayID
    /// Its ULID.
    package var session: String

    package init(gateway: GatewayID, session: String) {
        self.gateway = gateway
        self.session = session
    }
}

extension StoredStream: Comparable {
    /// By gateway, epoch, erg and kind; the gateway's own streams after those of its ergs.
    package static func < (left: Self, right: Self) -> Bool {
        left.order < right.order
    }

    private var order: (String, String, Int, String, UInt8) {
        (
            gateway.slug, epoch, stream.station == nil ? 1 : 0, stream.station?.slug ?? "",
            stream.kind.rawValue
        )
    }

    /// Name in messages: `boathouse/erg-1 stroke`.
    package var label: String {
        let erg = stream.station.map { "/\($0)" } ?? ""
        return "\(gateway)\(erg) \(stream.kind.topicName)"
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

/// The known streams with their numbers: stored, announced, lost, refused and removed.
///
/// Uses the tables `stream`, `span`, `gone`, `refused` and `removed`.
final class StreamTable {
    /// A stream's row in the database, with its stored numbers.
    struct Entry {
        let row: Int64
        var extent: StreamExtent
        var gone = SequenceSet()
        var refused = SequenceSet()
        var repeats: UInt64 = 0
        var conflicts: UInt64 = 0
    }

    /// Changes of one transaction; `apply` makes them valid once they are durable.
    struct Changes {
        fileprivate var entries: [StoredStream: Entry]
        /// Streams whose rows must be updated.
        fileprivate var changed: Set<StoredStream> = []
        /// Numbers that the transaction adds.
        fileprivate var added: [StoredStream: SequenceSet] = [:]

        /// The row of a stream that the transaction has used.
        func row(of stream: StoredStream) -> Int64? { entries[stream]?.row }

        mutating func noteRepeat(_ stream: StoredStream) { entries[stream]?.repeats += 1 }

        mutating func noteConflict(_ stream: StoredStream) { entries[stream]?.conflicts += 1 }
    }

    private let connection: StoreConnection
    /// The durable state; in a store that is not recording, as of opening.
    private var entries: [StoredStream: Entry]
    private var database: any SQLDatabase { connection.database }

    init(_ connection: StoreConnection) throws(StoreFailure) {
        self.connection = connection
        entries = try Self.readEntries(of: connection.database)
    }

    var isEmpty: Bool { entries.isEmpty }

    /// Reads the state again, after something else has changed it.
    func reload() throws(StoreFailure) { entries = try Self.readEntries(of: database) }

    // MARK: Reading

    /// - Parameter isCurrent: false if another process may write to the store.
    func states(isCurrent: Bool) throws(StoreFailure) -> [StreamState] {
        let database = try connection.live()
        let entries = isCurrent ? entries : try Self.readEntries(of: database)
        // A command may have removed records in parallel.
        let removed = try Self.ranges("removed", database)
        return entries.map { stream, entry in
            StreamState(
                stream: stream, extent: entry.extent, gone: entry.gone, refused: entry.refused,
                removed: removed[entry.row] ?? SequenceSet(), repeats: entry.repeats,
                conflicts: entry.conflicts)
        }
        .sorted { $0.stream < $1.stream }
    }

    /// Descriptions of streams whose records do not fit their stored numbers.
    func faults() throws(StoreFailure) -> [String] {
        let counts = try database.rows(
            "SELECT stream, count(*), min(seq), max(seq) FROM record GROUP BY stream"
        ) { row in (row.whole(0) ?? 0, row.natural(1), row.natural(2), row.natural(3)) }
        let known = Dictionary(
            try Self.readEntries(of: database).map { ($0.value.row, $0) },
            uniquingKeysWith: { first, _ in first })
        return counts.compactMap { row, count, first, last in
            guard let (stream, entry) = known[row] else { return nil }
            let received = entry.extent.received
            let fits = received.contains(first) && received.contains(last)
            return fits && count <= received.count
                ? nil : "\(stream.label) has records without an entry for their numbers"
        }
    }

    private static func readEntries(
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
    private static func ranges(
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

    // MARK: Changing, within a transaction of the caller

    func begin() -> Changes { Changes(entries: entries) }

    /// Makes durable changes valid.
    func apply(_ changes: Changes) { entries = changes.entries }

    /// Adds a number to a stream, which is created if needed; false if it is stored already.
    func insert(
        _ sequence: UInt64, of stream: StoredStream, _ changes: inout Changes
    ) throws(StoreFailure) -> Bool {
        let entry = try entry(of: stream, &changes)
        changes.changed.insert(stream)
        if entry.extent.received.contains(sequence) { return false }
        changes.entries[stream]?.extent.store(sequence)
        changes.added[stream, default: SequenceSet()].insert(sequence)
        return true
    }

    func apply(
        _ note: StreamNote, of stream: StoredStream, _ changes: inout Changes
    ) throws(StoreFailure) {
        let row = try entry(of: stream, &changes).row
        changes.changed.insert(stream)
        if let begin = note.begin { changes.entries[stream]?.extent.expect(from: begin) }
        changes.entries[stream]?.extent.announce(note.announced)
        for range in note.gone {
            changes.entries[stream]?.gone.insert(range)
            let whole = changes.entries[stream]?.gone.run(around: range.lowerBound) ?? range
            try replace(whole, in: "gone", row)
        }
        for range in note.refused.ranges {
            changes.entries[stream]?.refused.insert(range)
            let whole = changes.entries[stream]?.refused.run(around: range.lowerBound) ?? range
            try replace(whole, in: "refused", row)
        }
    }

    /// Stores the changes in the tables.
    func save(_ changes: Changes) throws(StoreFailure) {
        for (stream, numbers) in changes.added { try addSpans(numbers, of: stream, changes) }
        for stream in changes.changed { try update(stream, changes) }
    }

    /// Stores numbers as removed, by the row of their stream. Reads the existing ranges first, because a
    /// command may have added some in parallel.
    func noteRemoved(_ numbers: [Int64: SequenceSet]) throws(StoreFailure) {
        for (stream, new) in numbers {
            var all = try Self.ranges("removed", database, of: stream)[stream] ?? SequenceSet()
            for range in new.ranges { all.insert(range) }
            for range in new.ranges {
                let whole = all.run(around: range.lowerBound) ?? range
                try replace(whole, in: "removed", stream)
            }
        }
    }

    private func entry(
        of stream: StoredStream, _ changes: inout Changes
    ) throws(StoreFailure) -> Entry {
        if let known = changes.entries[stream] { return known }
        let row = try database.number(
            "INSERT INTO stream (gw, epoch, erg, kind) VALUES (?, ?, ?, ?) RETURNING id",
            stream.columns)
        let entry = Entry(row: row ?? 0, extent: StreamExtent())
        changes.entries[stream] = entry
        changes.changed.insert(stream)
        return entry
    }

    private func addSpans(
        _ numbers: SequenceSet, of stream: StoredStream, _ changes: Changes
    ) throws(StoreFailure) {
        guard let entry = changes.entries[stream] else { return }
        for run in numbers.ranges {
            let whole = entry.extent.received.run(around: run.lowerBound) ?? run
            try replace(whole, in: "span", entry.row)
        }
    }

    /// Replaces all ranges that a range covers. Ranges of a stream never overlap partially, so a range is
    /// covered if it begins within.
    private func replace(
        _ range: ClosedRange<UInt64>, in table: String, _ stream: Int64
    ) throws(StoreFailure) {
        let values: [SQLValue] = [
            .whole(stream), .whole(Int64(range.lowerBound)), .whole(Int64(range.upperBound)),
        ]
        try database.run(
            "DELETE FROM \(table) WHERE stream = ? AND first BETWEEN ? AND ?", values)
        try database.run("INSERT INTO \(table) (stream, first, last) VALUES (?, ?, ?)", values)
    }

    private func update(_ stream: StoredStream, _ changes: Changes) throws(StoreFailure) {
        guard let entry = changes.entries[stream] else { return }
        try database.run(
            "UPDATE stream SET begin = ?, announced = ?, repeats = ?, conflicts = ? WHERE id = ?",
            [
                entry.extent.begin.map { .whole(Int64($0)) } ?? .null,
                .whole(Int64(entry.extent.announced)), .whole(Int64(entry.repeats)),
                .whole(Int64(entry.conflicts)), .whole(entry.row),
            ])
    }
}
