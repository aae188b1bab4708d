import ArgumentParser
import CommandLineText
import LogbookStores

/// Shrinks the store: `rowgate-logbook compact`.
struct CompactCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Compress all records, and rewrite the store without free pages.",
        discussion: """
            Useful after many records were removed, for example by keep_force_days, and after an update that \
            stores records with fewer bytes. It needs as much free disk space as the store has. The logbook \
            may run: new records wait or are requested again.

            Exit status: 0, or 2 if it failed.
            """)

    @OptionGroup var configurationOption: ConfigurationOption
    @OptionGroup var choice: StoreChoice

    func run() throws {
        try choice.look(configurationOption, for: .editing) { store in
            let before = try store.size().bytes
            try store.compressAll()
            try store.compact()
            let after = try store.size().bytes
            StoreChoice.complain(
                "\(store.place): \(ValueFormatter.storage(after)), was "
                    + ValueFormatter.storage(before))
        }
    }
}
