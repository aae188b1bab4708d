import Rowing
import Timeline

/// The rules of one erg, or of the gateway: which of them fire, under which id, and how many may
/// begin to within a minute.
package struct AlertBook: Sendable {
    /// Alerts that begin in a minute at most; another one waits, and is told if it still holds then.
    package static let mostPerMinute = 6
    private static let minute = Duration.seconds(60)

    private struct Entry: Sendable {
        let rule: AlertRule
        var machine: RuleMachine
        var alert: Alert?
    }

    private let makeID: @Sendable () -> String
    /// Those that are on. No dictionary: to change a value of one in its place costs an allocation.
    private var entries: [Entry]
    /// Alerts of another process that this one has no rule for.
    private var orphans: [Alert]
    /// When the last ones began, the oldest first.
    private var begun: [BootInstant] = []
    /// What is out above all that is in here; nil for nothing.
    package var outage: AlertRule.Level?

    /// - Parameters:
    ///   - rules: those that are on, in their order.
    ///   - makeID: a new ULID for each alert.
    ///   - firing: what fired when another process was here last.
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
        let kept = Set(entries.compactMap { $0.alert?.id })
        orphans = firing.filter { !kept.contains($0.id) }
        begun.reserveCapacity(Self.mostPerMinute)
    }

    /// What fires, in the order of the rules.
    package var firing: [Alert] { entries.compactMap(\.alert) }

    private func place(of rule: AlertRule) -> Int? { entries.firstIndex { $0.rule == rule } }

    func has(_ rule: AlertRule) -> Bool { place(of: rule) != nil }

    func isFiring(_ rule: AlertRule) -> Bool {
        place(of: rule).map { entries[$0].machine.isFiring } == true
    }

    /// Takes in what is known of a rule now; nothing for one that is off.
    mutating func take(
        _ rule: AlertRule, _ reading: AlertReading, of session: SessionID? = nil,
        at now: BootInstant, into alerts: inout [Alert]
    ) {
        guard let index = place(of: rule) else { return }
        let verdict = isSilenced(rule) ? .unknown : reading.verdict
        let mayFire = hasRoom(at: now)
        switch entries[index].machine.take(verdict, at: now, mayFire: mayFire) {
        case nil: break
        case .fires(let since):
            var alert = Alert(
                id: makeID(), rule: rule, since: since,
                session: rule.isOfSession ? session : nil, at: now)
            (alert.value, alert.threshold) = (reading.value, reading.threshold)
            entries[index].alert = alert
            if begun.count >= Self.mostPerMinute { begun.removeFirst() }
            begun.append(now)
            alerts.append(alert)
        case .resolves: close(index, .recovered, reading.value, at: now, into: &alerts)
        }
    }

    /// From now on these rules are on, in their order; what fires of another one is resolved.
    mutating func turnOn(
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

    /// Somebody has seen the alert of an id. Returns it as it is known now, with who saw it first; nil
    /// where none of that id fires.
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

    /// Nobody knows any more that it was `name` who saw what fires.
    mutating func forget(_ name: String) {
        for index in entries.indices where entries[index].alert?.acknowledgement?.by == name {
            entries[index].alert?.acknowledgement?.by = nil
        }
    }

    /// Resolves what is about a session other than `session`, and what has no rule any more.
    mutating func end(
        allBut session: SessionID?, at now: BootInstant, into alerts: inout [Alert]
    ) {
        for orphan in orphans { alerts.append(orphan.resolved(.ruleOff, at: now)) }
        orphans = []
        for index in entries.indices where entries[index].rule.isOfSession {
            guard let alert = entries[index].alert, alert.session != session else { continue }
            close(index, .sessionEnded, nil, at: now, into: &alerts)
        }
    }

    /// Nothing is asked for any more that the rule could be held against.
    mutating func drop(_ rule: AlertRule, at now: BootInstant, into alerts: inout [Alert]) {
        guard let index = place(of: rule) else { return }
        close(index, .ruleOff, nil, at: now, into: &alerts)
        entries[index].machine.end(at: now)
    }

    /// Forgets how far rules of sessions had come towards an alert, at the end of one.
    mutating func restart(at now: BootInstant) {
        for index in entries.indices where entries[index].rule.isOfSession {
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

    /// The highest level that is out here; nil for none. It counts from its first moment on: what
    /// stands on it would be told before it otherwise.
    var ownOutage: AlertRule.Level? {
        entries.lazy.filter { $0.rule.isOutage && $0.machine.isBroken }.map(\.rule.level).min()
    }

    /// Whether something that the rule stands on is out.
    private func isSilenced(_ rule: AlertRule) -> Bool {
        min(outage ?? .rowed, ownOutage ?? .rowed) < rule.level
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
