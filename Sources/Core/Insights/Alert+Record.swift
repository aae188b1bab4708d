import Bytes
import Contract
import Rowing
import Timeline

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
