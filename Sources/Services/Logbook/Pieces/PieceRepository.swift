import Bests
import Bytes
import Contract
import LogbookStores
import Timeline
import Training

/// A group piece with its stored sessions.
struct StoredPiece: Sendable {
    let piece: GroupPiece
    /// The first session, which names the piece. The name of another session finds the same piece.
    let first: StoredSession
    /// In order of their start; in a list, those that match its filter.
    var sessions: [StoredSession]
    /// The newest summary of each session of the day, or its begin record if there is none.
    fileprivate let heads: [PieceName: JSONObject]

    /// The position in a list of pieces, the newest first.
    var mark: PieceCursor { PieceCursor(firstAt: first.firstAt, name: first.name) }

    /// The first session's summary or begin record, which contains the workout.
    var head: JSONObject { heads[first.piece] ?? .empty }

    /// The summary of a session; nil before its end.
    func summary(of name: PieceName) -> JSONObject? {
        heads[name].flatMap { $0.text("kind") == StreamKind.summary.topicName ? $0 : nil }
    }
}

/// Conditions on pieces. A piece matches if one of its sessions matches `sessions` and `members`.
struct PieceFilter: Sendable {
    /// Its limit and its cursor are ignored.
    var sessions: SessionFilter
    /// The athletes of a group; nil for any athlete.
    var members: Set<String>?
    /// The workout in notation, as `GroupWorkout.notation`; nil for any.
    var workout: String?

    func matches(_ session: StoredSession) -> Bool {
        if let station = sessions.station, station != session.station { return false }
        if let athlete = sessions.athlete, athlete != session.athlete { return false }
        if sessions.hasNoAthlete, session.athlete != nil { return false }
        if let states = sessions.states, !states.contains(session.state) { return false }
        if let members, !(session.athlete.map(members.contains) ?? false) { return false }
        return true
    }
}

/// Groups stored sessions into pieces, one day of the club at a time.
struct PieceRepository {
    /// Sessions per query.
    private static let batch = 500
    /// The number of sessions after which a page ends, even with few matching pieces.
    static let sessionsPerPage = 2000

    let store: any LogbookStore
    let calendar: ClubCalendar
    /// Returns the machine at an erg, for sessions whose records do not name it.
    let machine: (GatewayID, StationID) -> MachineKind?
    let policy: RecordAccessPolicy

    /// Returns the pieces of a day, the newest first. An athlete gets the pieces of own sessions only: those of others
    /// do not count.
    ///
    /// - Parameter workout: omits pieces of other workouts, as far as the store has the workouts of sessions.
    func pieces(
        on day: CalendarDay, of gateway: GatewayID?, workout: WorkoutCondition? = nil
    ) throws -> [StoredPiece] {
        var filter = SessionFilter(limit: Self.batch)
        (filter.gateway, filter.workout) = (gateway, workout)
        filter.athlete = policy.athlete
        filter.times = calendar.instants(from: day, to: day)
        return try pieces(of: try store.everySession(filter))
    }

    /// Returns the piece of a session. Throws "unknown session" if the session is not visible.
    func piece(of name: SessionName) throws -> StoredPiece {
        let session = try RecordRequestHandler.storedSession(name, policy, in: store)
        let pieces = try pieces(on: calendar.day(of: session.firstAt), of: name.gateway)
        // The session may have changed since it was read above.
        guard let found = pieces.first(where: { $0.sessions.contains { $0.name == name } }) else {
            throw RecordRequestHandler.unknownSession(name)
        }
        return found
    }

    /// Returns matching pieces, the newest first, with their matching sessions only.
    ///
    /// - Returns: at most `limit` pieces, and the cursor of the next page; nil at the end.
    func pieces(
        _ filter: PieceFilter, after cursor: PieceCursor?, limit: Int
    ) throws -> (pieces: [StoredPiece], next: PieceCursor?) {
        var filter = filter
        filter.sessions.workout = filter.workout.map {
            WorkoutCondition(notation: $0, version: PieceTraining.version)
        }
        let times = filter.sessions.times ?? .min..<Int64.max
        var (pieces, sessionsRead): ([StoredPiece], Int) = ([], 0)
        var end = times.upperBound
        if let cursor { end = min(end, cursor.end(in: calendar)) }
        while times.lowerBound < end, let day = try lastDay(of: filter, in: times.lowerBound..<end) {
            for piece in try self.pieces(on: day, with: filter.sessions) {
                sessionsRead += piece.sessions.count
                if let cursor, !piece.mark.isAfter(cursor) { continue }
                if let workout = filter.workout, piece.piece.workout?.notation != workout { continue }
                var matching = piece
                matching.sessions = piece.sessions.filter(filter.matches)
                guard !matching.sessions.isEmpty else { continue }
                pieces.append(matching)
                if pieces.count > limit { return (Array(pieces.prefix(limit)), pieces[limit - 1].mark) }
            }
            end = calendar.start(of: day)
            if sessionsRead >= Self.sessionsPerPage {
                return (pieces, PieceCursor(firstAt: end, name: nil))
            }
        }
        return (pieces, nil)
    }

    /// Returns the pieces of a day, the newest first. For an athlete, only those of gateways at which the athlete rowed:
    /// the sessions of a piece are of one gateway.
    private func pieces(on day: CalendarDay, with filter: SessionFilter) throws -> [StoredPiece] {
        guard filter.gateway == nil, filter.athlete != nil else {
            return try pieces(on: day, of: filter.gateway, workout: filter.workout)
        }
        var own = filter
        (own.limit, own.after) = (Self.batch, nil)
        own.times = calendar.instants(from: day, to: day)
        let gateways = Set(try store.everySession(own).map(\.name.gateway))
        return try gateways.flatMap { try pieces(on: day, of: $0, workout: filter.workout) }
            .sorted { $1.mark.isAfter($0.mark) }
    }

    /// Returns the day of the newest session that can match; nil if there is none.
    private func lastDay(of filter: PieceFilter, in times: Range<Int64>) throws -> CalendarDay? {
        var newest = filter.sessions
        (newest.limit, newest.times, newest.after) = (1, times, nil)
        return try store.sessions(newest).first.map { calendar.day(of: $0.firstAt) }
    }

    private func pieces(of sessions: [StoredSession]) throws -> [StoredPiece] {
        let heads = try heads(of: sessions)
        let grouped = try sessions.map { session in
            let head = heads[session.piece] ?? .empty
            return GroupSession(
                name: session.piece, erg: session.station, athlete: session.athlete,
                startedAt: session.startedAt ?? session.firstAt, isComplete: RecordedResult(head).isComplete,
                workout: try workout(of: session, head))
        }
        let stored = Dictionary(sessions.map { ($0.piece, $0) }, uniquingKeysWith: { first, _ in first })
        return GroupPiece.pieces(of: grouped).compactMap { piece in
            let sessions = piece.sessions.compactMap { stored[$0.name] }
            return sessions.first.map {
                StoredPiece(piece: piece, first: $0, sessions: sessions, heads: heads)
            }
        }
        .sorted { $1.mark.isAfter($0.mark) }
    }

    /// The workout of a session; nil without a set workout.
    func workout(of session: StoredSession) throws(StoreFailure) -> GroupWorkout? {
        try workout(of: session, heads(of: [session])[session.piece] ?? .empty)
    }

    private func workout(of session: StoredSession, _ head: JSONObject) throws(StoreFailure) -> GroupWorkout?
    {
        let splits = GroupWorkout.needsSplits(head) ? try records(of: .split, in: session) : []
        let machine = machine(session.name.gateway, session.station) ?? .rower
        return GroupWorkout(head, splits: splits, on: machine)
    }

    /// The newest visible summary of each session, or its first begin record if there is none.
    private func heads(of sessions: [StoredSession]) throws(StoreFailure) -> [PieceName: JSONObject] {
        var heads: [PieceName: JSONObject] = [:]
        for kind in [StreamKind.summary, .session] {
            let others = sessions.filter { heads[$0.piece] == nil }
            let stored = try store.records(of: kind, in: others.map(\.name))
            for session in others {
                let records = visible(stored[session.name] ?? [], of: session)
                heads[session.piece] = kind == .summary ? records.last : records.first
            }
        }
        return heads
    }

    /// The visible records of a session.
    func records(of kind: StreamKind, in session: StoredSession) throws(StoreFailure) -> [JSONObject] {
        visible(try store.records(of: kind, in: session.name), of: session)
    }

    private func visible(_ records: [[UInt8]], of session: StoredSession) -> [JSONObject] {
        records.filter { policy.allows($0, of: session) }.compactMap { try? JSONObject(parsing: $0) }
    }
}

/// The position after a piece in a list of pieces.
struct PieceCursor: PageCursor {
    static let list = "pieces"
    /// `firstAt` of the first session of the last piece.
    let firstAt: Int64
    /// The first session of the last piece; nil for a position before all pieces of the day that begins at `firstAt`.
    let name: SessionName?

    init(firstAt: Int64, name: SessionName?) { (self.firstAt, self.name) = (firstAt, name) }

    var fields: [String] { ["\(firstAt)"] + (name.map { [$0.session, $0.gateway.slug] } ?? []) }

    init?(fields: [String]) {
        guard let firstAt = fields.first.flatMap({ Int64($0) }) else { return nil }
        switch fields.count {
        case 1: self.init(firstAt: firstAt, name: nil)
        case 3:
            guard let gateway = GatewayID(fields[2]) else { return nil }
            self.init(firstAt: firstAt, name: SessionName(gateway: gateway, session: fields[1]))
        default: return nil
        }
    }

    /// Whether this position is behind another one.
    func isAfter(_ other: PieceCursor) -> Bool {
        func key(_ cursor: PieceCursor) -> (Int64, String, String) {
            (cursor.firstAt, cursor.name?.session ?? "", cursor.name?.gateway.slug ?? "")
        }
        return key(self) < key(other)
    }

    /// The end of the newest day with pieces behind this position.
    fileprivate func end(in calendar: ClubCalendar) -> Int64 {
        name == nil ? firstAt : calendar.start(of: calendar.day(of: firstAt).advanced(by: 1))
    }
}
