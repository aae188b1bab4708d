import ArgumentParser
import Contract
import Glibc
import HostRuntime
import Logbook
import LogbookInspection
import LogbookStores
import Plans

extension PlanFormat: ExpressibleByArgument {}

/// What groups are to row: `rowgate-logbook plan`.
struct PlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Show training plans, take them from files, and say what became of them.",
        discussion: """
            A plan is a list of workouts on days for a group of athletes. Its file is a table, csv, with \
            the columns day,workout,machine,name,note,id of which the first two have to be there, or a calendar, \
            ics, with an event of a whole day for each workout, whose title is what is rowed: 2000m, or \
            Steady: 40:00. The logbook may run meanwhile.

            Exit status: 0, or 2 when nothing could be read or written.
            """,
        subcommands: [
            List.self, Show.self, Import.self, Export.self, Remove.self, Held.self,
        ])

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List all plans.")
        @OptionGroup var place: ConfigurationOption
        @OptionGroup var options: StoreOptions

        func run() throws {
            _ = try options.show(
                place, { PlanListing(try PlanShelf.all(in: $0).map(\.plan)) }, lines: \.lines,
                json: \.json)
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show a plan with its workouts.")
        @OptionGroup var place: ConfigurationOption
        @OptionGroup var options: StoreOptions
        @Argument(help: "The plan's id, as list shows it.") var plan: String

        func run() throws {
            _ = try options.show(
                place, { try shelved(plan, in: $0).plan }, lines: PlanListing.lines(of:),
                json: PlanListing.json(of:))
        }
    }

    struct Import: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take a plan from a file, in the place of the one that has its id.",
            discussion: "What no option and no file says stays as it is in the plan.")
        @OptionGroup var place: ConfigurationOption
        @OptionGroup var choice: StoreChoice
        @Argument(help: "The plan's id: 1 to 32 of a-z, 0-9 and -.") var plan: String
        @Argument(help: ArgumentHelp("The file; csv or ics, by its end.", valueName: "file"))
        var file: String
        @Option(help: "csv or ics, whatever the file's name ends with.") var format: PlanFormat?
        @Option(help: ArgumentHelp("The plan's title.", valueName: "text")) var title: String?
        @Option(help: ArgumentHelp("What the group is called.", valueName: "text"))
        var group: String?
        @Option(
            help: ArgumentHelp("Who is in it, with commas between.", valueName: "slugs"))
        var athletes: String?

        func validate() throws {
            guard Slug.isValid(plan) else {
                throw ValidationError("a plan is 1 to 32 of a-z, 0-9 and -, not '\(plan)'")
            }
            guard format ?? PlanFormat(fileName: file) != nil else {
                throw ValidationError(
                    "'\(file)' ends with neither .csv nor .ics: say which it is with --format")
            }
        }

        func run() throws {
            let format = format ?? PlanFormat(fileName: file) ?? .csv
            let calendar = try place.calendar(choice)
            let imported = try choice.look(place, for: .changing) { store in
                let content = try format.content(
                    of: PlanFile.bytes(of: file), plan: plan, in: calendar
                ) { try? TimeZoneDatabase.system.calendar(named: $0) }
                let known = try PlanShelf.plan(plan, in: store)?.plan
                let imported = try TrainingPlan(
                    id: plan, title: title ?? content.title ?? known?.title ?? "",
                    group: members(of: known?.group), content.workouts)
                try PlanShelf.put(imported, at: now(), in: store)
                return imported
            }
            let count = imported.workouts.count
            StoreChoice.complain(
                "\(plan): \(count) workout\(count == 1 ? "" : "s"), "
                    + "\(imported.group.athletes.count) in its group")
        }

        private func members(of known: TrainingPlan.Group?) -> TrainingPlan.Group {
            let listed = athletes?.split(separator: ",").map(String.init)
            return TrainingPlan.Group(
                name: group ?? known?.name ?? "", athletes: listed ?? known?.athletes ?? [])
        }
    }

    struct Export: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write a plan as a file, which import takes again.")
        @OptionGroup var place: ConfigurationOption
        @OptionGroup var choice: StoreChoice
        @Argument(help: "The plan's id, as list shows it.") var plan: String
        @Option(help: "csv or ics.") var format = PlanFormat.csv
        @Option(
            name: .shortAndLong,
            help: ArgumentHelp("The file, in place of standard output.", valueName: "path"))
        var output: String?

        func run() throws {
            let bytes = try choice.look(place) { store in
                let (plan, changedAt) = try shelved(plan, in: store)
                return format.bytes(of: plan, stamp: changedAt)
            }
            try StoreChoice.write(bytes, to: output)
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Take a plan out.")
        @OptionGroup var place: ConfigurationOption
        @OptionGroup var choice: StoreChoice
        @Argument(help: "The plan's id, as list shows it.") var plan: String

        func run() throws {
            try choice.look(place, for: .changing) { store in
                guard try store.removePlan(plan) else { throw UnknownPlan(id: plan) }
            }
        }
    }

    struct Held: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "adherence",
            abstract: "Say what became of a plan, athlete by athlete.",
            discussion: """
                done is the same form and number of intervals, each within 5 percent of its length; \
                partly 25 to 200 percent of it on its day; missed nothing of it, and the day is over. \
                Days are those of the club's time zone.
                """)
        @OptionGroup var place: ConfigurationOption
        @OptionGroup var options: StoreOptions
        @Argument(help: "The plan's id, as list shows it.") var plan: String
        @Argument(help: "Whose: an id; everybody's in the group if absent.") var athlete: String?

        func run() throws {
            let book = AthleteBook(in: try place.calendar(options.choice))
            let today = book.calendar.day(of: now())
            _ = try options.show(
                place,
                { store in
                    let plan = try shelved(plan, in: store).plan
                    if let athlete, !plan.group.athletes.contains(athlete) {
                        throw NotInGroup(athlete: athlete, plan: plan.id)
                    }
                    let athletes = athlete.map { [$0] } ?? plan.group.athletes
                    return AdherenceTable(
                        plan,
                        try athletes.map { slug in
                            let pieces = try book.pieces(of: slug, in: store).pieces
                            return (slug, pieces.map(\.figures).adherence(to: plan, today: today))
                        })
                }, lines: \.lines, json: \.json)
        }
    }
}

/// Unix milliseconds.
private func now() -> Int64 { Int64(time(nil)) * 1000 }

private func shelved(_ id: String, in store: SQLStore) throws -> PlanShelf.Shelved {
    if let found = try PlanShelf.plan(id, in: store) { return found }
    throw UnknownPlan(id: id)
}

private struct UnknownPlan: Error, CustomStringConvertible {
    let id: String
    var description: String {
        "there is no plan \(id); rowgate-logbook plan list shows those there are"
    }
}

private struct NotInGroup: Error, CustomStringConvertible {
    let athlete: String
    let plan: String
    var description: String {
        "\(athlete) is not in the group of \(plan); rowgate-logbook plan show \(plan) says who is"
    }
}

/// A file of a plan, read.
private enum PlanFile {
    /// Bytes that are read; what a plan may have is less.
    private static let mostBytes = 1 << 20

    struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }

    static func bytes(of path: String) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        while bytes.count < mostBytes {
            let count = read(descriptor, &chunk, chunk.count)
            if count == 0 { break }
            guard count > 0 else { throw unreadable(path) }
            bytes += chunk[..<count]
        }
        return bytes
    }

    private static func unreadable(_ path: String) -> Unreadable {
        Unreadable(description: "\(path) cannot be read: \(String(cString: strerror(errno)))")
    }
}
