import ArgumentParser
import ControlSocket
import Glibc
import HostRuntime

@main
struct Program: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rowgatectl",
        abstract: "Ask rowgate how the room is, and steer it.",
        discussion: """
            Root and the members of the group rowgate may ask. When something is wrong, begin with \
            sudo rowgatectl doctor.
            """,
        version: Release.facts,
        subcommands: [
            StatusCommand.self, WatchCommand.self, DoctorCommand.self, ScanCommand.self,
            AssignCommand.self, WorkoutCommand.self, TerminateCommand.self, ReleaseCommand.self,
            IdentifyCommand.self, AthleteCommand.self, LogCommand.self, ProveCommand.self,
            MetricsCommand.self, SupportBundleCommand.self, DecodeCommand.self,
            NormalizeCommand.self,
        ])

    /// As the parser's own `main`, but what a command could not do is told in the words of every
    /// other complaint.
    static func main() {
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch {
            if !(error is ExitCode), exitCode(for: error) == .failure {
                Terminal.complain("\(error)")
                exit(withError: ExitCode.failure)
            }
            exit(withError: error)
        }
    }
}

/// Where the daemon is asked.
struct SocketOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The daemon's control socket (default: $ROWGATE_SOCKET, "
                + "or \(RowgateInterface.defaultSocket)).",
            valueName: "path"))
    var socket: String?

    var path: String {
        let environment = getenv("ROWGATE_SOCKET").map { String(cString: $0) }
        return socket ?? environment ?? RowgateInterface.defaultSocket
    }
}

extension ControlClientError {
    /// What the program ends with: 64 (EX_USAGE) if the daemon answered that the question is wrong,
    /// otherwise 3, for the state of the room is not known.
    var exitCode: ExitCode {
        if case .refused = self { return .validationFailure }
        return ExitCode(StatusReply.ExitStatus.notRunning.rawValue)
    }
}
