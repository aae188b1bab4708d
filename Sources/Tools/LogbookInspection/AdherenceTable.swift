import Bytes
import CommandLineText
import Plans

/// What became of a plan, athlete by athlete, for people and programs.
package struct AdherenceTable: Sendable {
    private let plan: TrainingPlan
    private let told: [(athlete: String, adherence: Adherence)]

    package init(_ plan: TrainingPlan, _ told: [(athlete: String, adherence: Adherence)]) {
        (self.plan, self.told) = (plan, told)
    }

    /// For people.
    package var lines: [StyledLine] {
        if told.isEmpty { return [StyledLine("nobody is in the group of \(plan.id)", .faint)] }
        return Array(told.map(Self.lines).joined(separator: [StyledLine()]))
    }

    private static func lines(
        of athlete: String, _ adherence: Adherence
    ) -> [StyledLine] {
        let counts = adherence.counts()
        let words = Adherence.Verdict.allCases.map { "\(counts[$0] ?? 0) \($0.rawValue)" }
        let heading = StyledLine("\(athlete): \(words.joined(separator: ", "))", .heading)
        if adherence.days.isEmpty { return [heading] }
        var table = TextTable([
            ("DAY", .leading), ("WORKOUT", .leading), ("BECAME", .leading), ("OF IT", .trailing),
            ("BECAUSE", .leading), ("SESSION", .leading),
        ])
        for day in adherence.days {
            for item in day.items {
                let reasons = item.reasons.map(\.words).joined(separator: ", ")
                table.add([
                    StyledLine(day.day.text), StyledLine(item.planned.title),
                    StyledLine(item.verdict.rawValue, item.verdict.tint),
                    item.session.map { _ in StyledLine("\(item.share) %") },
                    reasons.isEmpty ? nil : StyledLine(reasons),
                    item.session.map { StyledLine($0.session, .faint) },
                ])
            }
            for extra in day.extra {
                let length = ReadableFigures.units(Double(extra.total.decimetres) / 10, "m")
                table.add([
                    StyledLine(day.day.text), StyledLine(length), StyledLine("extra"), nil, nil,
                    StyledLine(extra.session.session, .faint),
                ])
            }
        }
        return [heading] + table.lines
    }

    /// An object, for programs: `athletes` as the interface tells them.
    package var json: String {
        let bytes = JSONWriter.object { json in
            json.object("plan", plan.writeHead)
            json.list("athletes", of: told) { json, told in
                json.field("athlete_id", told.athlete)
                told.adherence.write(into: &json)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Adherence.Verdict {
    fileprivate var tint: Tint {
        switch self {
        case .done: .good
        case .partly: .warning
        case .missed: .bad
        case .ahead: .faint
        }
    }
}

extension Adherence.Shortfall {
    /// As a reason in a table.
    fileprivate var words: String {
        switch self {
        case .shorter: "shorter"
        case .longer: "longer"
        case .fewerIntervals: "fewer intervals"
        case .moreIntervals: "more intervals"
        case .otherForm: "in another form"
        }
    }
}
