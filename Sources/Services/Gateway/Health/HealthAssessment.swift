import BlueZLink
import Contract
import Insights
import Publishing
import Timeline

/// What is wrong with a gateway, if anything: the one judgement that the retained `health`, the
/// control socket, and with them pages, tools and metrics show.
struct HealthAssessment: Equatable {
    let problems: [HealthProblem]

    /// The worst of the problems.
    var status: Health.Status { Health.Status(problems) }

    /// A sentence for each problem.
    var reasons: [String] { problems.map(\.reason) }

    init(_ snapshot: GatewaySnapshot) {
        var problems = snapshot.room.problems.map {
            HealthProblem($0.code(adaptersUp: snapshot.adaptersUp), $0.words, remedy: $0.remedy)
        }
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
                    remedy: "use one that is made for this board"))
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

    /// A disk may take so long to answer, as on a machine that is too slow.
    private static let patience = LoadSteps.Limit.commit.high

    /// A machine without a battery-backed clock has the time a while after it has a network. The
    /// alert waits as long.
    static let clockPatience: Duration =
        if case .time(let hold) = AlertRule.clock.timing.hold { hold } else { .zero }

    // MARK: - The gateway

    private static func broker(_ snapshot: GatewaySnapshot) -> HealthProblem {
        let broker = snapshot.publisher.server
        guard let failure = snapshot.publisher.lastFailure else {
            return HealthProblem(.broker, "no connection to the broker \(broker) yet")
        }
        return HealthProblem(
            .broker, "no connection to the broker \(broker): \(failure.cause)",
            remedy: failure.remedy ?? "sudo rowgatectl doctor looks closer")
    }

    /// None while the clock, by which they would be judged, is not synchronised.
    private static func certificates(_ snapshot: GatewaySnapshot) -> [HealthProblem] {
        guard snapshot.clock.isSynchronized else { return [] }
        let now = snapshot.clock.unixMilliseconds(at: snapshot.at)
        return snapshot.publisher.certificates.complaints(at: now)
            .map { HealthProblem(.certificate, $0.words, remedy: $0.remedy) }
    }

    private static func topic(
        _ parked: PublisherStatistics.Parked, at now: BootInstant
    ) -> HealthProblem {
        let pause = max(0, now.duration(to: parked.until).components.seconds)
        return HealthProblem(
            .topicRefused,
            "the broker ends the connection when something is published on \(parked.topic), which "
                + "is left out for \(pause) s more",
            remedy: "let the gateway's user write there")
    }

    private static func storage(_ snapshot: GatewaySnapshot) -> [HealthProblem] {
        var problems: [HealthProblem] = []
        if let failure = snapshot.recorder.failure {
            problems.append(HealthProblem(.ring, "the ring log is not on disk: \(failure)"))
        }
        if let behind = snapshot.recorder.diskBehind, behind >= patience {
            problems.append(
                HealthProblem(
                    .disk,
                    "the disk has not answered for \(behind.components.seconds) s, and what is "
                        + "recorded waits in memory",
                    remedy: "a card that stalls is worn or slow: replace it"))
        }
        if let complaint = snapshot.load.steps.complaint {
            problems.append(
                HealthProblem(.load, complaint, remedy: "sudo rowgatectl doctor says what helps"))
        }
        if snapshot.recorder.droppedTotal > 0 {
            problems.append(
                HealthProblem(
                    .recordsLost,
                    "\(snapshot.recorder.droppedTotal) records were lost unpublished"))
        }
        return problems
    }

    private static let clock = HealthProblem(
        .clock, "the clock is not synchronised",
        remedy: "connect the gateway to the internet, or to a time server; then: "
            + "sudo timedatectl set-ntp true")

    /// An alert goes on for a while after its cause has ended, and one may be about something that
    /// is no problem of its own. What a page shows as an alert is never "all well" elsewhere.
    private static func problem(
        behind alert: Alert, _ snapshot: GatewaySnapshot
    ) -> HealthProblem? {
        switch alert.rule {
        case .bluetoothLost:
            return HealthProblem(.bluetooth, "bluetoothd was lost a moment ago")
        case .adapterLost:
            return HealthProblem(
                .noAdapter, "no Bluetooth adapter works",
                remedy: "sudo rowgatectl doctor looks closer")
        case .undervoltage:
            return HealthProblem(
                .undervoltage, "the power supply was too weak a moment ago",
                remedy: "use one that is made for this board")
        case .backlog:
            let age = snapshot.recorder.oldestUnpublishedAge?.components.seconds ?? 0
            return HealthProblem(
                .backlog, "records wait for the broker, the oldest for \(age) s",
                remedy: "sudo rowgatectl doctor looks closer")
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

    /// An erg that was connected and is not, or that sends nothing.
    ///
    /// A monitor that was never in reach is no problem: monitors sleep, and rooms have empty
    /// places.
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
        let wasHere = station.link.connects > 0 || station.link.failures > 0
        guard let advice = LinkAdvice(station, at: now), wasHere || station.isParked else {
            return nil
        }
        return HealthProblem(
            .link, erg: station.station, "\(station.station): \(advice.reason)",
            remedy: advice.remedy)
    }
}

extension HealthProblem.Code {
    /// Whether a problem of this code says what one of the other would say too.
    fileprivate func covers(_ other: Self) -> Bool {
        switch (self, other) {
        // Without bluetoothd no adapter is seen, and without a broker records wait.
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
