import Contract
import Insights
import Rowing
import Synchronization
import Timeline

/// The gateway's own alerts, derived from the same values as health.
///
/// Changed by `HealthReporter`, and by acknowledgements. Alerts are recorded in the order in which
/// they are found.
final class AlertWatch: Sendable {
    private struct State {
        var alerts: GatewayAlerts
        var total = 0
    }

    private let state: Mutex<State>
    private let gateway: GatewayID
    private let record: @Sendable ([Alert]) -> Void
    private let retain: @Sendable (RetainedTopic, [UInt8]) -> Void

    /// - Parameters:
    ///   - alerts: initial alerts, including those of the last process.
    ///   - record: records alerts, in order; must not wait.
    ///   - retain: replaces the retained message; must not wait.
    init(
        _ alerts: GatewayAlerts, of gateway: GatewayID,
        record: @escaping @Sendable ([Alert]) -> Void,
        retain: @escaping @Sendable (RetainedTopic, [UInt8]) -> Void
    ) {
        state = Mutex(State(alerts: alerts))
        self.gateway = gateway
        self.record = record
        self.retain = retain
    }

    /// Active alerts, and the number of alerts that started since the start of the process.
    var reading: (firing: [Alert], total: Int) {
        state.withLock { ($0.alerts.firing, $0.total) }
    }

    /// Evaluates a snapshot. Returns the level that is out of service for every erg; nil for none.
    func evaluate(_ snapshot: GatewaySnapshot) -> AlertRule.Level? {
        state.withLock { state in
            var found: [Alert] = []
            state.alerts.evaluate(GatewayMoment(snapshot), at: snapshot.at, into: &found)
            state.total += found.count { $0.state == .firing }
            forward(found, state.alerts, at: snapshot.at, clock: snapshot.clock)
            return state.alerts.outage
        }
    }

    /// Acknowledges an alert. Returns it with the first person who acknowledged it; nil if no
    /// active alert has this id.
    func acknowledge(
        _ id: String, by name: String?, at now: BootInstant, clock: WallClock
    ) -> Alert? {
        state.withLock { state in
            var found: [Alert] = []
            let alert = state.alerts.acknowledge(id, by: name, at: now, into: &found)
            forward(found, state.alerts, at: now, clock: clock)
            return alert
        }
    }

    /// Removes `name` as the person who acknowledged active alerts.
    func forget(_ name: String, at now: BootInstant, clock: WallClock) {
        state.withLock { $0.alerts.forget(name) }
        publish(at: now, clock: clock)
    }

    private func forward(
        _ found: [Alert], _ alerts: GatewayAlerts, at now: BootInstant, clock: WallClock
    ) {
        guard !found.isEmpty else { return }
        record(found)
        publish(alerts, at: now, clock: clock)
    }

    /// Publishes the active alerts; the broker may have lost them with the last process.
    func publish(at now: BootInstant, clock: WallClock) {
        state.withLock { publish($0.alerts, at: now, clock: clock) }
    }

    private func publish(_ alerts: GatewayAlerts, at now: BootInstant, clock: WallClock) {
        retain(
            .alerts(nil),
            FiringAlerts(alerts.firing, clock: clock)
                .payload(gateway: gateway, at: now, clock: clock))
    }
}

extension GatewayMoment {
    /// Converts a snapshot into the input of the rules.
    init(_ snapshot: GatewaySnapshot) {
        self.init(
            hasBluetooth: snapshot.room.isServicePresent, adapters: snapshot.adaptersUp,
            isUndervoltage: snapshot.host.isUndervoltage,
            backlogAge: snapshot.recorder.oldestUnpublishedAge,
            isRingLost: snapshot.recorder.failure != nil,
            diskDelay: snapshot.recorder.diskDelay ?? .zero,
            isClockRight: snapshot.clock.isSynchronized)
    }
}
