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
