import BlueZLink
import Contract
import ControlSocket
import Insights
import Recording
import Rowing
import Timeline

extension StatusReply {
    /// Creates the reply to `rowgatectl status`.
    init(_ snapshot: GatewaySnapshot) {
        let assessment = HealthAssessment(snapshot)
        self.init(
            status: Health(rawValue: assessment.status.rawValue) ?? .failed,
            reasons: assessment.reasons,
            gateway: Gateway(snapshot), bus: Bus(snapshot.room),
            adapters: snapshot.room.adapters.map(Adapter.init), broker: Broker(snapshot),
            ring: Ring(snapshot.recorder, at: snapshot.at),
            ergs: snapshot.stations.map { Erg($0, at: snapshot.at) },
            crews: snapshot.crews.map { Crew(name: $0.id.slug, ergs: $0.ergs.map(\.slug)) })
        problems = assessment.problems.map(Problem.init)
        guard !snapshot.room.relays.isEmpty else { return }
        relays = snapshot.room.relays.map {
            Relay(
                adapter: $0.adapter, serial: $0.serial, state: $0.state.rawValue, problem: $0.problem)
        }
    }
}

extension StatusReply.Problem {
    fileprivate init(_ problem: HealthProblem) {
        self.init(
            code: problem.code.rawValue, severity: problem.severity.rawValue,
            erg: problem.erg?.slug, text: problem.text, remedy: problem.remedy)
    }
}

extension StatusReply.Gateway {
    fileprivate init(_ snapshot: GatewaySnapshot) {
        self.init(
            id: snapshot.gateway.slug, version: snapshot.version, epoch: snapshot.recorder.epoch,
            bootID: snapshot.clock.bootID,
            uptimeSeconds: snapshot.started.duration(to: snapshot.at).seconds,
            clockIsSynchronized: snapshot.clock.isSynchronized)
        loadStep = snapshot.load.shedding.level.rawValue
        queueDelaySeconds = snapshot.load.measurements.queueDelay?.seconds
        cpuPercent = snapshot.load.measurements.processorPercent
        alerts = snapshot.alerts.map { StatusReply.Alert($0, at: snapshot.at) }
        alertsTotal = snapshot.alertsTotal
        roster = StatusReply.Roster(snapshot)
        announcement = snapshot.announcement
    }
}

extension StatusReply.Roster {
    fileprivate init?(_ snapshot: GatewaySnapshot) {
        let report = snapshot.athletes.report
        guard report.source != .none else { return nil }
        let allowed = snapshot.athletes.roster?.ids
        let others = snapshot.recorder.athletes.filter { allowed?.contains($0.value) == false }
        self.init(
            source: report.source.rawValue, athletes: report.athletes,
            ergsOfOthers: others.keys.sorted().map(\.slug))
        guard report.source == .logbook, let received = snapshot.athletes.received else { return }
        (logbook, receivedMilliseconds) = (report.logbook?.slug, received.receivedAt)
    }
}

extension StatusReply.Bus {
    fileprivate init(_ room: RoomSnapshot) {
        self.init(
            isConnected: room.isServicePresent, lastError: room.problems.first?.message,
            serviceRestarts: room.serviceRestarts)
    }
}

extension StatusReply.Adapter {
    fileprivate init(_ adapter: RoomSnapshot.Adapter) {
        self.init(
            address: adapter.address, name: adapter.name, isPowered: adapter.isPowered,
            slotsUsed: adapter.linksUsed, slotsTotal: adapter.linkLimit)
        foreignLinks = adapter.foreignLinks
        powerCycles = adapter.powerCycles
        guard let kernel = adapter.kernel else { return }
        bytesReceived = Int(kernel.bytesReceived)
        bytesSent = Int(kernel.bytesSent)
        errors = kernel.errors
    }
}

extension StatusReply.Broker {
    fileprivate init(_ snapshot: GatewaySnapshot) {
        let publisher = snapshot.publisher
        self.init(
            host: publisher.server.host, port: Int(publisher.server.port),
            isConnected: publisher.isConnected, backlogMessages: snapshot.recorder.backlog,
            publishedTotal: Int(clamping: publisher.published),
            rejectedTotal: Int(clamping: publisher.rejected),
            unsubscribedTotal: Int(clamping: publisher.unsubscribed))
        sinceSeconds =
            (publisher.connectionChanged ?? snapshot.started)
            .duration(to: snapshot.at).seconds
        backlogAgeSeconds = snapshot.recorder.oldestUnpublishedAge?.seconds
        lastError = publisher.isConnected ? nil : publisher.lastFailure?.cause
    }
}

extension StatusReply.Ring {
    fileprivate init(_ recorder: RecorderSnapshot, at now: BootInstant) {
        self.init(
            path: recorder.path, sizeBytes: recorder.sizeBytes,
            usedPercent: (recorder.usedFraction * 1000).rounded() / 10,
            droppedTotal: Int(clamping: recorder.droppedTotal))
        behindSeconds = recorder.diskDelay?.seconds
        worstCommitSeconds = recorder.worstCommit?.seconds
        reachSeconds = recorder.reach?.seconds
        lastError = recorder.failure
    }
}

extension StatusReply.Erg {
    fileprivate init(_ station: StationSnapshot, at now: BootInstant) {
        self.init(
            slug: station.station.slug, serial: station.serial,
            link: StatusReply.Link(station, at: now), undecodableTotal: station.undecodable)
        machineType = station.machineType?.wireName
        batteryPercent = station.batteryPercent
        isBatteryLow = station.isBatteryLow
        clockOffsetSeconds = station.clockOffset.map { Int($0.components.seconds) }
        clockSettings = station.clockSettings
        alerts = station.alerts.map { StatusReply.Alert($0, at: now) }
        alertsTotal = station.alertsTotal
        guard station.openSince != nil || station.state.session != nil else { return }
        state = station.state.activity.rawValue
        sessionID = station.state.session?.text
        guard let live = station.live else { return }
        elapsedSeconds = live.elapsed.seconds
        distanceMeters = Double(live.distance.millimeters) / 1000
        paceSecondsPer500m = live.pace.map { Double($0.millisecondsPer500m) / 1000 }
        strokeRate = live.strokeRate
        powerWatts = live.powerWatts
        heartRate = live.heartRate
        paceVsTarget = live.target?.pace?.rawValue
        powerVsTarget = live.target?.watts?.rawValue
        strokeRateVsTarget = live.target?.rate?.rawValue
        heartRateVsTarget = live.target?.heartRate?.rawValue
    }
}

extension StatusReply.Alert {
    fileprivate init(_ alert: Insights.Alert, at now: BootInstant) {
        self.init(
            id: alert.id, rule: alert.rule.rawValue, severity: alert.rule.severity.rawValue,
            ageSeconds: alert.since.duration(to: now).seconds)
        value = alert.value.map { Double($0) / 100 }
        threshold = alert.threshold.map { Double($0) / 100 }
        sessionID = alert.session?.text
        acknowledgedAgeSeconds = alert.acknowledgement?.at.duration(to: now).seconds
        acknowledgedBy = alert.acknowledgement?.by
    }
}

extension StatusReply.Link {
    fileprivate init(_ station: StationSnapshot, at now: BootInstant) {
        self.init(
            phase: StatusReply.LinkPhase(station.link.phase),
            reconnects: station.link.reconnects)
        if case .parked(let reason) = station.link.phase { parkedReason = reason.text }
        advice = LinkAdvice(station, at: now).map { "\($0.reason); \($0.remedy)" }
        if case .released(let release) = station.link.phase {
            releaseReason = "on request"
            releasedForSeconds = release.until.map { now.duration(to: $0).seconds }
        }
        if case .asleep(let idle) = station.link.phase {
            sleepReason = "unused for \(LinkPhase.idleText(idle))"
        }
        adapter = station.link.adapter
        resubscriptions = station.link.resubscriptions
        removals = station.link.removals
        rssiDBm = station.link.rssi
        lastFailure = station.link.lastFailure
        guard let open = station.openSince else { return }
        ageSeconds = open.duration(to: now).seconds
        notificationsPerSecond = station.valueRate.perSecond
        silenceSeconds = station.silence(at: now, since: open).seconds
    }
}

extension StatusReply.LinkPhase {
    init(_ phase: LinkPhase) {
        self =
            switch phase {
            case .searching: .searching
            case .waiting: .waiting
            case .connecting: .connecting
            case .resolving: .resolving
            case .subscribing: .subscribing
            case .streaming: .streaming
            case .parked: .parked
            case .released: .released
            case .asleep: .asleep
            }
    }
}

extension Duration {
    fileprivate var seconds: Double { Double(wholeMilliseconds) / 1000 }
}

extension ScanReply {
    /// Creates the reply to `rowgatectl scan`: each monitor once, with its strongest signal.
    ///
    /// - Parameter ergs: the ergs of our monitors, by serial number.
    init(_ room: RoomSnapshot, ergs: [String: StationID]) {
        let links = Dictionary(
            room.monitors.map { ($0.serial, $0.status) }, uniquingKeysWith: { first, _ in first })
        let sightings = Dictionary(grouping: room.sightings, by: \.serial)
        self.init(
            isScanning: room.isMonitorMissing || room.adapters.contains(where: \.isDiscovering),
            monitors: sightings.compactMap { serial, all in
                guard let best = all.max(by: { ($0.rssi ?? .min) < ($1.rssi ?? .min) })
                else { return nil }
                return Monitor(
                    serial: serial, erg: ergs[serial]?.slug,
                    phase: links[serial].map { StatusReply.LinkPhase($0.phase) },
                    adapter: links[serial]?.adapter ?? best.adapter, rssiDBm: best.rssi)
            })
    }
}
