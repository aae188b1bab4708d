import Contract
import DeliveryProof

/// A record that is to be taken out.
struct DoomedRecord {
    let kind: StreamKind
    /// Its own number, and that of its stream.
    let row: Int64
    let stream: Int64
    let sequence: UInt64
    /// By which PostgreSQL finds the partition.
    let unixMilliseconds: Int64
}

/// Taking records out on purpose, in a transaction of the caller. Numbers stay: nobody asks for them
/// again, and whoever sends them once more sends what was here before.
extension SQLStore {
    func takeOut(_ records: [DoomedRecord]) throws(StoreFailure) {
        let hasTimes = database.rowsHaveTimes
        var numbers: [Int64: SequenceSet] = [:]
        for record in records {
            let time = hasTimes ? " AND ts_ms = ?" : ""
            let key: [ReadValue] =
                [.whole(record.row)] + (hasTimes ? [.whole(record.unixMilliseconds)] : [])
            try database.run("DELETE FROM \(record.kind.rows) WHERE record = ?\(time)", key)
            try database.run("DELETE FROM record WHERE id = ?\(time)", key)
            try database.run(
                "DELETE FROM conflict WHERE stream = ? AND seq = ?",
                [.whole(record.stream), .whole(Int64(record.sequence))])
            numbers[record.stream, default: SequenceSet()].insert(record.sequence)
        }
        try noteRemoved(numbers)
    }

    /// Writes anew what there is, so that it takes no more room than that needs.
    package func compact() throws(StoreFailure) { try live().rewrite() }

    /// Remembers numbers as removed, by the row of their stream. What was removed before is read anew:
    /// a command beside the program that keeps the store may have removed more.
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
}

// MARK: Retention

/// One way through the records of a kind, for those that are old enough to go.
///
/// What is old was recorded, and was stored, before a moment: a record that came late, or from a clock
/// that was not set, is kept as long as any other. Those of a session that is not judged stay until it
/// is.
package struct RetentionPass: Equatable, Sendable {
    /// Kinds that may be removed: what a result is proved by, and what says why something is missing,
    /// is kept.
    package static let kinds: [StreamKind] = [.force, .stroke, .rollup, .alert]

    package let kind: StreamKind
    /// Unix milliseconds.
    package let before: Int64
    /// Records that it has removed.
    package fileprivate(set) var removed = 0
    /// Rows of the streams that it has not been through; nil before the first step.
    fileprivate var streams: [Int64]?
    /// In the last of them, up to which number it came.
    fileprivate var last: Int64 = 0

    package init(_ kind: StreamKind, before: Int64) {
        precondition(Self.kinds.contains(kind), "a record of this kind is kept")
        (self.kind, self.before) = (kind, before)
    }

    /// Whether it has been everywhere.
    package var isDone: Bool { streams?.isEmpty ?? false }
}

extension SQLStore {
    /// Records of one step, which keep the writer from its work for some ten milliseconds.
    private static let step = 200

    private struct Candidate {
        let record: DoomedRecord
        let isOld: Bool
        let session: Int64?
        let isJudged: Bool
    }

    package func remove(_ pass: inout RetentionPass) throws(StoreFailure) {
        let database = try live()
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
                try takeOut(doomed.map(\.record))
                for session in Set(doomed.compactMap(\.session)) {
                    try database.run(
                        "UPDATE session SET thinned = 1 WHERE id = ?", [.whole(session)])
                }
            }
            try database.giveBack()
        }
        next.removed += doomed.count
        next.last = found.last.map { Int64($0.record.sequence) } ?? 0
        // Numbers are in the order of time: behind what is new nothing is old.
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
                record: DoomedRecord(
                    kind: pass.kind, row: row.whole(0) ?? 0, stream: stream,
                    sequence: row.natural(1), unixMilliseconds: time),
                isOld: max(time, row.whole(3) ?? .max) < pass.before,
                session: row.whole(4), isJudged: state != .open && state != .missing)
        }
    }
}
