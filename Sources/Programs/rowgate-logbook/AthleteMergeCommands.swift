import ArgumentParser
import Contract
import HostRuntime
import Logbook
import LogbookInspection
import LogbookStores

extension AthleteCommand {
    struct Merge: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Merge two athlete ids that are one person.",
            discussion: """
                The sessions of OTHER count for KEPT from now on, also those that gateways send later. KEPT takes \
                the details that it does not have, both notes, and the groups and plans of OTHER. Devices that are \
                signed in as OTHER act as KEPT. The records stay as they were published. "unmerge" undoes it for 30 \
                days. The logbook may run.

                Exit status: 0, or 2 if nothing was merged.
                """)
        @OptionGroup var configurationOption: ConfigurationOption
        @OptionGroup var options: StoreOptions
        @Argument(help: ArgumentHelp("The id that is kept.", valueName: "kept")) var kept: String
        @Argument(help: ArgumentHelp("The id that is merged into it.", valueName: "other")) var other: String
        @Flag(help: "Only show what would happen.") var dryRun = false

        func run() throws {
            let now = SystemRuntime().unixMilliseconds()
            let calendar = try configurationOption.calendar(options.choice)
            _ = try options.show(
                configurationOption, for: .editing,
                { store in
                    MergeReport(
                        try MergeRepository.merge(
                            other, into: kept, isDryRun: dryRun, at: now, by: nil, in: store),
                        dryRun ? .preview : .merged, names: try PeopleRepository.names(in: store),
                        calendar: calendar)
                }, lines: \.lines, json: \.json)
        }
    }

    struct Unmerge: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Undo a merge of two athlete ids.",
            discussion: """
                The sessions of OTHER count for OTHER again, and its profile, groups, plans, heart rates and devices \
                come back. What people have changed since the merge stays. A merge can be undone for 30 days. The \
                logbook may run.

                Exit status: 0, or 2 if nothing was undone.
                """)
        @OptionGroup var configurationOption: ConfigurationOption
        @OptionGroup var options: StoreOptions
        @Argument(help: ArgumentHelp("The id that was merged, as listed by merges.", valueName: "other"))
        var other: String

        func run() throws {
            let now = SystemRuntime().unixMilliseconds()
            let calendar = try configurationOption.calendar(options.choice)
            _ = try options.show(
                configurationOption, for: .editing,
                { store in
                    MergeReport(
                        try MergeRepository.undo(other, at: now, in: store), .undone,
                        names: try PeopleRepository.names(in: store), calendar: calendar)
                }, lines: \.lines, json: \.json)
        }
    }

    struct Merges: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List merged athlete ids.",
            discussion: """
                UNDO UNTIL is the last day on which "unmerge" can undo the merge.

                Exit status: 0, or 2 if nothing could be read.
                """)
        @OptionGroup var configurationOption: ConfigurationOption
        @OptionGroup var options: StoreOptions

        func run() throws {
            let now = SystemRuntime().unixMilliseconds()
            let calendar = try configurationOption.calendar(options.choice)
            _ = try options.show(
                configurationOption,
                { store in
                    MergeListing(
                        try MergeRepository.all(in: store, at: now),
                        names: try PeopleRepository.names(in: store), calendar: calendar)
                }, lines: \.lines, json: \.json)
        }
    }
}
