import Bytes
import CommandLineText
import People
import Plans

/// Training plans, for people and programs.
package struct PlanListing: Sendable {
    private let plans: [TrainingPlan]

    package init(_ plans: [TrainingPlan]) { self.plans = plans }

    /// Output for people.
    package var lines: [StyledLine] {
        if plans.isEmpty { return [StyledLine("no plans", .faint)] }
        var table = TextTable([
            ("PLAN", .leading), ("TITLE", .leading), ("GROUP", .leading),
            ("ATHLETES", .trailing), ("WORKOUTS", .trailing), ("FROM", .leading), ("TO", .leading),
        ])
        for plan in plans {
            table.add([
                StyledLine(plan.id), StyledLine(plan.title),
                plan.group.name.isEmpty ? nil : StyledLine(plan.group.name),
                StyledLine("\(plan.group.athletes.count)"), StyledLine("\(plan.workouts.count)"),
                plan.days.map { StyledLine($0.lowerBound.text) },
                plan.days.map { StyledLine($0.upperBound.text) },
            ])
        }
        return table.lines
    }

    /// JSON array for programs, as in the HTTP interface.
    package var json: String {
        let json = JSONWriter.list(of: plans) { json, plan in
            plan.writeHead(into: &json)
            json.field("workouts", plan.workouts.count)
        }
        return String(decoding: json, as: UTF8.self)
    }

    /// One plan with its workouts, for people.
    package static func lines(of plan: TrainingPlan, names: AthleteNames = .init()) -> [StyledLine] {
        let people = plan.group.athletes.map { names[$0] }.joined(separator: ", ")
        let group = [plan.group.name, people].filter { !$0.isEmpty }.joined(separator: ": ")
        var lines = [
            StyledLine("\(plan.id), \(plan.title)", .heading),
            group.isEmpty ? StyledLine("no group yet", .faint) : StyledLine(group),
        ]
        if plan.workouts.isEmpty { return lines + [StyledLine("no workouts", .faint)] }
        let hasHidden = plan.workouts.contains { $0.revealTime != nil }
        let hidden = hasHidden ? [("SHOWN FROM", TextTable.Alignment.leading)] : []
        var table = TextTable(
            [
                ("DAY", .leading), ("WORKOUT", .leading), ("MACHINE", .leading), ("NAME", .leading),
                ("NOTE", .leading),
            ] + hidden + [("ID", .leading)])
        for workout in plan.workouts {
            let note = workout.note.split(separator: "\n").joined(separator: " / ")
            let cells = [
                StyledLine(workout.day.text), StyledLine(workout.workout),
                workout.machine.map { StyledLine($0.rawValue) },
                workout.name.isEmpty ? nil : StyledLine(workout.name),
                note.isEmpty ? nil : StyledLine(note),
            ]
            let time = hasHidden ? [workout.revealTime.map { StyledLine($0.text) }] : []
            table.add(cells + time + [StyledLine(workout.id, .faint)])
        }
        lines += table.lines
        return lines
    }

    /// The same as a JSON object for programs.
    package static func json(of plan: TrainingPlan) -> String {
        String(decoding: JSONWriter.object(plan.write), as: UTF8.self)
    }
}
