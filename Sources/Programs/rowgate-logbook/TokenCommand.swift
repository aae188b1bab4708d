import ArgumentParser
import Contract
import Logbook

extension Role: ExpressibleByArgument {}

/// Who may do what: `rowgate-logbook token`.
struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Lets people in, and no longer.",
        discussion: """
            A token is shown once, when it is made; of what is kept nobody can tell it. What is changed
            holds at once, for a logbook that runs too.
            """,
        subcommands: [Add.self, List.self, Remove.self])

    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Makes a token, and prints it.")

        @Argument(help: "Who gets it: 1 to 32 of a-z, 0-9 and -.")
        var name: String

        @Option(
            help: ArgumentHelp(
                "What it is good for: wall, to see the room; athlete, to see what one athlete rowed and is "
                    + "to row as well; or coach, to see everything and send commands."))
        var role: Role

        @Option(help: "Whose records an athlete's token is good for: their id.")
        var athlete: String?

        @OptionGroup var file: ConfigurationOption

        func validate() throws {
            guard (role == .athlete) == (athlete != nil) else {
                throw ValidationError(
                    role == .athlete
                        ? "the role athlete takes --athlete, whose records the token is good for"
                        : "--athlete goes with the role athlete alone")
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
        static let configuration = CommandConfiguration(abstract: "Prints who has a token.")

        @OptionGroup var file: ConfigurationOption

        func run() throws { throw ExitCode(file.tokens.list()) }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Takes a token back.")

        @Argument(help: "Whose.")
        var name: String

        @OptionGroup var file: ConfigurationOption

        func run() throws { throw ExitCode(file.tokens.remove(name)) }
    }
}

extension ConfigurationOption {
    fileprivate var tokens: TokenDesk { TokenDesk(configurationPath: config) }
}
