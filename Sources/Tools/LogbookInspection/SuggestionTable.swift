import Bytes
import CommandLineText
import People
import Suggestions
import Timeline

/// The suggestions to an athlete, for people and programs.
package struct SuggestionTable: Sendable {
    private let athlete: String
    private let suggestions: AthleteSuggestions
    private let names: AthleteNames
    private let calendar: ClubCalendar

    /// - Parameters:
    ///   - names: for the output for people.
    ///   - calendar: the club's calendar, for days in the output for people.
    package init(
        _ suggestions: AthleteSuggestions, to athlete: String, names: AthleteNames = .init(),
        calendar: ClubCalendar
    ) {
        (self.suggestions, self.athlete, self.names, self.calendar) = (suggestions, athlete, names, calendar)
    }

    /// Output for people.
    package var lines: [StyledLine] {
        var lines = [StyledLine(names[athlete], .heading)]
        if suggestions.open.isEmpty {
            lines.append(StyledLine("no suggestions", .faint))
        }
        for tracked in suggestions.open { lines += [StyledLine()] + open(tracked) }
        guard !suggestions.past.isEmpty else { return lines }
        var table = TextTable([
            ("RULE", .leading), ("ANSWERED", .leading), ("WORKOUT", .leading), ("RESULT", .leading),
        ])
        for tracked in suggestions.past {
            table.add([
                StyledLine(tracked.rule.rawValue),
                StyledLine(tracked.response.map { day($0.at) } ?? ""),
                StyledLine(tracked.workout.notation), StyledLine(Self.end(of: tracked)),
            ])
        }
        return lines + [StyledLine()] + table.lines
    }

    /// JSON object for programs, as in the HTTP interface, with the athlete's slug.
    package var json: String {
        let bytes = JSONWriter.object { json in
            json.field("athlete_id", athlete)
            suggestions.write(into: &json)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func open(_ tracked: AthleteSuggestions.Tracked) -> [StyledLine] {
        let fields = (try? JSONObject(parsing: tracked.body)) ?? .empty
        let confidence = fields.text("confidence") ?? ""
        var lines = [
            StyledLine("\(tracked.rule.rawValue): \(tracked.workout.notation)"),
            StyledLine("  \(state(of: tracked)); confidence \(confidence)"),
        ]
        if case .list(let reasons)? = fields["reasons"] {
            for case .object(let reason) in reasons {
                lines.append(StyledLine("  - \(Self.sentence(reason))"))
            }
        }
        return lines + [StyledLine("  \(tracked.id)", .faint)]
    }

    private func day(_ unixMilliseconds: Int64) -> String {
        calendar.day(of: unixMilliseconds).text
    }

    private func state(of tracked: AthleteSuggestions.Tracked) -> String {
        guard let response = tracked.response else { return "offered" }
        let answeredOn = day(response.at)
        switch tracked.state {
        case .snoozed: return "snoozed on \(answeredOn) until \(response.until.map(day) ?? "")"
        case .accepted:
            let place = response.setAt.map { ", set on the monitor on \(day($0))" } ?? ""
            return "accepted on \(answeredOn)\(place)"
        default: return tracked.state.rawValue
        }
    }

    private static func end(of tracked: AthleteSuggestions.Tracked) -> String {
        if let outcome = tracked.outcome {
            let percent = outcome.percent.map { abs($0) } ?? 0
            switch outcome.verdict {
            case .met: return "completed on target"
            case .below:
                return "completed \(ValueFormatter.tenths(percent)) % below target"
            case .above:
                return "completed \(ValueFormatter.tenths(percent)) % above target"
            case .incomplete: return "not completed"
            }
        }
        return tracked.response?.why.map { "\(tracked.state.rawValue): \($0)" }
            ?? tracked.state.rawValue
    }

    // MARK: Reasons

    /// Returns the finding with its values and the number of sessions.
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
        var power: String { ValueFormatter.units(decimal("power_w"), "W") }
        var percent: String { ValueFormatter.tenths(decimal("percent")) + " %" }
        var time: String { ValueFormatter.time(decimal("time_s")) }
        var pace: String { ValueFormatter.pace(decimal("pace_s_per_500m")) + " /500 m" }

        private func whole(_ name: String) -> String { "\(reason.number(name) ?? 0)" }
        private func decimal(_ name: String) -> Double { reason.decimal(name) ?? 0 }
    }

    private static func words(_ finding: SuggestionReason.Finding, _ of: Numbers) -> String {
        switch finding {
        case .completedOften: "completed \(of.times) times in \(of.days) days"
        case .heldPower: "median \(of.power), spread \(of.percent)"
        case .targetMet: "\(of.percent) of the strokes on target last time"
        case .levelWeeks:
            "\(of.times) weeks of \(of.time) on average, spread \(of.percent)"
        case .easyShare: "\(of.percent) of the time in \(of.days) days was easy"
        case .usualPiece: "the usual piece takes \(of.time)"
        case .growingWeeks: "\(of.times) growing weeks, \(of.percent) in total, up to \(of.time)"
        case .pausedFor: "no session for \(of.days) days"
        case .before: "\(of.times) sessions in the four weeks before, usually \(of.time)"
        case .oldResult: "the last ranked result is \(of.days) days old, at \(of.pace)"
        case .missingResult: "no ranked result yet, but one over a shorter and one over a longer distance"
        case .expectedPace: "other results predict \(of.pace)"
        case .inTraining: "\(of.times) sessions in \(of.days) days"
        case .slowerHalf: "the second half was \(of.percent) slower in the last \(of.times) pieces"
        case .meanPace: "mean pace \(of.pace)"
        }
    }
}
