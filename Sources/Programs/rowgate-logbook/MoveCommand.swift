import ArgumentParser
import CommandLineText
import Glibc
import HostRuntime
import Logbook
import LogbookInspection
import LogbookStores
import Settings

/// Moves records from a file to a server: `rowgate-logbook move`.
struct MoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Move all records from a file to a PostgreSQL database.",
        discussion: """
            The database must exist and be empty. Stop the logbook first; otherwise both differ at the \
            end. After the copy both are compared completely. Repeat the command to continue an \
            interrupted move, or to copy newer records; the file is not changed. Then replace path by \
            postgres = "..." below [store], and start the logbook. After a logbook has written to the \
            database, the command only compares.

            Exit status: 0 both are equal, 1 they differ, 2 reading or writing failed.
            """)

    @OptionGroup var configurationOption: ConfigurationOption
    @OptionGroup var choice: StoreChoice
    @Option(
        help: ArgumentHelp(
            "The database: a connection string or URI of libpq, without a password.",
            valueName: "connection"))
    var to: String
    @Option(
        help: ArgumentHelp(
            "A file with the password in its first line.", valueName: "path"))
    var passwordFile: String?

    /// Time limit for reading a large table.
    private static let patience = Duration.seconds(600)

    func run() throws {
        let comparison: StoreComparison
        do { comparison = try move() } catch {
            StoreChoice.complain("\(error)")
            throw ExitCode(2)
        }
        StoreOptions.write(comparison.lines)
        if !comparison.differences.isEmpty { throw ExitCode(1) }
    }

    private func move() throws -> StoreComparison {
        guard case .sqlite(let path) = try choice.address(configurationOption.config) else {
            throw ConfigurationFault("[store] is not a file; set the file with --store")
        }
        let move = try StoreMove(from: path, to: address(), patience: Self.patience)
        let wasFinished = move.isFinished
        if move.isInUse {
            StoreChoice.complain(
                "nothing was moved: a logbook has written to \(move.target.place) since the last move")
        } else {
            var progress = Progress("records")
            var isNewer = false
            try move.copy {
                progress.report($0, of: $1)
                isNewer = true
            }
            if wasFinished, !isNewer {
                StoreChoice.complain("all records of \(path) were moved already")
            }
        }
        StoreChoice.complain("comparing both")
        let comparison = try StoreComparison(move.source, move.target)
        if comparison.differences.isEmpty, !move.isInUse { try move.finish() }
        return comparison
    }

    private func address() throws -> PostgreSQLAddress {
        var address: PostgreSQLAddress
        do throws(PostgreSQLAddress.Fault) { address = try PostgreSQLAddress(to) } catch {
            throw ConfigurationFault("--to \(error.reason)", suggestion: error.remedy)
        }
        address.password = try passwordFile.map {
            try CredentialFile(name: $0).password(credentialsDirectory: CredentialFile.directory)
        }
        return address
    }
}
