import Bests
import Contract
import Timeline

/// What a group is to row, and when: named workouts on days.
package struct TrainingPlan: Equatable, Sendable {
    /// Who rows it.
    package struct Group: Equatable, Sendable {
        /// For people; may be empty.
        package var name: String
        /// Slugs, each once, in the order of the alphabet.
        package var athletes: [String]

        package init(name: String = "", athletes: [String] = []) {
            (self.name, self.athletes) = (name, athletes)
        }
    }

    /// Workouts of a plan: a year has so many days.
    package static let mostWorkouts = 366
    /// Workouts of one day.
    package static let mostOnADay = 8
    /// Athletes of a group.
    package static let mostAthletes = 64
    /// Characters of a title, and of a group's name.
    package static let longestTitle = 80

    /// A slug.
    package let id: String
    package let title: String
    package let group: Group
    /// By day, and on a day by id.
    package let workouts: [PlannedWorkout]

    /// Gives each workout without an id one of its own. Throws what breaks a limit or is there twice.
    ///
    /// - Parameter title: of which an empty one is the plan's id.
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
                "put at most \(Self.mostWorkouts) into a plan, and the rest into another")
        }
        self.workouts = try Self.named(workouts).sorted { ($0.day, $0.id) < ($1.day, $1.id) }
    }

    /// The same for other people.
    package func assigned(to group: Group) throws(PlanFault) -> TrainingPlan {
        try TrainingPlan(id: id, title: title, group: group, workouts)
    }

    /// Its first day and its last; nil where nothing is planned.
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
                "put at most \(mostAthletes) into a group, and the others into another plan's")
        }
        let name = group.name.isEmpty ? "" : try line(group.name, longestTitle, "the group's name")
        return Group(name: name, athletes: athletes)
    }

    /// One line for people.
    static func line(
        _ text: String, _ most: Int, _ what: String
    ) throws(PlanFault) -> String {
        guard text.count <= most, text.unicodeScalars.allSatisfy({ !$0.isControl }) else {
            throw PlanFault(
                "\(what) is no line of at most \(most) characters", "make it shorter, on one line")
        }
        return text
    }

    /// Each with an id that no other has: `20261201-1`, the first of its day that is free.
    private static func named(_ workouts: [PlannedWorkout]) throws(PlanFault) -> [PlannedWorkout] {
        var taken: Set<String> = []
        for workout in workouts where !workout.id.isEmpty {
            guard taken.insert(workout.id).inserted else {
                throw PlanFault(
                    "two workouts have the id \"\(workout.id)\"",
                    "give the second another one, or none", at: workout.place)
            }
        }
        var perDay: [TrainingSpan: Int] = [:]
        var named: [PlannedWorkout] = []
        for var workout in workouts {
            perDay[workout.day, default: 0] += 1
            guard perDay[workout.day, default: 0] <= mostOnADay else {
                throw PlanFault(
                    "\(workout.day.text) has more than \(mostOnADay) workouts",
                    "move some to another day", at: workout.place)
            }
            let digits = workout.day.text.split(separator: "-").joined()
            var number = 1
            while workout.id.isEmpty {
                let id = "\(digits)-\(number)"
                if taken.insert(id).inserted { workout.id = id }
                number += 1
            }
            workout.place = nil
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

    /// A slug that stays the same when the day or the workout changes; empty for one to be given.
    package internal(set) var id: String
    /// A day of the club, whatever its time zone.
    package let day: TrainingSpan
    /// As a whiteboard has it, `4x500m/1:00r`: `WorkoutNotation.syntax`.
    package let workout: String
    /// What it is to be rowed on; nil for any.
    package let machine: MachineKind?
    package let name: String
    /// May have several lines.
    package let note: String
    /// What the notation says.
    package let order: WorkoutOrder
    /// Where a file has it; nil once it is in a plan.
    var place: PlanFault.Place?

    /// Throws what is wrong with a part of it, by the name of a column.
    package init(
        id: String = "", day: String, workout: String, machine: String = "", name: String = "",
        note: String = "", at place: PlanFault.Place? = nil
    ) throws(PlanFault) {
        guard let date = CalendarDay(day) else {
            throw PlanFault(
                "\"\(day.prefix(40))\" is no day", "write it as 2026-12-01", of: .day, at: place)
        }
        self.day = TrainingSpan(.day, of: date)
        do throws(WorkoutNotationError) { order = try WorkoutOrder(parsing: workout) } catch {
            throw PlanFault(
                error.reason ?? "\"\(workout.prefix(40))\" is no workout",
                "write it as 2000m, 30:00, 4x500m/1:00r or just-row", of: .workout, at: place)
        }
        guard id.isEmpty || Slug.isValid(id) else {
            throw PlanFault(
                "\"\(id.prefix(40))\" is no id", "use 1 to 32 of a-z, 0-9 and -, or leave it empty",
                of: .id, at: place)
        }
        self.machine = MachineKind(rawValue: machine.lowercased())
        guard self.machine != nil || machine.isEmpty else {
            let kinds = MachineKind.allCases.map(\.rawValue).joined(separator: ", ")
            throw PlanFault(
                "\"\(machine.prefix(40))\" is no machine",
                "use \(kinds), or leave it empty for any",
                of: .machine, at: place)
        }
        (self.id, self.workout, self.place) = (id, workout, place)
        self.name = try Self.checked(name, Self.longestName, lines: false, .name, place)
        self.note = try Self.checked(note, Self.longestNote, lines: true, .note, place)
    }

    private static func checked(
        _ text: String, _ most: Int, lines: Bool, _ column: PlanColumn, _ place: PlanFault.Place?
    ) throws(PlanFault) -> String {
        guard text.count <= most else {
            throw PlanFault(
                "it has \(text.count) characters", "use at most \(most)", of: column, at: place)
        }
        guard text.unicodeScalars.allSatisfy({ !$0.isControl || lines && $0 == "\n" }) else {
            throw PlanFault(
                "it has a character that cannot be shown",
                lines ? "use letters and ends of lines" : "use letters, on one line", of: column,
                at: place)
        }
        return text
    }
}

/// What is written of a planned workout, by the name that its column has.
package enum PlanColumn: String, CaseIterable, Sendable {
    case day, workout, machine, name, note, id

    /// Whether a table may lack it.
    package var isOptional: Bool { self != .day && self != .workout }
}

/// Why something is no plan: what is wrong where, and what helps.
package struct PlanFault: Error, Equatable, CustomStringConvertible {
    /// Where it stands in a file, both from 1: a line, and what in it.
    package struct Place: Equatable, Sendable {
        package var line: Int
        /// Nil for all of the line.
        package var column: Int?
    }

    package let reason: String
    package let remedy: String
    package let column: PlanColumn?
    package var place: Place?

    init(_ reason: String, _ remedy: String, of column: PlanColumn? = nil, at place: Place? = nil) {
        (self.reason, self.remedy, self.column, self.place) = (reason, remedy, column, place)
    }

    /// `line 3, column 2 (workout): "200" is no workout; write it as 2000m, ...`
    package var description: String {
        var words: [String] = []
        if let place {
            words.append("line \(place.line)")
            if let column = place.column { words.append("column \(column)") }
        }
        let name = column.map { place == nil ? $0.rawValue : " (\($0.rawValue))" } ?? ""
        let position = words.joined(separator: ", ") + name
        return (position.isEmpty ? "" : position + ": ") + "\(reason); \(remedy)"
    }
}

extension Unicode.Scalar {
    var isControl: Bool { properties.generalCategory == .control }
}
