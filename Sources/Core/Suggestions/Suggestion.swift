import Bests
import Bytes

/// A suggested workout with its reasons.
package struct Suggestion: Equatable, Sendable {
    /// Made from the rule and its anchor session: a suggestion has the same id whenever it is computed.
    package let id: String
    package let rule: SuggestionRule
    /// The subject of the rule: a workout, an event or a week. There is one suggestion for each at a time.
    package let target: String
    package let machine: MachineKind
    package let workout: SuggestedWorkout
    package let reasons: [SuggestionReason]
    package let confidence: Confidence
    /// Unix milliseconds: since when the sessions justify it.
    package let madeAt: Int64
    /// Unix milliseconds: when it expires without a response.
    package let expiresAt: Int64
    /// Sessions that it is based on, as they were.
    package let evidence: [SuggestionEvidence]

    /// - Parameters:
    ///   - anchor: the session that triggered the rule.
    ///   - turn: how often the rule has offered the same suggestion before.
    init(
        _ rule: SuggestionRule, target: String, _ workout: SuggestedWorkout, _ past: SessionHistory,
        anchor: PieceName, turn: Int64 = 0, reasons: [SuggestionReason], _ confidence: Confidence,
        madeAt: Int64, expiresAt: Int64
    ) {
        id = "\(rule.rawValue)-\(anchor.session)" + (turn > 0 ? "-\(turn)" : "")
        (self.rule, self.target, self.machine) = (rule, target, past.machine)
        (self.workout, self.reasons, self.confidence) = (workout, reasons, confidence)
        (self.madeAt, self.expiresAt) = (madeAt, expiresAt)
        evidence = Set(reasons.flatMap(\.inputs)).sorted().compactMap { past.evidence(of: $0) }
    }

    /// Writes the members into an open object.
    package func write(into json: inout JSONWriter) {
        json.field("id", id)
        json.field("rule", rule.rawValue)
        json.field("target", target)
        json.field("machine", machine.rawValue)
        json.object("workout") { workout.write(into: &$0) }
        json.field("progression", rule.isProgression)
        json.field("confidence", confidence.rawValue)
        json.field("made_ms", madeAt)
        json.field("expires_ms", expiresAt)
        json.list("reasons", of: reasons) { json, reason in reason.write(into: &json) }
        json.list("evidence", of: evidence) { json, one in
            one.name.write(into: &json)
            json.field("time_s", one.total.centiseconds, places: 2)
            json.field("distance_m", one.total.decimetres, places: 1)
        }
    }
}
