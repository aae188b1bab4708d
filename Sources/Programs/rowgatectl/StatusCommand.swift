import ArgumentParser
import CommandLineText
import ControlSocket

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
        let status: StatusReply
        do {
            var client = try ControlClient(connectingTo: socket.path)
            status = try client.call(RowgateInterface.Status.self, .init(erg: erg))
        } catch {
            Terminal.complain("\(error)")
            throw error.exitCode
        }
        Terminal.write(json ? try status.jsonText() + "\n" : table(of: status))
        throw ExitCode(status.exitStatus(ofErg: erg).rawValue)
    }

    private func table(of status: StatusReply) -> String {
        let lines =
            if erg != nil, let only = status.ergs.first {
                ErgTable(only).lines
            } else {
                StatusTable(status).lines
            }
        return lines.rendered(inColour: Terminal.hasColour)
    }
}
