import Rowing
import Timeline

/// An alert that became active, was acknowledged, or was resolved. All messages of one alert have
/// the same id, which no other alert has.
package struct Alert: Equatable, Sendable {
    /// The state of the alert.
    package enum State: String, Sendable { case firing, acknowledged, resolved }

    /// Why it ended.
    package enum Resolution: String, Sendable {
        /// The value is normal again.
        case recovered
        /// Its session ended.
        case sessionEnded = "session_ended"
        /// Neither the configuration nor a target has the rule any longer.
        case ruleOff = "rule_off"
    }

    /// The acknowledgement of an alert.
    package struct Acknowledgement: Equatable, Sendable {
        package var at: BootInstant
        /// The person, if given.
        package var by: String?

        package init(at: BootInstant, by: String? = nil) {
            self.at = at
            self.by = by
        }
    }

    /// ULID of the alert.
    package var id: String
    package var rule: AlertRule
    /// The measured value, in hundredths of the rule's unit; nil if nothing is measured.
    package var value: Int?
    /// The limit that the value passed, in hundredths; nil like `value`.
    package var threshold: Int?
    /// When the value became wrong, somewhat before the alert.
    package var since: BootInstant
    /// The session; nil for an alert about the erg or the gateway.
    package var session: SessionID?
    /// When this state was detected.
    package var at: BootInstant
    /// Why it ended; nil while it is active.
    package var resolution: Resolution?
    /// The first acknowledgement; nil without one.
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

/// The measurement for a rule at one moment.
struct AlertReading: Equatable {
    var verdict: AlertVerdict
    /// In hundredths.
    var value: Int?
    /// In hundredths.
    var threshold: Int?

    static let unknown = AlertReading(verdict: .unknown)
    static let right = AlertReading(verdict: .right)

    init(verdict: AlertVerdict, value: Int? = nil, threshold: Int? = nil) {
        self.verdict = verdict
        self.value = value
        self.threshold = threshold
    }

    /// Right or wrong, without a range in between.
    init(isWrong: Bool) { self.init(verdict: isWrong ? .wrong : .right) }

    /// A value that should stay below `limit`, and is right again at or below `exit`.
    init(_ value: Int, below limit: Int, exit: Int) {
        self.init(
            verdict: value >= limit ? .wrong : value <= exit ? .right : .between,
            value: value * 100, threshold: limit * 100)
    }

    /// A value that should be at least `limit`, and is right again at `exit`.
    init(_ value: Int, atLeast limit: Int, exit: Int) {
        self.init(
            verdict: value < limit ? .wrong : value >= exit ? .right : .between,
            value: value * 100, threshold: limit * 100)
    }

    /// A value in hundredths that should stay in a range, and is right again `margin` inside of it.
    init(_ value: Int, in band: ClosedRange<Int>, margin: Int) {
        let isInside = value >= band.lowerBound + margin && value <= band.upperBound - margin
        self.init(
            verdict: !band.contains(value) ? .wrong : isInside ? .right : .between,
            value: value,
            threshold: value > band.upperBound ? band.upperBound : band.lowerBound)
    }
}
