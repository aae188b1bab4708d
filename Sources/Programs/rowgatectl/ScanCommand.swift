import ArgumentParser
import ControlSocket
import RoomTables

struct ScanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "List the PM5 monitors in range and their ergs.",
        discussion: """
            Asks the daemon, which listens all the time while it misses a monitor. The serial \
            number is what an [[erg]] of the configuration wants.
            """)

    @OptionGroup var socket: SocketOptions
    @Flag(help: "Print JSON, for programs.") var json = false

    func run() throws {
        let reply = try socket.ask(RowgateInterface.Scan.self, .init())
        Terminal.show(reply.lines, orJSON: json ? try reply.jsonText() : nil)
    }
}
