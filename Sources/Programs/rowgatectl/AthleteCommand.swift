import ArgumentParser
import ControlSocket

struct AthleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "athlete", abstract: "Manage the records of athletes.",
        subcommands: [Forget.self])

    struct Forget: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "forget", abstract: "Erase an athlete's records from the ring log.",
            discussion: """
                Erases every record with the athlete's id, and what belongs to their sessions, from \
                the ring log of this gateway, and the id wherever they have acknowledged another's \
                alert. It cannot be undone, and it does not reach what has left the gateway; what \
                that may be is printed.
                """)

        @OptionGroup var socket: SocketOptions
        @Flag(help: "Print JSON, for programs.") var json = false
        @Flag(help: "Confirm; without this option nothing is erased.") var yes = false
        @Argument(help: "The athlete's id.") var athlete: String

        /// A ring of gigabytes on an SD card is looked through twice.
        private static let timeout = Duration.seconds(600)

        func validate() throws {
            guard yes else {
                throw ValidationError("this cannot be undone; confirm with --yes")
            }
        }

        func run() throws {
            let reply = try socket.ask(
                RowgateInterface.ForgetAthlete.self, .init(athlete: athlete), timeout: Self.timeout)
            Terminal.write(json ? try reply.jsonText() + "\n" : reply.text)
        }
    }
}
