import Bests
import Contract
import Timeline

/// A training plan: workouts for a group on given days.
package struct TrainingPlan: Equatable, Sendable {
    /// The athletes of a plan.
    package struct Group: Equatable, Sendable {
        /// Display name; may be empty.
        package var name: String
        /// Slugs, sorted, each once.
        package var athletes: [String]

        package init(name: String = "", athletes: [String] = []) {
            (self.name, self.athletes) = (name, athletes)
        }
    }

    // Plans.md repeats these limits.
    /// Maximum workouts of a plan: a year of days.
    package static let mostWorkouts = 366
    /// Maximum workouts of a day.
    package static let mostOnADay = 8
    /// Maximum athletes of a group.
    package static let mostAthletes = 64
    /// Maximum characters of a title and of a group's name.
    package static let longestTitle = 80

    /// A slug.
    package let id: String
    package let title: String
    package let group: Group
    /// Sorted by day, then id.
    package let workouts: [PlannedWorkout]

    /// Gives each workout without an id a new one. Throws for a broken limit or a duplicate.
    ///
    /// - Parameter title: if empty, the id is the title.
    package init(
        id: String, title: String = "", group: Group = Group(), _ workouts: [PlannedWorkout]
    ) throws(PlanFault) {
        guard Slug.isValid(id) else {
            throw PlanFault(
                "the plan's id is \"\(id.prefix(40))\"", "use 1 to 32 of a-z, 0-9 and -")
        }
        self.id = id
        self.title = try Self.line(title.isEmpty ? id : title, Self.longestTitle, "the title")
        self.group = try Self.checked(group)
        guard workouts.count <= Self.mostWorkouts else {
            throw PlanFault(
                "there are \(workouts.count) workouts",
                "use at most \(Self.mostWorkouts) in a plan; split it into several plans")
        }
        self.workouts = try Self.named(workouts).sorted { ($0.day, $0.id) < ($1.day, $1.id) }
    }

    /// Returns the same plan for another group.
    package func assigned(to group: Group) throws(PlanFault) -> TrainingPlan {
        try TrainingPlan(id: id, title: title, group: group, workouts)
    }

    /// Returns the same plan with some workouts changed, the others as they are.
    ///
    /// - Parameters:
    ///   - put: each replaces the workout with its id; one without an id, or with an unknown id, is added.
    ///   - removed: the ids of workouts to remove; unknown ones are ignored.
    package func changed(
        put: [PlannedWorkout], removed: [String]
    ) throws(PlanFault) -> TrainingPlan {
        let replaced = Set(put.map(\.id) + removed)
        return try TrainingPlan(
            id: id, title: title, group: group, workouts.filter { !replaced.contains($0.id) } + put)
    }

    /// First and last day; nil without workouts.
    package var days: ClosedRange<TrainingSpan>? {
        guard let first = workouts.first, let last = workouts.last else { return nil }
        return first.day...last.day
    }

    private static func checked(_ group: Group) throws(PlanFault) -> Group {
        if let wrong = group.athletes.first(where: { !AthleteID.isValid($0) }) {
            throw PlanFault(
                "\"\(wrong.prefix(40))\" is not an athlete id", "use \(AthleteID.rule)")
        }
        let athletes = Set(group.athletes).sorted()
        guard athletes.count <= mostAthletes else {
            throw PlanFault(
                "the group has \(athletes.count) athletes",
                "use at most \(mostAthletes) in a group; split it into several plans")
        }
        let name = group.name.isEmpty ? "" : try line(group.name, longestTitle, "the group's name")
        return Group(name: name, athletes: athletes)
    }

    /// Checks a single line of text.
    static func line(
        _ text: String, _ most: Int, _ what: String
    ) throws(PlanFault) -> String {
        guard text.count <= most, text.unicodeScalars.allSatisfy({ !$0.isControl }) else {
            throw PlanFault(
                "\(what) must be one line of at most \(most) characters", "shorten it")
        }
        return text
    }

    /// Gives each workout a unique id: `20261201-1`, the first unused number of its day.
    private static func named(_ workouts: [PlannedWorkout]) throws(PlanFault) -> [PlannedWorkout] {
        var usedIDs: Set<String> = []
        for workout in workouts where !workout.id.isEmpty {
            guard usedIDs.insert(workout.id).inserted else {
                throw PlanFault(
                    "two workouts have the id \"\(workout.id)\"",
                    "change or remove the second id", at: workout.filePosition)
            }
        }
        var perDay: [TrainingSpan: Int] = [:]
        var named: [PlannedWorkout] = []
        for var workout in workouts {
            perDay[workout.day, default: 0] += 1
            guard perDay[workout.day, default: 0] <= mostOnADay else {
                throw PlanFault(
                    "\(workout.day.text) has more than \(mostOnADay) workouts",
                    "move some to another day", at: workout.filePosition)
            }
            let digits = workout.day.text.split(separator: "-").joined()
            var number = 1
            while workout.id.isEmpty {
                let id = "\(digits)-\(number)"
                if usedIDs.insert(id).inserted { workout.id = id }
                number += 1
            }
            workout.filePosition = nil
            named.append(workout)
        }
        return named
    }
}

/// A workout on a day.
package struct PlannedWorkout: Equatable, Sendable {
    /// Characters of a workout's name and of a note.
    package static let longestName = 60
    package static let longestNote = 300

    /// A slug that stays the same when the day or the workout changes; empty until it is assigned.
    package internal(set) var id: String
    /// A day of the club's calendar, independent of its time zone.
    package let day: TrainingSpan
    /// In the notation of `WorkoutNotation.syntax`: `4x500m/1:00r`; empty in a hidden workout.
    package let workout: String
    /// The machine to row on; nil for any.
    package let machine: MachineKind?
    package let name: String
    /// May contain several lines.
    package let note: String
    /// Athletes see the workout from this time on; nil if always.
    package let revealTime: RevealTime?
    /// The parsed workout; nil in a hidden workout, as athletes see it.
    package let order: WorkoutRequest?
    /// Position in the file; nil in a plan.
    var filePosition: PlanFault.FilePosition?

    /// Throws a fault that names the wrong column.
    package init(
        id: String = "", day: String, workout: String, machine: String = "", name: String = "",
        note: String = "", shownFrom: String = "", at filePosition: PlanFault.FilePosition? = nil
    ) throws(PlanFault) {
        guard let date = CalendarDay(day) else {
            throw PlanFault(
                "\"\(day.prefix(40))\" is not a valid day", "write it as 2026-12-01", of: .day,
                at: filePosition)
        }
        self.day = TrainingSpan(.day, of: date)
        do throws(WorkoutNotationError) { order = try WorkoutRequest(parsing: workout) } catch {
            throw PlanFault(
                error.reason ?? "\"\(workout.prefix(40))\" is not a valid workout",
                "write it as 2000m, 30:00, 4x500m/1:00r or just-row", of: .workout, at: filePosition)
        }
        guard id.isEmpty || Slug.isValid(id) else {
            throw PlanFault(
                "\"\(id.prefix(40))\" is not a valid id", "use 1 to 32 of a-z, 0-9 and -, or leave it empty",
                of: .id, at: filePosition)
        }
        self.machine = MachineKind(rawValue: machine.lowercased())
        guard self.machine != nil || machine.isEmpty else {
            let kinds = MachineKind.allCases.map(\.rawValue).joined(separator: ", ")
            throw PlanFault(
                "\"\(machine.prefix(40))\" is not a valid machine",
                "use \(kinds), or leave it empty for any",
                of: .machine, at: filePosition)
        }
        revealTime = RevealTime(shownFrom)
        guard revealTime != nil || shownFrom.isEmpty else {
            throw PlanFault(
                "\"\(shownFrom.prefix(40))\" is not a valid time",
                "write it as 18:00, as 18:00 -1d for the day before, or leave it empty", of: .shownFrom,
                at: filePosition)
        }
        (self.id, self.workout, self.filePosition) = (id, workout, filePosition)
        self.name = try Self.checked(name, Self.longestName, lines: false, .name, filePosition)
        self.note = try Self.checked(note, Self.longestNote, lines: true, .note, filePosition)
    }

    /// The same workout with only its id, day and reveal time.
    var withoutContent: PlannedWorkout { PlannedWorkout(hidden: self) }

    private init(hidden workout: PlannedWorkout) {
        (id, day, revealTime) = (workout.id, workout.day, workout.revealTime)
        (self.workout, machine, name, note, order) = ("", nil, "", "", nil)
    }

    private static func checked(
        _ text: String, _ most: Int, lines: Bool, _ column: PlanColumn,
        _ filePosition: PlanFault.FilePosition?
    ) throws(PlanFault) -> String {
        guard text.count <= most else {
            throw PlanFault(
                "it has \(text.count) characters", "use at most \(most)", of: column, at: filePosition)
        }
        guard text.unicodeScalars.allSatisfy({ !$0.isControl || lines && $0 == "\n" }) else {
            throw PlanFault(
                "it has a control character",
                lines ? "use only text and line breaks" : "use only text, on one line", of: column,
                at: filePosition)
        }
        return text
    }
}

/// The columns of a planned workout in a table.
package enum PlanColumn: String, CaseIterable, Sendable {
    case day, workout, machine, name, note, id
    case shownFrom = "shown_from"

    /// Whether the column may be absent.
    package var isOptional: Bool { self != .day && self != .workout }
}

/// Why a plan is invalid: the reason, the place and a remedy.
package struct PlanFault: Error, Equatable, CustomStringConvertible {
    /// Position in a file.
    package struct FilePosition: Equatable, Sendable {
        package var line: Int
        /// Cell number from 1; nil for the whole line.
        package var column: Int?
    }

    package let reason: String
    package let remedy: String
    package let column: PlanColumn?
    package var filePosition: FilePosition?

    init(
        _ reason: String, _ remedy: String, of column: PlanColumn? = nil,
        at filePosition: FilePosition? = nil
    ) {
        (self.reason, self.remedy) = (reason, remedy)
        (self.column, self.filePosition) = (column, filePosition)
    }

    /// `line 3, column 2 (workout): "200" is not a valid workout; write it as 2000m, ...`
    package var description: String {
        var words: [String] = []
        if let filePosition {
            words.append("line \(filePosition.line)")
            if let column = filePosition.column { words.append("column \(column)") }
        }
        let name = column.map { filePosition == nil ? $0.rawValue : " (\($0.rawValue))" } ?? ""
        let position = words.joined(separator: ", ") + name
        return (position.isEmpty ? "" : position + ": ") + "\(reason); \(remedy)"
    }
}

extension Unicode.Scalar {
    var isControl: Bool { properties.generalCategory == .control }
}
