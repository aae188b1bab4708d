import Contract

/// Moves the contents of a SQLite store into an empty PostgreSQL database: records, derived rows, and the
/// known missing numbers.
///
/// Records move in parts. Each part is durable, so an interrupted move continues where it stopped. Tables
/// that change with every record move at the end, in one transaction. Until then no logbook can open the
/// database.
///
/// A repeated move adds newer records of the file. Once a logbook has written to the database, the stores
/// can only be compared.
package final class StoreMove {
    /// The store as of the beginning of the move.
    package let source: SQLStore
    package let target: SQLStore
    /// Whether an earlier move from this file was completed.
    package private(set) var isFinished = false
    /// Whether something else was written to the target since; then nothing can be moved into it.
    package private(set) var isInUse = false

    /// Records per part.
    private static let part: Int64 = 5000
    /// Tables that only grow, ordered by `record`.
    private static let growing = [
        "gap", "event", "alert", "room_rollup", "session_record",
    ]
    /// Tables that change, each after the tables that it refers to.
    private static let changing = [
        "stream", "span", "gone", "removed", "conflict", "session", "said", "notice",
        "notice_numbers", "suggestion", "forgotten_athlete", "forgotten_session", "training_plan",
        "heart", "refused", "refusal", "athlete_profile", "athlete_group", "group_member",
        "assignment_correction", "club_user", "device", "athlete_merge",
        "piece_link", "race_document", "piece_addition", "session_metrics", "upload", "upload_account",
    ]

    /// Opens both stores. Throws if the database contains other data.
    package init(
        from path: String, to address: PostgreSQLAddress, patience: Duration
    ) throws(StoreFailure) {
        source = try SQLiteStore(path, for: .readOnly)
        target = try PostgreSQLStore(address, forMovePatience: patience)
        let before = try target.database.rows("SELECT source, finished FROM moving") {
            row throws(StoreFailure) in (source: row.text(0) ?? "", finished: row.whole(1) ?? 0)
        }.first
        if let before {
            guard before.source == path else { throw occupied("records of \(before.source)") }
            (isFinished, isInUse) = (before.finished > 0, before.finished > 1)
        } else {
            let records = try target.size().records
            guard records == 0, target.streamTable.isEmpty else {
                throw occupied("records that a logbook has written")
            }
            try target.database.run("INSERT INTO moving VALUES (?, 0)", [.text(path)])
        }
        if !isInUse { try compareLast() }
    }

    private func occupied(_ words: String) -> StoreFailure {
        StoreFailure(
            .corrupt, "move", target.place, "it contains \(words)",
            remedy: "create another database with createdb, and move into that")
    }

    /// Detects that the file was replaced since the move began.
    private func compareLast() throws(StoreFailure) {
        let last = try target.database.number("SELECT max(id) FROM record") ?? 0
        if last == 0 { return }
        let sql = "SELECT seq, ts_ms, body FROM record WHERE id = ?"
        func record(_ store: SQLStore) throws(StoreFailure) -> [[SQLValue]] {
            try store.database.rows(sql, [.whole(last)]) { row throws(StoreFailure) in
                [row.value(0), row.value(1), .bytes(try row.record(2))]
            }
        }
        let (mine, other) = (try record(source), try record(target))
        guard mine == other else {
            throw occupied("records of another file with that name")
        }
    }

    /// Copies new data. Do not call it if the target is in use.
    ///
    /// - Parameter progress: called after each part with the copied records and the total.
    package func copy(progress: (_ records: Int64, _ all: Int64) -> Void) throws(StoreFailure) {
        // A snapshot, independent of a logbook that writes meanwhile.
        try source.database.run("BEGIN", [])
        defer { endReading() }
        let all = try source.database.number("SELECT count(*) FROM record") ?? 0
        var last = try target.database.number("SELECT max(id) FROM record") ?? 0
        var copied = try target.database.number("SELECT count(*) FROM record") ?? 0
        var isFirst = true
        while true {
            let (records, end) = try records(behind: last)
            guard let end else { break }
            try target.database.transaction { () throws(StoreFailure) in
                if isFirst { try begin(behind: last) }
                try target.database.add(records)
                for table in Self.growing { try copyRows(of: table, behind: last, upTo: end) }
                for kind in StreamKind.frequent { try copyValues(of: kind, behind: last, upTo: end) }
            }
            (last, isFirst) = (end, false)
            copied += Int64(records.count)
            progress(copied, all)
        }
        try target.database.transaction { () throws(StoreFailure) in try copyChanging() }
        try target.streamTable.reload()
    }

    /// Blocks logbooks from the incomplete database. Rows derived from records that were removed are
    /// deleted and copied again.
    private func begin(behind last: Int64) throws(StoreFailure) {
        try target.database.run("UPDATE moving SET finished = 0", [])
        for table in Self.growing + StreamKind.frequent.map(\.rows) {
            try target.database.run("DELETE FROM \(table) WHERE record > ?", [.whole(last)])
        }
    }

    /// Marks both stores as equal: from now on a logbook can open the database.
    package func finish() throws(StoreFailure) {
        try target.database.run("UPDATE moving SET finished = 1", [])
        isFinished = true
    }

    /// Ends the snapshot; if that fails, closing the connection does.
    private func endReading() {
        do throws(StoreFailure) { try source.database.run("COMMIT", []) } catch { source.close() }
    }

    private func records(
        behind last: Int64
    ) throws(StoreFailure) -> (records: [RecordRow], end: Int64?) {
        let columns = RecordRow.columns.joined(separator: ", ")
        let found = try source.database.rows(
            "SELECT \(columns) FROM record WHERE id > ? ORDER BY id LIMIT ?",
            [.whole(last), .whole(Self.part)]
        ) { row throws(StoreFailure) in
            RecordRow(
                row: row.whole(0) ?? 0, stream: row.whole(1) ?? 0, sequence: row.natural(2),
                unixMilliseconds: row.whole(3) ?? 0, storedAt: row.whole(4) ?? 0,
                body: try row.record(5))
        }
        return (found, found.last?.row)
    }

    private func copyRows(
        of table: String, behind last: Int64, upTo end: Int64
    ) throws(StoreFailure) {
        try copy(
            table, try columns(of: table) + ["ts_ms"],
            """
            SELECT t.*, r.ts_ms FROM \(table) t JOIN record r ON r.id = t.record
            WHERE t.record > ? AND t.record <= ? ORDER BY t.record
            """, [.whole(last), .whole(end)])
    }

    /// Copies the rows of frequent records. Their values, which the file lacks, are in the records.
    private func copyValues(
        of kind: StreamKind, behind last: Int64, upTo end: Int64
    ) throws(StoreFailure) {
        let table = ReadingTable.of(kind)
        let columns = table.rowColumns(of: kind)
        let rows = try source.database.rows(
            """
            SELECT s.gw, s.epoch, s.erg, s.kind, t.record, r.ts_ms, t.session, r.body FROM \(table.name) t
            JOIN record r ON r.id = t.record JOIN stream s ON s.id = r.stream
            WHERE t.record > ? AND t.record <= ? ORDER BY t.record
            """, [.whole(last), .whole(end)]
        ) { row throws(StoreFailure) in
            let body = try row.record(7)
            let record = StoredStream(row, from: 0).flatMap { ValidatedRecord(stored: body, of: $0) }
            return [row.value(4), row.value(5), row.value(6)]
                + (record?.columnValues() ?? Array(repeating: .null, count: columns.count))
        }
        if !rows.isEmpty {
            try target.database.add(rows, to: table.name, ["record", "ts_ms", "session"] + columns)
        }
    }

    private func copyChanging() throws(StoreFailure) {
        for table in Self.changing.reversed() {
            try target.database.run("DELETE FROM \(table)", [])
        }
        for table in Self.changing {
            let isSession = table == "session"
            let time = ", (SELECT ts_ms FROM record WHERE record.id = t.manifest)"
            try copy(
                table, try columns(of: table) + (isSession ? ["manifest_ms"] : []),
                "SELECT t.*\(isSession ? time : "") FROM \(table) t", [])
        }
        for table in ["stream", "conflict", "session", "assignment_correction"] {
            try advance("pg_get_serial_sequence('\(table)', 'id')", table)
        }
        try advance("'record_id'", "record")
    }

    /// Sets a sequence beyond all existing numbers.
    private func advance(_ sequence: String, _ table: String) throws(StoreFailure) {
        try target.database.run(
            "SELECT setval(\(sequence), (SELECT coalesce(max(id), 0) + 1 FROM \(table)), false)",
            [])
    }

    private func columns(of table: String) throws(StoreFailure) -> [String] {
        try source.database.rows("SELECT name FROM pragma_table_info(?)", [.text(table)]) {
            row throws(StoreFailure) in row.text(0) ?? ""
        }
    }

    private func copy(
        _ table: String, _ columns: [String], _ sql: String, _ values: [SQLValue]
    ) throws(StoreFailure) {
        let rows = try source.database.rows(sql, values) { row throws(StoreFailure) in
            columns.indices.map { row.value(Int32($0)) }
        }
        if !rows.isEmpty { try target.database.add(rows, to: table, columns) }
    }
}
