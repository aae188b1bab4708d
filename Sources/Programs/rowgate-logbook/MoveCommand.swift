import ArgumentParser
import CommandLineText
import Glibc
import HostRuntime
import Logbook
import LogbookInspection
import LogbookStores
import Settings

/// From a file to a server: `rowgate-logbook move`.
struct MoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Take all records from a file into a database of PostgreSQL.",
        discussion: """
            The database has to be there, and to be empty. The logbook is to be stopped: what it stores \
            meanwhile is not the same in both at the end. Then both are read in whole and held against \
            each other. A move that was ended goes on with the same command, and one that is repeated \
            takes what is newer in the file; the file stays as it is. When it is done, take postgres = \
            "..." in the place of path below [store], and start the logbook. From then on the same \
            command moves nothing, and only compares both.

            Exit status: 0 both hold the same, 1 they do not, 2 nothing could be read or written.
            """)

    @OptionGroup var place: ConfigurationOption
    @OptionGroup var choice: StoreChoice
    @Option(
        help: ArgumentHelp(
            "The database: a connection string or URI of libpq, without a password.",
            valueName: "connection"))
    var to: String
    @Option(
        help: ArgumentHelp(
            "The file that has its password in the first line.", valueName: "path"))
    var passwordFile: String?

    /// How long the server may take to read all that it has of something.
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
        guard case .sqlite(let path) = try choice.address(place.config) else {
            throw ConfigurationFault("[store] is no file; name the file with --store")
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
                progress.tell($0, of: $1)
                isNewer = true
            }
            if wasFinished, !isNewer {
                StoreChoice.complain("all records of \(path) were moved already")
            }
        }
        StoreChoice.complain("reading both to compare them")
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
