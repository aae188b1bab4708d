import ArgumentParser
import ControlSocket

struct ScanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "List the PM5s in range, and whose they are.",
        discussion: """
            Asks the daemon, which listens all the time while it misses a monitor. The serial \
            number is what an [[erg]] of the configuration wants.
            """)

    @OptionGroup var socket: SocketOptions
    @Flag(help: "Print JSON, for programs.") var json = false

    func run() throws {
        let reply: ScanReply
        do {
            var client = try ControlClient(connectingTo: socket.path)
            reply = try client.call(RowgateInterface.Scan.self, .init())
        } catch {
            Terminal.complain("\(error)")
            throw error.exitCode
        }
        Terminal.write(
            json
                ? try reply.jsonText() + "\n"
                : reply.lines.rendered(inColour: Terminal.hasColour))
    }
}
