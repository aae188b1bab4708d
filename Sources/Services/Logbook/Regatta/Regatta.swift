import Timeline

/// A regatta: events with their entries and heats, and the ergs of its lanes.
///
/// It has no results: those come from the races of its heats (`RegattaResults`).
struct Regatta: Equatable, Sendable {
    static let maximumEvents = 40
    /// The maximum number of entries in one event.
    static let maximumEntries = 300

    let id: String
    var name: String
    var place = ""
    var day: CalendarDay
    /// The erg of each lane, from lane 1. Ergs may be in several rooms.
    var ergs: [LiveBoard.Place] = []
    var events: [RegattaEvent] = []
    /// The number of the next event, entry or heat. Ids are never used again.
    private(set) var nextNumber = 1

    init(id: String, name: String, day: CalendarDay, nextNumber: Int = 1) {
        (self.id, self.name, self.day, self.nextNumber) = (id, name, day, nextNumber)
    }

    /// Returns a new id: a letter and a number.
    mutating func makeID(_ letter: String) -> String {
        defer { nextNumber += 1 }
        return letter + "\(nextNumber)"
    }

    func event(_ id: String) -> RegattaEvent? { events.first { $0.id == id } }

    // MARK: Lanes

    /// The number of entries that start in one heat of an event.
    func laneCount(of event: RegattaEvent) -> Int { ergs.count / event.kind.ergs }

    /// The ergs of a lane of an event, counted from 0: as many as an entry needs, next to each other.
    func ergs(ofLane lane: Int, in event: RegattaEvent) -> ArraySlice<LiveBoard.Place> {
        ergs.dropFirst(lane * event.kind.ergs).prefix(event.kind.ergs)
    }

    /// The ids of the races that count for a heat.
    var raceIDs: [String] { events.flatMap(\.heats).compactMap(\.race) }
}

/// One event (category): its entries, heats and rule of progression.
struct RegattaEvent: Equatable, Sendable {
    /// Who advances from the heats to the final. Without both, the heats decide the event by time.
    struct Progression: Equatable, Sendable {
        /// The number of places in each heat that advance.
        var places = 0
        /// The number of fastest others that advance.
        var times = 0

        var hasFinal: Bool { places > 0 || times > 0 }
    }

    /// How many ergs and people an entry has.
    ///
    /// These are the kinds of ErgRace: its race files (`.rac2`) have a `race_type` of `individual`, `team` or `relay`, a
    /// `team_size`, and boats with `participants`. The files have no published definition. The sources are the program
    /// in the public repository `ahdeeson/auto-erg-race`, which writes them, and notes about them by others.
    enum Kind: Equatable, Sendable {
        case individual
        /// Several ergs for each entry. Its result is the mean of its members, as ErgRace computes it with the
        /// `team_scoring` `avg`: of their times over a distance, of their distances in a time. It has none until all
        /// have finished.
        case team(size: Int)
        /// One erg for each entry. Its members take turns, and the monitor measures them together.
        case relay

        /// The valid number of ergs of a team.
        static let teamSizes = 2...16
        /// The maximum number of members in a relay.
        static let maximumRelay = 16

        var name: String {
            switch self {
            case .individual: "individual"
            case .team: "team"
            case .relay: "relay"
            }
        }

        /// The number of ergs of each entry.
        var ergs: Int { if case .team(let size) = self { size } else { 1 } }

        var maximumMembers: Int {
            switch self {
            case .individual: 0
            case .team(let size): size
            case .relay: Self.maximumRelay
            }
        }
    }

    let id: String
    var name: String
    var piece: RaceSettings.Piece
    var kind = Kind.individual
    var progression = Progression()
    var entries: [RegattaEntry] = []
    /// The heats in their order, the final last.
    var heats: [RegattaHeat] = []

    init(id: String, name: String, piece: RaceSettings.Piece) {
        (self.id, self.name, self.piece) = (id, name, piece)
    }

    func entry(_ id: String) -> RegattaEntry? { entries.first { $0.id == id } }
    func heat(_ id: String) -> RegattaHeat? { heats.first { $0.id == id } }

    /// The heats before the final.
    var firstRound: [RegattaHeat] { heats.filter { !$0.isFinal } }
    var final: RegattaHeat? { heats.first(where: \.isFinal) }
    /// The entries that are not scratched.
    var starters: [RegattaEntry] { entries.filter { $0.scratched == nil } }
    /// Whether a heat has a race that counts.
    var hasRaces: Bool { heats.contains { $0.race != nil } }
}

/// An athlete or a crew in an event.
struct RegattaEntry: Equatable, Sendable {
    /// One of a team or relay.
    struct Member: Equatable, Sendable {
        var name: String
        /// In a team, the athlete to whom the session counts; nil for a guest.
        var athlete: String?
    }

    let id: String
    var name: String
    var club = ""
    /// The athlete to whom the session counts; nil for a crew or a guest.
    var athlete: String?
    /// Of a team in the order of its ergs, of a relay in the order of its turns.
    var members: [Member] = []
    /// The seed time; nil for none.
    var seedCentiseconds: Int64?
    /// The reason of a scratch, which may be empty; nil if the entry is not scratched.
    var scratched: String?

    init(id: String, name: String) { (self.id, self.name) = (id, name) }
}

/// A heat or the final of an event.
struct RegattaHeat: Equatable, Sendable {
    /// A race that was set up for the heat.
    struct Attempt: Equatable, Sendable {
        let race: String
        /// Why the heat is rowed again; nil if the race counts.
        var annulled: String?
    }

    /// A decision about one entry in place of its result.
    struct Mark: Equatable, Sendable {
        enum Status: String, CaseIterable, Sendable {
            case didNotStart = "did_not_start"
            case didNotFinish = "did_not_finish"
            case disqualified
        }

        let entry: String
        var status: Status
        var reason = ""
    }

    let id: String
    /// The number among the heats of the event, from 1; 1 for a final.
    var number: Int
    var isFinal = false
    /// The entry in each lane, from lane 1; nil for an empty lane.
    var lanes: [String?]
    /// The earliest first.
    var attempts: [Attempt] = []
    var marks: [Mark] = []

    init(id: String, number: Int, isFinal: Bool = false, lanes: [String?]) {
        (self.id, self.number, self.isFinal, self.lanes) = (id, number, isFinal, lanes)
    }

    /// The race that counts; nil if the heat was not set up yet, or is rowed again.
    var race: String? { attempts.last.flatMap { $0.annulled == nil ? $0.race : nil } }

    func mark(of entry: String) -> Mark? { marks.first { $0.entry == entry } }
    func contains(_ entry: String) -> Bool { lanes.contains(entry) }
}
