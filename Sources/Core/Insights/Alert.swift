import Bytes
import Contract
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

/// The alerts for a coach during a session. Not a medical device: heart rates come from a belt.
package enum AlertRule: String, CaseIterable, Sendable {
    /// No stroke in a piece for at least `AlertLimits.shortestStop`, and for several expected strokes.
    case stopped
    /// The mean power of three strokes is a small part of that of the minute before.
    case powerCollapse = "power_collapse"
    case offPace = "off_pace"
    case rateOutOfBand = "rate_out_of_band"
    case heartRateHigh = "heart_rate_high"
    /// A belt was received in the session, and no longer is.
    case heartRateLost = "heart_rate_lost"
    case dragOutOfBand = "drag_out_of_band"
    /// The link to the monitor was lost during a session.
    case linkLost = "link_lost"
    case batteryLow = "battery_low"
    /// No Bluetooth adapter works.
    case adapterLost = "adapter_lost"
    /// bluetoothd or its bus is missing.
    case bluetoothLost = "bluetooth_lost"
    case undervoltage
    /// Records have waited for the broker for too long.
    case backlog
    /// The ring log is not on disk.
    case ring
    /// The disk does not answer.
    case disk
    /// The wall clock is not synchronized.
    case clock

    /// The subject of a rule. If a level is out of service, rules that depend on it cannot be
    /// judged.
    package enum Level: Int, Comparable, Sendable {
        case gateway, adapter, erg, performance

        package static func < (left: Level, right: Level) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    /// The subject of the rule.
    package var level: Level {
        switch self {
        case .stopped, .powerCollapse, .offPace, .rateOutOfBand, .heartRateHigh, .heartRateLost,
            .dragOutOfBand:
            .performance
        case .linkLost, .batteryLow: .erg
        case .adapterLost: .adapter
        case .bluetoothLost, .undervoltage, .backlog, .ring, .disk, .clock: .gateway
        }
    }

    /// Whether it suppresses the rules of the levels below, which would report the same fault.
    package var isOutage: Bool {
        self == .linkLost || self == .adapterLost || self == .bluetoothLost
    }

    /// Whether the alert ends with the session.
    package var endsWithSession: Bool { level == .performance || self == .linkLost }

    /// Whether a session's target replaces the configured limit.
    var usesTarget: Bool { self == .offPace || self == .rateOutOfBand }

    /// The urgency of an alert.
    package enum Severity: String, Sendable { case warning, critical }

    /// The urgency of the alert.
    package var severity: Severity {
        switch self {
        case .heartRateHigh, .adapterLost, .bluetoothLost, .ring: .critical
        default: .warning
        }
    }
}

/// Encodes a published alert.
extension Alert: RecordBody {
    package static let recordKind = StreamKind.alert

    package func write(into json: inout JSONWriter, context: RecordContext) {
        json.field("alert_id", id)
        json.field("state", state.rawValue)
        json.field("rule", rule.rawValue)
        json.field("severity", rule.severity.rawValue)
        json.field("value", value.map(Int64.init), places: 2)
        json.field("threshold", threshold.map(Int64.init), places: 2)
        json.field("since_ms", context.clock.unixMilliseconds(at: since))
        json.field("session_id", session?.text)
        json.field("athlete_id", context.athlete)
        json.field("resolution", resolution?.rawValue)
        json.field(
            "acknowledged_ms",
            acknowledgement.map { context.clock.unixMilliseconds(at: $0.at) })
        json.field("acknowledged_by", acknowledgement?.by)
    }
}

/// `alerts`: the active alerts of an erg, for later subscribers.
package struct FiringAlerts: RetainedBody {
    package static let name = "alerts"

    private let alerts: [Alert]
    private let clock: WallClock

    package init(_ alerts: [Alert], clock: WallClock) {
        self.alerts = alerts
        self.clock = clock
    }

    package func write(into json: inout JSONWriter) {
        let isCritical = alerts.contains { $0.rule.severity == .critical }
        json.field("firing", alerts.count)
        json.field(
            "severity",
            alerts.isEmpty ? nil : (isCritical ? AlertRule.Severity.critical : .warning).rawValue)
        json.field("rules", alerts.map(\.rule.rawValue))
        json.field("alert_ids", alerts.map(\.id))
        let seen = alerts.compactMap { alert in
            alert.acknowledgement.map { (id: alert.id, acknowledgement: $0) }
        }
        guard !seen.isEmpty else { return }
        json.object("acknowledged_ms") { json in
            for alert in seen {
                json.key(alert.id)
                json.value(clock.unixMilliseconds(at: alert.acknowledgement.at))
            }
        }
        json.object("acknowledged_by") { json in
            for alert in seen {
                guard let name = alert.acknowledgement.by else { continue }
                json.key(alert.id)
                json.value(name)
            }
        }
    }
}
