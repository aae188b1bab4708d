import Rowing
import Timeline

/// Something that strokes mean to a coach.
package enum Insight: Equatable, Sendable {
    case alert(Alert)
    case rollup(Rollup)
}

/// All that is found out about an erg while it is rowed.
package struct ErgInsights: Sendable {
    private var rules: ErgAlerts
    private var windows = RollupWindows()
    // Reused, so that what finds nothing allocates nothing.
    private var alerts: [Alert] = []
    private var rollups: [Rollup] = []

    /// - Parameters:
    ///   - firing: what fired when another process was here last.
    ///   - makeID: a new ULID for each alert.
    package init(
        _ settings: AlertSettings, firing: [Alert] = [], makeID: @escaping @Sendable () -> String
    ) {
        rules = ErgAlerts(settings, firing: firing, makeID: makeID)
    }

    /// What fires, in the order of the rules.
    package var firing: [Alert] { rules.firing }

    /// Somebody has seen the alert of an id. Returns it with who saw it first; nil where none of that
    /// id fires.
    package mutating func acknowledge(
        _ id: String, by name: String?, at now: BootInstant, into insights: inout [Insight]
    ) -> Alert? {
        defer { handOn(into: &insights) }
        return rules.acknowledge(id, by: name, at: now, into: &alerts)
    }

    /// Nobody knows any more that it was `name` who saw what fires.
    package mutating func forget(_ name: String) { rules.forget(name) }

    /// What is out above the erg: nothing of it can be judged meanwhile.
    package mutating func note(outage: AlertRule.Level?) { rules.note(outage: outage) }

    /// From now on this is what figures are held against.
    package mutating func hold(
        to settings: AlertSettings, at now: BootInstant, into insights: inout [Insight]
    ) {
        rules.hold(to: settings, at: now, into: &alerts)
        handOn(into: &insights)
    }

    /// Goes on with a session that another process left open.
    package mutating func resume(_ session: SessionEdge) {
        rules.resume(session)
        windows.resume(session)
    }

    /// Takes in what happened at the erg.
    package mutating func take(
        _ event: SessionEvent, at now: BootInstant, into insights: inout [Insight]
    ) {
        rules.take(event, at: now, into: &alerts)
        windows.take(event, into: &rollups)
        handOn(into: &insights)
    }

    /// Takes in a moment; comes about every second, also while the link is down.
    package mutating func take(
        _ moment: ErgMoment, at now: BootInstant, into insights: inout [Insight]
    ) {
        rules.take(moment, at: now, into: &alerts)
        handOn(into: &insights)
    }

    private mutating func handOn(into insights: inout [Insight]) {
        for alert in alerts { insights.append(.alert(alert)) }
        for rollup in rollups { insights.append(.rollup(rollup)) }
        alerts.removeAll(keepingCapacity: true)
        rollups.removeAll(keepingCapacity: true)
    }
}
