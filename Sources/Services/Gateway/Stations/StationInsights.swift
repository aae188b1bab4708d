import Contract
import Insights
import Rowing
import Timeline

/// Alerts and rollups of one erg, from its strokes and from their absence, until they are reported; and sums for
/// the room.
struct StationInsights {
    private var insights: ErgInsights
    /// The configured limits, without those of an athlete.
    private let settings: AlertSettings
    /// Insights that were not reported yet.
    private var pending: [Insight] = []
    /// Sums over the strokes since the room's last reading, for `RoomPipeline`.
    private var sums = ErgStrokeSums()
    /// Number of alerts that started.
    private(set) var alertsTotal = 0

    /// - Parameters:
    ///   - own: the limits of the assigned athlete.
    ///   - firing: the active alerts of the last process.
    ///   - makeID: returns a new ULID for each alert.
    init(
        _ settings: AlertSettings, own: AlertSettings, firing: [Alert],
        makeID: @escaping @Sendable () -> String
    ) {
        self.settings = settings
        insights = ErgInsights(settings.limited(by: own), firing: firing, makeID: makeID)
    }

    /// Active alerts, in the order of the rules.
    var firing: [Alert] { insights.firing }
    /// Below this level the batteries of a monitor should be replaced.
    var lowestBattery: Int { settings.lowestBattery }
    var hasPending: Bool { !pending.isEmpty }

    /// Continues a session that another process left open.
    mutating func resume(_ session: SessionTransition) { insights.resume(session) }

    /// Evaluates a moment; missing strokes matter too. Returns whether alerts started or ended.
    mutating func evaluate(_ moment: ErgMoment, at now: BootInstant) -> Bool {
        let before = pending.count
        insights.evaluate(moment, at: now, into: &pending)
        return countAlerts(from: before)
    }

    /// Derives insights from events; both are reported together. Returns whether alerts started or ended.
    mutating func interpret(_ events: [SessionEvent], at now: BootInstant) -> Bool {
        let before = pending.count
        for event in events {
            insights.handle(event, at: now, into: &pending)
            sums.add(event)
        }
        return countAlerts(from: before)
    }

    /// Sets the level that is out of service for every erg; nil for none.
    mutating func note(outage: AlertRule.Level?) { insights.note(outage: outage) }

    /// Acknowledges an alert. Returns it with the first person who acknowledged it, nil if no active alert has
    /// this id; and whether the alerts changed.
    mutating func acknowledge(
        _ id: String, by name: String?, at now: BootInstant
    ) -> (alert: Alert?, hasChanged: Bool) {
        let before = pending.count
        let alert = insights.acknowledge(id, by: name, at: now, into: &pending)
        return (alert, countAlerts(from: before))
    }

    /// Removes `name` as the person who acknowledged active alerts.
    mutating func forget(_ name: String) { insights.forget(name) }

    /// Applies the limits of the assigned athlete. Returns whether alerts started or ended.
    mutating func setLimits(_ own: AlertSettings, at now: BootInstant) -> Bool {
        let before = pending.count
        insights.setLimits(settings.limited(by: own), at: now, into: &pending)
        return countAlerts(from: before)
    }

    /// Returns the insights to report.
    mutating func drainPending() -> [Insight] {
        defer { pending = [] }
        return pending
    }

    /// Returns the sums for the room.
    mutating func drainSums() -> ErgStrokeSums { sums.drain() }

    /// Returns whether there are alerts among the pending insights from `index` on, and counts those that
    /// started.
    private mutating func countAlerts(from index: Int) -> Bool {
        var hasAlerts = false
        for case .alert(let alert) in pending[index...] {
            hasAlerts = true
            if alert.state == .firing { alertsTotal += 1 }
        }
        return hasAlerts
    }
}
