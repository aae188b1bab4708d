import Bests
import Bytes
import Club
import Contract
import LogbookStores
import Synchronization
import Timeline
import Training

/// Computes the metrics of an athlete's sessions and caches them per session, so that a new session adds
/// only the cost of that session.
///
/// Each request reads the athlete's list of sessions from the store. An entry is used only if its session is
/// unchanged, so an erased, completed or corrected session never shows old values.
package final class AthleteHistory: Sendable {
    /// The largest numbers of cached sessions. Other sessions are read on request.
    struct Capacity {
        /// With all metrics, about 2 kB each.
        var metrics = 20_000
        /// With the values for the club only, about 0.6 kB each; sessions that do not fit into the others.
        var club = 100_000
    }

    /// The largest number of records read per kind and session: the strokes of a full day.
    static let recordLimit = 30_000
    /// The largest number of athletes in the club records, in order of id.
    static let maximumAthletes = 2000
    /// Force curves read at each of four points in a session.
    static let curvesPerSample = 16
    /// Sessions per query.
    private static let batch = 500

    private struct Entry {
        let session: StoredSession
        let training: PieceTraining?
    }

    private struct ClubEntry {
        let session: StoredSession
        /// nil without rowing.
        let counted: ClubSession?
    }

    /// The club's calendar.
    package let calendar: ClubCalendar
    private let capacity: Capacity
    private let entries = Mutex<[SessionName: Entry]>([:])
    private let clubEntries = Mutex<[SessionName: ClubEntry]>([:])

    package convenience init(in calendar: ClubCalendar) { self.init(in: calendar, Capacity()) }

    init(in calendar: ClubCalendar, _ capacity: Capacity) {
        (self.calendar, self.capacity) = (calendar, capacity)
    }

    /// Returns an athlete's sessions and their metrics, the newest first.
    ///
    /// - Parameter machine: returns the machine now at an erg, for sessions whose records do not name their
    ///   machine; nil if unknown, which counts as a RowErg.
    package func pieces(
        of athlete: String, in store: any LogbookStore,
        machine: (GatewayID, StationID) -> MachineKind? = { _, _ in nil }
    ) throws(StoreFailure) -> (sessions: [StoredSession], pieces: [PieceTraining]) {
        let sessions = try Self.sessions(of: athlete, in: store)
        var pieces: [PieceTraining] = []
        for session in sessions {
            guard var piece = try training(of: session, in: store) else { continue }
            if !piece.metrics.isMachineRecorded {
                piece.metrics.assume(machine(session.name.gateway, session.station))
            }
            if piece.metrics.rankedEvent != nil,
                try Self.hasRollingStart(
                    piece.metrics.startedAt, after: Self.session(before: session, in: store), in: store)
            {
                piece.metrics.faults = [.rollingStart]
            }
            pieces.append(piece)
        }
        return (sessions, pieces)
    }

    /// Returns the best results of all athletes.
    package func records(
        in store: any LogbookStore,
        machine: (GatewayID, StationID) -> MachineKind? = { _, _ in nil }
    ) throws(StoreFailure) -> ClubRecords {
        var bests: [String: AthleteBests] = [:]
        for athlete in try store.athletes(after: nil, limit: Self.maximumAthletes) {
            let pieces = try pieces(of: athlete.slug, in: store, machine: machine).pieces
            bests[athlete.slug] = AthleteBests(pieces.map(\.metrics))
        }
        return ClubRecords(bests)
    }

    /// Returns the sessions of all athletes as the statistics of the club count them, and the day of each session with
    /// strokes but without an athlete.
    ///
    /// Lists all sessions once. Reads strokes only of sessions that are not cached, or have changed.
    func clubSessions(
        in store: any LogbookStore, machine: (GatewayID, StationID) -> MachineKind? = { _, _ in nil }
    ) throws(StoreFailure) -> (sessions: [ClubSession], unassignedDays: [CalendarDay]) {
        struct Erg: Hashable {
            let gateway: GatewayID
            let station: StationID
        }
        var sessions: [ClubSession] = []
        var unassignedDays: [CalendarDay] = []
        var latest: [Erg: StoredSession] = [:]
        for session in try store.everySession(SessionFilter(limit: Self.batch)).reversed() {
            let erg = Erg(gateway: session.name.gateway, station: session.station)
            let before = latest.updateValue(session, forKey: erg)
            guard session.athlete != nil else {
                if session.strokes > 0 {
                    unassignedDays.append(calendar.day(of: session.startedAt ?? session.firstAt))
                }
                continue
            }
            guard var counted = try clubSession(session, in: store) else { continue }
            counted.assume(machine(erg.gateway, erg.station))
            if let start = counted.ranked?.result.date,
                try Self.hasRollingStart(start, after: before, in: store)
            {
                counted.removeRanking()
            }
            sessions.append(counted)
        }
        return (sessions, unassignedDays)
    }

    private func clubSession(
        _ session: StoredSession, in store: any LogbookStore
    ) throws(StoreFailure) -> ClubSession? {
        guard let athlete = session.athlete else { return nil }
        if let entry = clubEntries.withLock({ $0[session.name] }), entry.session == session {
            return entry.counted
        }
        let counted = try training(of: session, in: store).map { ClubSession($0.metrics, by: athlete) }
        let isCached = entries.withLock { $0[session.name] != nil }
        clubEntries.withLock { entries in
            let hasRoom = entries[session.name] != nil || entries.count < capacity.club
            entries[session.name] =
                session.isFinal && !isCached && hasRoom
                ? ClubEntry(session: session, counted: counted) : nil
        }
        return counted
    }

    /// Returns the metrics of one session. All values are missing if the session has no rowing.
    func piece(
        _ session: StoredSession, in store: any LogbookStore, machine: MachineKind?
    ) throws(StoreFailure) -> PieceTraining {
        var piece =
            try training(of: session, in: store)
            ?? PieceTraining(
                RecordedPiece(name: session.piece, startedAt: session.firstAt), in: calendar)
        piece.metrics.assume(machine)
        return piece
    }

    /// Reads the strokes and results of one session, without the cache.
    func recordedPiece(of session: StoredSession, in store: any LogbookStore) throws(StoreFailure)
        -> RecordedPiece
    {
        try Self.read(session, in: store)
            ?? RecordedPiece(name: session.piece, startedAt: session.firstAt)
    }

    /// Caches the session after `cursor`, the newest first. One call reads one session, so that a request
    /// waits for one session at most. Returns the next cursor; nil after the last session or if both caches are
    /// full.
    package func preloadNext(
        after cursor: SessionCursor?, in store: any LogbookStore
    ) throws(StoreFailure) -> SessionCursor? {
        var filter = SessionFilter(limit: 1)
        filter.after = cursor
        let found = try store.sessions(filter)
        for session in found { _ = try clubSession(session, in: store) }
        let hasRoom =
            entries.withLock { $0.count < capacity.metrics }
            || clubEntries.withLock { $0.count < capacity.club }
        guard found.count == filter.limit, hasRoom else { return nil }
        return found.last.map { SessionCursor(firstAt: $0.firstAt, name: $0.name) }
    }

    private static func sessions(
        of athlete: String, in store: any LogbookStore
    ) throws(StoreFailure) -> [StoredSession] {
        var filter = SessionFilter(limit: batch)
        filter.athlete = athlete
        return try store.everySession(filter)
    }

    private func training(
        of session: StoredSession, in store: any LogbookStore
    ) throws(StoreFailure) -> PieceTraining? {
        if let entry = entries.withLock({ $0[session.name] }), entry.session == session {
            return entry.training
        }
        let shapes = try Self.shapes(of: session, in: store)
        let training = try Self.read(session, in: store).map {
            PieceTraining($0, shapes, in: calendar)
        }
        entries.withLock { entries in
            let hasRoom = entries[session.name] != nil || entries.count < capacity.metrics
            entries[session.name] =
                session.isFinal && hasRoom ? Entry(session: session, training: training) : nil
        }
        return training
    }

    private static func read(
        _ session: StoredSession, in store: any LogbookStore
    ) throws(StoreFailure) -> RecordedPiece? {
        var records: [StreamKind: [[UInt8]]] = [:]
        for kind in RecordedPiece.kinds {
            records[kind] = try store.records(
                of: kind, in: session.name, after: nil, limit: recordLimit
            ).map(\.stored)
        }
        var piece = RecordedPiece(records, of: session.piece, startedAt: session.firstAt)
        piece?.isVerified = session.state == .verified
        return piece
    }

    /// Samples the force curves of a session, because a full day has thousands of similar curves.
    private static func shapes(
        of session: StoredSession, in store: any LogbookStore
    ) throws(StoreFailure) -> [ForceShape] {
        let duration = max(0, (session.endedAt ?? session.firstAt) - session.firstAt)
        var (shapes, last): ([ForceShape], RecordCursor?) = ([], nil)
        for part in Int64(0)..<4 {
            var cursor = RecordCursor(
                unixMilliseconds: session.firstAt + duration * part / 4 - 1, sequence: 0, row: 0)
            if let last, last.unixMilliseconds >= cursor.unixMilliseconds { cursor = last }
            let found = try store.records(
                of: .force, in: session.name, after: cursor, limit: curvesPerSample)
            last = found.last?.mark ?? last
            shapes += found.compactMap { record in
                (try? JSONObject(parsing: record.stored)).flatMap(ForceShape.init)
            }
        }
        return shapes
    }

    /// Whether the flywheel may still have been turning from the session before on the same erg: its last stroke was
    /// less than the time of the flywheel before this piece. A session that ended earlier needs no look at its strokes.
    ///
    /// - Parameter start: of the piece, in Unix milliseconds.
    private static func hasRollingStart(
        _ start: Int64, after before: StoredSession?, in store: any LogbookStore
    ) throws(StoreFailure) -> Bool {
        guard let before else { return false }
        let margin = Int64(RecordedPiece.flywheelSeconds * 1000)
        if let ended = before.endedAt, start - ended >= margin { return false }
        let strokes = try store.records(
            of: .stroke, in: before.name, after: nil, limit: recordLimit)
        guard let last = strokes.last?.mark.unixMilliseconds else { return false }
        return start - last < margin
    }

    /// Returns the last session before another one on the same erg.
    private static func session(
        before session: StoredSession, in store: any LogbookStore
    ) throws(StoreFailure) -> StoredSession? {
        var filter = SessionFilter(limit: 1)
        (filter.gateway, filter.station) = (session.name.gateway, session.station)
        filter.after = SessionCursor(firstAt: session.firstAt, name: session.name)
        return try store.sessions(filter).first
    }
}

extension StoredSession {
    /// Whether its records change only together with its entry in the list of sessions. Records of a session in
    /// progress may arrive without a change there.
    fileprivate var isFinal: Bool { state != .open && state != .missing }

    var piece: PieceName { PieceName(gateway: name.gateway, session: name.session) }
}
