import Contract

/// Compresses the records of a store in small steps.
package struct CompressionPass: Equatable, Sendable {
    /// Number of records compressed so far.
    package fileprivate(set) var records = 0
    /// Bytes of these records before and after.
    package fileprivate(set) var publishedBytes = 0
    package fileprivate(set) var storedBytes = 0
    /// Whether all records are processed.
    package fileprivate(set) var isDone = false
    /// Kinds that may need a dictionary.
    fileprivate var kinds = StreamKind.frequent

    package init() {}

    /// A pass for a store that compresses nothing.
    static var nothing: CompressionPass {
        var pass = CompressionPass()
        pass.isDone = true
        return pass
    }
}

/// A session's row in the store, and its id.
struct SessionReference: Equatable, Sendable {
    let row: Int64
    let id: String
}

/// The records of one open SQLite file, which are stored as published or compressed.
///
/// The body of a record as published begins with `{`. A compressed one has the number of a dictionary (one byte), the
/// row of its session (7 bits a byte, the lowest first; 0 for none) and the compressed text. The text omits the id of
/// that session, which would be a third of the bytes.
///
/// Dictionaries are in the table `record_dictionary`, which only grows. A kind gets its dictionary when the store has
/// enough records to learn from; from then on, new records are compressed at once, and older ones in the background.
final class RecordCompression {
    /// The number of records of a kind from which its dictionary is made.
    static let samples = 5000
    /// Rows of one step; they block the writer for some ten milliseconds.
    private static let step: Int64 = 1000

    private unowned let database: SQLiteDatabase
    private var dictionaries: [UInt8: RecordDictionary] = [:]
    /// The dictionaries for new records.
    private var newest: [StreamKind: RecordDictionary] = [:]
    private lazy var context = RecordDictionary.Context()

    init(of database: SQLiteDatabase) { self.database = database }

    // MARK: Single records

    /// Returns a record as published.
    ///
    /// - Parameters:
    ///   - stored: as read from the file; empty for a record that does not exist.
    ///   - session: the last session of the same query.
    func published(_ stored: [UInt8], _ session: inout SessionReference?) throws(StoreFailure) -> [UInt8] {
        guard let first = stored.first, first <= RecordDictionary.maximumNumber else { return stored }
        if dictionaries[first] == nil { try load() }
        guard let context, let (row, start) = Self.session(of: stored),
            var text = dictionaries[first]?.decompress(stored[start...], context)
        else { throw damaged }
        if row == 0 { return text }
        if session?.row != row { session = try reference(to: row) }
        guard let session, let place = StoredRecord.range(of: "session_id", in: text) else { throw damaged }
        text.replaceSubrange(place, with: session.id.utf8)
        return text
    }

    private var damaged: StoreFailure {
        StoreFailure(
            .corrupt, "read", database.path, "a compressed record is damaged",
            remedy: "restore a backup with rowgate-logbook restore, or move the file away and restart: "
                + "gateways send their records again")
    }

    private func reference(to row: Int64) throws(StoreFailure) -> SessionReference? {
        try database.rows("SELECT session_id FROM session WHERE id = ?", [.whole(row)]) {
            row throws(StoreFailure) in row.text(0)
        }.first?.map { SessionReference(row: row, id: $0) }
    }

    /// Returns the row of the session in a compressed record, and the position of the text.
    private static func session(of stored: [UInt8]) -> (row: Int64, end: Int)? {
        var row: Int64 = 0
        for (index, byte) in stored.dropFirst().prefix(9).enumerated() {
            row |= Int64(byte & 0x7F) << (7 * Int64(index))
            if byte < 0x80 { return (row, index + 2) }
        }
        return nil
    }

    /// Returns a new record as it is stored.
    ///
    /// - Parameter session: that it names, if the store has a row for it.
    func stored(_ record: [UInt8], of kind: StreamKind?, in session: SessionReference?) -> [UInt8] {
        guard let kind, let context, let dictionary = newest[kind] else { return record }
        var (text, row): ([UInt8], Int64) = (record, 0)
        if let session, let place = StoredRecord.range(of: "session_id", in: record),
            record[place].elementsEqual(session.id.utf8)
        {
            text.removeSubrange(place)
            row = session.row
        }
        var stored = [dictionary.number]
        repeat {
            stored.append(UInt8(row & 0x7F) | (row > 0x7F ? 0x80 : 0))
            row >>= 7
        } while row > 0
        guard let frame = dictionary.compress(text, context) else { return record }
        stored += frame
        return stored.count < record.count ? stored : record
    }

    /// Loads the dictionaries again if there are new ones.
    func reloadIfChanged() throws(StoreFailure) {
        let last = try database.number("SELECT max(id) FROM record_dictionary") ?? 0
        if last != Int64(dictionaries.keys.max() ?? 0) { try load() }
    }

    private func load() throws(StoreFailure) {
        let found = try database.rows("SELECT id, kind, bytes FROM record_dictionary ORDER BY id") {
            row throws(StoreFailure) in
            (number: UInt8(clamping: row.natural(0)), kind: row.text(1) ?? "", bytes: row.bytes(2))
        }
        (dictionaries, newest) = ([:], [:])
        for dictionary in found {
            guard let kind = StreamKind(topicName: dictionary.kind),
                let loaded = RecordDictionary(number: dictionary.number, kind: kind, bytes: dictionary.bytes)
            else { continue }
            (dictionaries[dictionary.number], newest[kind]) = (loaded, loaded)
        }
    }

    // MARK: In the background

    /// Makes a dictionary, or compresses the next few records. Each call is a transaction, so the process can end
    /// between or during calls.
    func continuePass(_ pass: inout CompressionPass) throws(StoreFailure) {
        if pass.isDone { return }
        var next = pass
        // Records are deleted and added again, and SQLite would search all sessions for each of them.
        try database.execute("PRAGMA foreign_keys = OFF")
        defer { try? database.execute("PRAGMA foreign_keys = ON") }
        try database.transaction { () throws(StoreFailure) in
            // Another process may have made a dictionary.
            try reloadIfChanged()
            while let kind = next.kinds.popLast() {
                if newest[kind] != nil { continue }
                if try makeDictionary(for: kind) { return }
            }
            try compressRecords(&next)
        }
        pass = next
    }

    /// Learns from records of the whole history. Returns false if there are too few.
    private func makeDictionary(for kind: StreamKind) throws(StoreFailure) -> Bool {
        let number = (dictionaries.keys.max() ?? 0) + 1
        let table = ReadingTable.of(kind).name
        let count = try database.number(
            "SELECT count(*) FROM (SELECT record FROM \(table) LIMIT ?)", [.whole(Int64(Self.samples))])
        guard count == Int64(Self.samples), number <= RecordDictionary.maximumNumber,
            let bytes = RecordDictionary.train(on: try samples(of: table))
        else { return false }
        let end = (try database.number("SELECT max(record) FROM \(table)") ?? 0) + 1
        try database.run(
            "INSERT INTO record_dictionary (id, kind, bytes, plain_below) VALUES (?, ?, ?, ?)",
            [.whole(Int64(number)), .text(kind.topicName), .bytes(bytes), .whole(end)])
        return true
    }

    /// Returns records at equal distances.
    private func samples(of table: String) throws(StoreFailure) -> [[UInt8]] {
        let first = try database.number("SELECT min(record) FROM \(table)") ?? 0
        let last = try database.number("SELECT max(record) FROM \(table)") ?? 0
        var found: [[UInt8]] = []
        for index in 0..<Int64(Self.samples) {
            found += try database.rows(
                """
                SELECT r.body FROM \(table) t JOIN record r ON \(database.recordOfRow)
                WHERE t.record >= ? ORDER BY t.record LIMIT 1
                """, [.whole(first + (last - first) / Int64(Self.samples) * index)]
            ) { row throws(StoreFailure) in try row.record(0) }
        }
        return found
    }

    /// Compresses the next records, from the newest to the oldest.
    ///
    /// A row that became shorter would leave its page nearly empty. So the rows are deleted and added again in their
    /// order, which fills pages and releases others.
    private func compressRecords(_ pass: inout CompressionPass) throws(StoreFailure) {
        let end =
            try database.number(
                """
                SELECT max(id) + 1 FROM record
                WHERE id < (SELECT max(plain_below) FROM record_dictionary)
                """) ?? 0
        let start = max(end - Self.step, 0)
        // A dictionary that was made later has its own mark.
        let kinds = try database.rows(
            "SELECT kind FROM record_dictionary WHERE plain_below > ?", [.whole(start)]
        ) { row in row.text(0).flatMap(StreamKind.init(topicName:)) }
        var changed: [(row: RecordRow, stored: [UInt8])] = []
        for record in try records(of: Set(kinds.compactMap(\.self)), in: start..<end) {
            let stored = stored(record.row.body, of: record.row.kind, in: record.row.session)
            if stored == record.stored { continue }
            changed.append((record.row, stored))
            pass.records += 1
            pass.publishedBytes += record.row.body.count
            pass.storedBytes += stored.count
        }
        for kind in StreamKind.frequent { try shortenRows(of: kind, for: changed.map(\.row)) }
        for (row, _) in changed { try database.run("DELETE FROM record WHERE id = ?", [.whole(row.row)]) }
        try database.add(changed.map { $0.row.values(storing: $0.stored) }, to: "record", RecordRow.columns)
        try database.run(
            "UPDATE record_dictionary SET plain_below = ? WHERE plain_below > ?",
            [.whole(start), .whole(start)])
        pass.isDone = start == 0
    }

    /// Reads the records of these kinds, in order of their rows.
    private func records(
        of kinds: Set<StreamKind>, in rows: Range<Int64>
    ) throws(StoreFailure) -> [(row: RecordRow, stored: [UInt8])] {
        var sessions: [SessionName: SessionReference] = [:]
        let found = try database.rows(
            """
            SELECT s.kind, s.gw, r.id, r.stream, r.seq, r.ts_ms, r.stored_ms, r.body
            FROM record r JOIN stream s ON s.id = r.stream WHERE r.id >= ? AND r.id < ? ORDER BY r.id
            """, [.whole(rows.lowerBound), .whole(rows.upperBound)]
        ) { row throws(StoreFailure) -> (row: RecordRow, stored: [UInt8])? in
            guard let kind = row.text(0).flatMap(StreamKind.init(topicName:)), kinds.contains(kind) else {
                return nil
            }
            var record = RecordRow(
                row: row.whole(2) ?? 0, kind: kind, stream: row.whole(3) ?? 0, sequence: row.natural(4),
                unixMilliseconds: row.whole(5) ?? 0, storedAt: row.whole(6) ?? 0, body: try row.record(7))
            if let gateway = row.text(1).flatMap(GatewayID.init),
                let id = StoredRecord.text(of: "session_id", in: record.body)
            {
                let name = SessionName(gateway: gateway, session: id)
                if sessions[name] == nil { sessions[name] = try reference(to: name) }
                record.session = sessions[name]
            }
            return (record, row.bytes(7))
        }
        return found.compactMap(\.self)
    }

    private func reference(to name: SessionName) throws(StoreFailure) -> SessionReference? {
        try database.number(
            "SELECT id FROM session WHERE gw = ? AND session_id = ?",
            [.text(name.gateway.slug), .text(name.session)]
        ).map { SessionReference(row: $0, id: name.session) }
    }

    /// Removes the values that the program does not read from the read table of a kind.
    private func shortenRows(of kind: StreamKind, for records: [RecordRow]) throws(StoreFailure) {
        let table = ReadingTable.of(kind)
        let columns = ["record", "session"] + table.rowColumns(of: kind, all: false)
        var rows: [[SQLValue]] = []
        for record in records where record.kind == kind {
            let key = [SQLValue.whole(record.row)]
            rows += try database.rows(
                "SELECT \(columns.joined(separator: ", ")) FROM \(table.name) WHERE record = ?", key
            ) { row throws(StoreFailure) in columns.indices.map { row.value(Int32($0)) } }
            try database.run("DELETE FROM \(table.name) WHERE record = ?", key)
        }
        try database.add(rows, to: table.name, columns)
    }
}
