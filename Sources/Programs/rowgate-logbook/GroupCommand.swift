import ArgumentParser
import Logbook
import LogbookInspection
import People

/// Groups of athletes: `rowgate-logbook group`.
struct GroupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "group", abstract: "Manage groups of athletes.",
        subcommands: [List.self, Set.self, Remove.self])

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List all groups with their athletes.",
            discussion: "Exit status: 0, or 2 if nothing could be read.")
        @OptionGroup var configurationOption: ConfigurationOption
        @OptionGroup var options: StoreOptions

        func run() throws {
            _ = try options.show(
                configurationOption, { GroupTable(try PeopleRepository.groups(in: $0)) },
                lines: \.lines, json: \.json)
        }
    }

    struct Set: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create or change a group.",
            discussion: """
                Values without an option stay; a new group needs --name. Exit status: 0, or 2 if nothing was \
                changed.
                """)
        @OptionGroup var configurationOption: ConfigurationOption
        @OptionGroup var choice: StoreChoice
        @Argument(help: "The group's id: 1 to 32 of a-z, 0-9 and -.") var group: String
        @Option(help: ArgumentHelp("The name: 1 to 40 characters.", valueName: "text")) var name: String?
        @Option(
            help: ArgumentHelp("The ids of its athletes, separated by commas.", valueName: "ids"))
        var athletes: String?

        func run() throws {
            try choice.look(configurationOption, for: .editing) { store in
                let current = try PeopleRepository.groups(in: store).first { $0.id == group }
                let members = athletes?.split(separator: ",").map(String.init)
                guard let name = name ?? current?.name else { throw UnnamedGroup(id: group) }
                try PeopleRepository.save(
                    AthleteGroup(id: group, name: name, members: members ?? current?.members ?? []),
                    in: store)
            }
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a group; its athletes stay.",
            discussion: "Exit status: 0, or 2 if nothing was removed.")
        @OptionGroup var configurationOption: ConfigurationOption
        @OptionGroup var choice: StoreChoice
        @Argument(help: "The group's id, as list shows it.") var group: String

        func run() throws {
            try choice.look(configurationOption, for: .editing) { store in
                guard try store.removeGroup(group) else { throw UnknownGroup(id: group) }
            }
        }
    }
}

private struct UnnamedGroup: Error, CustomStringConvertible {
    let id: String
    var description: String { "there is no group \(id); add --name to create it" }
}

private struct UnknownGroup: Error, CustomStringConvertible {
    let id: String
    var description: String { "there is no group \(id); rowgate-logbook group list shows all groups" }
}
