import Contract
import Insights
import Rowing
import Timeline

/// What strokes, and their absence, mean to a coach. Changes `insights`, `found`,
/// `alertsTotal` and `share`.
extension StationPipeline {
    /// Looks at the erg as it is now: silence tells something too.
    func judge(at now: BootInstant) {
        let moment = ErgMoment(
            isLinkLost: openSince == nil && !presence.isLetGo, sample: machine.live(at: now),
            batteryPercent: identity?.batteryPercent)
        let before = found.count
        insights.take(moment, at: now, into: &found)
        noteAlerts(from: before, at: now)
    }

    /// Finds out what events mean, which are handed on with it.
    func interpret(_ events: [SessionEvent], at now: BootInstant) {
        let before = found.count
        for event in events {
            insights.take(event, at: now, into: &found)
            share.add(event)
        }
        noteAlerts(from: before, at: now)
    }

    /// What is out for every erg; nil for nothing.
    func note(outage: AlertRule.Level?) { insights.note(outage: outage) }

    /// Somebody has seen the alert of an id. Returns it with who saw it first; nil where none of that
    /// id fires here.
    func acknowledge(_ id: String, by name: String?) -> Alert? {
        let (now, before) = (runtime.now(), found.count)
        let alert = insights.acknowledge(id, by: name, at: now, into: &found)
        noteAlerts(from: before, at: now)
        deliver(at: now)
        return alert
    }

    /// Nobody knows any more that it was `name` who saw what fires.
    func forget(_ name: String) {
        insights.forget(name)
        publishAlerts(at: runtime.now())
    }

    /// Who sits here has these limits of their own.
    func hold(to own: AlertSettings) {
        let (now, before) = (runtime.now(), found.count)
        insights.hold(to: alertSettings.limited(by: own), at: now, into: &found)
        noteAlerts(from: before, at: now)
        deliver(at: now)
    }

    /// What the room wants to know, which it asks for at its own pace.
    func takeReading() -> ErgReading {
        let sample = openSince == nil ? nil : machine.live(at: runtime.now())
        return ErgReading(erg: station, sample: sample, share: share.take())
    }

    private func noteAlerts(from index: Int, at now: BootInstant) {
        let alerts = found[index...].compactMap { if case .alert(let it) = $0 { it } else { nil } }
        guard !alerts.isEmpty else { return }
        alertsTotal += alerts.count { $0.state == .firing }
        publishAlerts(at: now)
    }

    /// Replaces what the broker keeps of the alerts that fire.
    func publishAlerts(at now: BootInstant) {
        let clock = runtime.wall()
        outlet.retain(
            .alerts(station),
            FiringAlerts(insights.firing, clock: clock).payload(
                gateway: gateway, station: station, at: now, clock: clock))
    }
}
