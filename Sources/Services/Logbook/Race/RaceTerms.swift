import Timeline

/// What is raced, as the coach made it.
struct RaceTerms: Equatable, Sendable {
    /// What ends the piece.
    enum Piece: Equatable, Sendable {
        case distance(meters: Int)
        case time(seconds: Int)
    }

    /// A boat that nobody rows: always at the same pace.
    struct PaceBoat: Equatable, Sendable {
        var centisecondsPer500m: Int64
        var name: String?
    }

    /// Empty where the coach gave none.
    var name: String
    var piece: Piece
    var paceBoat: PaceBoat?
    /// Whether a lane stays where it is; else the first is on top.
    var hasFixedLanes = false
    /// Whose token it was made with.
    var sender: String
}

/// When the countdown began, and when the signal is.
struct RaceCall: Equatable, Sendable {
    /// Who has not started so long after the signal did not start.
    static let startPatience = Duration.seconds(30)

    let called: BootInstant
    let signal: BootInstant
}
