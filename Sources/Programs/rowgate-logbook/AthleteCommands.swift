import ArgumentParser
import Bests
import Contract
import Logbook
import LogbookInspection
import Training

struct AthletesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "athletes",
        abstract: "List everybody whom a session names.",
        discussion: "Exit status: 0, or 2 when nothing could be read.")

    @OptionGroup var place: ConfigurationOption
    @OptionGroup var options: StoreOptions

    func run() throws {
        let calendar = try place.calendar(options.choice)
        _ = try options.show(
            place,
            {
                AthleteTable(
                    try $0.athletes(after: nil, limit: Int(Int32.max)), calendar: calendar)
            },
            lines: \.lines, json: \.json)
    }
}

struct BestsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bests",
        abstract: "Show what an athlete rowed best over each ranked event.",
        discussion: """
            RANKED is the monitor's result of a single preset piece from a standing flywheel, complete, \
            verified and without a gap; EFFORT the best stretch within any other piece. All sessions \
            count as those of a rower here: what stands at an erg the broker alone tells. Seasons last \
            from 1 May to 30 April.

            Exit status: 0, or 2 when nothing could be read or no session names the athlete.
            """)

    @OptionGroup var place: ConfigurationOption
    @OptionGroup var options: StoreOptions
    @Argument(help: "Whose: an id, as athletes lists them; everybody's if absent.")
    var athlete: String?
    @Option(help: ArgumentHelp("Of the season that ends in this year.", valueName: "year"))
    var season: Int64?

    func validate() throws {
        if let athlete, !AthleteID.isValid(athlete) {
            throw ValidationError("an athlete id is \(AthleteID.rule), not '\(athlete)'")
        }
        if let season, !(1...9999).contains(season) {
            throw ValidationError("--season takes the year in which it ends, not \(season)")
        }
    }

    func run() throws {
        let book = AthleteBook(in: try place.calendar(options.choice))
        _ = try options.show(
            place,
            { store in
                let slugs =
                    try athlete.map { [$0] }
                    ?? store.athletes(after: nil, limit: Int(Int32.max)).map(\.slug)
                return try slugs.map { slug in
                    let (sessions, pieces) = try book.pieces(of: slug, in: store)
                    if sessions.isEmpty { throw UnknownAthlete(slug: slug) }
                    return BestsTable(
                        AthleteBests(pieces.map(\.figures)), of: slug,
                        in: season.map { Season(year: $0) }, calendar: book.calendar)
                }
            },
            lines: BestsTable.lines, json: { BestsTable.json($0, isOne: athlete != nil) })
    }
}

struct RecordsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "records",
        abstract: "Show the record list of the club: who rowed each ranked event fastest.",
        discussion: """
            Ranked results alone, as bests tells them; a stretch within another piece is no record. All \
            sessions count as those of a rower here. With --json all seasons are told.

            Exit status: 0, or 2 when nothing could be read.
            """)

    @OptionGroup var place: ConfigurationOption
    @OptionGroup var options: StoreOptions
    @Option(help: ArgumentHelp("Of the season that ends in this year.", valueName: "year"))
    var season: Int64?

    func validate() throws {
        if let season, !(1...9999).contains(season) {
            throw ValidationError("--season takes the year in which it ends, not \(season)")
        }
    }

    func run() throws {
        let book = AthleteBook(in: try place.calendar(options.choice))
        _ = try options.show(
            place,
            {
                RecordsTable(
                    try book.records(in: $0), in: season.map { Season(year: $0) },
                    calendar: book.calendar)
            },
            lines: \.lines, json: \.json)
    }
}

struct TrainingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "training",
        abstract: "Show an athlete's zones, the time in them, and what results let expect.",
        discussion: """
            Zones are shares of the mean power of the best ranked 2000 m: UT2 55 to 65 percent, UT1 to \
            75, AT to 85, TR to 95, AN to 105; heart zones are shares of the reserve between the two \
            rates that "athlete heart" takes. Predictions follow Paul's law, from the athlete's own k \
            or else 5 s. Load is 100 h (P_n / P_60min)^2, with its means of 42 and 7 days; it adds up \
            what was rowed and says nothing of injuries. Critical power and power curve are told where there are results enough; what \
            is not told says what it lacks. All sessions count as those of a rower here.

            Exit status: 0, or 2 when nothing could be read or no session names the athlete.
            """)

    @OptionGroup var place: ConfigurationOption
    @OptionGroup var options: StoreOptions
    @Argument(help: "Whose: an id, as athletes lists them.")
    var athlete: String
    @Option(help: "Time in zone by day, week or season.")
    var by = TrainingSpan.Length.week
    @Option(help: ArgumentHelp("Of the season that ends in this year.", valueName: "year"))
    var season: Int64?

    func validate() throws {
        guard AthleteID.isValid(athlete) else {
            throw ValidationError("an athlete id is \(AthleteID.rule), not '\(athlete)'")
        }
        if let season, !(1...9999).contains(season) {
            throw ValidationError("--season takes the year in which it ends, not \(season)")
        }
    }

    func run() throws {
        let book = AthleteBook(in: try place.calendar(options.choice))
        _ = try options.show(
            place,
            { store in
                let (sessions, pieces) = try book.pieces(of: athlete, in: store)
                if sessions.isEmpty { throw UnknownAthlete(slug: athlete) }
                let season = season.map { Season(year: $0) }
                let heart = try HeartShelf.limits(of: athlete, in: store)
                return TrainingTable(
                    AthleteTraining(pieces, by: by, in: season, heart: heart), of: athlete, by: by,
                    in: season, calendar: book.calendar)
            },
            lines: \.lines, json: \.json)
    }
}

extension TrainingSpan.Length: ExpressibleByArgument {}

/// Nobody rowed under a name.
struct UnknownAthlete: Error, CustomStringConvertible {
    let slug: String
    var description: String {
        "no session names an athlete \(slug); rowgate-logbook athletes lists those there are"
    }
}
