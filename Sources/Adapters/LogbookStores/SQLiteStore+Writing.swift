import Contract
import DeliveryProof

/// How a batch becomes durable. Changes `entries`.
extension SQLiteStore {
    /// A batch under way: what is to be true once it is durable.
    private struct Work {
        var entries: [StoredStream: Entry]
        var changed: Set<StoredStream> = []
        /// Numbers that this batch adds.
        var added: [StoredStream: SequenceSet] = [:]
        /// Rows of `session`, by name.
        var sessions: [SessionName: Int64] = [:]
        var report = CommitReport()
    }

    package func commit(_ batch: StoreBatch) throws(StoreFailure) -> CommitReport {
        if batch.isEmpty { return CommitReport() }
        let work = try database.transaction { () throws(StoreFailure) -> Work in
            var work = Work(entries: entries)
            for record in batch.records { try take(record, at: batch.now, &work) }
            for (stream, note) in batch.notes { try take(note, of: stream, &work) }
            for (stream, numbers) in work.added { try addSpans(numbers, of: stream, work) }
            for stream in work.changed { try update(stream, work) }
            for (session, state) in batch.states { try set(state, of: session) }
            work.report.sessions = try withManifest(work.sessions)
            return work
        }
        entries = work.entries
        return work.report
    }

    // MARK: Records

    private func take(
        _ record: KeptRecord, at now: Int64, _ work: inout Work
    ) throws(StoreFailure) {
        let entry = try entry(of: record.stream, &work)
        work.changed.insert(record.stream)
        guard !entry.extent.received.contains(record.sequence) else {
            return try compare(record, with: entry, at: now, &work)
        }
        try database.run(
            "INSERT INTO record (stream, seq, ts_ms, stored_ms, body) VALUES (?, ?, ?, ?, ?)",
            [
                .whole(entry.row), .whole(Int64(record.sequence)), .whole(record.unixMilliseconds),
                .whole(now), .bytes(record.stored),
            ])
        let row = database.lastRow
        work.entries[record.stream]?.extent.take(record.sequence)
        work.added[record.stream, default: SequenceSet()].insert(record.sequence)
        work.report.added += 1
        try read(record, row, &work)
    }

    /// A number that was stored before: the first stays, unless it was removed on purpose.
    private func compare(
        _ record: KeptRecord, with entry: Entry, at now: Int64, _ work: inout Work
    ) throws(StoreFailure) {
        let number = ReadValue.whole(Int64(record.sequence))
        let known = try database.rows(
            "SELECT body FROM record WHERE stream = ? AND seq = ?", [.whole(entry.row), number]
        ) { $0.bytes(0) }
        guard let first = known.first, first != record.stored else {
            work.entries[record.stream]?.repeats += 1
            work.report.repeats += 1
            return
        }
        work.entries[record.stream]?.conflicts += 1
        work.report.conflicts += 1
        try database.run(
            """
            INSERT INTO conflict (stream, seq, stored_ms, times, body) VALUES (?, ?, ?, 1, ?)
            ON CONFLICT (stream, seq) DO UPDATE SET times = times + 1
            """, [.whole(entry.row), number, .whole(now), .bytes(record.stored)])
    }

    /// What the record says, into the tables for reading.
    private func read(_ record: KeptRecord, _ row: Int64, _ work: inout Work) throws(StoreFailure) {
        let kind = record.stream.stream.kind
        guard let name = record.session else {
            return try insert(record, ["record"], [.whole(row)])
        }
        let session = try session(name, of: record, &work)
        switch kind {
        case .session, .summary, .manifest: try update(session, from: record, row)
        default: try insert(record, ["record", "session"], [.whole(row), .whole(session)])
        }
    }

    private func insert(
        _ record: KeptRecord, _ keys: [String], _ values: [ReadValue]
    ) throws(StoreFailure) {
        let table = ReadingTable.of(record.stream.stream.kind)
        let columns = record.columns
        let names = keys + columns.map(\.name)
        let marks = names.map { _ in "?" }.joined(separator: ", ")
        try database.run(
            "INSERT INTO \(table.name) (\(names.joined(separator: ", "))) VALUES (\(marks))",
            values + columns.map(\.value))
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
            try database.run(
                "INSERT INTO session (gw, session_id, erg, first_ms) VALUES (?, ?, ?, ?)",
                key + [
                    .text(record.stream.stream.station?.slug ?? ""),
                    .whole(record.unixMilliseconds),
                ])
            row = database.lastRow
        }
        work.sessions[name] = row
        return row ?? 0
    }

    /// Whatever order they come in: a summary counts before an edge, and a later revision before an
    /// earlier one; of the rest the first stays.
    private func update(
        _ session: Int64, from record: KeptRecord, _ row: Int64
    ) throws(StoreFailure) {
        let columns = record.columns
        let kind = record.stream.stream.kind
        let isSummary = kind == .summary
        var sets = columns.map { column in
            isSummary
                ? "\(column.name) = coalesce(?, \(column.name))"
                : "\(column.name) = coalesce(\(column.name), ?)"
        }
        var values = columns.map(\.value)
        sets.append("first_ms = min(first_ms, ?)")
        values.append(.whole(record.unixMilliseconds))
        if kind == .session, record.value("event") == .text("ended") {
            sets.append("ended_ms = coalesce(ended_ms, ?)")
            values.append(.whole(record.unixMilliseconds))
        }
        if kind == .manifest {
            sets.append("manifest = coalesce(manifest, ?)")
            sets.append("state = iif(state = 'open', 'missing', state)")
            values.append(.whole(row))
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
        try database.run(
            "INSERT INTO stream (gw, epoch, erg, kind) VALUES (?, ?, ?, ?)", stream.columns)
        let entry = Entry(row: database.lastRow, extent: StreamExtent())
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

    /// One range in the place of all those that it covers.
    private func replace(
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

extension KeptRecord {
    /// What columns of the record's table get, but for its session's name, which has a row of its own,
    /// and for an edge's `event`, which is what becomes of the session.
    fileprivate var columns: [(name: String, value: ReadValue)] {
        let kind = stream.stream.kind
        return zip(ReadingTable.of(kind).columns, values).compactMap { column, value in
            if case .unkept = column.kind { return nil }
            if column.name == "session_id" || (kind == .session && column.name == "event") {
                return nil
            }
            return (column.name, value)
        }
    }
}
