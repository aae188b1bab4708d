import ArgumentParser
import HostRuntime
import LogbookInspection

struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check whether all records are stored, and list missing ones.",
        discussion: """
            Reads the whole store: checks the numbers of each stream, compares each session with its \
            gateway's manifest, and checks the database. The logbook may run.

            Exit status: 0 complete, 1 not complete, 2 nothing could be read.
            """)

    @OptionGroup var configurationOption: ConfigurationOption
    @OptionGroup var options: StoreOptions

    func run() throws {
        let check = try options.show(
            configurationOption,
            { store in
                try LogbookCheck(
                    store, at: SystemClock.isSynchronized() ? SystemClock.unixMilliseconds() : nil)
            },
            lines: \.lines, json: \.json)
        if !check.isComplete { throw ExitCode(1) }
    }
}
