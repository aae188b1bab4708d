import ArgumentParser
import Contract
import Glibc
import HostRuntime
import Logbook
import LogbookInspection
import LogbookStores
import Plans

extension PlanFormat: ExpressibleByArgument {}

/// Training plans of groups: `rowgate-logbook plan`.
struct PlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Manage training plans of groups.",
        discussion: """
            A plan is a list of workouts on days for a group of athletes. Its file is a table (csv) or a \
            calendar (ics). The table has the columns day,workout,machine,name,note,id,shown_from; the first \
            two are required. The calendar has an all-day event for each workout; its title is the workout: \
            2000m, or Steady: 40:00. The logbook may run.

            Exit status: 0, or 2 if reading or writing failed.
            """,
        subcommands: [
            List.self, Show.self, Import.self, Export.self, Remove.self, Held.self,
        ])

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List all plans.")
        @OptionGroup var configurationOption: ConfigurationOption
        @OptionGroup var options: StoreOptions

        func run() throws {
            _ = try options.show(
                configurationOption, { PlanListing(try PlanRepository.all(in: $0).map(\.plan)) },
                lines: \.lines, json: \.json)
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show a plan with its workouts.")
        @OptionGroup var configurationOption: ConfigurationOption
        @OptionGroup var options: StoreOptions
        @Argument(help: "The plan's id, as list shows it.") var plan: String

        func run() throws {
            _ = try options.show(
                configurationOption,
                { (plan: try storedPlan(plan, in: $0).plan, names: try PeopleRepository.names(in: $0)) },
                lines: { PlanListing.lines(of: $0.plan, names: $0.names) },
                json: { PlanListing.json(of: $0.plan) })
        }
    }

    struct Import: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Import a plan from a file; it replaces a plan with the same id.",
            discussion: "Properties that are in no option and not in the file keep their values.")
        @OptionGroup var configurationOption: ConfigurationOption
        @OptionGroup var choice: StoreChoice
        @Argument(help: "The plan's id: 1 to 32 of a-z, 0-9 and -.") var plan: String
        @Argument(help: ArgumentHelp("The file: csv or ics, by its name.", valueName: "file"))
        var file: String
        @Option(help: "csv or ics, for a file with another name.") var format: PlanFormat?
        @Option(help: ArgumentHelp("The plan's title.", valueName: "text")) var title: String?
        @Option(help: ArgumentHelp("The name of the group.", valueName: "text"))
        var group: String?
        @Option(
            help: ArgumentHelp("The athletes in the group, separated by commas.", valueName: "slugs"))
        var athletes: String?

        func validate() throws {
            guard Slug.isValid(plan) else {
                throw ValidationError("a plan is 1 to 32 of a-z, 0-9 and -, not '\(plan)'")
            }
            guard !IntervalsPlan.isID(plan) else {
                throw ValidationError("'\(plan)' is read from intervals.icu; use another id")
            }
            guard format ?? PlanFormat(fileName: file) != nil else {
                throw ValidationError(
                    "'\(file)' ends with neither .csv nor .ics: set --format")
            }
        }

        func run() throws {
            let format = format ?? PlanFormat(fileName: file) ?? .csv
            let calendar = try configurationOption.calendar(choice)
            let imported = try choice.look(configurationOption, for: .editing) { store in
                let content = try format.content(
                    of: InputFile.bytes(of: file), plan: plan, in: calendar
                ) { try? TimeZoneDatabase.system.calendar(named: $0) }
                let known = try PlanRepository.plan(plan, in: store)?.plan
                let imported = try TrainingPlan(
                    id: plan, title: title ?? content.title ?? known?.title ?? "",
                    group: members(of: known?.group), content.workouts)
                try PlanRepository.save(imported, at: now(), in: store)
                return imported
            }
            let count = imported.workouts.count
            StoreChoice.complain(
                "\(plan): \(count) workout\(count == 1 ? "" : "s"), "
                    + "\(imported.group.athletes.count) athletes in its group")
        }

        private func members(of known: TrainingPlan.Group?) -> TrainingPlan.Group {
            let listed = athletes?.split(separator: ",").map(String.init)
            return TrainingPlan.Group(
                name: group ?? known?.name ?? "", athletes: listed ?? known?.athletes ?? [])
        }
    }

    struct Export: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Export a plan to a file that import reads.")
        @OptionGroup var configurationOption: ConfigurationOption
        @OptionGroup var choice: StoreChoice
        @Argument(help: "The plan's id, as list shows it.") var plan: String
        @Option(help: "csv or ics.") var format = PlanFormat.csv
        @Option(
            name: .shortAndLong,
            help: ArgumentHelp("The file; standard output if absent.", valueName: "path"))
        var output: String?

        func run() throws {
            let bytes = try choice.look(configurationOption) { store in
                let (plan, changedAt) = try storedPlan(plan, in: store)
                return format.bytes(of: plan, stamp: changedAt)
            }
            try StoreChoice.write(bytes, to: output)
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove a plan.")
        @OptionGroup var configurationOption: ConfigurationOption
        @OptionGroup var choice: StoreChoice
        @Argument(help: "The plan's id, as list shows it.") var plan: String

        func run() throws {
            try choice.look(configurationOption, for: .editing) { store in
                guard try store.removePlan(plan) else { throw UnknownPlan(id: plan) }
            }
        }
    }

    struct Held: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "adherence",
            abstract: "Compare a plan with the sessions of each athlete.",
            discussion: """
                done: the same type and number of intervals, each within 5 percent of its length; \
                partly: 25 to 200 percent of the workout on its day; missed: none of it by the end of the \
                day; upcoming: the day is not over. Days are in the club's time zone.
                """)
        @OptionGroup var configurationOption: ConfigurationOption
        @OptionGroup var options: StoreOptions
        @Argument(help: "The plan's id, as list shows it.") var plan: String
        @Argument(help: "The athlete's id; all athletes of the group if absent.") var athlete: String?

        func run() throws {
            let history = AthleteHistory(in: try configurationOption.calendar(options.choice))
            let today = history.calendar.day(of: now())
            _ = try options.show(
                configurationOption,
                { store in
                    let plan = try storedPlan(plan, in: store).plan
                    if let athlete, !plan.group.athletes.contains(athlete) {
                        throw NotInGroup(athlete: athlete, plan: plan.id)
                    }
                    let athletes = athlete.map { [$0] } ?? plan.group.athletes
                    return AdherenceTable(
                        plan,
                        try athletes.map { slug in
                            let pieces = try history.pieces(of: slug, in: store).pieces
                            return (slug, pieces.map(\.metrics).adherence(to: plan, today: today))
                        }, names: try PeopleRepository.names(in: store))
                }, lines: \.lines, json: \.json)
        }
    }
}

/// Unix milliseconds.
private func now() -> Int64 { Int64(time(nil)) * 1000 }

private func storedPlan(_ id: String, in store: SQLStore) throws -> PlanRepository.Entry {
    if let found = try PlanRepository.plan(id, in: store) { return found }
    throw UnknownPlan(id: id)
}

private struct UnknownPlan: Error, CustomStringConvertible {
    let id: String
    var description: String {
        "there is no plan \(id); rowgate-logbook plan list shows all plans"
    }
}

private struct NotInGroup: Error, CustomStringConvertible {
    let athlete: String
    let plan: String
    var description: String {
        "\(athlete) is not in the group of \(plan); rowgate-logbook plan show \(plan) lists the group"
    }
}
