import BlueZLink
import Contract
import HostRuntime
import Insights
import Rowing
import Timeline

/// Updates `health`, `clock` and systemd's status line.
///
/// `health` is published every 30 s, and within a few seconds after its status changes.
actor HealthReporter: QueueActor {
    static let period = Duration.seconds(Int64(RetainedTopic.healthPeriodSeconds))
    private static let checkInterval = Duration.seconds(3)

    nonisolated let executor: SerialQueueExecutor

    private let observer: GatewayObserver
    private let log: SystemLog
    private var timer: QueueTimer?
    private var published: (assessment: HealthAssessment, at: BootInstant)?
    private var reportedClock = ReportedClock()
    private var publishedRelays: RelayReport?
    private var isChecking = false
    /// The level that is out of service for every erg.
    private var outage: AlertRule.Level?

    init(_ observer: GatewayObserver, log: SystemLog) {
        executor = observer.runtime.makeQueue(label: "rowgate.health")
        self.observer = observer
        self.log = log
    }

    func start() {
        timer = makeTimer { $0.tick() }
        timer?.fire(every: Self.checkInterval, leeway: .milliseconds(500))
        observer.alerts.publish(at: observer.runtime.now(), clock: observer.runtime.wall())
        tick()
    }

    func stop() {
        timer?.cancel()
        timer = nil
    }

    private func tick() {
        guard !isChecking else { return }
        isChecking = true
        let now = observer.runtime.now()
        Task {
            var snapshot = await observer.snapshot(requested: now)
            await shedLoad(snapshot)
            snapshot.load = observer.load.reading
            await evaluateAlerts(snapshot)
            report(snapshot)
            isChecking = false
        }
    }

    /// Sheds load if the machine is too slow; new stations are included.
    private func shedLoad(_ snapshot: GatewaySnapshot) async {
        let before = observer.load.reading.shedding.level
        let isChanged = observer.load.update(with: snapshot)
        let shedding = observer.load.reading.shedding
        if isChanged { logShedding(shedding, before: before) }
        guard isChanged || shedding.level != .full else { return }
        _ = await observer.ticks.collect { $0.shed(shedding.level) }
    }

    /// Evaluates the gateway's own alerts; a fault of all ergs is not reported for each.
    private func evaluateAlerts(_ snapshot: GatewaySnapshot) async {
        let before = outage
        outage = observer.alerts.evaluate(snapshot)
        // A new station must be notified too.
        guard outage != before || outage != nil else { return }
        _ = await observer.ticks.collect { [outage] in $0.note(outage: outage) }
    }

    private func logShedding(_ shedding: LoadShedding, before: LoadShedding.Level) {
        if shedding.level > before {
            log.warning(
                "cannot keep up, \(shedding.causeText): \(shedding.level.text); strokes, splits and "
                    + "results stay complete", event: .cannotKeepUp)
        } else {
            log.notice("keeps up better: \(shedding.level.text)")
        }
    }

    private func report(_ snapshot: GatewaySnapshot) {
        publishClock(snapshot)
        publishRelays(snapshot.room.relays)
        let assessment = HealthAssessment(snapshot)
        if let published, published.assessment == assessment,
            published.at.duration(to: snapshot.at) < Self.period
        {
            return
        }
        published = (assessment, snapshot.at)
        observer.publisher.setRetained(
            .health,
            Health(snapshot).payload(
                gateway: snapshot.gateway, at: snapshot.at, clock: snapshot.clock))
        let online = snapshot.stations.count { $0.openSince != nil }
        let verdict = assessment.reasons.first ?? "ok"
        let asleep = snapshot.ergsAsleep
        let rest = asleep > 0 ? ", \(asleep) asleep" : ""
        ServiceNotifier.status("\(online) of \(snapshot.ergsConfigured) ergs\(rest), \(verdict)")
    }

    private func publishRelays(_ relays: [RelayStatus]) {
        let ergs = observer.registry.stationsBySerial
        let report = RelayReport(
            relays.map { relay in
                RelayReport.Relay(
                    adapter: relay.adapter, erg: relay.serial.flatMap { ergs[$0] },
                    state: relay.state.rawValue)
            })
        guard report != publishedRelays else { return }
        publishedRelays = report
        observer.publish(report)
    }

    /// The recorder also records a clock step, from its own observation.
    func publishClock(_ snapshot: GatewaySnapshot) {
        guard reportedClock.isOutdated(by: snapshot.clock) else { return }
        observer.publisher.setRetained(
            .clock,
            ClockReport().payload(
                gateway: snapshot.gateway, at: snapshot.at, clock: snapshot.clock))
    }
}

extension Health {
    /// Creates the retained `health` of a snapshot.
    init(_ snapshot: GatewaySnapshot) {
        self.init(HealthAssessment(snapshot).problems)
        let adapters = snapshot.room.adapters
        adaptersUp = snapshot.adaptersUp
        slotsUsed = adapters.reduce(0) { $0 + $1.linksUsed }
        let limits = adapters.compactMap(\.linkLimit)
        slotsTotal = limits.count == adapters.count ? limits.reduce(0, +) : nil
        ergsOnline = snapshot.stations.count { $0.openSince != nil }
        ergsAsleep = snapshot.ergsAsleep
        ergsConfigured = snapshot.ergsConfigured
        isBrokerConnected = snapshot.publisher.isConnected
        brokerCertificateEnd = snapshot.publisher.certificates.broker
        ownCertificateEnd = snapshot.publisher.certificates.own
        backlogMessages = snapshot.recorder.backlog
        backlogAgeSeconds = snapshot.recorder.oldestUnpublishedAge.map {
            Int($0.components.seconds)
        }
        rejectedTotal = snapshot.publisher.rejected
        unsubscribedTotal = snapshot.publisher.unsubscribed
        tooLongTotal = snapshot.publisher.tooLong > 0 ? snapshot.publisher.tooLong : nil
        skippedTopics = snapshot.publisher.parked.map(\.topic)
        commandsRejectedTotal = snapshot.commandsRejected + snapshot.publisher.incomingDropped
        ringUsedPermille = Int((snapshot.recorder.usedFraction * 1000).rounded())
        ringReachSeconds = snapshot.recorder.reach.map { Int($0.components.seconds) }
        ringDroppedTotal = snapshot.recorder.droppedTotal
        diskBehindSeconds = Int(snapshot.recorder.diskDelay?.components.seconds ?? 0)
        worstCommit = snapshot.recorder.worstCommit
        loadStep = snapshot.load.shedding.level.rawValue
        queueDelay = snapshot.load.measurements.queueDelay
        processorPercent = snapshot.load.measurements.processorPercent
        diskFreeBytes = snapshot.host.diskFreeBytes
        cpuTemperatureDecidegrees = snapshot.host.processorDecidegrees
        isUndervoltage = snapshot.host.isUndervoltage
        notificationRate = snapshot.stations.reduce(.zero) { $0 + $1.valueRate }
        publishLatency = snapshot.publisher.latency
        lastSequencesOfGateway = snapshot.recorder.lastSequencesOfGateway
        ergs = snapshot.stations.map { ErgHealth($0, at: snapshot.at) }
        self.adapters = adapters.map(AdapterHealth.init)
    }
}

extension ErgHealth {
    fileprivate init(_ station: StationSnapshot, at now: BootInstant) {
        self.init(erg: station.station.slug, reconnects: station.link.reconnects)
        rssiDBm = station.link.rssi
        batteryPercent = station.batteryPercent
        guard let open = station.openSince else { return }
        linkAgeSeconds = Int(open.duration(to: now).wholeMilliseconds / 1000)
        notificationRate = station.valueRate
        silenceDeciseconds = Int(station.silence(at: now, since: open).wholeMilliseconds / 100)
    }
}

extension AdapterHealth {
    fileprivate init(_ adapter: RoomSnapshot.Adapter) {
        self.init(
            address: adapter.address, links: adapter.linksUsed, powerCycles: adapter.powerCycles)
        linkLimit = adapter.linkLimit
        guard let kernel = adapter.kernel else { return }
        bytesReceived = Int(kernel.bytesReceived)
        bytesSent = Int(kernel.bytesSent)
        errors = kernel.errors
    }
}
