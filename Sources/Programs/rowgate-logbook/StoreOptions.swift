import ArgumentParser
import CommandLineText
import Glibc
import HostRuntime
import Logbook
import LogbookStores
import Settings

/// Options of a command that shows the contents of a store.
struct StoreOptions: ParsableArguments {
    @OptionGroup var choice: StoreChoice

    @Flag(help: "Print JSON.") var json = false

    /// Shows the result of `look`; the logbook may run meanwhile.
    func show<Found>(
        _ configurationOption: ConfigurationOption, for access: SQLStore.Access = .readOnly,
        _ look: (SQLStore) throws -> Found,
        lines: (Found) -> [StyledLine],
        json text: (Found) -> String
    ) throws -> Found {
        let found = try choice.look(configurationOption, for: access, look)
        if json {
            _ = writeAll((text(found) + "\n").utf8, to: STDOUT_FILENO)
        } else {
            Self.write(lines(found))
        }
        return found
    }

    /// Writes to standard output, in colour on a terminal.
    static func write(_ lines: [StyledLine]) {
        let hasColour = isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil
        _ = writeAll(lines.rendered(inColour: hasColour).utf8, to: STDOUT_FILENO)
    }
}

/// The option that selects a store.
struct StoreChoice: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "An SQLite file, instead of the configured store.", valueName: "path"))
    var store: String?

    /// Time limit for reading a large table.
    private static let patience = Duration.seconds(600)

    /// Returns the result of `look`. On failure, reports the reason on standard error and exits.
    func look<Found>(
        _ configurationOption: ConfigurationOption, for access: SQLStore.Access = .readOnly,
        _ look: (SQLStore) throws -> Found
    ) throws -> Found {
        do {
            return try look(
                try address(configurationOption.config).open(for: access, patience: Self.patience))
        } catch {
            Self.complain("\(error)")
            throw ExitCode(2)
        }
    }

    static func complain(_ sentence: String) {
        _ = writeAll("rowgate-logbook: \(sentence)\n".utf8, to: STDERR_FILENO)
    }

    /// Writes to a file, or to standard output. On failure, reports the reason on standard error and exits.
    static func write(_ bytes: [UInt8], to output: String?) throws {
        let file =
            output.map { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644) }
            ?? dup(STDOUT_FILENO)
        guard file >= 0, writeAll(bytes, to: file) == nil, close(file) == 0 else {
            let place = output ?? "standard output"
            complain("\(place) cannot be written: \(String(cString: strerror(errno)))")
            throw ExitCode(2)
        }
    }

    /// The location of the store. Throws configuration errors.
    func address(_ config: String) throws -> StoreAddress {
        if let store { return .sqlite(path: store) }
        let (configuration, problems) = try LogbookConfiguration.read(from: config)
        guard problems.isEmpty else { throw InvalidConfiguration(problems: problems) }
        guard let store = configuration.store else {
            throw ConfigurationFault(
                "\(config) has no [store], so no records are stored; add path = \"...\" below [store]"
            )
        }
        return try store.address(
            credentialsDirectory: CredentialFile.directory, settings: configuration.settings)
    }
}
