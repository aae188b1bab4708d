import ArgumentParser
import ControlSocket
import RoomTables

struct AlertsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "alerts", abstract: "List active alerts, or acknowledge one.",
        subcommands: [List.self, Acknowledge.self], defaultSubcommand: List.self)

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List active alerts.",
            discussion: """
                What they are, and in which units, is in rowgate-topics(7); which of them there are \
                is decided by [alerts] of the configuration. --json prints the object of status \
                --json.
                """)

        @OptionGroup var socket: SocketOptions
        @Flag(help: "Print JSON, for programs.") var json = false

        func run() throws {
            let status = try socket.ask(RowgateInterface.Status.self, .init(erg: nil))
            Terminal.show(AlertTable(status).lines, orJSON: json ? try status.jsonText() : nil)
        }
    }

    struct Acknowledge: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ack", abstract: "Acknowledge an alert.",
            discussion: """
                It goes on to fire until it is over; who looks at it, here or over MQTT, sees that \
                somebody knows. The first one counts.

                Exit status: 0 done, 1 no such alert fires, 3 rowgate could not be asked.
                """)

        @OptionGroup var socket: SocketOptions
        @Flag(help: "Print JSON, for programs.") var json = false
        @Option(help: ArgumentHelp("Name of the person.", valueName: "name")) var by: String?
        @Argument(help: "The alert's id, as alerts lists it.") var id: String

        func run() throws {
            var arguments: [String: ForeignValue] = ["alert_id": .text(id)]
            if let by { arguments["by"] = .text(by) }
            let reply = try socket.ask(
                RowgateInterface.Command.self, .init(verb: "ack", erg: nil, arguments: arguments))
            Terminal.show(reply.lines, orJSON: json ? try reply.jsonText() : nil)
            throw ExitCode(reply.exitStatus)
        }
    }
}
