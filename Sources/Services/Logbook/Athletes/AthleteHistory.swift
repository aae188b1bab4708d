import Bests
import Bytes
import Contract
import LogbookStores
import Timeline
import Training

/// The metrics of sessions: those that the store has, and those that are computed now because the store does not have
/// them yet (`SessionMetricsUpdater`).
package final class AthleteHistory: Sendable {
    /// The largest number of records read per kind and session: the strokes of a full day.
    static let recordLimit = 30_000
    /// The largest number of athletes in the club records, in order of id.
    static let maximumAthletes = 2000
    /// Force curves read at each of four points in a session.
    static let curvesPerSample = 16
    /// The club's calendar.
    package let calendar: ClubCalendar

    package init(in calendar: ClubCalendar) { self.calendar = calendar }

    /// Returns an athlete's sessions and their metrics, the newest first.
    ///
    /// - Parameter machine: returns the machine now at an erg, for sessions whose records do not name their
    ///   machine; nil if unknown, which counts as a RowErg.
    package func pieces(
        of athlete: String, in store: any LogbookStore,
        machine: (GatewayID, StationID) -> MachineKind? = { _, _ in nil }
    ) throws(StoreFailure) -> (sessions: [SessionMetricsTable.AthleteSession], pieces: [PieceTraining]) {
        let sessions = try store.sessionMetrics.sessions(of: athlete, version: PieceTraining.version)
        var pieces: [PieceTraining] = []
        for session in sessions {
            guard var piece = try training(of: session.name, stored: session.body, in: store) else {
                continue
            }
            if !piece.metrics.isMachineRecorded {
                piece.metrics.assume(machine(session.name.gateway, session.station))
            }
            let start = piece.metrics.startedAt
            if piece.metrics.rankedEvent != nil, !Self.isAtRest(start, after: session.endBefore),
                try Self.hasRollingStart(
                    start, of: session.name, at: session.station, firstAt: session.firstAt, in: store)
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

    /// Computes what the store keeps of a session.
    func metrics(
        of session: StoredSession, in store: any LogbookStore
    ) throws(StoreFailure) -> StoredSessionMetrics {
        let repository = PieceRepository(
            store: store, calendar: calendar, machine: { _, _ in nil }, policy: .everything)
        let workout = try repository.workout(of: session).map(\.exactNotation) ?? ""
        guard let training = try computedTraining(of: session, in: store) else {
            return StoredSessionMetrics(summary: nil, workout: workout, body: [])
        }
        let metrics = training.metrics
        return StoredSessionMetrics(
            summary: .init(
                startedAt: metrics.startedAt, centiseconds: metrics.total.centiseconds,
                decimetres: metrics.total.decimetres,
                machine: metrics.isMachineRecorded ? metrics.machine.rawValue : nil,
                rankedEvent: metrics.rankedEvent?.wireName),
            workout: workout, body: training.encode())
    }

    /// Returns the metrics of one session. All values are missing if the session has no rowing.
    func piece(
        _ session: StoredSession, in store: any LogbookStore, machine: MachineKind?
    ) throws(StoreFailure) -> PieceTraining {
        let stored = try store.sessionMetrics.body(of: session.name, version: PieceTraining.version)
        var piece =
            try training(of: session.name, stored: stored, in: store)
            ?? PieceTraining(
                RecordedPiece(name: session.piece, startedAt: session.firstAt), in: calendar)
        piece.metrics.assume(machine)
        return piece
    }

    /// Reads the strokes and results of one session.
    func recordedPiece(of session: StoredSession, in store: any LogbookStore) throws(StoreFailure)
        -> RecordedPiece
    {
        try Self.read(session, in: store)
            ?? RecordedPiece(name: session.piece, startedAt: session.firstAt)
    }

    /// - Parameter stored: the body of its stored metrics; nil if they are not stored.
    /// - Returns: nil for a session without rowing.
    private func training(
        of name: SessionName, stored: [UInt8]?, in store: any LogbookStore
    ) throws(StoreFailure) -> PieceTraining? {
        if let stored {
            if stored.isEmpty { return nil }
            if let training = PieceTraining(decoding: stored, of: name.piece, in: calendar) {
                return training
            }
        }
        guard let session = try store.session(name) else { return nil }
        return try computedTraining(of: session, in: store)
    }

    private func computedTraining(
        of session: StoredSession, in store: any LogbookStore
    ) throws(StoreFailure) -> PieceTraining? {
        guard let piece = try Self.read(session, in: store) else { return nil }
        return PieceTraining(piece, try Self.shapes(of: session, in: store), in: calendar)
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
    static func hasRollingStart(
        _ start: Int64, after before: EarlierSession, in store: any LogbookStore
    ) throws(StoreFailure) -> Bool {
        if isAtRest(start, after: before.endedAt) { return false }
        let strokes = try store.records(of: .stroke, in: before.name, after: nil, limit: recordLimit)
        guard let last = strokes.last?.mark.unixMilliseconds else { return false }
        return start - last < flywheelMilliseconds
    }

    /// The time that the flywheel may turn after the last stroke.
    private static let flywheelMilliseconds = Int64(RecordedPiece.flywheelSeconds * 1000)

    /// Whether the flywheel was certainly at rest; false if the end of the session before is not known.
    private static func isAtRest(_ start: Int64, after end: Int64?) -> Bool {
        end.map { start - $0 >= flywheelMilliseconds } ?? false
    }

    /// Looks the session before up, too.
    static func hasRollingStart(
        _ start: Int64, of name: SessionName, at station: StationID, firstAt: Int64,
        in store: any LogbookStore
    ) throws(StoreFailure) -> Bool {
        let cursor = SessionCursor(firstAt: firstAt, name: name)
        guard let before = try store.session(before: cursor, at: station) else { return false }
        return try hasRollingStart(start, after: before, in: store)
    }
}

extension SessionName {
    fileprivate var piece: PieceName { PieceName(gateway: gateway, session: session) }
}

extension StoredSession {
    var piece: PieceName { name.piece }
}
