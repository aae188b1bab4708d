import ArgumentParser
import ControlSocket
import RoomTables

struct WorkoutsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "workouts",
        abstract: "List the named workouts.",
        discussion: """
            Each is a [[workout]] of the configuration; rowgatectl workout all @NAME puts one on \
            every monitor.
            """)

    @OptionGroup var socket: SocketOptions
    @Flag(help: "Print JSON, for programs.") var json = false

    func run() throws {
        let reply = try socket.ask(RowgateInterface.Workouts.self, .init())
        Terminal.show(reply.lines, orJSON: json ? try reply.jsonText() : nil)
    }
}
