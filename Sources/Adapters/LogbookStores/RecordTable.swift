import Bytes
import Contract
import DeliveryProof

/// The records and the rows derived from them.
///
/// Uses the tables `record`, `conflict` and `session_record`, and one read table per other kind
/// (`ReadingTable`).
final class RecordTable {
    /// Changes of the streams and sessions of the records, and what the commit reports.
    struct Work {
        var streams: StreamTable.Changes
        /// Rows of `session`, by name.
        var sessions: [SessionName: Int64] = [:]
        var report = CommitReport()
    }

    private let connection: StoreConnection
    private let streams: StreamTable
    private let sessions: SessionTable
    private var database: any SQLDatabase { connection.database }

    init(_ connection: StoreConnection, _ streams: StreamTable, _ sessions: SessionTable) {
        (self.connection, self.streams, self.sessions) = (connection, streams, sessions)
    }

    // MARK: Reading

    func declarations() throws(StoreFailure) -> [StoredDeclaration] {
        let database = try connection.live()
        let found = try database.rows(
            """
            SELECT s.gw, s.epoch, s.erg, s.kind, r.body FROM event t
            JOIN record r ON \(database.recordOfRow) JOIN stream s ON s.id = r.stream
            WHERE t.event IN ('ring_dropped', 'epoch_began') ORDER BY r.id
            """
        ) { row throws(StoreFailure) in (StoredStream(row, from: 0), try row.record(4)) }
        return found.flatMap { stream, body -> [StoredDeclaration] in
            guard let stream, let record = ReceivedRecord(stored: body, of: stream.stream) else {
                return []
            }
            return Declaration.all(in: record).map {
                StoredDeclaration(
                    gateway: stream.gateway, epoch: stream.epoch, declaration: $0)
            }
        }
    }

    func evidence(of session: SessionName) throws(StoreFailure) -> SessionEvidence? {
        let database = try connection.live()
        let found = try database.rows(
            """
            SELECT session.id, s.erg, r.body FROM session
            JOIN record r ON \(database.recordOfManifest) JOIN stream s ON s.id = r.stream
            WHERE session.gw = ? AND session.session_id = ? AND session.thinned = 0
            """, [.text(session.gateway.slug), .text(session.session)]
        ) { row throws(StoreFailure) in
            (row: row.whole(0) ?? 0, erg: row.text(1) ?? "", body: try row.record(2))
        }
        guard let found = found.first, let station = StationID(found.erg),
            let record = ReceivedRecord(
                stored: found.body, of: StreamID(station: station, kind: .manifest)),
            let claim = ManifestClaim(record, of: station)
        else { return nil }
        var counts: [StreamKind: UInt64] = [:]
        for kind in [StreamKind.force, .split, .gap] {
            let count = try database.number(
                "SELECT count(*) FROM \(ReadingTable.of(kind).name) WHERE session = ?",
                [.whole(found.row)])
            counts[kind] = UInt64(clamping: count ?? 0)
        }
        let strokes = try records(of: .stroke, in: session, after: nil, limit: Int(Int32.max))
        return SessionEvidence(claim: claim, strokes: strokes.map(\.stored), counts: counts)
    }

    func records(
        of stream: StoredStream, in sequences: ClosedRange<UInt64>, limit: Int
    ) throws(StoreFailure) -> [(sequence: UInt64, stored: [UInt8])] {
        try connection.live().rows(
            """
            SELECT seq, body FROM record WHERE stream = (SELECT id FROM stream
                WHERE gw = ? AND epoch = ? AND erg = ? AND kind = ?)
            AND seq BETWEEN ? AND ? ORDER BY seq LIMIT ?
            """,
            stream.columns + [
                .whole(Int64(clamping: sequences.lowerBound)),
                .whole(Int64(clamping: sequences.upperBound)), .whole(Int64(limit)),
            ]
        ) { row throws(StoreFailure) in (sequence: row.natural(0), stored: try row.record(1)) }
    }

    func records(
        of kind: StreamKind, in session: SessionName, after mark: RecordCursor?, limit: Int
    ) throws(StoreFailure) -> [PagedRecord] {
        let (mark, limit) = (mark?.values ?? [.whole(.min), .whole(0), .whole(0)], Int64(limit))
        let name: [SQLValue] = [.text(session.gateway.slug), .text(session.session)]
        let columns = "r.ts_ms, r.seq, r.id"
        let database = try connection.live()
        if kind.isGatewayOnly { return [] }
        let belongs = kind == .stroke ? "AND \(SessionMembership.condition)" : ""
        let (tables, kinds) = tables(of: kind, database)
        return try database.rows(
            """
            SELECT \(columns), r.body FROM \(tables)
            WHERE session.gw = ? AND session.session_id = ? \(belongs)
                AND (\(columns)) > (?, ?, ?) ORDER BY \(columns) LIMIT ?
            """, kinds + name + mark + [.whole(limit)], PagedRecord.init(row:))
    }

    /// Sessions per query. Each query has this number of names, so that there is one statement of each kind to prepare.
    private static let sessionsPerQuery = 16

    func records(
        of kind: StreamKind, in sessions: [SessionName]
    ) throws(StoreFailure) -> [SessionName: [[UInt8]]] {
        precondition(kind != .stroke, "strokes may be foreign to a session")
        let database = try connection.live()
        if kind.isGatewayOnly { return [:] }
        let (tables, kinds) = tables(of: kind, database)
        let names = repeatElement("(?, ?)", count: Self.sessionsPerQuery).joined(separator: ", ")
        var found: [SessionName: [[UInt8]]] = [:]
        for start in stride(from: 0, to: sessions.count, by: Self.sessionsPerQuery) {
            let some = sessions[start...].prefix(Self.sessionsPerQuery)
            let values = some.flatMap { name -> [SQLValue] in
                [.text(name.gateway.slug), .text(name.session)]
            }
            let unused = repeatElement(SQLValue.text(""), count: 2 * (Self.sessionsPerQuery - some.count))
            // SQLite takes the tables of a CROSS JOIN in this order. With IN it would read all records of the kind.
            let rows = try database.rows(
                """
                SELECT session.gw, session.session_id, r.body FROM (VALUES \(names)) name CROSS JOIN \(tables)
                WHERE session.gw = name.column1 AND session.session_id = name.column2
                ORDER BY r.ts_ms, r.seq, r.id
                """, values + unused + kinds
            ) { row throws(StoreFailure) in
                (gateway: row.text(0) ?? "", session: row.text(1) ?? "", stored: try row.record(2))
            }
            for row in rows {
                guard let gateway = GatewayID(row.gateway) else { continue }
                found[SessionName(gateway: gateway, session: row.session), default: []].append(row.stored)
            }
        }
        return found
    }

    /// The tables to read the records of a session from, and the values of their parameters.
    private func tables(
        of kind: StreamKind, _ database: any SQLDatabase
    ) -> (tables: String, values: [SQLValue]) {
        // Three kinds share a table.
        let (ofKind, values): (String, [SQLValue]) =
            kind.hasOwnRow
            ? (kind == .stroke ? "JOIN stream s ON s.id = r.stream" : "", [])
            : ("JOIN stream s ON s.id = r.stream AND s.kind = ?", [.text(kind.topicName)])
        let tables = """
            session JOIN \(kind.rows) t ON t.session = session.id JOIN record r ON \(database.recordOfRow) \(ofKind)
            """
        return (tables, values)
    }

    func conflicts(limit: Int) throws(StoreFailure) -> [StoredConflict] {
        let found = try connection.live().rows(
            """
            SELECT s.gw, s.epoch, s.erg, s.kind, c.seq, r.body, c.body, c.times FROM conflict c
            JOIN stream s ON s.id = c.stream
            LEFT JOIN record r ON r.stream = c.stream AND r.seq = c.seq
            ORDER BY c.id DESC LIMIT ?
            """, [.whole(Int64(limit))]
        ) { row throws(StoreFailure) in
            let first = try row.record(5)
            return StoredStream(row, from: 0).map {
                StoredConflict(
                    stream: $0, sequence: row.natural(4), first: first, other: row.bytes(6),
                    times: Int(row.whole(7) ?? 0))
            }
        }
        return found.compactMap { $0 }
    }

    func size() throws(StoreFailure) -> StoreSize {
        let database = try connection.live()
        let records = try database.number("SELECT count(*) FROM record") ?? 0
        return StoreSize(records: Int(records), bytes: Int(try database.bytes()))
    }

    // MARK: Changing, within a transaction of the caller

    /// Stores new records, except those of erased athletes, and compares the others with the stored ones.
    func add(
        _ records: [ValidatedRecord], at now: Int64, _ work: inout Work
    ) throws(StoreFailure) {
        let forgotten = try ForgottenAthletes(in: database)
        let (fresh, again) = try sort(records.map(forgotten.redacted), &work)
        try insert(try keepable(fresh, forgotten, &work), at: now, &work)
        try compare(again, at: now, &work)
    }

    /// Separates new records from repeated ones; records may also be repeated within the batch.
    private func sort(
        _ records: [ValidatedRecord], _ work: inout Work
    ) throws(StoreFailure) -> (fresh: [ValidatedRecord], again: [ValidatedRecord]) {
        var (fresh, again): ([ValidatedRecord], [ValidatedRecord]) = ([], [])
        for record in records {
            if try streams.insert(record.sequence, of: record.stream, &work.streams) {
                fresh.append(record)
            } else {
                again.append(record)
            }
        }
        work.report.added = fresh.count
        return (fresh, again)
    }

    /// Omits records of erased athletes and stores their numbers as removed.
    private func keepable(
        _ records: [ValidatedRecord], _ forgotten: ForgottenAthletes, _ work: inout Work
    ) throws(StoreFailure) -> [ValidatedRecord] {
        if forgotten.isEmpty { return records }
        var remaining: [ValidatedRecord] = []
        var dropped: [Int64: SequenceSet] = [:]
        for record in records {
            guard try forgotten.covers(record, database), let stream = work.streams.row(of: record.stream)
            else {
                remaining.append(record)
                continue
            }
            dropped[stream, default: SequenceSet()].insert(record.sequence)
            work.report.forgotten += 1
        }
        try streams.noteRemoved(dropped)
        return remaining
    }

    private func insert(
        _ records: [ValidatedRecord], at now: Int64, _ work: inout Work
    ) throws(StoreFailure) {
        if records.isEmpty { return }
        let numbers = try database.newRecordRows(records.count)
        var rows: [StreamKind: [[SQLValue]]] = [:]
        for (record, number) in zip(records, numbers) {
            var session: Int64?
            if let name = record.session {
                session = try sessions.row(of: name, creatingFrom: record, &work.sessions)
            }
            if record.hasOwnRow {
                rows[record.stream.stream.kind, default: []]
                    .append(
                        keys(of: record, number, session) + record.columnValues(all: database.storesAllValues)
                    )
            }
        }
        try database.add(
            zip(records, numbers).map { record, number in
                self.row(of: record, number, at: now, work)
            })
        for kind in StreamKind.allCases {
            guard let rows = rows[kind] else { continue }
            let table = ReadingTable.of(kind)
            try database.add(
                rows, to: table.name,
                keyColumns(of: kind) + table.rowColumns(of: kind, all: database.storesAllValues))
        }
        var edges: [[SQLValue]] = []
        var updated: Set<Int64> = []
        for (record, number) in zip(records, numbers) where !record.hasOwnRow {
            guard let name = record.session, let session = work.sessions[name] else { continue }
            try sessions.update(session, from: record, number)
            updated.insert(session)
            edges.append(keys(of: record, number, session))
        }
        try sessions.resolveAthletes(of: updated)
        if !edges.isEmpty {
            try database.add(edges, to: StreamKind.session.rows, keyColumns(of: .session))
        }
    }

    private func row(
        of record: ValidatedRecord, _ number: Int64, at now: Int64, _ work: Work
    ) -> RecordRow {
        let session = record.session.flatMap { name in
            work.sessions[name].map { SessionReference(row: $0, id: name.session) }
        }
        return RecordRow(
            row: number, kind: record.stream.stream.kind, session: session,
            stream: work.streams.row(of: record.stream) ?? 0, sequence: record.sequence,
            unixMilliseconds: record.unixMilliseconds, storedAt: now, body: record.stored)
    }

    /// Key columns of a read table, before the columns of the contract.
    private func keyColumns(of kind: StreamKind) -> [String] {
        ["record"] + (database.rowsHaveTimes ? ["ts_ms"] : [])
            + (kind.isGatewayOnly ? [] : ["session"])
    }

    private func keys(
        of record: ValidatedRecord, _ number: Int64, _ session: Int64?
    ) -> [SQLValue] {
        [.whole(number)] + (database.rowsHaveTimes ? [.whole(record.unixMilliseconds)] : [])
            + (record.stream.stream.kind.isGatewayOnly
                ? [] : [session.map { .whole($0) } ?? .null])
    }

    /// Compares repeated records. The first content stays, unless it was removed on purpose.
    private func compare(
        _ records: [ValidatedRecord], at now: Int64, _ work: inout Work
    ) throws(StoreFailure) {
        if records.isEmpty { return }
        let rows = records.map { row(of: $0, 0, at: now, work) }
        let differing = Set(try database.differing(rows))
        for (index, record) in records.enumerated() {
            guard differing.contains(index) else {
                work.streams.noteRepeat(record.stream)
                work.report.repeats += 1
                continue
            }
            work.streams.noteConflict(record.stream)
            work.report.conflicts += 1
            try database.run(
                """
                INSERT INTO conflict (stream, seq, stored_ms, times, body) VALUES (?, ?, ?, 1, ?)
                ON CONFLICT (stream, seq) DO UPDATE SET times = conflict.times + 1
                """,
                [
                    .whole(rows[index].stream), .whole(Int64(record.sequence)), .whole(now),
                    .bytes(record.stored),
                ])
        }
    }

    /// Removes records on purpose. Their numbers stay known, so that they are not requested again and
    /// repetitions are not stored.
    func delete(_ records: [RecordToDelete]) throws(StoreFailure) {
        let hasTimes = database.rowsHaveTimes
        var numbers: [Int64: SequenceSet] = [:]
        for record in records {
            let time = hasTimes ? " AND ts_ms = ?" : ""
            let key: [SQLValue] =
                [.whole(record.row)] + (hasTimes ? [.whole(record.unixMilliseconds)] : [])
            try database.run("DELETE FROM \(record.kind.rows) WHERE record = ?\(time)", key)
            try database.run("DELETE FROM record WHERE id = ?\(time)", key)
            try database.run(
                "DELETE FROM conflict WHERE stream = ? AND seq = ?",
                [.whole(record.stream), .whole(Int64(record.sequence))])
            numbers[record.stream, default: SequenceSet()].insert(record.sequence)
        }
        try streams.noteRemoved(numbers)
    }
}

/// A record in a paginated list.
package struct PagedRecord: Equatable, Sendable {
    package var mark: RecordCursor
    /// As published, without `historical`.
    package var stored: [UInt8]
}

/// The position after a record in a session's list: its time, number and row.
package struct RecordCursor: Equatable, Sendable {
    package var unixMilliseconds: Int64
    package var sequence: Int64
    package var row: Int64

    package init(unixMilliseconds: Int64, sequence: Int64, row: Int64) {
        (self.unixMilliseconds, self.sequence, self.row) = (unixMilliseconds, sequence, row)
    }
}

/// A record to be removed.
struct RecordToDelete {
    let kind: StreamKind
    /// Row of the record, and row of its stream.
    let row: Int64
    let stream: Int64
    let sequence: UInt64
    /// PostgreSQL needs it to find the partition.
    let unixMilliseconds: Int64
}

extension RecordCursor {
    fileprivate var values: [SQLValue] {
        [.whole(unixMilliseconds), .whole(sequence), .whole(row)]
    }
}

extension PagedRecord {
    fileprivate init(row: any SQLRow) throws(StoreFailure) {
        mark = RecordCursor(
            unixMilliseconds: row.whole(0) ?? 0, sequence: row.whole(1) ?? 0,
            row: row.whole(2) ?? 0)
        stored = try row.record(3)
    }
}

extension ReceivedRecord {
    /// Parses a stored record.
    fileprivate init?(stored: [UInt8], of stream: StreamID) {
        guard stored.last == UInt8(ascii: "}") else { return nil }
        let payload = RecordEncoder.published(stored, historical: true)
        do throws(RecordDefect) { try self.init(payload, of: stream) } catch { return nil }
    }
}

extension StreamKind {
    /// Whether each record has its own row in a read table.
    var hasOwnRow: Bool {
        switch self {
        case .session, .summary, .manifest: false
        default: true
        }
    }

    /// Whether a session has many records of the kind. They have tables of their own.
    var isFrequent: Bool { Self.frequent.contains(self) }

    static let frequent: [StreamKind] = [.split, .rollup, .force, .stroke]

    /// The table whose rows refer to a record of this kind: its own read table, or `session_record`.
    var rows: String { hasOwnRow ? ReadingTable.of(self).name : "session_record" }
}

extension ReadingTable {
    /// The columns that a record of this kind fills. Omits the session's name, which finds the row, and a
    /// session record's `event`, begin or end.
    ///
    /// - Parameter all: whether frequent records fill more than the columns that the program reads.
    func rowColumns(of kind: StreamKind, all: Bool = true) -> [String] {
        columns.filter { $0.isInRow(of: kind, all: all) }.map(\.name)
    }
}

extension ReadingColumn {
    fileprivate func isInRow(of record: StreamKind, all: Bool) -> Bool {
        if case .recordOnly = kind { return false }
        if !all, record.isFrequent, name != "athlete_id" { return false }
        return name != "session_id" && !(record == .session && name == "event")
    }
}

extension ValidatedRecord {
    /// Whether the record has its own row; the others update their session's row.
    fileprivate var hasOwnRow: Bool { stream.stream.kind.hasOwnRow }

    /// The values of `rowColumns`.
    func columnValues(all: Bool = true) -> [SQLValue] {
        let kind = stream.stream.kind
        return zip(ReadingTable.of(kind).columns, values).compactMap { column, value in
            column.isInRow(of: kind, all: all) ? value : nil
        }
    }
}
