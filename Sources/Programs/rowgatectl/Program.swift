import ArgumentParser
import HostRuntime
import MQTTClient

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
            StatusCommand.self, WatchCommand.self, AlertsCommand.self, DoctorCommand.self,
            ScanCommand.self, AssignCommand.self, CrewCommand.self, WorkoutCommand.self,
            WorkoutsCommand.self, TerminateCommand.self, ReleaseCommand.self, IdentifyCommand.self,
            AthleteCommand.self, LogCommand.self, ProveCommand.self, MetricsCommand.self,
            SupportBundleCommand.self, DecodeCommand.self, NormalizeCommand.self,
        ])

    /// As the parser's own `main`, but what a command could not do is told in the words of every
    /// other complaint.
    static func main() {
        ConnectionHolder.holdIfAsked()
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
