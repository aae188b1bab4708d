import Rowing
import Timeline

/// The rules of one erg, or of the gateway: the active alerts with their ids, and the limit of new
/// alerts per minute.
package struct AlertTracker: Sendable {
    /// Maximum number of new alerts per minute; a further one waits, and is reported if it still holds then.
    static let mostPerMinute = 6
    private static let minute = Duration.seconds(60)

    private struct Entry: Sendable {
        let rule: AlertRule
        var machine: RuleMachine
        var alert: Alert?
    }

    private let makeID: @Sendable () -> String
    /// The enabled rules. Not a dictionary: changing a value of one in place costs an allocation.
    private var entries: [Entry]
    /// Active alerts of another process without a rule here.
    private var orphans: [Alert]
    /// When the last alerts started, oldest first.
    private var begun: [BootInstant] = []
    /// The level above these rules that is out of service; nil for none.
    package var outage: AlertRule.Level?

    /// - Parameters:
    ///   - rules: the enabled rules, in their order.
    ///   - makeID: returns a new ULID for each alert.
    ///   - firing: the active alerts of the last process.
    package init(
        _ rules: [AlertRule], firing: [Alert] = [], makeID: @escaping @Sendable () -> String
    ) {
        self.makeID = makeID
        entries = rules.map { rule in
            let alert = firing.first { $0.rule == rule }
            return Entry(
                rule: rule, machine: RuleMachine(rule.timing, isFiring: alert != nil),
                alert: alert)
        }
        let trackedIDs = Set(entries.compactMap { $0.alert?.id })
        orphans = firing.filter { !trackedIDs.contains($0.id) }
        begun.reserveCapacity(Self.mostPerMinute)
    }

    /// Active alerts, in the order of the rules.
    package var firing: [Alert] { entries.compactMap(\.alert) }

    private func place(of rule: AlertRule) -> Int? { entries.firstIndex { $0.rule == rule } }

    func has(_ rule: AlertRule) -> Bool { place(of: rule) != nil }

    func isFiring(_ rule: AlertRule) -> Bool {
        place(of: rule).map { entries[$0].machine.isFiring } == true
    }

    /// Updates a rule with a measurement; does nothing for a disabled rule.
    mutating func evaluate(
        _ rule: AlertRule, _ reading: AlertReading, of session: SessionID? = nil,
        at now: BootInstant, into alerts: inout [Alert]
    ) {
        guard let index = place(of: rule) else { return }
        let verdict = isSilenced(rule) ? .unknown : reading.verdict
        let mayFire = hasRoom(at: now)
        switch entries[index].machine.evaluate(verdict, at: now, mayFire: mayFire) {
        case nil: break
        case .fires(let since):
            var alert = Alert(
                id: makeID(), rule: rule, since: since,
                session: rule.endsWithSession ? session : nil, at: now)
            (alert.value, alert.threshold) = (reading.value, reading.threshold)
            entries[index].alert = alert
            if begun.count >= Self.mostPerMinute { begun.removeFirst() }
            begun.append(now)
            alerts.append(alert)
        case .resolves: close(index, .recovered, reading.value, at: now, into: &alerts)
        }
    }

    /// Enables these rules, in their order; active alerts of other rules are resolved.
    mutating func enable(
        _ rules: [AlertRule], at now: BootInstant, into alerts: inout [Alert]
    ) {
        for index in entries.indices where !rules.contains(entries[index].rule) {
            close(index, .ruleOff, nil, at: now, into: &alerts)
        }
        entries = rules.map { rule in
            place(of: rule).map { entries[$0] }
                ?? Entry(rule: rule, machine: RuleMachine(rule.timing))
        }
    }

    /// Acknowledges an alert. Returns it with the first person who acknowledged it; nil if no
    /// active alert has this id.
    mutating func acknowledge(
        _ id: String, by name: String?, at now: BootInstant, into alerts: inout [Alert]
    ) -> Alert? {
        guard let index = entries.firstIndex(where: { $0.alert?.id == id }),
            var alert = entries[index].alert
        else { return nil }
        guard alert.acknowledgement == nil else { return alert }
        (alert.acknowledgement, alert.at) = (Alert.Acknowledgement(at: now, by: name), now)
        entries[index].alert = alert
        alerts.append(alert)
        return alert
    }

    /// Removes `name` as the person who acknowledged active alerts.
    mutating func forget(_ name: String) {
        for index in entries.indices where entries[index].alert?.acknowledgement?.by == name {
            entries[index].alert?.acknowledgement?.by = nil
        }
    }

    /// Resolves alerts of other sessions than `session`, and those without a rule.
    mutating func end(
        allBut session: SessionID?, at now: BootInstant, into alerts: inout [Alert]
    ) {
        for orphan in orphans { alerts.append(orphan.resolved(.ruleOff, at: now)) }
        orphans = []
        for index in entries.indices where entries[index].rule.endsWithSession {
            guard let alert = entries[index].alert, alert.session != session else { continue }
            close(index, .sessionEnded, nil, at: now, into: &alerts)
        }
    }

    /// Ends the alert of a rule that has no limit any more.
    mutating func drop(_ rule: AlertRule, at now: BootInstant, into alerts: inout [Alert]) {
        guard let index = place(of: rule) else { return }
        close(index, .ruleOff, nil, at: now, into: &alerts)
        entries[index].machine.end(at: now)
    }

    /// Resets the progress of session rules towards an alert, at the end of a session.
    mutating func restart(at now: BootInstant) {
        for index in entries.indices where entries[index].rule.endsWithSession {
            entries[index].machine.end(at: now)
        }
    }

    private mutating func close(
        _ index: Int, _ resolution: Alert.Resolution, _ value: Int?, at now: BootInstant,
        into alerts: inout [Alert]
    ) {
        guard var alert = entries[index].alert else { return }
        entries[index].alert = nil
        entries[index].machine.end(at: now)
        alert.value = value
        alerts.append(alert.resolved(resolution, at: now))
    }

    /// The highest level here that is out of service; nil for none. It counts from the first
    /// moment, because dependent alerts would otherwise be reported before it.
    var detectedOutage: AlertRule.Level? {
        entries.lazy.filter { $0.rule.isOutage && $0.machine.isBroken }.map(\.rule.level).min()
    }

    /// Whether something that the rule depends on is out of service.
    private func isSilenced(_ rule: AlertRule) -> Bool {
        min(outage ?? .performance, detectedOutage ?? .performance) < rule.level
    }

    private func hasRoom(at now: BootInstant) -> Bool {
        guard begun.count >= Self.mostPerMinute, let oldest = begun.first else { return true }
        return oldest.duration(to: now) >= Self.minute
    }
}

extension Alert {
    fileprivate func resolved(_ resolution: Resolution, at now: BootInstant) -> Alert {
        var alert = self
        alert.resolution = resolution
        alert.at = now
        return alert
    }
}
