import Bests
import Bytes

/// One reason of a suggestion: what was found, with its numbers and the sessions behind them.
package struct SuggestionReason: Equatable, Sendable {
    /// What was found. Pages and commands have a sentence for each.
    package enum Finding: String, CaseIterable, Sendable {
        /// `times` in `days` days, all of it rowed.
        case rowedOften = "rowed_often"
        /// At `power_w`, the middle one of these sessions, which spread by `percent`.
        case heldPower = "held_power"
        /// So many `percent` of the strokes were in the target the last time.
        case targetMet = "target_met"
        /// `times` weeks, of `time_s` in the mean, spread by `percent`.
        case levelWeeks = "level_weeks"
        /// `percent` of the time of `days` days was easy.
        case easyShare = "easy_share"
        /// The usual easy piece is `time_s` long.
        case usualPiece = "usual_piece"
        /// `times` weeks, each longer than the one before, by `percent` together.
        case growingWeeks = "growing_weeks"
        /// Nothing was rowed for `days` days.
        case pausedFor = "paused_for"
        /// `times` sessions in the four weeks before, the usual one `time_s` long.
        case before = "before"
        /// The last ranked result is `days` days old; `pace_s_per_500m` then.
        case oldResult = "old_result"
        /// There is no ranked result, and there are of a shorter and of a longer distance.
        case missingResult = "missing_result"
        /// Results of other distances let expect `pace_s_per_500m`.
        case expectedPace = "expected_pace"
        /// `times` sessions in `days` days: somebody who trains.
        case inTraining = "in_training"
        /// The second half was `percent` slower the last time.
        case slowerHalf = "slower_half"
        /// All of it was rowed at `pace_s_per_500m`.
        case meanPace = "mean_pace"
    }

    package let finding: Finding
    package let kind: FigureKind
    package var times: Int?
    package var days: Int?
    package var watts: Double?
    package var percent: Double?
    package var seconds: Double?
    package var pace: Double?
    /// In order, each once.
    package let inputs: [PieceName]

    init(
        _ finding: Finding, _ kind: FigureKind = .computed, times: Int? = nil, days: Int? = nil,
        watts: Double? = nil, percent: Double? = nil, seconds: Double? = nil, pace: Double? = nil,
        of inputs: [PieceName]
    ) {
        (self.finding, self.kind) = (finding, kind)
        (self.times, self.days, self.watts, self.percent) = (times, days, watts, percent)
        (self.seconds, self.pace) = (seconds, pace)
        self.inputs = Set(inputs).sorted()
    }

    /// Its members, in an object that is open.
    func write(into json: inout JSONWriter) {
        json.field("finding", finding.rawValue)
        json.field("kind", kind.rawValue)
        json.field("times", times)
        json.field("days", days)
        json.field("power_w", watts.map { Self.units($0, 10) }, places: 1)
        json.field("percent", percent.map { Self.units($0, 10) }, places: 1)
        json.field("time_s", seconds.map { Self.units($0, 1) }, places: 0)
        json.field("pace_s_per_500m", pace.map { Self.units($0, 100) }, places: 2)
        json.list("inputs", of: inputs) { json, name in name.write(into: &json) }
    }

    private static func units(_ value: Double, _ scale: Double) -> Int64 {
        Int64((value * scale).rounded())
    }
}
