import Contract

/// A pass through the records of a kind that removes old ones.
///
/// A record is old if it was both recorded and stored before a moment. So a record that arrived late, or
/// from a clock that was not set, is stored as long as any other. Records of sessions that are not judged
/// stay until they are.
package struct RetentionPass: Equatable, Sendable {
    /// Kinds that may be removed. Records that prove a result, or explain a loss, are not removed.
    package static let kinds: [StreamKind] = [.force, .stroke, .rollup, .alert]

    package let kind: StreamKind
    /// Unix milliseconds.
    package let before: Int64
    /// Number of records removed so far.
    package fileprivate(set) var removed = 0
    /// Rows of the streams still to process; nil before the first step.
    fileprivate var streams: [Int64]?
    /// Position in the last of them: the last number processed.
    fileprivate var last: Int64 = 0

    package init(_ kind: StreamKind, before: Int64) {
        precondition(Self.kinds.contains(kind), "records of this kind are never removed")
        (self.kind, self.before) = (kind, before)
    }

    /// Whether all streams are processed.
    package var isDone: Bool { streams?.isEmpty ?? false }
}

/// Removes old records in small steps.
final class RecordRetention {
    /// Records of one step; they block the writer for some ten milliseconds.
    private static let step = 200

    private struct Candidate {
        let record: RecordToDelete
        let isOld: Bool
        let session: Int64?
        let isJudged: Bool
    }

    private let connection: StoreConnection
    private let records: RecordTable
    private let sessionMetrics: SessionMetricsTable
    private var database: any SQLDatabase { connection.database }

    init(_ connection: StoreConnection, _ records: RecordTable, _ sessionMetrics: SessionMetricsTable) {
        (self.connection, self.records, self.sessionMetrics) = (connection, records, sessionMetrics)
    }

    /// Permanently removes the next few records of a pass.
    func remove(_ pass: inout RetentionPass) throws(StoreFailure) {
        let database = try connection.live()
        var next = pass
        if next.streams == nil {
            next.streams = try database.rows(
                "SELECT id FROM stream WHERE kind = ? ORDER BY id", [.text(pass.kind.topicName)]
            ) { row throws(StoreFailure) in row.whole(0) ?? 0 }
        }
        guard let stream = next.streams?.last else {
            pass = next
            return
        }
        let found = try candidates(of: stream, next)
        let doomed = found.filter { $0.isOld && $0.isJudged }
        if !doomed.isEmpty {
            try database.transaction { () throws(StoreFailure) in
                try records.delete(doomed.map(\.record))
                let sessions = Set(doomed.compactMap(\.session))
                try sessionMetrics.remove(of: sessions)
                for session in sessions {
                    try database.run(
                        "UPDATE session SET thinned = 1 WHERE id = ?", [.whole(session)])
                }
            }
            try database.releaseFreePages()
        }
        next.removed += doomed.count
        next.last = found.last.map { Int64($0.record.sequence) } ?? 0
        // Numbers are in order of time: no old record follows a new one.
        if found.count < Self.step || !found.contains(where: \.isOld) {
            next.streams?.removeLast()
            next.last = 0
        }
        pass = next
    }

    private func candidates(
        of stream: Int64, _ pass: RetentionPass
    ) throws(StoreFailure) -> [Candidate] {
        try database.rows(
            """
            SELECT r.id, r.seq, r.ts_ms, r.stored_ms, s.id, s.state FROM record r
            LEFT JOIN \(ReadingTable.of(pass.kind).name) t ON \(database.recordOfRow)
            LEFT JOIN session s ON s.id = t.session
            WHERE r.stream = ? AND r.seq > ? ORDER BY r.seq LIMIT ?
            """, [.whole(stream), .whole(pass.last), .whole(Int64(Self.step))]
        ) { row throws(StoreFailure) in
            let time = row.whole(2) ?? .max
            let state = row.text(5).flatMap { SessionState(rawValue: $0) }
            return Candidate(
                record: RecordToDelete(
                    kind: pass.kind, row: row.whole(0) ?? 0, stream: stream,
                    sequence: row.natural(1), unixMilliseconds: time),
                isOld: max(time, row.whole(3) ?? .max) < pass.before,
                session: row.whole(4), isJudged: state != .open && state != .missing)
        }
    }
}
