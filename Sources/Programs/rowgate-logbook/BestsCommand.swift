import ArgumentParser
import Bests
import Contract
import Logbook
import LogbookInspection
import Training

struct BestsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bests",
        abstract: "Show an athlete's best results over each ranked event.",
        discussion: """
            RANKED is the monitor's result of a single preset piece from a standing flywheel, complete, \
            verified and without a gap. EFFORT is the fastest part of any other piece. Seasons last from \
            1 May to 30 April. All sessions count as sessions of rowers.

            Exit status: 0, or 2 if nothing could be read or the athlete is unknown.
            """)

    @OptionGroup var configurationOption: ConfigurationOption
    @OptionGroup var options: StoreOptions
    @Argument(help: "The athlete's id, as listed by athletes; all athletes if absent.")
    var athlete: String?
    @OptionGroup var seasonChoice: SeasonChoice

    func validate() throws {
        if let athlete, !AthleteID.isValid(athlete) {
            throw ValidationError("an athlete id is \(AthleteID.rule), not '\(athlete)'")
        }
    }

    func run() throws {
        let history = AthleteHistory(in: try configurationOption.calendar(options.choice))
        _ = try options.show(
            configurationOption,
            { store in
                let slugs =
                    try athlete.map { [$0] }
                    ?? store.athletes(after: nil, limit: Int(Int32.max)).map(\.slug)
                let names = try PeopleRepository.names(in: store)
                return try slugs.map { slug in
                    let (sessions, pieces) = try history.pieces(of: slug, in: store)
                    if sessions.isEmpty { throw UnknownAthlete(slug: slug) }
                    return BestsTable(
                        AthleteBests(pieces.map(\.metrics)), of: slug,
                        in: seasonChoice.value, names: names, calendar: history.calendar)
                }
            },
            lines: BestsTable.lines, json: { BestsTable.json($0, isOne: athlete != nil) })
    }
}
