import Bytes
import CommandLineText
import Suggestions
import Timeline

/// What is suggested to an athlete, for people and programs.
package struct SuggestionTable: Sendable {
    private let athlete: String
    private let suggestions: AthleteSuggestions
    private let calendar: ClubCalendar

    /// - Parameter calendar: of the club, whose days are shown to people.
    package init(_ suggestions: AthleteSuggestions, to athlete: String, calendar: ClubCalendar) {
        (self.suggestions, self.athlete, self.calendar) = (suggestions, athlete, calendar)
    }

    /// For people.
    package var lines: [StyledLine] {
        var lines = [StyledLine(athlete, .heading)]
        if suggestions.open.isEmpty {
            lines.append(StyledLine("nothing is suggested now", .faint))
        }
        for standing in suggestions.open { lines += [StyledLine()] + open(standing) }
        guard !suggestions.past.isEmpty else { return lines }
        var table = TextTable([
            ("BEFORE", .leading), ("SAID", .leading), ("WORKOUT", .leading),
            ("WHAT BECAME OF IT", .leading),
        ])
        for standing in suggestions.past {
            table.add([
                StyledLine(standing.rule.rawValue),
                StyledLine(standing.word.map { day($0.at) } ?? ""),
                StyledLine(standing.workout.row), StyledLine(Self.end(of: standing)),
            ])
        }
        return lines + [StyledLine()] + table.lines
    }

    /// An object, for programs: as the interface tells it, with the athlete's slug.
    package var json: String {
        let bytes = JSONWriter.object { json in
            json.field("athlete_id", athlete)
            suggestions.write(into: &json)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func open(_ standing: AthleteSuggestions.Standing) -> [StyledLine] {
        let fields = (try? JSONObject(parsing: standing.body)) ?? .empty
        let confidence = fields.text("confidence") ?? ""
        var lines = [
            StyledLine("\(standing.rule.rawValue): \(standing.workout.row)"),
            StyledLine("  \(state(of: standing)); confidence \(confidence)"),
        ]
        if case .list(let reasons)? = fields["reasons"] {
            for case .object(let reason) in reasons {
                lines.append(StyledLine("  - \(Self.sentence(reason))"))
            }
        }
        return lines + [StyledLine("  \(standing.id)", .faint)]
    }

    private func day(_ unixMilliseconds: Int64) -> String {
        calendar.day(of: unixMilliseconds).text
    }

    private func state(of standing: AthleteSuggestions.Standing) -> String {
        guard let word = standing.word else { return "offered" }
        let said = day(word.at)
        switch standing.state {
        case .snoozed: return "put off on \(said) until \(word.until.map(day) ?? "")"
        case .accepted:
            let place = word.setAt.map { ", on the monitor since \(day($0))" } ?? ""
            return "accepted on \(said)\(place)"
        default: return standing.state.rawValue
        }
    }

    private static func end(of standing: AthleteSuggestions.Standing) -> String {
        if let outcome = standing.outcome {
            let percent = outcome.percent.map { abs($0) } ?? 0
            switch outcome.verdict {
            case .met: return "rowed as it was meant"
            case .below:
                return "rowed \(ReadableFigures.tenths(percent)) % below what was asked for"
            case .above:
                return "rowed \(ReadableFigures.tenths(percent)) % above what was asked for"
            case .incomplete: return "not rowed to its end"
            }
        }
        return standing.word?.why.map { "\(standing.state.rawValue): \($0)" }
            ?? standing.state.rawValue
    }

    // MARK: Reasons

    /// What was found, with its numbers, and of how many sessions.
    private static func sentence(_ reason: JSONObject) -> String {
        let finding = reason.text("finding").flatMap(SuggestionReason.Finding.init)
        let words = finding.map { Self.words($0, Numbers(reason: reason)) } ?? ""
        guard case .list(let inputs)? = reason["inputs"], !inputs.isEmpty else { return words }
        return words + (inputs.count == 1 ? " (one session)" : " (\(inputs.count) sessions)")
    }

    private struct Numbers {
        let reason: JSONObject

        var times: String { whole("times") }
        var days: String { whole("days") }
        var power: String { ReadableFigures.units(decimal("power_w"), "W") }
        var percent: String { ReadableFigures.tenths(decimal("percent")) + " %" }
        var time: String { ReadableFigures.time(decimal("time_s")) }
        var pace: String { ReadableFigures.pace(decimal("pace_s_per_500m")) + " /500 m" }

        private func whole(_ name: String) -> String { "\(reason.number(name) ?? 0)" }
        private func decimal(_ name: String) -> Double { reason.decimal(name) ?? 0 }
    }

    private static func words(_ finding: SuggestionReason.Finding, _ of: Numbers) -> String {
        switch finding {
        case .rowedOften: "rowed \(of.times) times in \(of.days) days, to the end"
        case .heldPower: "\(of.power) in the middle one of these, which spread by \(of.percent)"
        case .targetMet: "\(of.percent) of the strokes were in the target the last time"
        case .levelWeeks:
            "\(of.times) weeks of \(of.time) in the mean, which spread by \(of.percent)"
        case .easyShare: "\(of.percent) of the time in \(of.days) days was easy"
        case .usualPiece: "the usual piece takes \(of.time)"
        case .growingWeeks: "\(of.times) weeks that grew by \(of.percent) together, to \(of.time)"
        case .pausedFor: "nothing was rowed for \(of.days) days"
        case .before: "\(of.times) sessions in the four weeks before, the usual one of \(of.time)"
        case .oldResult: "the last ranked result is \(of.days) days old, at \(of.pace)"
        case .missingResult: "no ranked result, between a shorter and a longer one"
        case .expectedPace: "other results let expect \(of.pace)"
        case .inTraining: "\(of.times) sessions in \(of.days) days"
        case .slowerHalf: "the second half was \(of.percent) slower, in the last \(of.times)"
        case .meanPace: "all of it took \(of.pace)"
        }
    }
}
