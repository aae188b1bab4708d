import Bests
import Bytes
import Contract
import LogbookStores
import Synchronization
import Timeline
import Training

/// What sessions come to, read from the store once and remembered while nothing of them changes, so that
/// a new session costs an athlete that session alone.
///
/// The store stays the truth: an athlete's sessions are asked of it each time, so one that was erased,
/// completed or corrected is never told as it was.
package final class AthleteBook: Sendable {
    /// Sessions that are remembered, two kilobytes each; others are read when they are asked for.
    static let capacity = 20_000
    /// Records of a kind that are read of one session: a day of rowing has as many strokes.
    static let recordLimit = 30_000
    /// Athletes of a record list, the first by name.
    static let mostAthletes = 2000
    /// Force curves that are read of a session: so many behind each of four moments of it.
    static let curvesAtOnce = 16
    /// Sessions of a list that are asked for at once.
    private static let batch = 500

    private struct Entry {
        let session: KeptSession
        let figures: PieceTraining?
    }

    /// Of the club.
    package let calendar: ClubCalendar
    private let entries = Mutex<[SessionName: Entry]>([:])

    package init(in calendar: ClubCalendar) { self.calendar = calendar }

    /// What an athlete's sessions come to, the newest first.
    ///
    /// - Parameter machine: what stands at a place now, for sessions whose records do not name their
    ///   machine; nil where nobody knows, which counts as a RowErg.
    package func pieces(
        of athlete: String, in store: any LogbookStore,
        machine: (GatewayID, StationID) -> MachineKind? = { _, _ in nil }
    ) throws(StoreFailure) -> (sessions: [KeptSession], pieces: [PieceTraining]) {
        let sessions = try Self.sessions(of: athlete, in: store)
        var pieces: [PieceTraining] = []
        for session in sessions {
            guard var piece = try figures(of: session, in: store) else { continue }
            if !piece.figures.isMachineRecorded {
                piece.figures.assume(machine(session.name.gateway, session.station))
            }
            if piece.figures.rankedEvent != nil,
                try Self.beginsRolling(session, piece.figures, in: store)
            {
                piece.figures.faults = [.rollingStart]
            }
            pieces.append(piece)
        }
        return (sessions, pieces)
    }

    /// The best of all athletes.
    package func records(
        in store: any LogbookStore,
        machine: (GatewayID, StationID) -> MachineKind? = { _, _ in nil }
    ) throws(StoreFailure) -> ClubRecords {
        var bests: [String: AthleteBests] = [:]
        for athlete in try store.athletes(after: nil, limit: Self.mostAthletes) {
            let pieces = try pieces(of: athlete.slug, in: store, machine: machine).pieces
            bests[athlete.slug] = AthleteBests(pieces.map(\.figures))
        }
        return ClubRecords(bests)
    }

    /// What one session comes to, whoever rowed it; all is lacking where it tells of no rowing.
    func piece(
        _ session: KeptSession, in store: any LogbookStore, machine: MachineKind?
    ) throws(StoreFailure) -> PieceTraining {
        var piece =
            try figures(of: session, in: store)
            ?? PieceTraining(
                RowedPiece(name: session.piece, startedAt: session.firstAt), in: calendar)
        piece.figures.assume(machine)
        return piece
    }

    /// The strokes of one session, which are not remembered.
    func rowed(_ session: KeptSession, in store: any LogbookStore) throws(StoreFailure)
        -> RowedPiece
    {
        try Self.read(session, in: store)
            ?? RowedPiece(name: session.piece, startedAt: session.firstAt)
    }

    /// Reads a session ahead of anybody's question: the one behind `mark`, the newest first. Who asks
    /// meanwhile waits for no more than it. Returns where it goes on; nil when there are no more, or no
    /// more are remembered.
    package func readAhead(
        behind mark: SessionMark?, in store: any LogbookStore
    ) throws(StoreFailure) -> SessionMark? {
        var filter = SessionFilter(limit: 1)
        filter.after = mark
        let found = try store.sessions(filter)
        for session in found where session.athlete != nil {
            _ = try figures(of: session, in: store)
        }
        guard found.count == filter.limit, entries.withLock({ $0.count < Self.capacity }) else {
            return nil
        }
        return found.last.map { SessionMark(firstAt: $0.firstAt, name: $0.name) }
    }

    private static func sessions(
        of athlete: String, in store: any LogbookStore
    ) throws(StoreFailure) -> [KeptSession] {
        var filter = SessionFilter(limit: batch)
        filter.athlete = athlete
        return try store.everySession(filter)
    }

    private func figures(
        of session: KeptSession, in store: any LogbookStore
    ) throws(StoreFailure) -> PieceTraining? {
        if let entry = entries.withLock({ $0[session.name] }), entry.session == session {
            return entry.figures
        }
        let shapes = try Self.shapes(of: session, in: store)
        let figures = try Self.read(session, in: store).map {
            PieceTraining($0, shapes, in: calendar)
        }
        entries.withLock { entries in
            // Of one that goes on, a record may come that no list shows.
            let isSettled = session.state != .open && session.state != .missing
            let hasRoom = entries[session.name] != nil || entries.count < Self.capacity
            entries[session.name] =
                isSettled && hasRoom ? Entry(session: session, figures: figures) : nil
        }
        return figures
    }

    private static func read(
        _ session: KeptSession, in store: any LogbookStore
    ) throws(StoreFailure) -> RowedPiece? {
        var records: [StreamKind: [[UInt8]]] = [:]
        for kind in RowedPiece.kinds {
            records[kind] = try store.records(
                of: kind, in: session.name, after: nil, limit: recordLimit
            ).map(\.stored)
        }
        var piece = RowedPiece(records, of: session.piece, startedAt: session.firstAt)
        piece?.isVerified = session.state == .verified
        return piece
    }

    /// Of some curves from all of a session: a day of rowing has thousands, and these are as alike.
    private static func shapes(
        of session: KeptSession, in store: any LogbookStore
    ) throws(StoreFailure) -> [ForceShape] {
        let long = max(0, (session.endedAt ?? session.firstAt) - session.firstAt)
        var (shapes, last): ([ForceShape], RecordMark?) = ([], nil)
        for part in Int64(0)..<4 {
            var mark = RecordMark(
                unixMilliseconds: session.firstAt + long * part / 4 - 1, sequence: 0, row: 0)
            if let last, last.unixMilliseconds >= mark.unixMilliseconds { mark = last }
            let found = try store.records(
                of: .force, in: session.name, after: mark, limit: curvesAtOnce)
            last = found.last?.mark ?? last
            shapes += found.compactMap { record in
                (try? JSONObject(parsing: record.stored)).flatMap(ForceShape.init)
            }
        }
        return shapes
    }

    /// Whether the flywheel may still have turned from the session before at the same machine.
    private static func beginsRolling(
        _ session: KeptSession, _ piece: PieceFigures, in store: any LogbookStore
    ) throws(StoreFailure) -> Bool {
        var filter = SessionFilter(limit: 1)
        (filter.gateway, filter.station) = (session.name.gateway, session.station)
        filter.after = SessionMark(firstAt: session.firstAt, name: session.name)
        guard let before = try store.sessions(filter).first else { return false }
        let margin = Int64(RowedPiece.flywheelSeconds * 1000)
        if let ended = before.endedAt, piece.startedAt - ended >= margin { return false }
        let strokes = try store.records(
            of: .stroke, in: before.name, after: nil, limit: recordLimit)
        guard let last = strokes.last?.mark.unixMilliseconds else { return false }
        return piece.startedAt - last < margin
    }
}

extension KeptSession {
    fileprivate var piece: PieceName { PieceName(gateway: name.gateway, session: name.session) }
}
