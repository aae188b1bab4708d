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

    let id: String
    var name: String
    var piece: RaceSettings.Piece
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
    let id: String
    var name: String
    var club = ""
    /// The athlete to whom the session counts; nil for a crew or a guest.
    var athlete: String?
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
