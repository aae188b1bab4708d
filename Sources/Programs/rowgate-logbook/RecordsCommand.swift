import ArgumentParser
import Bests
import Contract
import Logbook
import LogbookInspection

struct RecordsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "records",
        abstract: "Show the club's record over each ranked event.",
        discussion: """
            Only ranked results count, as in bests, not parts of other pieces. All sessions count as \
            sessions of rowers. --json contains all seasons.

            Exit status: 0, or 2 if nothing could be read.
            """)

    @OptionGroup var configurationOption: ConfigurationOption
    @OptionGroup var options: StoreOptions
    @Option(help: ArgumentHelp("Of the season that ends in this year.", valueName: "year"))
    var season: Int64?

    func validate() throws {
        if let season, !(1...9999).contains(season) {
            throw ValidationError("--season takes the year in which it ends, not \(season)")
        }
    }

    func run() throws {
        let history = AthleteHistory(in: try configurationOption.calendar(options.choice))
        _ = try options.show(
            configurationOption,
            { store in
                RecordsTable(
                    try history.records(in: store), in: season.map { Season(year: $0) },
                    names: try PeopleRepository.names(in: store), calendar: history.calendar)
            },
            lines: \.lines, json: \.json)
    }
}
