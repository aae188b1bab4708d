import Rowing
import Timeline

/// An insight for a coach, derived from strokes.
package enum Insight: Equatable, Sendable {
    case alert(Alert)
    case rollup(Rollup)
}

/// Alerts and rollups of one erg.
package struct ErgInsights: Sendable {
    private var rules: ErgAlerts
    private var windows = RollupWindows()
    // Reused, so that an evaluation without a result allocates nothing.
    private var alerts: [Alert] = []
    private var rollups: [Rollup] = []

    /// - Parameters:
    ///   - firing: the active alerts of the last process.
    ///   - makeID: returns a new ULID for each alert.
    package init(
        _ settings: AlertSettings, firing: [Alert] = [], makeID: @escaping @Sendable () -> String
    ) {
        rules = ErgAlerts(settings, firing: firing, makeID: makeID)
    }

    /// Active alerts, in the order of the rules.
    package var firing: [Alert] { rules.firing }

    /// Acknowledges an alert. Returns it with the first person who acknowledged it; nil if no
    /// active alert has this id.
    package mutating func acknowledge(
        _ id: String, by name: String?, at now: BootInstant, into insights: inout [Insight]
    ) -> Alert? {
        defer { appendInsights(into: &insights) }
        return rules.acknowledge(id, by: name, at: now, into: &alerts)
    }

    /// Removes `name` as the person who acknowledged active alerts.
    package mutating func forget(_ name: String) { rules.forget(name) }

    /// Sets the level above the erg that is out of service: the erg cannot be judged meanwhile.
    package mutating func note(outage: AlertRule.Level?) { rules.note(outage: outage) }

    /// Sets the limits from now on.
    package mutating func setLimits(
        _ settings: AlertSettings, at now: BootInstant, into insights: inout [Insight]
    ) {
        rules.setLimits(settings, at: now, into: &alerts)
        appendInsights(into: &insights)
    }

    /// Continues a session that another process left open.
    package mutating func resume(_ session: SessionTransition) {
        rules.resume(session)
        windows.resume(session)
    }

    /// Handles an event of the erg.
    package mutating func handle(
        _ event: SessionEvent, at now: BootInstant, into insights: inout [Insight]
    ) {
        rules.handle(event, at: now, into: &alerts)
        windows.handle(event, into: &rollups)
        appendInsights(into: &insights)
    }

    /// Evaluates a moment; called about every second, also while the link is down.
    package mutating func evaluate(
        _ moment: ErgMoment, at now: BootInstant, into insights: inout [Insight]
    ) {
        rules.evaluate(moment, at: now, into: &alerts)
        appendInsights(into: &insights)
    }

    private mutating func appendInsights(into insights: inout [Insight]) {
        for alert in alerts { insights.append(.alert(alert)) }
        for rollup in rollups { insights.append(.rollup(rollup)) }
        alerts.removeAll(keepingCapacity: true)
        rollups.removeAll(keepingCapacity: true)
    }
}
