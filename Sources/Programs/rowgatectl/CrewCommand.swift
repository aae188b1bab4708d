import ArgumentParser
import ControlSocket
import RoomTables

struct CrewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crew",
        abstract: "Define a crew of ergs, or list the crews.",
        discussion: """
            What is published of a crew is in rowgate-topics(7). A crew that is named here is kept over a \
            restart, and stands in the place of a [[crew]] of the configuration. \
            Exit status: 0 done, 1 not done, 3 rowgate could not be asked.
            """)

    @OptionGroup var socket: SocketOptions
    @Flag(help: "Print JSON, for programs.") var json = false
    @Flag(help: "Delete the crew; a configured crew returns to its configured ergs.")
    var dissolve = false
    @Argument(help: "The crew's name, 1 to 32 of a-z, 0-9 and -; all are listed without one.")
    var name: String?
    @Argument(help: "Its ergs, by their slugs.") var ergs: [String] = []

    func validate() throws {
        if name == nil, dissolve { throw ValidationError("--dissolve needs the crew's name") }
        if name != nil, ergs.isEmpty != dissolve {
            throw ValidationError(
                dissolve ? "--dissolve takes no ergs" : "name its ergs, or --dissolve it")
        }
    }

    func run() throws {
        guard let name else {
            let status = try socket.ask(RowgateInterface.Status.self, .init(erg: nil))
            return Terminal.show(
                CrewTable(status).lines, orJSON: json ? try status.jsonText() : nil)
        }
        var arguments: [String: ForeignValue] = ["crew": .text(name)]
        if !dissolve { arguments["members"] = .list(ergs.map { .text($0) }) }
        let reply = try socket.ask(
            RowgateInterface.Command.self, .init(verb: "crew", erg: nil, arguments: arguments))
        Terminal.show(reply.lines, orJSON: json ? try reply.jsonText() : nil)
        throw ExitCode(reply.exitStatus)
    }
}
