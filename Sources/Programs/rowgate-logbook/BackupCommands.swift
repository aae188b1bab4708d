import ArgumentParser
import CommandLineText
import HostRuntime
import LogbookInspection
import LogbookStores
import Settings
import Timeline

/// A copy of the store: `rowgate-logbook backup`.
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the store into one file, while the logbook runs.",
        discussion: """
            The copy is a consistent snapshot. It is compared with the store byte for byte before it gets \
            its name. Existing files are never replaced. The copy contains personal data of athletes, so \
            restrict access to it. Back up a PostgreSQL database with pg_dump. Besides the store, the \
            logbook stores only the tokens.

            Exit status: 0 done, 1 the copy differs and was removed, 2 reading or writing failed.
            """)

    @OptionGroup var configurationOption: ConfigurationOption
    @OptionGroup var choice: StoreChoice
    @Argument(help: "The file to create.") var file: String

    func run() throws {
        let comparison: StoreComparison
        do { comparison = try copy() } catch {
            StoreChoice.complain("\(error)")
            throw ExitCode(2)
        }
        StoreOptions.write(comparison.lines)
        if !comparison.differences.isEmpty { throw ExitCode(1) }
    }

    private func copy() throws -> StoreComparison {
        let backup = try StoreBackup(of: choice.file(configurationOption, "use pg_dump"), to: file)
        StoreChoice.report(removed: StoreBackup.removeLeftovers(in: backup.folder))
        let unfinished = UnfinishedFiles(backup.unfinishedPaths)
        defer { unfinished.finish() }
        var progress = Progress("bytes")
        let copy = try backup.copy { progress.report($0, of: $1) }
        StoreChoice.complain("comparing both")
        let comparison: StoreComparison
        do { comparison = try StoreComparison(backup.source, copy) } catch {
            try backup.finish(copy, isGood: false)
            throw error
        }
        try backup.finish(copy, isGood: comparison.differences.isEmpty)
        return comparison
    }
}

/// A backup in the place of the store: `rowgate-logbook restore`.
struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Replace the store with a verified backup.",
        discussion: """
            Stop the logbook first. The backup is copied to the store's folder, migrated to this \
            program's version, and verified as by check. Then it replaces the store atomically. The old \
            store is renamed to the name that is printed; remove it when you no longer need it. The \
            logbook requests later records again from the gateways.

            Exit status: 0 done, 1 the backup is damaged and the store is unchanged, 2 reading or \
            writing failed.
            """)

    @OptionGroup var configurationOption: ConfigurationOption
    @OptionGroup var choice: StoreChoice
    @Argument(help: "A file written by rowgate-logbook backup.") var file: String

    func run() throws {
        do {
            let restore = try StoreRestore(
                file, to: choice.file(configurationOption, "use pg_restore"))
            StoreChoice.report(removed: StoreRestore.removeLeftovers(of: restore.path))
            let unfinished = UnfinishedFiles(restore.unfinishedPaths)
            defer { unfinished.finish() }
            var progress = Progress("bytes")
            let copy = try restore.prepare { progress.report($0, of: $1) }
            StoreChoice.complain("verifying the backup")
            let check: LogbookCheck
            do { check = try LogbookCheck(copy) } catch {
                copy.close()
                restore.discard()
                throw error
            }
            StoreOptions.write(check.summary)
            guard check.isSound else {
                copy.close()
                restore.discard()
                StoreChoice.complain("\(file) is damaged; \(restore.path) is unchanged")
                throw ExitCode(1)
            }
            try replace(restore, copy)
        } catch let status as ExitCode {
            throw status
        } catch {
            StoreChoice.complain("\(error)")
            throw ExitCode(2)
        }
    }

    private func replace(_ restore: StoreRestore, _ copy: SQLStore) throws {
        let now = CivilTime(unixMilliseconds: SystemRuntime().unixMilliseconds()).rfc3339
        let time = now.prefix(19).filter { $0 != "-" && $0 != ":" } + "Z"
        let old = try restore.replace(copy, at: time)
        StoreChoice.complain("\(restore.path) was replaced by the backup")
        if let old { StoreChoice.complain("the old store is now \(old)") }
    }
}

extension StoreChoice {
    /// Reports removed leftovers.
    fileprivate static func report(removed paths: [String]) {
        for path in paths { complain("removed \(path), left by an interrupted run") }
    }

    /// The path of a file store; for a database throws an error that names the tool to use.
    fileprivate func file(_ configurationOption: ConfigurationOption, _ words: String) throws -> String {
        switch try address(configurationOption.config) {
        case .sqlite(let path): return path
        case .postgres(let address):
            throw ConfigurationFault(
                "records are in the database \(address.place), not in a file: \(words)",
                suggestion: "see pg_dump(1), or name a file with --store")
        }
    }
}
