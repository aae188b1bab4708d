import Timeline

/// The settings of a race that the coach chose.
struct RaceSettings: Equatable, Sendable {
    /// The length of the piece.
    enum Piece: Equatable, Sendable {
        case distance(meters: Int)
        case time(seconds: Int)
    }

    /// A virtual boat that moves at a constant pace.
    struct PaceBoat: Equatable, Sendable {
        var centisecondsPer500m: Int64
        var name: String?
    }

    /// The name of the race; may be empty.
    var name: String
    var piece: Piece
    var paceBoat: PaceBoat?
    /// Whether the page keeps the lanes in their order; otherwise it sorts them by position.
    var hasFixedLanes = false
    /// The regatta of the race; nil for a single race.
    var regatta: String?
    /// Where the race takes place; empty if unknown.
    var location = ""
    /// The name of the token with which the race was created.
    var sender: String
}

/// The times of a countdown and its start signal.
struct RaceCountdown: Equatable, Sendable {
    /// A lane that has not started this long after the signal did not start.
    static let startTimeout = Duration.seconds(30)

    let began: BootInstant
    let signal: BootInstant
}
