import Bytes
import Contract
import Insights
import Rowing
import Timeline

/// The active alerts of an erg that a later process needs. They are restored from their records in
/// the ring.
struct StoredAlerts: Equatable {
    struct Entry: Equatable {
        var id: String
        var rule: String
        var session: String?
        var sinceUnixMilliseconds: Int64
        /// In hundredths, like the values of `Alert`.
        var value: Int?
        /// In hundredths.
        var threshold: Int?
        /// nil until acknowledged.
        var acknowledgedUnixMilliseconds: Int64?
        var acknowledgedBy: String?
    }

    /// In the order of their start.
    var alerts: [Entry] = []

    /// Updates the alerts from the record of an alert.
    mutating func apply(_ stored: [UInt8]) {
        guard let id = StoredRecord.text(of: "alert_id", in: stored) else { return }
        let index = alerts.firstIndex { $0.id == id } ?? alerts.endIndex
        if index < alerts.endIndex { alerts.remove(at: index) }
        guard !StoredRecord.names("resolved", as: "state", in: stored),
            let fields = try? JSONObject(parsing: stored),
            let rule = fields.text("rule"), let since = fields.number("since_ms")
        else { return }
        alerts.insert(
            Entry(
                id: id, rule: rule, session: fields.text("session_id"),
                sinceUnixMilliseconds: Int64(clamping: since),
                value: fields.hundredths("value"), threshold: fields.hundredths("threshold"),
                acknowledgedUnixMilliseconds: fields.number("acknowledged_ms")
                    .map { Int64(clamping: $0) },
                acknowledgedBy: fields.text("acknowledged_by")),
            at: index)
    }

    /// Returns the alerts with times of this boot's clock.
    func restored(at now: BootInstant, clock: WallClock) -> [Alert] {
        // If the wall clock was set back since, an alert must not start in the future.
        func instant(_ unixMilliseconds: Int64) -> BootInstant {
            let age = max(0, clock.unixMilliseconds(at: now) - unixMilliseconds)
            return now.advanced(by: .milliseconds(-age))
        }
        return alerts.compactMap { stored in
            guard let rule = AlertRule(rawValue: stored.rule) else { return nil }
            var alert = Alert(
                id: stored.id, rule: rule, since: instant(stored.sinceUnixMilliseconds),
                session: stored.session.map { SessionID($0) }, at: now)
            (alert.value, alert.threshold) = (stored.value, stored.threshold)
            alert.acknowledgement = stored.acknowledgedUnixMilliseconds.map {
                Alert.Acknowledgement(at: instant($0), by: stored.acknowledgedBy)
            }
            return alert
        }
    }

    /// Removes `name` as the person who acknowledged alerts.
    mutating func forget(_ name: String) {
        for index in alerts.indices where alerts[index].acknowledgedBy == name {
            alerts[index].acknowledgedBy = nil
        }
    }
}

extension JSONObject {
    /// Parses a number with two decimals as `JSONWriter` writes it; nil for any other text.
    fileprivate func hundredths(_ name: String) -> Int? {
        guard case .number(let text)? = self[name], text.dropLast(2).last == "." else {
            return nil
        }
        return Int(text.filter { $0 != "." })
    }
}
