import ArgumentParser
import Contract
import Glibc
import HostRuntime
import Logbook
import LogbookInspection
import LogbookStores
import People

/// The details of an athlete as options. An empty text removes a value.
struct AthleteDetails: ParsableArguments {
    @Option(help: ArgumentHelp("A name for narrow places: at most 20 characters.", valueName: "text"))
    var shortName: String?
    @Option(help: "female, male or other.") var gender: String?
    @Option(help: ArgumentHelp("The year of birth.", valueName: "year")) var birthYear: String?
    @Option(help: "lightweight or heavyweight.") var weightClass: String?
    @Option(help: ArgumentHelp("The weight in kilograms.", valueName: "kg")) var weight: String?
    @Option(
        name: .customLong("power-2k"),
        help: ArgumentHelp("Mean power over 2000 m in watts.", valueName: "watts"))
    var power2k: String?
    @Option(
        name: .customLong("power-6k"),
        help: ArgumentHelp("Mean power over 6000 m in watts.", valueName: "watts"))
    var power6k: String?
    @Option(help: ArgumentHelp("Name or number of the heart rate belt.", valueName: "text"))
    var belt: String?
    @Option(help: ArgumentHelp("A remark for coaches.", valueName: "text")) var note: String?

    /// nil for a value that no option gives.
    func text(_ field: AthleteField) -> String? {
        switch field {
        case .shortName: shortName
        case .gender: gender
        case .birthYear: birthYear
        case .weightClass: weightClass
        case .weight: weight
        case .power2k: power2k
        case .power6k: power6k
        case .beltID: belt
        case .note: note
        case .id, .name, .isArchived: nil
        }
    }
}

extension AthleteCommand {
    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add an athlete.",
            discussion: """
                Prints the athlete's id. Exit status: 0, or 2 if the athlete was not added.
                """)
        @OptionGroup var configurationOption: ConfigurationOption
        @OptionGroup var options: StoreOptions
        @OptionGroup var details: AthleteDetails
        @Argument(help: "The name as people write it: 1 to \(AthleteProfile.maximumNameLength) characters.")
        var name: String
        @Option(help: "The athlete's id; if absent, it is made from the name.") var id: String?

        func run() throws {
            _ = try options.show(
                configurationOption, for: .editing,
                { store in
                    let used = try PeopleRepository.usedIDs(in: store)
                    if let id, used.contains(id) { throw UsedID(id: id) }
                    let newID = id ?? AthleteNaming.id(for: name, isUsed: used.contains)
                    let profile = try AthleteProfile(id: newID) { field in
                        field == .name ? name : details.text(field) ?? ""
                    }
                    try PeopleRepository.save(
                        profile, at: SystemRuntime().unixMilliseconds(), in: store)
                    return ClubAthlete(id: newID, profile: profile)
                }, lines: { [.init($0.id)] }, json: AthleteTable.json(of:))
        }
    }

    struct Edit: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Change an athlete's name and details.",
            discussion: """
                Values without an option stay. An athlete whom only sessions name gets a profile; then \
                --name is required. Exit status: 0, or 2 if nothing was changed.
                """)
        @OptionGroup var configurationOption: ConfigurationOption
        @OptionGroup var choice: StoreChoice
        @OptionGroup var details: AthleteDetails
        @Argument(help: "The athlete's id, as listed by athletes.") var athlete: String
        @Option(help: ArgumentHelp("The new name.", valueName: "text")) var name: String?
        @Flag(
            inversion: .prefixedNo,
            help: "Remove the athlete from the lists to choose from; the results stay.")
        var archived: Bool?

        func run() throws {
            try choice.look(configurationOption, for: .editing) { store in
                try MergeRepository.checkNotMerged(athlete, in: store)
                guard let known = try PeopleRepository.athletes(in: store).first(where: { $0.id == athlete })
                else {
                    throw NoSuchAthlete(id: athlete)
                }
                let profile = try AthleteProfile(id: athlete) { field in
                    let current = known.profile?[field] ?? ""
                    return switch field {
                    case .name: name ?? current
                    case .isArchived: archived.map { $0 ? "true" : "" } ?? current
                    default: details.text(field) ?? current
                    }
                }
                try PeopleRepository.save(profile, at: SystemRuntime().unixMilliseconds(), in: store)
            }
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove an athlete without sessions.",
            discussion: """
                An athlete with sessions is archived with "edit --archived", or erased with "forget". \
                Exit status: 0, or 2 if nothing was removed.
                """)
        @OptionGroup var configurationOption: ConfigurationOption
        @OptionGroup var choice: StoreChoice
        @Argument(help: "The athlete's id, as listed by athletes.") var athlete: String

        func run() throws {
            try choice.look(configurationOption, for: .editing) { store in
                switch try PeopleRepository.removeProfile(of: athlete, in: store) {
                case .removed: break
                case .unknown: throw NoSuchAthlete(id: athlete)
                case .hasSessions: throw HasSessions(id: athlete)
                }
            }
        }
    }

    struct Import: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add and change athletes from a table.",
            discussion: """
                The file is CSV with a header line. The column name is required; the others are those of \
                export. A line with the id of an athlete replaces the profile; a line without an id adds an \
                athlete. The column groups has names of groups, separated by semicolons; new groups are \
                created. All lines are imported, or none.

                Exit status: 0, or 2 if nothing was imported.
                """)
        @OptionGroup var configurationOption: ConfigurationOption
        @OptionGroup var choice: StoreChoice
        @Argument(help: ArgumentHelp("The file.", valueName: "file")) var file: String
        @Flag(help: "Only check the file.") var dryRun = false

        func run() throws {
            let (added, changed) = try choice.look(configurationOption, for: .editing) { store in
                try PeopleRepository.importTable(
                    try InputFile.bytes(of: file), isDryRun: dryRun,
                    at: SystemRuntime().unixMilliseconds(), in: store)
            }
            StoreChoice.complain("\(file): \(added) added, \(changed) changed\(dryRun ? " if imported" : "")")
        }
    }

    struct Export: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Export all profiles to a table that import reads.",
            discussion: "Exit status: 0, or 2 if reading or writing failed.")
        @OptionGroup var configurationOption: ConfigurationOption
        @OptionGroup var choice: StoreChoice
        @Option(
            name: .shortAndLong,
            help: ArgumentHelp("The file; standard output if absent.", valueName: "path"))
        var output: String?

        func run() throws {
            let bytes = try choice.look(configurationOption) { try PeopleRepository.table(in: $0) }
            try StoreChoice.write(bytes, to: output)
        }
    }
}

extension AthleteCommand {
    struct Assign: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Store who rowed a recorded session.",
            discussion: """
                Bests, volume, plans and lists follow; the records stay as they were published. Without an \
                athlete, nobody rowed it. The logbook may run.

                Exit status: 0, or 2 if nothing was stored.
                """)
        @OptionGroup var configurationOption: ConfigurationOption
        @OptionGroup var choice: StoreChoice
        @OptionGroup var named: NamedSession
        @Argument(help: "The session's id, as listed by sessions.") var session: String
        @Argument(help: "The athlete's id, as listed by athletes.") var athlete: String?
        @Flag(help: "Restore the athlete that the gateway recorded.") var asRecorded = false

        func validate() throws {
            if let athlete, !AthleteID.isValid(athlete) {
                throw ValidationError("an athlete id is \(AthleteID.rule), not '\(athlete)'")
            }
            guard athlete == nil || !asRecorded else {
                throw ValidationError("--as-recorded takes no athlete")
            }
        }

        func run() throws {
            try choice.look(configurationOption, for: .editing) { store in
                let name = try named.name(session, in: store)
                _ = try store.correct(
                    name, to: asRecorded ? .asRecorded : .corrected(athlete),
                    at: SystemRuntime().unixMilliseconds(), by: nil)
            }
        }
    }
}

private struct UsedID: Error, CustomStringConvertible {
    let id: String
    var description: String { "there is an athlete \(id) already; choose another --id" }
}

private struct NoSuchAthlete: Error, CustomStringConvertible {
    let id: String
    var description: String { "there is no athlete \(id); rowgate-logbook athletes lists all athletes" }
}

private struct HasSessions: Error, CustomStringConvertible {
    let id: String
    var description: String {
        "\(id) has sessions; archive the athlete with rowgate-logbook athlete edit \(id) --archived"
    }
}
