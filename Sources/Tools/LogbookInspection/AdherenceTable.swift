import Bytes
import CommandLineText
import People
import Plans

/// The adherence of a group's athletes to a plan, for people and programs.
package struct AdherenceTable: Sendable {
    private let plan: TrainingPlan
    private let results: [(athlete: String, adherence: Adherence)]
    private let names: AthleteNames

    /// - Parameter names: for the output for people.
    package init(
        _ plan: TrainingPlan, _ results: [(athlete: String, adherence: Adherence)],
        names: AthleteNames = .init()
    ) {
        (self.plan, self.results, self.names) = (plan, results, names)
    }

    /// Output for people.
    package var lines: [StyledLine] {
        if results.isEmpty { return [StyledLine("no athletes in the group of \(plan.id)", .faint)] }
        return Array(
            results.map { Self.lines(of: names[$0.athlete], $0.adherence) }.joined(separator: [StyledLine()]))
    }

    private static func lines(
        of athlete: String, _ adherence: Adherence
    ) -> [StyledLine] {
        let counts = adherence.counts()
        let words = Adherence.Verdict.allCases.map { "\(counts[$0] ?? 0) \($0.label)" }
        let heading = StyledLine("\(athlete): \(words.joined(separator: ", "))", .heading)
        if adherence.days.isEmpty { return [heading] }
        var table = TextTable([
            ("DAY", .leading), ("WORKOUT", .leading), ("RESULT", .leading), ("DONE %", .trailing),
            ("REASON", .leading), ("SESSION", .leading),
        ])
        for day in adherence.days {
            for item in day.items {
                let reasons = item.reasons.map(\.label).joined(separator: ", ")
                table.add([
                    StyledLine(day.day.text), StyledLine(item.planned.title),
                    StyledLine(item.verdict.label, item.verdict.tint),
                    item.session.map { _ in StyledLine("\(item.share)") },
                    reasons.isEmpty ? nil : StyledLine(reasons),
                    item.session.map { StyledLine($0.session, .faint) },
                ])
            }
            for extra in day.extra {
                let length = ValueFormatter.units(Double(extra.total.decimetres) / 10, "m")
                table.add([
                    StyledLine(day.day.text), StyledLine(length), StyledLine("extra"), nil, nil,
                    StyledLine(extra.session.session, .faint),
                ])
            }
        }
        return [heading] + table.lines
    }

    /// JSON for programs: `athletes` as in the HTTP interface.
    package var json: String {
        let bytes = JSONWriter.object { json in
            json.object("plan", plan.writeHead)
            json.list("athletes", of: results) { json, results in
                json.field("athlete_id", results.athlete)
                results.adherence.write(into: &json)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Adherence.Verdict {
    fileprivate var label: String {
        switch self {
        case .done: "done"
        case .partly: "partly"
        case .missed: "missed"
        case .upcoming: "upcoming"
        }
    }

    fileprivate var tint: Tint {
        switch self {
        case .done: .good
        case .partly: .warning
        case .missed: .bad
        case .upcoming: .faint
        }
    }
}

extension Adherence.Shortfall {
    /// The reason in a table.
    fileprivate var label: String {
        switch self {
        case .shorter: "shorter"
        case .longer: "longer"
        case .fewerIntervals: "fewer intervals"
        case .moreIntervals: "more intervals"
        case .otherForm: "different format"
        }
    }
}
