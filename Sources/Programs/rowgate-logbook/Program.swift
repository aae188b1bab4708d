import ArgumentParser
import Logbook
import MQTTClient

/// The logbook's command line.
@main
struct Program: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rowgate-logbook",
        abstract: "Shows the ergs of every gateway of a broker on a page.",
        discussion: """
            Runs until SIGTERM. Exit status 78 means that the configuration needs a person.
            """,
        version: LogbookLaunch.version)

    @Option(help: ArgumentHelp("The configuration file.", valueName: "path"))
    var config = LogbookConfiguration.defaultPath

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
        let launch = LogbookLaunch(configurationPath: config, listen: listen)
        throw ExitCode(checkConfig ? launch.check() : await launch.serve())
    }
}
