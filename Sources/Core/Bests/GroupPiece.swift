import Contract

/// A session with what decides to which group piece it belongs.
package struct GroupSession: Equatable, Sendable {
    package let name: PieceName
    package let erg: StationID
    /// Its athlete; nil if none was assigned.
    package let athlete: String?
    /// Unix milliseconds.
    package let startedAt: Int64
    /// Whether the workout was rowed to its end.
    package let isComplete: Bool
    /// Nil for a session without a set workout.
    package let workout: GroupWorkout?

    package init(
        name: PieceName, erg: StationID, athlete: String?, startedAt: Int64, isComplete: Bool,
        workout: GroupWorkout?
    ) {
        (self.name, self.erg, self.athlete) = (name, erg, athlete)
        (self.startedAt, self.isComplete, self.workout) = (startedAt, isComplete, workout)
    }

    /// Who rowed: the athlete, or the erg for a session without an athlete.
    fileprivate var rower: String { athlete.map { "a \($0)" } ?? "e \(erg.slug)" }
}

/// The sessions of one workout that a group rowed together.
///
/// The rule: take the sessions of one day in order of their start. A session joins the last piece of its workout
/// (`GroupWorkout`) and its gateway, because a gateway is a room, if
/// - it started less than an hour after the first session of that piece, and
/// - its athlete has not completed the workout in that piece. For a session without an athlete, the erg counts
///   as the athlete.
///
/// Otherwise it begins a new piece. So four pieces of 500 m in an hour are four pieces, and an athlete who stopped
/// and started again has both sessions in one. A session without a set workout is a piece of its own.
///
/// The result depends only on the set of sessions. Pieces do not continue over midnight, so that a day can be
/// grouped without the days before it.
package struct GroupPiece: Equatable, Sendable {
    /// Milliseconds after the start of its first session in which another session can join.
    package static let window: Int64 = 3_600_000

    /// In order of their start; never empty.
    package private(set) var sessions: [GroupSession]
    /// The workout of all sessions: for intervals that differ, the longest list of lengths.
    package private(set) var workout: GroupWorkout?

    private init(_ first: GroupSession) { (sessions, workout) = ([first], first.workout) }

    /// Unix milliseconds: the start of the first session.
    package var startedAt: Int64 { sessions[0].startedAt }

    /// One session of each athlete, in order of their start: the completed one, otherwise the last.
    package var rows: [GroupSession] {
        var last: [String: GroupSession] = [:]
        for session in sessions where !(last[session.rower]?.isComplete ?? false) {
            last[session.rower] = session
        }
        return sessions.filter { last[$0.rower] == $0 }
    }

    /// Groups the sessions of one day.
    ///
    /// - Returns: pieces in order of their start.
    package static func pieces(of sessions: [GroupSession]) -> [GroupPiece] {
        var pieces: [GroupPiece] = []
        for session in sessions.sorted(by: { ($0.startedAt, $0.name) < ($1.startedAt, $1.name) }) {
            if let index = pieces.lastIndex(where: { $0.hasWorkout(of: session) }),
                pieces[index].admits(session)
            {
                pieces[index].append(session)
            } else {
                pieces.append(GroupPiece(session))
            }
        }
        return pieces
    }

    private func hasWorkout(of session: GroupSession) -> Bool {
        guard let workout, let other = session.workout else { return false }
        return session.name.gateway == sessions[0].name.gateway && workout.isSame(as: other)
    }

    private func admits(_ session: GroupSession) -> Bool {
        session.startedAt - startedAt < Self.window
            && !sessions.contains { $0.isComplete && $0.rower == session.rower }
    }

    private mutating func append(_ session: GroupSession) {
        sessions.append(session)
        if let lengths = session.workout?.lengths, lengths.count > workout?.lengths.count ?? 0 {
            workout?.lengths = lengths
        }
    }
}
