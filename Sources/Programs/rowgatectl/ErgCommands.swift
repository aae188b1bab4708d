import ArgumentParser
import Contract
import ControlSocket
import RoomTables

/// The erg of a command, and the format of its result.
struct ErgCommandOptions: ParsableArguments {
    @OptionGroup var socket: SocketOptions
    @Flag(help: "Print JSON, for programs.") var json = false
    @Argument(help: "The erg, by its slug; all for the whole room.") var erg: String

    /// A workout of many frames, terminated first, can take a minute.
    private static let timeout = Duration.seconds(120)

    /// Sends the command to the daemon, prints the results, and exits.
    func execute(_ verb: String, _ arguments: [String: ForeignValue] = [:]) throws {
        let reply = try socket.ask(
            RowgateInterface.Command.self, .init(verb: verb, erg: erg, arguments: arguments),
            timeout: Self.timeout)
        Terminal.show(reply.lines, orJSON: json ? try reply.jsonText() : nil)
        throw ExitCode(reply.exitStatus)
    }

    static let exitStatus =
        "Exit status: 0 done, 1 failed on some erg, 3 no answer from rowgate."
}

struct AssignCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assign", abstract: "Assign an athlete to an erg.",
        discussion: ErgCommandOptions.exitStatus)

    @OptionGroup var options: ErgCommandOptions
    @Argument(help: "The athlete's id; omit it to clear the assignment.") var athlete: String?
    @Flag(help: "Only until the session ends.") var untilSessionEnd = false

    func run() throws {
        var arguments: [String: ForeignValue] = [:]
        if let athlete { arguments["athlete_id"] = .text(athlete) }
        if untilSessionEnd { arguments["until"] = .text("session_end") }
        try options.execute("assign", arguments)
    }
}

struct WorkoutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "workout", abstract: "Set a workout on a monitor.",
        discussion: "Workouts are written like this:\n\n" + WorkoutNotation.syntax
            + "\n@steady-state                 one of those that rowgatectl workouts lists\n\n"
            + ErgCommandOptions.exitStatus)

    @OptionGroup var options: ErgCommandOptions
    @Argument(help: "The workout, 4x500m/1:00r say.") var workout: String
    @Option(help: ArgumentHelp("The pace to hold, per 500 m.", valueName: "m:ss")) var target: String?
    @Flag(help: "Replace a piece in progress, which is ended first.") var force = false

    func validate() throws { _ = try arguments() }

    func run() throws { try options.execute("workout", arguments()) }

    private func arguments() throws -> [String: ForeignValue] {
        var arguments: [String: ForeignValue]
        do {
            arguments =
                try workout.hasPrefix("@")
                ? ["workout": .text(String(workout.dropFirst()))]
                : WorkoutNotation(parsing: workout).arguments
        } catch {
            throw ValidationError("\(error)\n")
        }
        if let target {
            guard !workout.hasPrefix("@") else {
                throw ValidationError("--target cannot be combined with a named workout")
            }
            guard let seconds = WorkoutNotation.seconds(target[...]) else {
                throw ValidationError("'\(target)' is not a valid pace; write 2:00")
            }
            arguments["target_pace_s_per_500m"] = .integer(seconds)
        }
        if force { arguments["force"] = .flag(true) }
        return arguments
    }
}

struct TerminateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "terminate", abstract: "End the piece on a monitor.",
        discussion: ErgCommandOptions.exitStatus)

    @OptionGroup var options: ErgCommandOptions

    func run() throws { try options.execute("terminate") }
}

struct ReleaseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release", abstract: "Release a monitor to a phone app, or reconnect it.",
        discussion: ErgCommandOptions.exitStatus)

    @OptionGroup var options: ErgCommandOptions
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("How long, 1 to 1440.", valueName: "minutes"))
    var minutes = ParsedCommand.defaultRelease / 60
    @Flag(help: "Reconnect it now.") var takeBack = false
    @Flag(help: "Also during a piece.") var force = false

    func validate() throws {
        guard (1...1440).contains(minutes) else {
            throw ValidationError("--for takes 1 to 1440 minutes, not \(minutes)")
        }
    }

    func run() throws {
        var arguments: [String: ForeignValue] = ["for_s": .integer(takeBack ? 0 : minutes * 60)]
        if force { arguments["force"] = .flag(true) }
        try options.execute("release", arguments)
    }
}

struct RelayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relay", abstract: "Let phone apps use a monitor while rowgate records it.",
        discussion: "Needs relay_adapters in rowgate.toml. Valid until rowgate restarts. rowgatectl status "
            + "shows the relays.\n\n" + ErgCommandOptions.exitStatus)

    @OptionGroup var options: ErgCommandOptions
    @Option(
        help: ArgumentHelp(
            "The relay to use; default: a free one, or the only one.", valueName: "hci1"))
    var adapter: String?
    @Flag(help: "End the relay of this erg.") var off = false
    @Flag(help: "Also if a phone uses the relay, which is disconnected.") var force = false

    func validate() throws {
        guard options.erg != "all" else {
            throw ValidationError("a relay presents one erg; name it by its slug")
        }
    }

    func run() throws {
        var arguments: [String: ForeignValue] = [:]
        if let adapter { arguments["adapter"] = .text(adapter) }
        if off { arguments["off"] = .flag(true) }
        if force { arguments["force"] = .flag(true) }
        try options.execute("relay", arguments)
    }
}

struct IdentifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identify", abstract: "Show the monitor of an erg.",
        discussion: ErgCommandOptions.exitStatus)

    @OptionGroup var options: ErgCommandOptions

    func run() throws { try options.execute("identify") }
}
