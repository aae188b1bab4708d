import ArgumentParser
import Contract
import Logbook

extension Role: ExpressibleByArgument {}

/// Access tokens: `rowgate-logbook token`.
struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Manage access tokens.",
        discussion: """
            A token is shown once, when it is created. Only its digest is stored. Changes take effect at \
            once, also in a running logbook.
            """,
        subcommands: [Add.self, List.self, Remove.self])

    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Create a token, and print it.")

        @Argument(help: "The owner's name: 1 to 32 of a-z, 0-9 and -.")
        var name: String

        @Option(
            help: ArgumentHelp(
                "What it allows: wall, to see the wall; room, to also assign athletes to ergs; athlete, to see also one athlete's sessions and "
                    + "plans; coach, to see everything and send commands; captain, to also manage users."))
        var role: Role

        @Option(help: "The id of the athlete whose data the token of an athlete shows.")
        var athlete: String?

        @OptionGroup var file: ConfigurationOption

        func validate() throws {
            guard (role == .athlete) == (athlete != nil) else {
                throw ValidationError(
                    role == .athlete
                        ? "the role athlete requires --athlete, the id of the athlete"
                        : "--athlete is only for the role athlete")
            }
            if let athlete, !AthleteID.isValid(athlete) {
                throw ValidationError("an athlete id is \(AthleteID.rule), not '\(athlete)'")
            }
        }

        func run() throws {
            throw ExitCode(file.tokens.add(name, role: role, athlete: athlete))
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the owners of tokens.")

        @OptionGroup var file: ConfigurationOption

        func run() throws { throw ExitCode(file.tokens.list()) }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Revoke a token.")

        @Argument(help: "The owner's name.")
        var name: String

        @OptionGroup var file: ConfigurationOption

        func run() throws { throw ExitCode(file.tokens.remove(name)) }
    }
}

extension ConfigurationOption {
    fileprivate var tokens: TokenManager { TokenManager(configurationPath: config) }
}
