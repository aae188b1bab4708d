import Contract
import DeliveryProof

/// How a batch becomes durable. Changes `entries` and `doubtful`.
extension SQLStore {
    /// A batch under way: what is to be true once it is durable.
    struct Work {
        var entries: [StoredStream: Entry]
        var changed: Set<StoredStream> = []
        /// Numbers that this batch adds.
        var added: [StoredStream: SequenceSet] = [:]
        /// Rows of `session`, by name.
        var sessions: [SessionName: Int64] = [:]
        var report = CommitReport()
    }

    /// A batch that may be durable: the database went away before it said so.
    struct Doubtful {
        /// The batch, by what no other has in common with it.
        let batch: [String]
        let report: CommitReport
    }

    package func commit(_ batch: StoreBatch) throws(StoreFailure) -> CommitReport {
        if batch.isEmpty { return CommitReport() }
        _ = try live()
        let batch = own(batch)
        if batch.isEmpty { return CommitReport() }
        if let report = try settled(batch) { return report }
        var work = Work(entries: entries)
        do throws(StoreFailure) {
            try database.transaction { () throws(StoreFailure) in try store(batch, &work) }
        } catch {
            if error.kind == .inDoubt {
                doubtful = Doubtful(batch: batch.identity, report: work.report)
            }
            throw error
        }
        entries = work.entries
        return work.report
    }

    /// What came of the batch, where it was in doubt and turns out to be durable.
    private func settled(_ batch: StoreBatch) throws(StoreFailure) -> CommitReport? {
        guard let doubtful else { return nil }
        let isDurable = try database.settleDoubt()
        self.doubtful = nil
        return isDurable && doubtful.batch == batch.identity ? doubtful.report : nil
    }

    private func store(_ batch: StoreBatch, _ work: inout Work) throws(StoreFailure) {
        let forgotten = try ForgottenAthletes(in: database)
        let (fresh, again) = try sort(batch.records.map(forgotten.redacted), &work)
        try add(try keepable(fresh, forgotten, &work), at: batch.now, &work)
        try compare(again, at: batch.now, &work)
        for (stream, note) in batch.notes { try take(note, of: stream, &work) }
        for (stream, numbers) in work.added { try addSpans(numbers, of: stream, work) }
        for stream in work.changed { try update(stream, work) }
        for (session, state) in batch.states { try set(state, of: session) }
        try keep(batch.words)
        try keep(batch.notices, at: batch.now)
        try add(batch.refusals)
        work.report.sessions = try withManifest(work.sessions)
    }

    // MARK: Records

    /// Records whose numbers are new here, and those that come again, also within the batch.
    private func sort(
        _ records: [KeptRecord], _ work: inout Work
    ) throws(StoreFailure) -> (fresh: [KeptRecord], again: [KeptRecord]) {
        var (fresh, again): ([KeptRecord], [KeptRecord]) = ([], [])
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

    /// Without those of somebody who was forgotten, whose numbers are noted as removed.
    private func keepable(
        _ records: [KeptRecord], _ forgotten: ForgottenAthletes, _ work: inout Work
    ) throws(StoreFailure) -> [KeptRecord] {
        if forgotten.isEmpty { return records }
        var kept: [KeptRecord] = []
        var dropped: [Int64: SequenceSet] = [:]
        for record in records {
            guard try forgotten.owns(record, database), let entry = work.entries[record.stream]
            else {
                kept.append(record)
                continue
            }
            dropped[entry.row, default: SequenceSet()].insert(record.sequence)
            work.report.forgotten += 1
        }
        try noteRemoved(dropped)
        return kept
    }

    private func add(
        _ records: [KeptRecord], at now: Int64, _ work: inout Work
    ) throws(StoreFailure) {
        if records.isEmpty { return }
        let numbers = try database.newRecordRows(records.count)
        var rows: [StreamKind: [[ReadValue]]] = [:]
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
        var edges: [[ReadValue]] = []
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
        of record: KeptRecord, _ number: Int64, at now: Int64, _ work: Work
    ) -> RecordRow {
        RecordRow(
            row: number, stream: work.entries[record.stream]?.row ?? 0, sequence: record.sequence,
            unixMilliseconds: record.unixMilliseconds, storedAt: now, body: record.stored)
    }

    /// Columns of a table for reading before those that the contract names.
    private func keyColumns(of kind: StreamKind) -> [String] {
        ["record"] + (database.rowsHaveTimes ? ["ts_ms"] : [])
            + (kind.isOfGatewayAlone ? [] : ["session"])
    }

    private func keys(
        of record: KeptRecord, _ number: Int64, _ session: Int64?
    ) -> [ReadValue] {
        [.whole(number)] + (database.rowsHaveTimes ? [.whole(record.unixMilliseconds)] : [])
            + (record.stream.stream.kind.isOfGatewayAlone
                ? [] : [session.map { .whole($0) } ?? .null])
    }

    /// Numbers that were stored before: the first stays, unless it was removed on purpose.
    private func compare(
        _ records: [KeptRecord], at now: Int64, _ work: inout Work
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

    /// The session's row, which is made with the first record that names it.
    private func session(
        _ name: SessionName, of record: KeptRecord, _ work: inout Work
    ) throws(StoreFailure) -> Int64 {
        if let known = work.sessions[name] { return known }
        let key: [ReadValue] = [.text(name.gateway.slug), .text(name.session)]
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

    /// Puts what a record says of its session into the session's row.
    ///
    /// The outcome is the same in whatever order they come: what a summary says replaces what the
    /// session's begin and end said, a later revision of a summary replaces an earlier one, and of
    /// everything else the first stays. A manifest makes an open session `missing`, which it stays until
    /// it has been held against its manifest.
    private func update(
        _ session: Int64, from record: KeptRecord, _ row: Int64
    ) throws(StoreFailure) {
        let kind = record.stream.stream.kind
        let isSummary = kind == .summary
        var sets = ReadingTable.of(kind).rowColumns(of: kind).map { column in
            isSummary ? "\(column) = coalesce(?, \(column))" : "\(column) = coalesce(\(column), ?)"
        }
        let time = ReadValue.whole(record.unixMilliseconds)
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
            // The first record that named the session may have been another erg's.
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

    private func take(
        _ note: StreamNote, of stream: StoredStream, _ work: inout Work
    ) throws(StoreFailure) {
        let row = try entry(of: stream, &work).row
        work.changed.insert(stream)
        if let begin = note.begin { work.entries[stream]?.extent.owe(from: begin) }
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

    /// Puts one range in the place of all those that it covers. Ranges of a stream never overlap in
    /// part, so those that begin within it are those that it covers.
    func replace(
        _ range: ClosedRange<UInt64>, in table: String, _ stream: Int64
    ) throws(StoreFailure) {
        let values: [ReadValue] = [
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
    /// What tells it from another one, for a call that is made again with the same arguments.
    fileprivate var identity: [String] {
        let ends = [records.first, records.last].map { record in
            record.map { "\($0.stream.words) \($0.stream.epoch) \($0.sequence)" } ?? ""
        }
        return ends + [
            "\(now)", "\(records.count)", "\(notes.count)", "\(states.count)", "\(words.count)",
            notices.added.first?.subject ?? "", "\(notices.published ?? 0)",
            "\(refusals.reduce(0) { $0 + $1.times })",
        ]
    }
}

extension StreamKind {
    /// Whether a record of it becomes a row of a table for reading.
    var hasOwnRow: Bool {
        switch self {
        case .session, .summary, .manifest: false
        default: true
        }
    }

    /// The table whose rows name a record of it: its own for reading, or the one of those that a
    /// session's row is made of.
    var rows: String { hasOwnRow ? ReadingTable.of(self).name : "session_record" }
}

extension ReadingTable {
    /// The columns of a session's row that a record of this kind fills. Two are left out: the session's
    /// name, which finds the row, and the `event` of a session record, which says that it began or ended.
    fileprivate func rowColumns(of kind: StreamKind) -> [String] {
        columns.filter { $0.isInRow(of: kind) }.map(\.name)
    }
}

extension ReadingColumn {
    fileprivate func isInRow(of record: StreamKind) -> Bool {
        if case .unkept = kind { return false }
        return name != "session_id" && !(record == .session && name == "event")
    }
}

extension KeptRecord {
    /// Whether it becomes a row of its own; the others are what their session's row is made of.
    fileprivate var hasOwnRow: Bool { stream.stream.kind.hasOwnRow }

    /// What `rowColumns` get.
    fileprivate var columnValues: [ReadValue] {
        let kind = stream.stream.kind
        return zip(ReadingTable.of(kind).columns, values).compactMap { column, value in
            column.isInRow(of: kind) ? value : nil
        }
    }
}
