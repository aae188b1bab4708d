import Bests
import Bytes
import Training

/// The result of an accepted suggestion, judged from the session in which it was rowed.
package struct SuggestionOutcome: Equatable, Sendable {
    package enum Verdict: String, CaseIterable, Sendable {
        /// Completed on target.
        case met
        /// Completed with less power than the target.
        case below
        /// Completed with more power than the target.
        case above
        /// Not completed.
        case incomplete
    }

    package let verdict: Verdict
    package let session: PieceName
    /// Unix milliseconds: start of the session.
    package let at: Int64
    /// Mean power; nil without a power target.
    package let watts: Double?
    /// Percent from the nearer end of the target; 0 within it.
    package let percent: Double?

    /// From the first session after the acceptance that is the workout, or its beginning; nil while there
    /// is none.
    static func of(_ response: SuggestionResponse, in pieces: [PieceTraining]) -> SuggestionOutcome? {
        guard response.answer == .accepted else { return nil }
        let attempts = pieces.filter { piece in
            piece.metrics.machine == response.machine && piece.metrics.startedAt >= response.at
                && piece.metrics.startedAt <= response.acceptedUntil
                && (piece.workout?.isAttempt(at: response.workout.plainNotation) ?? false)
        }
        // If an athlete stops and starts again, the complete attempt counts.
        let first = attempts.first { $0.workout?.isComplete ?? false } ?? attempts.first
        return first.map { SuggestionOutcome(response, $0) }
    }

    private init(_ response: SuggestionResponse, _ piece: PieceTraining) {
        (session, at) = (piece.name, piece.metrics.startedAt)
        guard piece.workout?.isComplete ?? false else {
            (verdict, watts, percent) = (.incomplete, nil, nil)
            return
        }
        guard let target = response.workout.watts else {
            (verdict, watts, percent) = (.met, nil, nil)
            return
        }
        let mean = piece.metrics.total.watts(on: response.machine)
        watts = mean
        let (low, high) = (Double(target.lowerBound), Double(target.upperBound))
        if mean.rounded() < low {
            (verdict, percent) = (.below, (mean / low - 1) * 100)
        } else if mean.rounded() > high {
            (verdict, percent) = (.above, (mean / high - 1) * 100)
        } else {
            (verdict, percent) = (.met, 0)
        }
    }

    /// Writes the members into an open object.
    func write(into json: inout JSONWriter) {
        json.field("verdict", verdict.rawValue)
        session.write(into: &json)
        json.field("at_ms", at)
        json.field("power_w", watts.map { Int64(($0 * 10).rounded()) }, places: 1)
        json.field("percent", percent.map { Int64(($0 * 10).rounded()) }, places: 1)
    }
}

extension WorkoutResult {
    /// Whether this is the workout with a notation, or an incomplete attempt at it.
    func isAttempt(at other: String) -> Bool {
        if notation == other { return true }
        guard !isComplete, isIntervals, let first = parts.first else { return false }
        // In an incomplete attempt the last interval has any length, and the count differs.
        let intervals = other.split(separator: "x", maxSplits: 1).last ?? ""
        return intervals.split(separator: "/").first.map { $0 == first.extent.text } ?? false
    }
}

/// The response to a suggestion, with the suggestion as it was then.
package struct SuggestionResponse: Equatable, Sendable {
    package let id: String
    package let rule: SuggestionRule
    package let target: String
    package let machine: MachineKind
    package let workout: SuggestedWorkout
    /// How well the results support the suggestion.
    package let confidence: Confidence
    package let madeAt: Int64
    package let expiresAt: Int64
    package let evidence: [SuggestionEvidence]
    /// The suggestion as JSON, as it was offered.
    package let body: [UInt8]
    /// One of `SuggestionState.answers`.
    package let answer: SuggestionState
    /// Unix milliseconds: the time of the response.
    package let at: Int64
    /// Unix milliseconds: not offered again before; only after a snooze.
    package let until: Int64?
    /// The reason for a dismissal.
    package let why: String?
    /// The name of the token that sent the response.
    package let by: String?
    /// Unix milliseconds: when the workout was set on a monitor.
    package var setAt: Int64?

    /// From a suggestion as it was offered; nil for invalid JSON, or a state that is not an answer.
    package init?(
        _ body: [UInt8], _ answer: SuggestionState, at: Int64, until: Int64? = nil,
        why: String? = nil,
        by: String? = nil, setAt: Int64? = nil
    ) {
        guard SuggestionState.answers.contains(answer),
            let fields = try? JSONObject(parsing: body), let id = fields.text("id"),
            let rule = fields.text("rule").flatMap(SuggestionRule.init),
            let target = fields.text("target"),
            let machine = fields.text("machine").flatMap(MachineKind.init(rawValue:)),
            case .object(let workout)? = fields["workout"],
            let workout = SuggestedWorkout(workout),
            let confidence = fields.text("confidence").flatMap(Confidence.init),
            let madeAt = fields.number("made_ms").map(Int64.init),
            let expiresAt = fields.number("expires_ms").map(Int64.init)
        else { return nil }
        (self.id, self.rule, self.target, self.machine) = (id, rule, target, machine)
        (self.workout, self.confidence, self.body) = (workout, confidence, body)
        (self.madeAt, self.expiresAt) = (madeAt, expiresAt)
        (self.answer, self.at, self.until, self.why) = (answer, at, until, why)
        (self.by, self.setAt) = (by, setAt)
        var evidence: [SuggestionEvidence] = []
        if case .list(let values)? = fields["evidence"] {
            for case .object(let one) in values {
                guard let one = SuggestionEvidence(one) else { return nil }
                evidence.append(one)
            }
        }
        self.evidence = evidence
    }

    /// Milliseconds.
    static let day: Int64 = 86_400_000
    /// Minimum days for which an accepted suggestion stays open.
    static let minimumAcceptedDays: Int64 = 14
    /// After a dismissal, suggestions of the same rule and target pause for these days.
    static let quietDaysAfterDismissal: Int64 = 28

    /// Unix milliseconds: when an accepted suggestion expires.
    var acceptedUntil: Int64 { max(expiresAt, at + Self.minimumAcceptedDays * Self.day) }

    /// Whether all its evidence is still stored unchanged.
    func isSupported(by pieces: [PieceTraining]) -> Bool {
        let totals = Dictionary(
            pieces.map { ($0.name, $0.metrics.total) }, uniquingKeysWith: { first, _ in first })
        return evidence.allSatisfy { totals[$0.name] == $0.total }
    }
}
