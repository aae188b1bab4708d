import Contract
import Publishing
import Timeline

/// What is wrong with a gateway, if anything, in sentences for a coach.
///
/// Degraded: something is amiss and the rest works. Failed: nothing can be recorded.
struct HealthAssessment: Equatable {
    var status: Health.Status
    var reasons: [String]

    init(_ snapshot: GatewaySnapshot) {
        reasons = snapshot.room.problems.map { "\($0.words); \($0.remedy)" }
        reasons += snapshot.stations.compactMap { Self.complaint(about: $0, at: snapshot.at) }
        reasons += snapshot.stations.compactMap(Self.complaint(aboutBatteryOf:))
        if !snapshot.publisher.isConnected {
            reasons.append(Self.complaint(aboutBroker: snapshot))
        }
        reasons += Self.complaints(aboutCertificatesOf: snapshot)
        reasons += snapshot.publisher.parked.map { Self.complaint(about: $0, at: snapshot.at) }
        if let failure = snapshot.recorder.failure {
            reasons.append("the ring log is not on disk: \(failure)")
        }
        if let behind = snapshot.recorder.diskBehind, behind >= Self.patience {
            reasons.append(
                "the disk has not answered for \(behind.components.seconds) s, and what is recorded "
                    + "waits in memory; a card that stalls is worn or slow: replace it")
        }
        if let complaint = snapshot.load.steps.complaint { reasons.append(complaint) }
        if snapshot.recorder.droppedTotal > 0 {
            reasons.append("\(snapshot.recorder.droppedTotal) records were lost unpublished")
        }
        if snapshot.host.isUndervoltage == true {
            reasons.append("the power supply is too weak; use one that is made for this board")
        }
        let isBlind = !snapshot.room.isServicePresent || snapshot.room.adapters.isEmpty
        status = reasons.isEmpty ? .ok : isBlind ? .failed : .degraded
    }

    /// So long a disk may do without an answer: as with a machine that is too slow.
    private static let patience = LoadSteps.Limit.commit.high

    private static func complaint(aboutBroker snapshot: GatewaySnapshot) -> String {
        let broker = snapshot.publisher.server
        guard let failure = snapshot.publisher.lastFailure else {
            return "no connection to the broker \(broker) yet"
        }
        return "no connection to the broker \(broker): \(failure.cause); "
            + (failure.remedy ?? "sudo rowgatectl doctor looks closer")
    }

    /// None while nothing keeps the clock right, by which they would be judged.
    private static func complaints(aboutCertificatesOf snapshot: GatewaySnapshot) -> [String] {
        guard snapshot.clock.isSynchronized else { return [] }
        let now = snapshot.clock.unixMilliseconds(at: snapshot.at)
        return snapshot.publisher.certificates.complaints(at: now)
            .map { "\($0.words); \($0.remedy)" }
    }

    private static func complaint(
        about parked: PublisherStatistics.Parked, at now: BootInstant
    ) -> String {
        "the broker ends the connection when something is published on \(parked.topic), which is left "
            + "out for \(max(0, now.duration(to: parked.until).components.seconds)) s more; let the "
            + "gateway's user write there"
    }

    private static func complaint(aboutBatteryOf station: StationSnapshot) -> String? {
        guard station.isBatteryLow, let percent = station.batteryPercent else { return nil }
        return "\(station.station): its monitor's batteries are at \(percent) %; "
            + "put in two new D cells"
    }

    /// An erg that was here and is not, or that says things nobody understands.
    ///
    /// A monitor that was never heard is no complaint: monitors sleep, and rooms have empty places.
    private static func complaint(about station: StationSnapshot, at now: BootInstant) -> String? {
        let name = station.station
        if station.lostEvents > 0 {
            return "\(name): \(station.lostEvents) events were lost, the log queue is too slow"
        }
        switch station.link.phase {
        case .released, .asleep: return nil
        default: break
        }
        let wasHere = station.link.connects > 0 || station.link.failures > 0
        guard let advice = LinkAdvice(station, at: now), wasHere || station.isParked else {
            return nil
        }
        return "\(name): \(advice.reason); \(advice.remedy)"
    }
}

extension StationSnapshot {
    fileprivate var isParked: Bool { if case .parked = link.phase { true } else { false } }
}
