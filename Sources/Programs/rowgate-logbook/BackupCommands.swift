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
            The copy is the store of one moment, and is held against it byte for byte before it gets \
            its name; a file that is there is never replaced. It holds what the store holds, athletes \
            too: keep it where only those look who may. Of a database of PostgreSQL pg_dump makes \
            backups, and of what the logbook keeps nothing but the store and the tokens.

            Exit status: 0 done, 1 the copy is not the same and was removed, 2 nothing could be read \
            or written.
            """)

    @OptionGroup var place: ConfigurationOption
    @OptionGroup var choice: StoreChoice
    @Argument(help: "The file to make.") var file: String

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
        let backup = try StoreBackup(of: choice.file(place, "pg_dump makes a backup"), to: file)
        StoreChoice.report(removed: StoreBackup.removeLeft(in: backup.folder))
        let unfinished = UnfinishedFiles(backup.unfinishedPaths)
        defer { unfinished.finish() }
        var progress = Progress("bytes")
        let copy = try backup.copy { progress.tell($0, of: $1) }
        StoreChoice.complain("reading both to compare them")
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
        abstract: "Put a backup in the place of the store, once it is proven.",
        discussion: """
            The logbook is to be stopped. The backup is copied beside the store, brought to this \
            program's version, and checked as check does; only then does it take the store's name, in \
            one step. The store that was there stays, under the name that is printed; remove it when \
            nobody wants it any more. What came since the backup is asked for again from the gateways.

            Exit status: 0 done, 1 the backup is not sound and the store stays as it is, 2 nothing \
            could be read or written.
            """)

    @OptionGroup var place: ConfigurationOption
    @OptionGroup var choice: StoreChoice
    @Argument(help: "What rowgate-logbook backup wrote.") var file: String

    func run() throws {
        do {
            let restore = try StoreRestore(
                file, to: choice.file(place, "pg_restore puts back what pg_dump wrote"))
            StoreChoice.report(removed: StoreRestore.removeLeft(of: restore.path))
            let unfinished = UnfinishedFiles(restore.unfinishedPaths)
            defer { unfinished.finish() }
            var progress = Progress("bytes")
            let copy = try restore.prepare { progress.tell($0, of: $1) }
            StoreChoice.complain("checking it")
            let check: LogbookCheck
            do { check = try LogbookCheck(copy, digest: SHA256Digest.hexadecimal(of:)) } catch {
                copy.close()
                restore.discard()
                throw error
            }
            StoreOptions.write(check.summary)
            guard check.isSound else {
                copy.close()
                restore.discard()
                StoreChoice.complain("\(file) is not sound; \(restore.path) stays as it is")
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
        StoreChoice.complain("\(restore.path) is the backup now")
        if let old { StoreChoice.complain("the store that was there is \(old)") }
    }
}

extension StoreChoice {
    /// Says which unfinished copies were removed.
    fileprivate static func report(removed paths: [String]) {
        for path in paths { complain("removed \(path), which an ended run left") }
    }

    /// The store, where it is a file; throws with what is to be used for a server.
    fileprivate func file(_ place: ConfigurationOption, _ words: String) throws -> String {
        switch try address(place.config) {
        case .sqlite(let path): return path
        case .postgres(let address):
            throw ConfigurationFault(
                "records are in the database \(address.place), not in a file: \(words)",
                suggestion: "see pg_dump(1), or name a file with --store")
        }
    }
}
