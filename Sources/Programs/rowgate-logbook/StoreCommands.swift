import ArgumentParser
import CommandLineText
import Contract
import Glibc
import HostRuntime
import Logbook
import LogbookInspection
import LogbookStores
import Settings

/// Which store is looked into, and how it is shown.
struct StoreOptions: ParsableArguments {
    @OptionGroup var choice: StoreChoice

    @Flag(help: "Print JSON, for programs.") var json = false

    /// Shows what `look` makes of the store; the logbook may run meanwhile.
    func show<Found>(
        _ place: ConfigurationOption, for access: SQLStore.Access = .looking,
        _ look: (SQLStore) throws -> Found,
        lines: (Found) -> [StyledLine],
        json text: (Found) -> String
    ) throws -> Found {
        let found = try choice.look(place, for: access, look)
        if json {
            _ = writeAll((text(found) + "\n").utf8, to: STDOUT_FILENO)
        } else {
            Self.write(lines(found))
        }
        return found
    }

    /// To standard output, in colour for a person at a terminal.
    static func write(_ lines: [StyledLine]) {
        let hasColour = isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil
        _ = writeAll(lines.rendered(inColour: hasColour).utf8, to: STDOUT_FILENO)
    }
}

/// Which store is looked into.
struct StoreChoice: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The store, in place of the configuration's: a file of SQLite.", valueName: "path"))
    var store: String?

    /// How long a server may take to read all that it has of something.
    private static let patience = Duration.seconds(600)

    /// What `look` makes of the store; says on standard error why it could not, and ends the program.
    func look<Found>(
        _ place: ConfigurationOption, for access: SQLStore.Access = .looking,
        _ look: (SQLStore) throws -> Found
    ) throws -> Found {
        do {
            return try look(
                try address(place.config).open(for: access, patience: Self.patience))
        } catch {
            Self.complain("\(error)")
            throw ExitCode(2)
        }
    }

    static func complain(_ sentence: String) {
        _ = writeAll("rowgate-logbook: \(sentence)\n".utf8, to: STDERR_FILENO)
    }

    /// Into a file, or to standard output; says on standard error why not, and ends the program.
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

    /// Where the store is; throws what a person has to put right.
    func address(_ config: String) throws -> StoreAddress {
        if let store { return .sqlite(path: store) }
        let (configuration, problems) = try LogbookConfiguration.read(from: config)
        guard problems.isEmpty else { throw InvalidConfiguration(problems: problems) }
        guard let store = configuration.store else {
            throw ConfigurationFault(
                "\(config) has no [store], so no records are kept; add path = \"...\" below [store]"
            )
        }
        return try store.address(
            credentialsDirectory: CredentialFile.directory, settings: configuration.settings)
    }
}

struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Say whether the logbook has every record, and what is missing.",
        discussion: """
            Reads the whole store: each stream's numbers, each session against the manifest of its \
            gateway, and the database itself. The logbook may run meanwhile.

            Exit status: 0 complete, 1 not complete, 2 nothing could be read.
            """)

    @OptionGroup var place: ConfigurationOption
    @OptionGroup var options: StoreOptions

    func run() throws {
        let check = try options.show(
            place, { try LogbookCheck($0, digest: SHA256Digest.hexadecimal(of:)) },
            lines: \.lines, json: \.json)
        if !check.isComplete { throw ExitCode(1) }
    }
}

/// The store in less room: `rowgate-logbook compact`.
struct CompactCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Write the store anew, in no more room than it needs.",
        discussion: """
            For after much was removed, as keep_force_days does. It takes as much room again while it \
            works. The logbook may run: what it hears meanwhile waits, or is asked for again.

            Exit status: 0, or 2 when it could not be done.
            """)

    @OptionGroup var place: ConfigurationOption
    @OptionGroup var choice: StoreChoice

    func run() throws {
        try choice.look(place, for: .changing) { store in
            let before = try store.size().bytes
            try store.compact()
            let after = try store.size().bytes
            StoreChoice.complain(
                "\(store.place): \(ReadableFigures.storage(after)), before "
                    + ReadableFigures.storage(before))
        }
    }
}

struct SessionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "List sessions, the newest first.",
        discussion: """
            RECORDS says whether all of a session is here: open, its end has not come; verified, \
            everything is what its gateway recorded; missing, some is being fetched; gone, some is \
            nowhere any more; differs, it is all here and not what the manifest says. STROKES counts \
            those that the manifest names; foreign ones name the session too, and are left out of it. \
            Times and days are those of the club's time zone; with --json they are UTC.

            Exit status: 0, or 2 when nothing could be read.
            """)

    @OptionGroup var place: ConfigurationOption
    @OptionGroup var options: StoreOptions
    @OptionGroup var chosen: SessionChoice
    @Option(
        name: [.customShort("n"), .customLong("limit")],
        help: ArgumentHelp("How many at most.", valueName: "number"))
    var limit = 20

    func validate() throws {
        guard (1...1_000_000).contains(limit) else {
            throw ValidationError("--limit takes 1 to 1000000, not \(limit)")
        }
    }

    func run() throws {
        let calendar = try place.calendar(options.choice)
        _ = try options.show(
            place,
            {
                SessionTable(
                    try $0.sessions(chosen.filter(limit: limit, in: calendar)), calendar: calendar)
            },
            lines: \.lines, json: \.json)
    }
}
