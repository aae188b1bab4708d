import BlueZLink
import Contract
import Insights
import Publishing
import Rowing
import Timeline

/// The problems of a gateway. The retained `health`, the control socket, pages, tools and metrics all use
/// this assessment.
struct HealthAssessment: Equatable {
    let problems: [HealthProblem]

    /// The worst of the problems.
    var status: Health.Status { Health.Status(problems) }

    /// A sentence for each problem.
    var reasons: [String] { problems.map(\.reason) }

    init(_ snapshot: GatewaySnapshot) {
        var problems = snapshot.room.problems.map {
            HealthProblem($0.code(adaptersUp: snapshot.adaptersUp), $0.message, remedy: $0.remedy)
        }
        if snapshot.room.isServicePresent { problems += snapshot.room.relays.compactMap(Self.relay) }
        problems += snapshot.stations.compactMap { Self.link(of: $0, at: snapshot.at) }
        problems += snapshot.stations.compactMap(Self.battery)
        if !snapshot.publisher.isConnected { problems.append(Self.broker(snapshot)) }
        problems += Self.certificates(snapshot)
        problems += snapshot.publisher.parked.map { Self.topic($0, at: snapshot.at) }
        problems += Self.storage(snapshot)
        if snapshot.host.isUndervoltage == true {
            problems.append(
                HealthProblem(
                    .undervoltage, "the power supply is too weak",
                    remedy: "use a power supply that is made for this board"))
        }
        if let time = snapshot.clockUnsynchronized, time >= Self.clockPatience {
            problems.append(Self.clock)
        }
        for alert in snapshot.alerts {
            guard let problem = Self.problem(behind: alert, snapshot),
                !problems.contains(where: { $0.code.covers(problem.code) })
            else { continue }
            problems.append(problem)
        }
        self.problems = problems
    }

    /// Returns the problem of a relay that no phone can find. Recording does not depend on it.
    private static func relay(_ relay: RelayStatus) -> HealthProblem? {
        let cause: String
        switch relay.state {
        case .adapterMissing: cause = "its adapter \(relay.adapter) is missing"
        case .adapterOff: cause = "its adapter \(relay.adapter) is switched off"
        case .refused:
            guard let problem = relay.problem else { return nil }
            cause = "bluetoothd refuses it on \(relay.adapter): \(problem)"
        case .waitingForMonitor, .advertising, .connected: return nil
        }
        return HealthProblem(
            .adapter, "phones cannot find the relay of PM5 \(relay.serial ?? ""): \(cause)",
            remedy: "for details: sudo rowgatectl doctor")
    }

    /// Time without a response after which a disk is a problem; the same as for load shedding.
    private static let patience = LoadShedding.Limit.commit.high

    /// A machine without a battery-backed clock needs some time with a network to set its clock. Equal to the
    /// alert's delay.
    static let clockPatience: Duration =
        if case .time(let wait) = AlertRule.clock.timing.raiseAfter { wait } else { .zero }

    // MARK: - The gateway

    private static func broker(_ snapshot: GatewaySnapshot) -> HealthProblem {
        let broker = snapshot.publisher.server
        guard let failure = snapshot.publisher.lastFailure else {
            return HealthProblem(.broker, "no connection to the broker \(broker) yet")
        }
        return HealthProblem(
            .broker, "no connection to the broker \(broker): \(failure.cause)",
            remedy: failure.remedy ?? "for details: sudo rowgatectl doctor")
    }

    /// Returns no problems while the clock is not synchronised.
    private static func certificates(_ snapshot: GatewaySnapshot) -> [HealthProblem] {
        guard snapshot.clock.isSynchronized else { return [] }
        let now = snapshot.clock.unixMilliseconds(at: snapshot.at)
        return snapshot.publisher.certificates.warnings(at: now)
            .map { HealthProblem(.certificate, $0.message, remedy: $0.remedy) }
    }

    private static func topic(
        _ parked: PublisherStatistics.Parked, at now: BootInstant
    ) -> HealthProblem {
        let pause = max(0, now.duration(to: parked.until).components.seconds)
        return HealthProblem(
            .topicRefused,
            "the broker ends the connection when something is published on \(parked.topic); "
                + "retrying in \(pause) s",
            remedy: "let the gateway's user write there")
    }

    private static func storage(_ snapshot: GatewaySnapshot) -> [HealthProblem] {
        var problems: [HealthProblem] = []
        if let failure = snapshot.recorder.failure {
            problems.append(HealthProblem(.ring, "the ring log is not on disk: \(failure)"))
        }
        if let behind = snapshot.recorder.diskDelay, behind >= patience {
            problems.append(
                HealthProblem(
                    .disk,
                    "the disk has not answered for \(behind.components.seconds) s; new "
                        + "records are in memory",
                    remedy: "a card that stalls is worn or slow: replace it"))
        }
        if let problemText = snapshot.load.shedding.problemText {
            problems.append(
                HealthProblem(.load, problemText, remedy: "for remedies: sudo rowgatectl doctor"))
        }
        if snapshot.recorder.droppedTotal > 0 {
            problems.append(
                HealthProblem(
                    .recordsLost,
                    "\(snapshot.recorder.droppedTotal) unpublished records were lost"))
        }
        return problems
    }

    private static let clock = HealthProblem(
        .clock, "the clock is not synchronised",
        remedy: "connect the gateway to the internet, or to a time server; then: "
            + "sudo timedatectl set-ntp true")

    /// Returns the problem for an alert that no other problem covers. An alert fires for a while after its
    /// cause has ended, and health must not be ok meanwhile.
    private static func problem(
        behind alert: Alert, _ snapshot: GatewaySnapshot
    ) -> HealthProblem? {
        switch alert.rule {
        case .bluetoothLost:
            return HealthProblem(.bluetooth, "bluetoothd was lost a moment ago")
        case .adapterLost:
            return HealthProblem(
                .noAdapter, "no Bluetooth adapter works",
                remedy: "for details: sudo rowgatectl doctor")
        case .undervoltage:
            return HealthProblem(
                .undervoltage, "the power supply was too weak a moment ago",
                remedy: "use a power supply that is made for this board")
        case .backlog:
            let age = snapshot.recorder.oldestUnpublishedAge?.components.seconds ?? 0
            return HealthProblem(
                .backlog, "records wait for the broker, the oldest for \(age) s",
                remedy: "for details: sudo rowgatectl doctor")
        case .ring: return HealthProblem(.ring, "the ring log was not on disk a moment ago")
        case .disk: return HealthProblem(.disk, "the disk did not answer a moment ago")
        case .clock: return clock
        default: return nil
        }
    }

    // MARK: - Ergs

    private static func battery(of station: StationSnapshot) -> HealthProblem? {
        guard station.isBatteryLow, let percent = station.batteryPercent else { return nil }
        return HealthProblem(
            .battery, erg: station.station,
            "\(station.station): its monitor's batteries are at \(percent) %",
            remedy: "put in two new D cells")
    }

    /// Returns the problem of an erg that lost its connection or sends nothing.
    ///
    /// A monitor that was never in range is not a problem: monitors sleep, and ergs may be missing.
    private static func link(of station: StationSnapshot, at now: BootInstant) -> HealthProblem? {
        if station.lostEvents > 0 {
            return HealthProblem(
                .link, erg: station.station,
                "\(station.station): \(station.lostEvents) events were lost, the log queue is "
                    + "too slow"
            )
        }
        switch station.link.phase {
        case .released, .asleep: return nil
        default: break
        }
        let wasInRange = station.link.connects > 0 || station.link.failures > 0
        guard let advice = LinkAdvice(station, at: now), wasInRange || station.isParked else {
            return nil
        }
        return HealthProblem(
            .link, erg: station.station, "\(station.station): \(advice.reason)",
            remedy: advice.remedy)
    }
}

extension HealthProblem.Code {
    /// Whether a problem of this code makes one of the other code redundant.
    fileprivate func covers(_ other: Self) -> Bool {
        switch (self, other) {
        // Without bluetoothd there are no adapters, and without a broker records wait.
        case (.bluetooth, .noAdapter), (.broker, .backlog): true
        default: self == other
        }
    }
}

extension RoomProblem {
    /// - Parameter adaptersUp: adapters that work.
    fileprivate func code(adaptersUp: Int) -> HealthProblem.Code {
        switch self {
        case .noBus, .noBluetoothService: .bluetooth
        case .noAdapter: .noAdapter
        case .adapterMissing, .adapterOff, .adapterBlocked, .adapterStuck, .adapterScanned:
            adaptersUp == 0 ? .noAdapter : .adapter
        }
    }
}

extension StationSnapshot {
    fileprivate var isParked: Bool { if case .parked = link.phase { true } else { false } }
}
