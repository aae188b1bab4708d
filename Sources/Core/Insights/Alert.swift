import Rowing
import Timeline

/// An alert began to fire, was acknowledged, or was resolved. These have one id, and nothing else has
/// it.
package struct Alert: Equatable, Sendable {
    /// What has become of it.
    package enum State: String, Sendable { case firing, acknowledged, resolved }

    /// Why it fires no more.
    package enum Resolution: String, Sendable {
        /// It is right again.
        case recovered
        /// The session that it was about is over.
        case sessionEnded = "session_ended"
        /// Neither the configuration nor a target has the rule any longer.
        case ruleOff = "rule_off"
    }

    /// Somebody has seen it.
    package struct Acknowledgement: Equatable, Sendable {
        package var at: BootInstant
        /// Who, where they said so.
        package var by: String?

        package init(at: BootInstant, by: String? = nil) {
            self.at = at
            self.by = by
        }
    }

    /// ULID of the pair.
    package var id: String
    package var rule: AlertRule
    /// Hundredths of the rule's unit: how wrong it is, or how right again; nil where nothing is
    /// measured.
    package var value: Int?
    /// Hundredths: what the value passed when it began to fire; nil as `value`.
    package var threshold: Int?
    /// When it began to be wrong: somewhat before it fired.
    package var since: BootInstant
    /// The session that it is about; nil for what is about the erg or the gateway.
    package var session: SessionID?
    /// When this was found.
    package var at: BootInstant
    /// Why it is over; nil while it fires.
    package var resolution: Resolution?
    /// Who saw it first, and when; nil as long as nobody has.
    package var acknowledgement: Acknowledgement?

    package init(
        id: String, rule: AlertRule, since: BootInstant, session: SessionID? = nil, at: BootInstant
    ) {
        self.id = id
        self.rule = rule
        self.since = since
        self.session = session
        self.at = at
    }

    package var state: State {
        resolution != nil ? .resolved : acknowledgement != nil ? .acknowledged : .firing
    }
}

/// What is measured of a rule at one moment.
struct AlertReading: Equatable {
    var verdict: AlertVerdict
    /// Hundredths.
    var value: Int?
    /// Hundredths.
    var threshold: Int?

    static let unknown = AlertReading(verdict: .unknown)
    static let right = AlertReading(verdict: .right)

    init(verdict: AlertVerdict, value: Int? = nil, threshold: Int? = nil) {
        self.verdict = verdict
        self.value = value
        self.threshold = threshold
    }

    /// Right or wrong, and nothing between.
    init(isWrong: Bool) { self.init(verdict: isWrong ? .wrong : .right) }

    /// A figure that should stay below `limit`, and is right again at or below `exit`.
    init(_ value: Int, below limit: Int, exit: Int) {
        self.init(
            verdict: value >= limit ? .wrong : value <= exit ? .right : .between,
            value: value * 100, threshold: limit * 100)
    }

    /// A figure that should be at `limit` or above, and is right again at `exit`.
    init(_ value: Int, atLeast limit: Int, exit: Int) {
        self.init(
            verdict: value < limit ? .wrong : value >= exit ? .right : .between,
            value: value * 100, threshold: limit * 100)
    }

    /// A figure in hundredths that should stay in a band, and is right again `margin` inside of it.
    init(_ value: Int, in band: ClosedRange<Int>, margin: Int) {
        let isInside = value >= band.lowerBound + margin && value <= band.upperBound - margin
        self.init(
            verdict: !band.contains(value) ? .wrong : isInside ? .right : .between,
            value: value,
            threshold: value > band.upperBound ? band.upperBound : band.lowerBound)
    }
}
