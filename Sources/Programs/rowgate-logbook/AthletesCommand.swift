import ArgumentParser
import Bests
import Contract
import Logbook
import LogbookInspection

struct AthletesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "athletes",
        abstract: "List all athletes.",
        discussion: "Exit status: 0, or 2 if nothing could be read.")

    @OptionGroup var configurationOption: ConfigurationOption
    @OptionGroup var options: StoreOptions

    func run() throws {
        let calendar = try configurationOption.calendar(options.choice)
        _ = try options.show(
            configurationOption,
            {
                AthleteTable(
                    try PeopleRepository.athletes(in: $0), calendar: calendar)
            },
            lines: \.lines, json: \.json)
    }
}

/// No session names the athlete.
struct UnknownAthlete: Error, CustomStringConvertible {
    let slug: String
    var description: String {
        "no sessions of athlete \(slug); rowgate-logbook athletes lists all athletes"
    }
}
