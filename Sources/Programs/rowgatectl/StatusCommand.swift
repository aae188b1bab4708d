import ArgumentParser
import CommandLineText
import ControlSocket
import RoomTables

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the gateway, or one erg.",
        discussion: """
            Exit status: 0 ok, 1 degraded, 2 failed, 3 rowgate could not be asked. For one erg: 0 \
            while its link is up, otherwise 1.
            """)

    @OptionGroup var socket: SocketOptions
    @Flag(help: "Print JSON, for programs.") var json = false
    @Argument(help: "The erg to show, by its slug.") var erg: String?

    func run() throws {
        let status = try socket.ask(RowgateInterface.Status.self, .init(erg: erg))
        Terminal.show(lines(of: status), orJSON: json ? try status.jsonText() : nil)
        throw ExitCode(status.exitStatus(ofErg: erg).rawValue)
    }

    private func lines(of status: StatusReply) -> [StyledLine] {
        if erg != nil, let only = status.ergs.first { return ErgTable(only).lines }
        return StatusTable(status).lines
    }
}
