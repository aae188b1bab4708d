import Contract
import Insights
import Rowing
import Timeline

/// Insights from strokes, and from their absence. Changes `insights`, `found`, `alertsTotal` and
/// `share`.
extension StationPipeline {
    /// Evaluates the current state of the erg; missing strokes matter too.
    func evaluate(at now: BootInstant) {
        let moment = ErgMoment(
            isLinkLost: openSince == nil && !monitorConnection.isEndedOnPurpose,
            sample: machine.live(at: now), batteryPercent: identity?.batteryPercent)
        let before = found.count
        insights.evaluate(moment, at: now, into: &found)
        noteAlerts(from: before, at: now)
    }

    /// Derives insights from events; both are reported together.
    func interpret(_ events: [SessionEvent], at now: BootInstant) {
        let before = found.count
        for event in events {
            insights.handle(event, at: now, into: &found)
            share.add(event)
        }
        noteAlerts(from: before, at: now)
    }

    /// Sets the level that is out of service for every erg; nil for none.
    func note(outage: AlertRule.Level?) { insights.note(outage: outage) }

    /// Acknowledges an alert. Returns it with the first person who acknowledged it; nil if no
    /// active alert has this id.
    func acknowledge(_ id: String, by name: String?) -> Alert? {
        let (now, before) = (runtime.now(), found.count)
        let alert = insights.acknowledge(id, by: name, at: now, into: &found)
        noteAlerts(from: before, at: now)
        deliver(at: now)
        return alert
    }

    /// Removes `name` as the person who acknowledged active alerts.
    func forget(_ name: String) {
        insights.forget(name)
        publishAlerts(at: runtime.now())
    }

    /// Applies the limits of the assigned athlete.
    func applyLimits(_ own: AlertSettings) {
        let (now, before) = (runtime.now(), found.count)
        insights.setLimits(alertSettings.limited(by: own), at: now, into: &found)
        noteAlerts(from: before, at: now)
        deliver(at: now)
    }

    /// Returns the values for the room, which reads them at its own pace.
    func drainReading() -> ErgReading {
        let sample = openSince == nil ? nil : machine.live(at: runtime.now())
        return ErgReading(erg: station, sample: sample, sums: share.drain())
    }

    private func noteAlerts(from index: Int, at now: BootInstant) {
        let alerts = found[index...].compactMap { if case .alert(let it) = $0 { it } else { nil } }
        guard !alerts.isEmpty else { return }
        alertsTotal += alerts.count { $0.state == .firing }
        publishAlerts(at: now)
    }

    /// Replaces the retained message with the active alerts.
    func publishAlerts(at now: BootInstant) {
        let clock = runtime.wall()
        outputs.retain(
            .alerts(station),
            FiringAlerts(insights.firing, clock: clock).payload(
                gateway: gateway, station: station, at: now, clock: clock))
    }
}
