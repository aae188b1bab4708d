import Bests
import Bytes
import Training

/// What somebody has said of a suggestion, with the suggestion as it was then.
package struct SuggestionWord: Equatable, Sendable {
    package let id: String
    package let rule: SuggestionRule
    package let target: String
    package let machine: MachineKind
    package let workout: SuggestedWorkout
    package let confidence: Confidence
    package let madeAt: Int64
    package let expiresAt: Int64
    package let evidence: [SuggestionEvidence]
    /// The suggestion as JSON, as it was offered.
    package let body: [UInt8]
    /// One of `State.said`.
    package let said: SuggestionState
    /// Unix milliseconds: when it was said.
    package let at: Int64
    /// Unix milliseconds: until when it is not to be offered; only of what was snoozed.
    package let until: Int64?
    /// Why not; only of what was dismissed.
    package let why: String?
    /// Whose token it came with.
    package let by: String?
    /// Unix milliseconds: when it was put on a monitor.
    package var setAt: Int64?

    /// Of a suggestion as it was offered; nil of bytes that are none, and of a state that nobody can say.
    package init?(
        _ body: [UInt8], _ said: SuggestionState, at: Int64, until: Int64? = nil,
        why: String? = nil,
        by: String? = nil, setAt: Int64? = nil
    ) {
        guard SuggestionState.said.contains(said),
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
        (self.said, self.at, self.until, self.why) = (said, at, until, why)
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
    /// So long what was accepted waits to be rowed, at least.
    static let patienceDays: Int64 = 14
    /// So long nothing of the same rule and target is offered after a no.
    static let silenceDays: Int64 = 28

    /// Unix milliseconds: when what was accepted is over.
    var ends: Int64 { max(expiresAt, at + Self.patienceDays * Self.day) }

    /// Whether all sessions that it rests on are here as they were.
    func stands(on pieces: [PieceTraining]) -> Bool {
        let totals = Dictionary(
            pieces.map { ($0.name, $0.figures.total) }, uniquingKeysWith: { first, _ in first })
        return evidence.allSatisfy { totals[$0.name] == $0.total }
    }
}
