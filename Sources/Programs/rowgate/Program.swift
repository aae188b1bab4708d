import ArgumentParser
import Gateway
import MQTTClient

/// The daemon's command line.
@main
struct Program: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rowgate",
        abstract: "Concept2 PM5 gateway: Bluetooth to MQTT.",
        discussion: """
            Runs until SIGTERM. Ask a running daemon with rowgatectl. Exit status 78 means that the \
            configuration, or a ring log of a later version, needs a person.
            """,
        version: Launch.version)

    @Option(
        help: ArgumentHelp(
            "The configuration file; conf.d/*.toml beside it is read too.", valueName: "path"))
    var config = Configuration.defaultPath

    @Flag(help: "Check the configuration, name every problem, and exit.")
    var checkConfig = false

    @Flag(help: "Print the values in force and where each comes from, and exit.")
    var printConfig = false

    static func main() async {
        ConnectionHolder.runIfRequested()
        await main(nil)
    }

    func run() async throws {
        let launch = Launch(configurationPath: config)
        let status =
            if checkConfig { launch.check() } else if printConfig { launch.printSettings() } else {
                await launch.serve()
            }
        throw ExitCode(status)
    }
}
