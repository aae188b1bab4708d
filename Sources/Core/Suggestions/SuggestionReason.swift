import Bests
import Bytes

/// One reason of a suggestion: a finding with its values and sessions.
package struct SuggestionReason: Equatable, Sendable {
    /// The kind of finding. Pages and commands have a sentence for each.
    package enum Finding: String, CaseIterable, Sendable {
        /// Completed `times` times in `days` days.
        case completedOften = "rowed_often"
        /// `power_w` is the median of these sessions; they spread by `percent`.
        case heldPower = "held_power"
        /// `percent` of the strokes were on target the last time.
        case targetMet = "target_met"
        /// `times` weeks with a mean of `time_s`, spread by `percent`.
        case levelWeeks = "level_weeks"
        /// `percent` of the time of `days` days was easy.
        case easyShare = "easy_share"
        /// The usual easy piece takes `time_s`.
        case usualPiece = "usual_piece"
        /// `times` weeks, each longer than the one before, by `percent` in total.
        case growingWeeks = "growing_weeks"
        /// No session for `days` days.
        case pausedFor = "paused_for"
        /// `times` sessions in the four weeks before, usually `time_s` long.
        case before = "before"
        /// The last ranked result is `days` days old; its pace was `pace_s_per_500m`.
        case oldResult = "old_result"
        /// There is no ranked result, but one each over a shorter and a longer distance.
        case missingResult = "missing_result"
        /// Results over other distances predict `pace_s_per_500m`.
        case expectedPace = "expected_pace"
        /// `times` sessions in `days` days: the athlete is training.
        case inTraining = "in_training"
        /// The second half was `percent` slower the last time.
        case slowerHalf = "slower_half"
        /// The mean pace was `pace_s_per_500m`.
        case meanPace = "mean_pace"
    }

    package let finding: Finding
    /// How the values were obtained: measured, computed, estimated, or by a rule of thumb.
    package let kind: FigureKind
    package var times: Int?
    package var days: Int?
    package var watts: Double?
    package var percent: Double?
    package var seconds: Double?
    package var pace: Double?
    /// Sorted, each once.
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

    /// Writes the members into an open object.
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
