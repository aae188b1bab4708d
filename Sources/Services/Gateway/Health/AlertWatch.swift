import Contract
import Insights
import Rowing
import Synchronization
import Timeline

/// The gateway's own alerts, found out from what health is made of.
///
/// Written by `HealthReporter`, and by whoever acknowledges one. What is found leaves in the order in
/// which it was found.
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
    ///   - alerts: those of the last process among them.
    ///   - record: makes records of them, in order; must not wait.
    ///   - retain: replaces what the broker keeps; must not wait.
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

    /// What fires, and how many alerts began since the start.
    var reading: (firing: [Alert], total: Int) {
        state.withLock { ($0.alerts.firing, $0.total) }
    }

    /// Takes what a look found. Returns what is out for every erg; nil for nothing.
    func take(_ snapshot: GatewaySnapshot) -> AlertRule.Level? {
        state.withLock { state in
            var found: [Alert] = []
            state.alerts.take(GatewayMoment(snapshot), at: snapshot.at, into: &found)
            state.total += found.count { $0.state == .firing }
            handOn(found, state.alerts, at: snapshot.at, clock: snapshot.clock)
            return state.alerts.outage
        }
    }

    /// Somebody has seen the alert of an id. Returns it with who saw it first; nil where none of that
    /// id fires here.
    func acknowledge(
        _ id: String, by name: String?, at now: BootInstant, clock: WallClock
    ) -> Alert? {
        state.withLock { state in
            var found: [Alert] = []
            let alert = state.alerts.acknowledge(id, by: name, at: now, into: &found)
            handOn(found, state.alerts, at: now, clock: clock)
            return alert
        }
    }

    /// Nobody knows any more that it was `name` who saw what fires.
    func forget(_ name: String, at now: BootInstant, clock: WallClock) {
        state.withLock { $0.alerts.forget(name) }
        publish(at: now, clock: clock)
    }

    private func handOn(
        _ found: [Alert], _ alerts: GatewayAlerts, at now: BootInstant, clock: WallClock
    ) {
        guard !found.isEmpty else { return }
        record(found)
        publish(alerts, at: now, clock: clock)
    }

    /// Tells the broker what fires, which may have lost its memory with the last process.
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
    /// What health is made of, as the rules want it.
    init(_ snapshot: GatewaySnapshot) {
        self.init(
            hasBluetooth: snapshot.room.isServicePresent, adapters: snapshot.adaptersUp,
            isUndervoltage: snapshot.host.isUndervoltage,
            backlogAge: snapshot.recorder.oldestUnpublishedAge,
            isRingLost: snapshot.recorder.failure != nil,
            diskBehind: snapshot.recorder.diskBehind ?? .zero,
            isClockRight: snapshot.clock.isSynchronized)
    }
}
