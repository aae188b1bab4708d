import ArgumentParser
import HostRuntime
import MQTTClient

@main
struct Program: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rowgatectl",
        abstract: "Show and control the rowgate daemon.",
        discussion: """
            Root and the members of the group rowgate may ask. When something is wrong, begin with \
            sudo rowgatectl doctor.
            """,
        version: Release.facts,
        subcommands: [
            StatusCommand.self, WatchCommand.self, AlertsCommand.self, DoctorCommand.self,
            ScanCommand.self, AssignCommand.self, CrewCommand.self, WorkoutCommand.self,
            WorkoutsCommand.self, TerminateCommand.self, ReleaseCommand.self, RelayCommand.self,
            IdentifyCommand.self,
            AthleteCommand.self, LogCommand.self, ProveCommand.self, MetricsCommand.self,
            SupportBundleCommand.self, DecodeCommand.self, NormalizeCommand.self,
        ])

    /// Like the parser's own `main`, but prints the failure of a command like every
    /// other error.
    static func main() {
        ConnectionHolder.runIfRequested()
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch {
            if !(error is ExitCode), exitCode(for: error) == .failure {
                Terminal.printError("\(error)")
                exit(withError: ExitCode.failure)
            }
            exit(withError: error)
        }
    }
}
