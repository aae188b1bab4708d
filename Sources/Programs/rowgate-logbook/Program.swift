import ArgumentParser
import Logbook
import MQTTClient

/// The logbook's command line.
@main
struct Program: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rowgate-logbook",
        abstract: "Shows the ergs of all gateways at a broker on web pages, and stores their records.",
        discussion: """
            Without a subcommand it runs until SIGTERM. Records are stored if the configuration has a \
            [store]. Exit status 78 means that an administrator has to fix the configuration or the store.
            """,
        version: LogbookLaunch.version,
        subcommands: [
            CheckCommand.self, DoctorCommand.self, MetricsCommand.self, GatewaysCommand.self,
            SessionsCommand.self, SessionCommand.self, AthletesCommand.self, AthleteCommand.self,
            GroupCommand.self, UserCommand.self, InviteCommand.self,
            BestsCommand.self, RecordsCommand.self, TrainingCommand.self, SuggestionsCommand.self,
            PlanCommand.self, ExportCommand.self, ImportCommand.self, BackupCommand.self,
            RestoreCommand.self, CompactCommand.self, MoveCommand.self, TokenCommand.self,
        ])

    @OptionGroup var configurationOption: ConfigurationOption

    @Option(
        help: ArgumentHelp(
            "Address to serve pages at, instead of http.listen; port 0 for any free port.",
            valueName: "address:port"))
    var listen: String?

    @Flag(help: "Check the configuration, print all problems, and exit.")
    var checkConfig = false

    static func main() async {
        ConnectionHolder.runIfRequested()
        await main(nil)
    }

    func run() async throws {
        let launch = LogbookLaunch(configurationPath: configurationOption.config, listen: listen)
        throw ExitCode(checkConfig ? launch.check() : await launch.serve())
    }
}
