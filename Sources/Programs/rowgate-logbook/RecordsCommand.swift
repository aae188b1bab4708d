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
    @OptionGroup var seasonChoice: SeasonChoice

    func run() throws {
        let history = AthleteHistory(in: try configurationOption.calendar(options.choice))
        _ = try options.show(
            configurationOption,
            { store in
                RecordsTable(
                    try history.records(in: store), in: seasonChoice.value,
                    names: try PeopleRepository.names(in: store), calendar: history.calendar)
            },
            lines: \.lines, json: \.json)
    }
}
