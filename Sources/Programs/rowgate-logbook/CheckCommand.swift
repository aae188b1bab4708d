import ArgumentParser
import CommandLineText
import Contract
import Glibc
import HostRuntime
import Logbook
import LogbookInspection
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

struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check whether all records are stored, and list missing ones.",
        discussion: """
            Reads the whole store: checks the numbers of each stream, compares each session with its \
            gateway's manifest, and checks the database. The logbook may run.

            Exit status: 0 complete, 1 not complete, 2 nothing could be read.
            """)

    @OptionGroup var configurationOption: ConfigurationOption
    @OptionGroup var options: StoreOptions

    func run() throws {
        let check = try options.show(
            configurationOption, { try LogbookCheck($0) },
            lines: \.lines, json: \.json)
        if !check.isComplete { throw ExitCode(1) }
    }
}

/// Shrinks the store: `rowgate-logbook compact`.
struct CompactCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Rewrite the store without free pages.",
        discussion: """
            Useful after many records were removed, for example by keep_force_days. It needs as much free \
            disk space as the store has. The logbook may run: new records wait or are requested again.

            Exit status: 0, or 2 if it failed.
            """)

    @OptionGroup var configurationOption: ConfigurationOption
    @OptionGroup var choice: StoreChoice

    func run() throws {
        try choice.look(configurationOption, for: .editing) { store in
            let before = try store.size().bytes
            try store.compact()
            let after = try store.size().bytes
            StoreChoice.complain(
                "\(store.place): \(ValueFormatter.storage(after)), was "
                    + ValueFormatter.storage(before))
        }
    }
}
