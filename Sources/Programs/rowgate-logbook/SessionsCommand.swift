import ArgumentParser
import Logbook
import LogbookInspection
import LogbookStores

/// Lists sessions: `rowgate-logbook sessions`.
struct SessionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "List sessions, newest first.",
        discussion: """
            RECORDS is the state of the session's records. open: no manifest yet; verified: all records \
            match the manifest; missing: some records are missing and will be requested; gone: some \
            records are lost; differs: complete, but different from the manifest. STROKES counts the \
            strokes in the manifest; foreign strokes, which only name the session, are not counted. Times \
            and days are in the club's time zone, with --json in UTC.

            Exit status: 0, or 2 if nothing could be read.
            """)

    @OptionGroup var configurationOption: ConfigurationOption
    @OptionGroup var options: StoreOptions
    @OptionGroup var chosen: SessionChoice
    @Option(
        name: [.customShort("n"), .customLong("limit")],
        help: ArgumentHelp("Maximum number of sessions.", valueName: "number"))
    var limit = 20

    func validate() throws {
        guard (1...1_000_000).contains(limit) else {
            throw ValidationError("--limit takes 1 to 1000000, not \(limit)")
        }
    }

    func run() throws {
        let calendar = try configurationOption.calendar(options.choice)
        _ = try options.show(
            configurationOption,
            { store in
                SessionListing(
                    try store.sessions(chosen.filter(limit: limit, in: calendar)),
                    names: try PeopleRepository.names(in: store), calendar: calendar)
            },
            lines: \.lines, json: \.json)
    }
}
