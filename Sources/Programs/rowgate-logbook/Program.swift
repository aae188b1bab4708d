import ArgumentParser
import Logbook
import MQTTClient

/// The logbook's command line.
@main
struct Program: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rowgate-logbook",
        abstract: "Shows the ergs of every gateway of a broker on a page, and keeps their records.",
        discussion: """
            Without a subcommand it runs until SIGTERM. Records are kept where the configuration \
            has a [store]. Exit status 78 means that the configuration, or the store, needs a \
            person.
            """,
        version: LogbookLaunch.version,
        subcommands: [
            CheckCommand.self, DoctorCommand.self, MetricsCommand.self, GatewaysCommand.self,
            SessionsCommand.self, SessionCommand.self, AthletesCommand.self, AthleteCommand.self,
            BestsCommand.self, RecordsCommand.self, TrainingCommand.self, SuggestionsCommand.self,
            PlanCommand.self, ExportCommand.self, ImportCommand.self, BackupCommand.self,
            RestoreCommand.self, CompactCommand.self, MoveCommand.self, TokenCommand.self,
        ])

    @OptionGroup var place: ConfigurationOption

    @Option(
        help: ArgumentHelp(
            "Where to serve pages, in place of http.listen; port 0 for any that is free.",
            valueName: "address:port"))
    var listen: String?

    @Flag(help: "Check the configuration, name every problem, and exit.")
    var checkConfig = false

    static func main() async {
        ConnectionHolder.holdIfAsked()
        await main(nil)
    }

    func run() async throws {
        let launch = LogbookLaunch(configurationPath: place.config, listen: listen)
        throw ExitCode(checkConfig ? launch.check() : await launch.serve())
    }
}
