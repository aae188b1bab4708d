import Bests
import Bytes
import Contract

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

/// The state of a suggestion.
package enum SuggestionState: String, CaseIterable, Sendable {
    /// No response yet.
    case offered
    /// It is the athlete's next workout.
    case accepted
    /// Postponed until a day.
    case snoozed
    /// Rowed and evaluated.
    case done
    case dismissed
    /// Accepted, but not rowed in time.
    case expired
    /// A session that it is based on was changed or erased.
    case withdrawn

    /// States set by a response.
    package static let answers = [accepted, snoozed, dismissed]

    /// Whether the suggestion can still be rowed.
    package var isOpen: Bool { self == .offered || self == .accepted || self == .snoozed }
}

/// A session as it was when a suggestion used it.
package struct SuggestionEvidence: Equatable, Sendable {
    package let name: PieceName
    package let total: WorkPoint
}

extension SuggestionEvidence {
    /// Reads the evidence of a suggestion; nil if it is invalid.
    init?(_ fields: JSONObject) {
        guard let gateway = fields.text("gw").flatMap(GatewayID.init),
            let session = fields.text("session_id"), let seconds = fields.decimal("time_s"),
            let metres = fields.decimal("distance_m"), 0...1e7 ~= seconds, 0...1e7 ~= metres
        else { return nil }
        name = PieceName(gateway: gateway, session: session)
        total = WorkPoint(
            centiseconds: Int64((seconds * 100).rounded()),
            decimetres: Int64((metres * 10).rounded()))
    }
}

/// The confidence of a suggestion, by the number, age and spread of the results behind it.
package enum Confidence: String, CaseIterable, Comparable, Sendable {
    case low
    case medium
    case high

    /// Minimum number of sessions for each level.
    static let counts = (medium: 3, high: 5)
    /// Maximum age of the newest session in days.
    static let ages = (medium: 21.0, high: 10.0)
    /// Maximum percent about the mean; rowers who hold a power vary by 3 to 6 %.
    static let spreads = (medium: 12.0, high: 6.0)

    /// The weakest of the three criteria decides.
    ///
    /// - Parameter spread: percent; 0 for values without a spread.
    init(count: Int, ageDays: Double, spreadPercent spread: Double) {
        func level(_ isHigh: Bool, _ isMedium: Bool) -> Confidence {
            isHigh ? .high : isMedium ? .medium : .low
        }
        self = min(
            level(count >= Self.counts.high, count >= Self.counts.medium),
            level(ageDays <= Self.ages.high, ageDays <= Self.ages.medium),
            level(spread <= Self.spreads.high, spread <= Self.spreads.medium))
    }

    package static func < (left: Self, right: Self) -> Bool { left.order < right.order }

    private var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
