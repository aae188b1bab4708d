import Bests
import Bytes
import Contract
import LogbookStores
import People
import Timeline

/// A result that a coach added to a group piece, with its values. It has no place, and is no best or record.
struct PieceAddition: Sendable {
    /// The name of each kind in the interface and in the table.
    enum Kind: String, Sendable {
        /// The coach wrote it down.
        case byHand = "by_hand"
        /// A stored session on another day, or of another group.
        case madeUp = "made_up"
    }

    let stored: StoredPieceAddition
    /// The athlete's present id.
    let athlete: String
    /// Seconds of work; nil if unknown.
    var seconds: Double?
    /// Metres of work; nil if unknown.
    var metres: Double?
    /// Seconds per 500 m; nil if unknown.
    var pace: Double?
    /// The day on which it was rowed; nil if its session is not stored any more.
    var day: String?
    /// The workout of its session in notation, as `GroupWorkout.notation`; nil for a result by hand.
    var workout: String?
    /// The session of the result while it counts for the athlete; nil for a result by hand.
    var session: SessionName?

    var kind: Kind {
        if case .session = stored.result { return .madeUp }
        return .byHand
    }

    /// Writes the members into an open object.
    ///
    /// - Parameter names: For a shared result, the names of athletes. Then neither ids nor the note nor the coach is
    ///   written. nil for users of the club.
    func write(into json: inout JSONWriter, sharedWith names: AthleteNames? = nil) {
        if let names {
            json.field("athlete_name", names[athlete])
        } else {
            json.field("addition_id", stored.id)
            json.field("athlete_id", athlete)
        }
        json.field("kind", kind.rawValue)
        json.field("time_s", seconds.map { Int64(($0 * 10).rounded()) }, places: 1)
        json.field("distance_m", metres.map { Int64($0.rounded()) })
        json.field("avg_pace_s_per_500m", pace.map { Int64(($0 * 100).rounded()) }, places: 2)
        json.field("day", day)
        json.field("workout", workout)
        guard names == nil else { return }
        json.field("gw", session?.gateway.slug)
        json.field("session_id", session?.session)
        json.field("note", stored.note.isEmpty ? nil : stored.note)
        json.field("added_ms", stored.addedAt)
        json.field("added_by", stored.by)
    }
}

/// Results that coaches added to group pieces.
///
/// An addition belongs to the piece of the first of its sessions that is still stored.
struct PieceAdditionRepository {
    /// The largest number of additions to a piece.
    static let maximumOfPiece = 100
    /// The plausible paces of a result by hand: seconds per 500 m, on every kind of machine.
    static let paces = 30.0...900.0

    let pieces: PieceRepository
    private var store: any LogbookStore { pieces.store }

    init(_ pieces: PieceRepository) { self.pieces = pieces }

    // MARK: Reading

    /// Returns the additions to a piece in order of creation. An athlete gets own additions only.
    ///
    /// - Parameter columns: the columns of the piece's result.
    func additions(
        to piece: StoredPiece, in columns: [GroupWorkout.Length?]
    ) throws -> [PieceAddition] {
        let length = piece.piece.workLength(in: columns)
        return try stored(of: piece).compactMap { stored in
            let athlete = try store.merges.current(of: stored.athlete)
            if let visible = pieces.policy.athlete, visible != athlete { return nil }
            return try addition(stored, of: athlete, length)
        }
    }

    private func stored(of piece: StoredPiece) throws -> [StoredPieceAddition] {
        let names = Set(piece.sessions.map(\.name))
        let near = try store.pieceAdditions.additions(
            of: piece.first.name.gateway, near: piece.piece.startedAt)
        return try near.filter { addition in
            guard addition.sessionNames.contains(where: names.contains) else { return false }
            // The piece of an athlete has own sessions only.
            if pieces.policy.athlete != nil { return true }
            return try addition.sessionNames.first { try store.session($0) != nil }.map(names.contains)
                ?? false
        }
    }

    private func addition(
        _ stored: StoredPieceAddition, of athlete: String, _ length: GroupWorkout.Length?
    ) throws -> PieceAddition {
        var addition = PieceAddition(stored: stored, athlete: athlete)
        switch stored.result {
        case .session(let name):
            // The session may have been erased, or corrected to another athlete.
            guard let session = try store.session(name), session.athlete == athlete else { break }
            try read(session, into: &addition)
            return addition
        case .time(let tenths):
            addition.seconds = Double(tenths) / 10
            if case .metres(let metres) = length { addition.metres = Double(metres) }
        case .distance(let metres):
            addition.metres = Double(metres)
            if case .seconds(let seconds) = length { addition.seconds = Double(seconds) }
        }
        addition.day = stored.day
        if let seconds = addition.seconds, let metres = addition.metres {
            addition.pace = Self.pace(seconds, metres)
        }
        return addition
    }

    /// Reads the monitor's result of a session.
    private func read(_ session: StoredSession, into addition: inout PieceAddition) throws {
        let summary = try pieces.records(of: .summary, in: session).last ?? .empty
        let result = RecordedResult(summary)
        addition.session = session.name
        addition.seconds = summary.decimal(result.timeField)
        addition.metres = summary.decimal(result.distanceField)
        addition.pace = summary.decimal("avg_pace_s_per_500m")
        if addition.pace == nil, let seconds = addition.seconds, let metres = addition.metres {
            addition.pace = Self.pace(seconds, metres)
        }
        addition.day = pieces.calendar.day(of: session.startedAt ?? session.firstAt).text
        addition.workout = try pieces.workout(of: session)?.notation
    }

    private static func pace(_ seconds: Double, _ metres: Double) -> Double? {
        metres > 0 ? seconds / metres * 500 : nil
    }

    // MARK: Changing

    /// Stores a result for a piece. Call it within `atomically`.
    ///
    /// - Parameters:
    ///   - columns: the columns of the piece's result.
    ///   - id: a new ULID.
    ///   - now: Unix milliseconds.
    ///   - name: the name of the user or token that adds it.
    func add(
        _ request: PieceAdditionRequest, to piece: StoredPiece, in columns: [GroupWorkout.Length?],
        id: String, at now: Int64, by name: String?
    ) throws -> PieceAddition {
        let athlete = try store.merges.current(of: request.athlete)
        guard try PeopleRepository.athletes(in: store).contains(where: { $0.id == athlete }) else {
            throw RecordRequestHandler.unknownAthlete(request.athlete)
        }
        let present = try stored(of: piece)
        guard present.count < Self.maximumOfPiece else {
            throw InterfaceFault(
                409, "too_many_additions",
                "there are \(present.count) added results already; remove some first")
        }
        let length = piece.piece.workLength(in: columns)
        var day: String?
        switch request.result {
        case .session(let name):
            if present.contains(where: { $0.result == request.result }) {
                throw InterfaceFault(
                    409, "added_already",
                    "the session \(name.session) is added already; choose another one")
            }
            try checkMadeUp(name, of: athlete, to: piece)
        case .time, .distance:
            let last = pieces.calendar.day(of: now)
            let chosen = request.day ?? min(last, pieces.calendar.day(of: piece.piece.startedAt))
            guard chosen <= last else {
                throw InterfaceFault(
                    409, "day_in_future", "by_hand.day is in the future; check the day")
            }
            day = chosen.text
            try Self.check(request.result, length)
        }
        let stored = StoredPieceAddition(
            id: id, gateway: piece.first.name.gateway, sessions: piece.sessions.map(\.name.session),
            pieceStartedAt: piece.piece.startedAt, athlete: athlete, result: request.result, day: day,
            note: request.note, addedAt: now, by: name)
        try store.pieceAdditions.add(stored)
        return try addition(stored, of: athlete, length)
    }

    private func checkMadeUp(_ name: SessionName, of athlete: String, to piece: StoredPiece) throws {
        let session = try RecordRequestHandler.storedSession(name, .everything, in: store)
        guard session.athlete == athlete else {
            throw InterfaceFault(
                409, "other_athlete",
                "the session \(name.session) is not of \(athlete); choose a session of this athlete")
        }
        guard !piece.sessions.contains(where: { $0.name == name }) else {
            throw InterfaceFault(
                409, "in_piece",
                "the session \(name.session) is in this piece already; choose another one")
        }
        guard try !pieces.records(of: .summary, in: session).isEmpty else {
            throw InterfaceFault(
                409, "no_result", "the session \(name.session) has no result yet; add it after its end")
        }
    }

    /// Checks a result by hand against the length of the piece.
    private static func check(
        _ result: StoredPieceAddition.Result, _ length: GroupWorkout.Length?
    ) throws(InterfaceFault) {
        let (field, pace): (String, Double?)
        switch (result, length) {
        case (.time(let tenths), .metres(let metres)):
            (field, pace) = ("time_s", Self.pace(Double(tenths) / 10, Double(metres)))
        case (.distance(let metres), .seconds(let seconds)):
            (field, pace) = ("distance_m", Self.pace(Double(seconds), Double(metres)))
        case (.time, .seconds(let seconds)):
            throw InterfaceFault(
                400, CommandCode.badValue.rawValue,
                "by_hand.time_s does not fit: the piece has \(WorkoutResult.Extent.clock(seconds)) of work; "
                    + "give by_hand.distance_m")
        case (.distance, .metres(let metres)):
            throw InterfaceFault(
                400, CommandCode.badValue.rawValue,
                "by_hand.distance_m does not fit: the piece has \(metres) m of work; give by_hand.time_s")
        default:
            throw InterfaceFault(
                409, "no_length",
                "this piece has no set distance or time; add a session of the athlete as made_up")
        }
        guard let pace, paces.contains(pace) else {
            let text = WorkoutResult.Extent.clock(Int((pace ?? 0).rounded()))
            throw InterfaceFault(
                409, "implausible",
                "by_hand.\(field) means a pace of \(text) per 500 m over the whole piece; check the value")
        }
    }

    /// Removes an addition from a piece.
    func remove(_ id: String, from piece: StoredPiece) throws {
        guard try stored(of: piece).contains(where: { $0.id == id }), try store.pieceAdditions.remove(id)
        else {
            throw InterfaceFault(
                404, "unknown_addition",
                "this piece has no added result \"\(id.prefix(40))\"; it may have been removed")
        }
    }
}
