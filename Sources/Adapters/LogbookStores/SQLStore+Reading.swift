import Bytes
import Contract
import DeliveryProof

/// Read access to the store.
extension SQLStore {
    package func streams() throws(StoreFailure) -> [StreamState] {
        let database = try liveDatabase()
        // Another process may write to the store, so the entries read on opening are stale.
        let entries = access == .recording ? entries : try Self.readEntries(of: database)
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

    package func declarations() throws(StoreFailure) -> [StoredDeclaration] {
        let database = try liveDatabase()
        let found = try database.rows(
            """
            SELECT s.gw, s.epoch, s.erg, s.kind, r.body FROM event t
            JOIN record r ON \(database.recordOfRow) JOIN stream s ON s.id = r.stream
            WHERE t.event IN ('ring_dropped', 'epoch_began') ORDER BY r.id
            """
        ) { row in (StoredStream(row, from: 0), row.bytes(4)) }
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

    package func sessions(_ filter: SessionFilter) throws(StoreFailure) -> [StoredSession] {
        let (condition, values) = filter.condition
        let order = "ORDER BY first_ms DESC, session_id DESC, gw DESC"
        let database = try liveDatabase()
        // Strokes are counted only for the listed sessions. Most sessions have as many strokes as their
        // manifest names and no foreign ones; only the others need a look at each stroke.
        let found = try database.rows(
            """
            SELECT gw, session_id, erg, athlete_id, first_ms, started_ms, ended_ms,
                workout, distance_m, result_time_s,
                CASE WHEN stroke_count IS NULL OR (state = 'verified' AND stored = stroke_count)
                    THEN stored
                    ELSE (SELECT count(*) FROM stroke t
                        JOIN record r ON \(database.recordOfRow) JOIN stream s ON s.id = r.stream
                        WHERE t.session = session.id AND \(SessionMembership.condition))
                    END,
                state, thinned, stored, machine_type, avg_pace_s_per_500m
            FROM (SELECT found.*,
                    (SELECT count(*) FROM stroke WHERE stroke.session = found.id) AS stored
                FROM (SELECT * FROM session \(condition) \(order) LIMIT ?) found) session
            \(order)
            """, values + [.whole(Int64(filter.limit))], StoredSession.init(row:))
        return found.compactMap { $0 }
    }

    package func athletes(
        after slug: String?, limit: Int
    ) throws(StoreFailure) -> [StoredAthlete] {
        try liveDatabase().rows(
            """
            SELECT athlete_id, count(*), min(first_ms), max(first_ms) FROM session
            WHERE athlete_id > ? GROUP BY athlete_id ORDER BY athlete_id LIMIT ?
            """, [.text(slug ?? ""), .whole(Int64(limit))]
        ) { row in
            StoredAthlete(
                slug: row.text(0) ?? "", sessions: Int(row.whole(1) ?? 0),
                firstAt: row.whole(2) ?? 0, lastAt: row.whole(3) ?? 0)
        }
    }

    package func evidence(of session: SessionName) throws(StoreFailure) -> SessionEvidence? {
        let database = try liveDatabase()
        let found = try database.rows(
            """
            SELECT session.id, s.erg, r.body FROM session
            JOIN record r ON \(database.recordOfManifest) JOIN stream s ON s.id = r.stream
            WHERE session.gw = ? AND session.session_id = ? AND session.thinned = 0
            """, [.text(session.gateway.slug), .text(session.session)]
        ) { row in (row: row.whole(0) ?? 0, erg: row.text(1) ?? "", body: row.bytes(2)) }
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
        return SessionEvidence(
            claim: claim, strokes: try records(of: .stroke, in: session), counts: counts)
    }

    package func records(
        of stream: StoredStream, in sequences: ClosedRange<UInt64>, limit: Int
    ) throws(StoreFailure) -> [(sequence: UInt64, stored: [UInt8])] {
        try liveDatabase().rows(
            """
            SELECT seq, body FROM record WHERE stream = (SELECT id FROM stream
                WHERE gw = ? AND epoch = ? AND erg = ? AND kind = ?)
            AND seq BETWEEN ? AND ? ORDER BY seq LIMIT ?
            """,
            stream.columns + [
                .whole(Int64(clamping: sequences.lowerBound)),
                .whole(Int64(clamping: sequences.upperBound)), .whole(Int64(limit)),
            ]
        ) { (sequence: $0.natural(0), stored: $0.bytes(1)) }
    }

    package func sessions(named session: String) throws(StoreFailure) -> [SessionName] {
        let found = try liveDatabase().rows(
            "SELECT gw FROM session WHERE session_id = ? ORDER BY gw", [.text(session)]
        ) { $0.text(0).flatMap { GatewayID($0) } }
        return found.compactMap(\.self).map { SessionName(gateway: $0, session: session) }
    }

    package func records(
        of kind: StreamKind, in session: SessionName, after mark: RecordCursor?, limit: Int
    ) throws(StoreFailure) -> [PagedRecord] {
        let (mark, limit) = (mark?.values ?? [.whole(.min), .whole(0), .whole(0)], Int64(limit))
        let name: [SQLValue] = [.text(session.gateway.slug), .text(session.session)]
        let columns = "r.ts_ms, r.seq, r.id"
        let database = try liveDatabase()
        if kind.isGatewayOnly { return [] }
        // Three kinds share a table.
        let (ofKind, kinds): (String, [SQLValue]) =
            kind.hasOwnRow
            ? (kind == .stroke ? "JOIN stream s ON s.id = r.stream" : "", [])
            : ("JOIN stream s ON s.id = r.stream AND s.kind = ?", [.text(kind.topicName)])
        let belongs = kind == .stroke ? "AND \(SessionMembership.condition)" : ""
        return try database.rows(
            """
            SELECT \(columns), r.body FROM session JOIN \(kind.rows) t ON t.session = session.id
            JOIN record r ON \(database.recordOfRow) \(ofKind)
            WHERE session.gw = ? AND session.session_id = ? \(belongs)
                AND (\(columns)) > (?, ?, ?) ORDER BY \(columns) LIMIT ?
            """, kinds + name + mark + [.whole(limit)], PagedRecord.init(row:))
    }

    package func conflicts(limit: Int) throws(StoreFailure) -> [StoredConflict] {
        let found = try liveDatabase().rows(
            """
            SELECT s.gw, s.epoch, s.erg, s.kind, c.seq, r.body, c.body, c.times FROM conflict c
            JOIN stream s ON s.id = c.stream
            LEFT JOIN record r ON r.stream = c.stream AND r.seq = c.seq
            ORDER BY c.id DESC LIMIT ?
            """, [.whole(Int64(limit))]
        ) { row in
            StoredStream(row, from: 0).map {
                StoredConflict(
                    stream: $0, sequence: row.natural(4), first: row.bytes(5),
                    other: row.bytes(6), times: Int(row.whole(7) ?? 0))
            }
        }
        return found.compactMap { $0 }
    }

    package func size() throws(StoreFailure) -> StoreSize {
        let database = try liveDatabase()
        let records = try database.number("SELECT count(*) FROM record") ?? 0
        return StoreSize(records: Int(records), bytes: Int(try database.bytes()))
    }

    /// Bytes on disk.
    package func bytes() throws(StoreFailure) -> Int { Int(try liveDatabase().bytes()) }

    package func faults() throws(StoreFailure) -> [String] {
        let database = try liveDatabase()
        var faults = try database.faults()
        let counts = try database.rows(
            "SELECT stream, count(*), min(seq), max(seq) FROM record GROUP BY stream"
        ) { row in (row.whole(0) ?? 0, row.natural(1), row.natural(2), row.natural(3)) }
        let known = Dictionary(
            try Self.readEntries(of: database).map { ($0.value.row, $0) },
            uniquingKeysWith: { first, _ in first })
        for (row, count, first, last) in counts {
            guard let (stream, entry) = known[row] else { continue }
            let received = entry.extent.received
            let fits = received.contains(first) && received.contains(last)
            if !fits || count > received.count {
                faults.append("\(stream.label) has records without an entry for their numbers")
            }
        }
        return faults
    }
}

extension SessionFilter {
    /// The WHERE clause and its values.
    fileprivate var condition: (text: String, values: [SQLValue]) {
        var conditions: [String] = []
        var values: [SQLValue] = []
        func add(_ condition: String, _ more: SQLValue...) {
            conditions.append(condition)
            values += more
        }
        if let gateway { add("gw = ?", .text(gateway.slug)) }
        if let session { add("session_id = ?", .text(session)) }
        if let station { add("erg = ?", .text(station.slug)) }
        if let athlete { add("athlete_id = ?", .text(athlete)) }
        if let times {
            add(
                "first_ms >= ? AND first_ms < ?", .whole(times.lowerBound),
                .whole(times.upperBound))
        }
        if let after {
            add(
                "(first_ms, session_id, gw) < (?, ?, ?)", .whole(after.firstAt),
                .text(after.name.session), .text(after.name.gateway.slug))
        }
        if let states {
            // Our own words, without quotes in them.
            let words = states.map { "'\($0.rawValue)'" }.sorted().joined(separator: ", ")
            add("state IN (\(words))")
        }
        return (conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND "), values)
    }
}

extension RecordCursor {
    fileprivate var values: [SQLValue] {
        [.whole(unixMilliseconds), .whole(sequence), .whole(row)]
    }
}

extension PagedRecord {
    fileprivate init(row: any SQLRow) {
        mark = RecordCursor(
            unixMilliseconds: row.whole(0) ?? 0, sequence: row.whole(1) ?? 0,
            row: row.whole(2) ?? 0)
        stored = row.bytes(3)
    }
}

extension StoredSession {
    fileprivate init?(row: any SQLRow) {
        guard let gateway = row.text(0).flatMap(GatewayID.init), let session = row.text(1),
            let station = row.text(2).flatMap(StationID.init),
            let state = row.text(11).flatMap(SessionState.init)
        else { return nil }
        self.init(
            name: SessionName(gateway: gateway, session: session), station: station,
            athlete: row.text(3), firstAt: row.whole(4) ?? 0, startedAt: row.whole(5),
            endedAt: row.whole(6), workout: row.text(7), machineType: row.text(14),
            distance: row.decimal(8), resultTime: row.decimal(9), averagePace: row.decimal(15),
            strokes: Int(row.whole(10) ?? 0),
            foreignStrokes: Int((row.whole(13) ?? 0) - (row.whole(10) ?? 0)), state: state,
            isThinned: row.whole(12) == 1)
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

/// Defines which stroke records belong to the session that they name: records of its erg with numbers from
/// the manifest's `stroke_first_seq` to `stroke_last_seq`; all before a manifest arrives.
///
/// The others are foreign: stored and counted, but omitted from the session's strokes.
/// `ManifestClaim.includes` has the same rule for numbers.
enum SessionMembership {
    /// SQL condition for a record `r` of a stream `s` and its `session`.
    static let condition = """
        (session.stroke_count IS NULL OR (s.erg = session.erg
            AND r.seq BETWEEN session.stroke_first_seq AND session.stroke_last_seq))
        """
}
