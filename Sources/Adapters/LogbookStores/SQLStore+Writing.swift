import Contract
import DeliveryProof

/// Commits a batch. Changes `entries` and `uncertainCommit`.
extension SQLStore {
    /// The state of a commit in progress; it becomes valid once the transaction is durable.
    struct Work {
        var entries: [StoredStream: Entry]
        var changed: Set<StoredStream> = []
        /// Numbers that this batch adds.
        var added: [StoredStream: SequenceSet] = [:]
        /// Rows of `session`, by name.
        var sessions: [SessionName: Int64] = [:]
        var report = CommitReport()
    }

    /// A commit with unknown outcome: the database was lost before it confirmed.
    struct UncertainCommit {
        /// Identifies the batch.
        let batch: [String]
        let report: CommitReport
    }

    package func commit(_ batch: StoreBatch) throws(StoreFailure) -> CommitReport {
        if batch.isEmpty { return CommitReport() }
        _ = try liveDatabase()
        let batch = ownedPart(of: batch)
        if batch.isEmpty { return CommitReport() }
        if let report = try settled(batch) { return report }
        var work = Work(entries: entries)
        do throws(StoreFailure) {
            try database.transaction { () throws(StoreFailure) in try store(batch, &work) }
        } catch {
            if error.kind == .inDoubt {
                uncertainCommit = UncertainCommit(batch: batch.identity, report: work.report)
            }
            throw error
        }
        entries = work.entries
        return work.report
    }

    /// Returns the report of the batch if it was in doubt and turns out to be durable.
    private func settled(_ batch: StoreBatch) throws(StoreFailure) -> CommitReport? {
        guard let uncertainCommit else { return nil }
        let isDurable = try database.resolveUncertainCommit()
        self.uncertainCommit = nil
        return isDurable && uncertainCommit.batch == batch.identity ? uncertainCommit.report : nil
    }

    private func store(_ batch: StoreBatch, _ work: inout Work) throws(StoreFailure) {
        let forgotten = try ForgottenAthletes(in: database)
        let (fresh, again) = try sort(batch.records.map(forgotten.redacted), &work)
        try add(try keepable(fresh, forgotten, &work), at: batch.now, &work)
        try compare(again, at: batch.now, &work)
        for (stream, note) in batch.notes { try apply(note, of: stream, &work) }
        for (stream, numbers) in work.added { try addSpans(numbers, of: stream, work) }
        for stream in work.changed { try update(stream, work) }
        for (session, state) in batch.states { try set(state, of: session) }
        try save(batch.statusMessages)
        try apply(batch.notices, at: batch.now)
        try add(batch.refusals)
        work.report.sessions = try withManifest(work.sessions)
    }

    // MARK: Records

    /// Separates new records from repeated ones; records may also be repeated within the batch.
    private func sort(
        _ records: [ValidatedRecord], _ work: inout Work
    ) throws(StoreFailure) -> (fresh: [ValidatedRecord], again: [ValidatedRecord]) {
        var (fresh, again): ([ValidatedRecord], [ValidatedRecord]) = ([], [])
        for record in records {
            let entry = try entry(of: record.stream, &work)
            work.changed.insert(record.stream)
            if entry.extent.received.contains(record.sequence) {
                again.append(record)
                continue
            }
            fresh.append(record)
            work.entries[record.stream]?.extent.store(record.sequence)
            work.added[record.stream, default: SequenceSet()].insert(record.sequence)
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
            guard try forgotten.covers(record, database), let entry = work.entries[record.stream]
            else {
                remaining.append(record)
                continue
            }
            dropped[entry.row, default: SequenceSet()].insert(record.sequence)
            work.report.forgotten += 1
        }
        try noteRemoved(dropped)
        return remaining
    }

    private func add(
        _ records: [ValidatedRecord], at now: Int64, _ work: inout Work
    ) throws(StoreFailure) {
        if records.isEmpty { return }
        let numbers = try database.newRecordRows(records.count)
        var rows: [StreamKind: [[SQLValue]]] = [:]
        for (record, number) in zip(records, numbers) {
            var session: Int64?
            if let name = record.session { session = try self.session(name, of: record, &work) }
            if record.hasOwnRow {
                rows[record.stream.stream.kind, default: []]
                    .append(keys(of: record, number, session) + record.columnValues)
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
                rows, to: table.name, keyColumns(of: kind) + table.rowColumns(of: kind))
        }
        var edges: [[SQLValue]] = []
        for (record, number) in zip(records, numbers) where !record.hasOwnRow {
            guard let name = record.session, let session = work.sessions[name] else { continue }
            try update(session, from: record, number)
            edges.append(keys(of: record, number, session))
        }
        if !edges.isEmpty {
            try database.add(edges, to: StreamKind.session.rows, keyColumns(of: .session))
        }
    }

    private func row(
        of record: ValidatedRecord, _ number: Int64, at now: Int64, _ work: Work
    ) -> RecordRow {
        RecordRow(
            row: number, stream: work.entries[record.stream]?.row ?? 0, sequence: record.sequence,
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
                work.entries[record.stream]?.repeats += 1
                work.report.repeats += 1
                continue
            }
            work.entries[record.stream]?.conflicts += 1
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

    // MARK: Sessions

    /// Returns the session's row; the first record that names the session creates it.
    private func session(
        _ name: SessionName, of record: ValidatedRecord, _ work: inout Work
    ) throws(StoreFailure) -> Int64 {
        if let known = work.sessions[name] { return known }
        let key: [SQLValue] = [.text(name.gateway.slug), .text(name.session)]
        let find = "SELECT id FROM session WHERE gw = ? AND session_id = ?"
        var row = try database.number(find, key)
        if row == nil {
            row = try database.number(
                """
                INSERT INTO session (gw, session_id, erg, first_ms) VALUES (?, ?, ?, ?)
                RETURNING id
                """,
                key + [
                    .text(record.stream.stream.station?.slug ?? ""),
                    .whole(record.unixMilliseconds),
                ])
        }
        work.sessions[name] = row
        return row ?? 0
    }

    /// Updates the session's row from a record.
    ///
    /// The result does not depend on the order of records. A summary replaces values of the begin and end
    /// records, and a later revision replaces an earlier one. Otherwise the first value stays. A manifest
    /// makes an open session `missing` until it is compared with its manifest.
    private func update(
        _ session: Int64, from record: ValidatedRecord, _ row: Int64
    ) throws(StoreFailure) {
        let kind = record.stream.stream.kind
        let isSummary = kind == .summary
        var sets = ReadingTable.of(kind).rowColumns(of: kind).map { column in
            isSummary ? "\(column) = coalesce(?, \(column))" : "\(column) = coalesce(\(column), ?)"
        }
        let time = SQLValue.whole(record.unixMilliseconds)
        var values = record.columnValues
        sets.append("first_ms = CASE WHEN first_ms > ? THEN ? ELSE first_ms END")
        values += [time, time]
        if kind == .session, record.value("event") == .text("ended") {
            sets.append("ended_ms = coalesce(ended_ms, ?)")
            values.append(time)
        }
        if kind == .manifest {
            sets.append("manifest = coalesce(manifest, ?)")
            values.append(.whole(row))
            if database.rowsHaveTimes {
                sets.append("manifest_ms = coalesce(manifest_ms, ?)")
                values.append(time)
            }
            sets.append("state = CASE state WHEN 'open' THEN 'missing' ELSE state END")
            // The first record that named the session may come from another erg.
            sets.append("erg = CASE WHEN manifest IS NULL THEN ? ELSE erg END")
            values.append(.text(record.stream.stream.station?.slug ?? ""))
        }
        var condition = "id = ?"
        values.append(.whole(session))
        if isSummary {
            condition += " AND coalesce(revision, 0) <= ?"
            values.append(record.value("revision"))
        }
        try database.run(
            "UPDATE session SET \(sets.joined(separator: ", ")) WHERE \(condition)", values)
    }

    private func set(_ state: SessionState, of name: SessionName) throws(StoreFailure) {
        try database.run(
            "UPDATE session SET state = ? WHERE gw = ? AND session_id = ?",
            [.text(state.rawValue), .text(name.gateway.slug), .text(name.session)])
    }

    private func withManifest(
        _ sessions: [SessionName: Int64]
    ) throws(StoreFailure) -> Set<SessionName> {
        var found: Set<SessionName> = []
        for (name, row) in sessions {
            let manifest = try database.number(
                "SELECT manifest FROM session WHERE id = ?", [.whole(row)])
            if manifest != nil { found.insert(name) }
        }
        return found
    }

    // MARK: Streams

    private func entry(
        of stream: StoredStream, _ work: inout Work
    ) throws(StoreFailure) -> Entry {
        if let known = work.entries[stream] { return known }
        let row = try database.number(
            "INSERT INTO stream (gw, epoch, erg, kind) VALUES (?, ?, ?, ?) RETURNING id",
            stream.columns)
        let entry = Entry(row: row ?? 0, extent: StreamExtent())
        work.entries[stream] = entry
        work.changed.insert(stream)
        return entry
    }

    private func apply(
        _ note: StreamNote, of stream: StoredStream, _ work: inout Work
    ) throws(StoreFailure) {
        let row = try entry(of: stream, &work).row
        work.changed.insert(stream)
        if let begin = note.begin { work.entries[stream]?.extent.expect(from: begin) }
        work.entries[stream]?.extent.announce(note.announced)
        for range in note.gone {
            work.entries[stream]?.gone.insert(range)
            let whole = work.entries[stream]?.gone.run(around: range.lowerBound) ?? range
            try replace(whole, in: "gone", row)
        }
        for range in note.refused.ranges {
            work.entries[stream]?.refused.insert(range)
            let whole = work.entries[stream]?.refused.run(around: range.lowerBound) ?? range
            try replace(whole, in: "refused", row)
        }
    }

    private func addSpans(
        _ numbers: SequenceSet, of stream: StoredStream, _ work: Work
    ) throws(StoreFailure) {
        guard let entry = work.entries[stream] else { return }
        for run in numbers.ranges {
            let whole = entry.extent.received.run(around: run.lowerBound) ?? run
            try replace(whole, in: "span", entry.row)
        }
    }

    /// Replaces all ranges that a range covers. Ranges of a stream never overlap partially, so a range is
    /// covered if it begins within.
    func replace(
        _ range: ClosedRange<UInt64>, in table: String, _ stream: Int64
    ) throws(StoreFailure) {
        let values: [SQLValue] = [
            .whole(stream), .whole(Int64(range.lowerBound)), .whole(Int64(range.upperBound)),
        ]
        try database.run(
            "DELETE FROM \(table) WHERE stream = ? AND first BETWEEN ? AND ?", values)
        try database.run("INSERT INTO \(table) (stream, first, last) VALUES (?, ?, ?)", values)
    }

    private func update(_ stream: StoredStream, _ work: Work) throws(StoreFailure) {
        guard let entry = work.entries[stream] else { return }
        try database.run(
            "UPDATE stream SET begin = ?, announced = ?, repeats = ?, conflicts = ? WHERE id = ?",
            [
                entry.extent.begin.map { .whole(Int64($0)) } ?? .null,
                .whole(Int64(entry.extent.announced)), .whole(Int64(entry.repeats)),
                .whole(Int64(entry.conflicts)), .whole(entry.row),
            ])
    }
}

extension StoreBatch {
    /// Distinguishes the batch from others, for a repeated call with the same arguments.
    fileprivate var identity: [String] {
        let ends = [records.first, records.last].map { record in
            record.map { "\($0.stream.label) \($0.stream.epoch) \($0.sequence)" } ?? ""
        }
        return ends + [
            "\(now)", "\(records.count)", "\(notes.count)", "\(states.count)", "\(statusMessages.count)",
            notices.added.first?.subject ?? "", "\(notices.published ?? 0)",
            "\(refusals.reduce(0) { $0 + $1.times })",
        ]
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

    /// The table whose rows refer to a record of this kind: its own read table, or `session_record`.
    var rows: String { hasOwnRow ? ReadingTable.of(self).name : "session_record" }
}

extension ReadingTable {
    /// The columns that a record of this kind fills. Omits the session's name, which finds the row, and a
    /// session record's `event`, begin or end.
    fileprivate func rowColumns(of kind: StreamKind) -> [String] {
        columns.filter { $0.isInRow(of: kind) }.map(\.name)
    }
}

extension ReadingColumn {
    fileprivate func isInRow(of record: StreamKind) -> Bool {
        if case .recordOnly = kind { return false }
        return name != "session_id" && !(record == .session && name == "event")
    }
}

extension ValidatedRecord {
    /// Whether the record has its own row; the others update their session's row.
    fileprivate var hasOwnRow: Bool { stream.stream.kind.hasOwnRow }

    /// The values of `rowColumns`.
    fileprivate var columnValues: [SQLValue] {
        let kind = stream.stream.kind
        return zip(ReadingTable.of(kind).columns, values).compactMap { column, value in
            column.isInRow(of: kind) ? value : nil
        }
    }
}
