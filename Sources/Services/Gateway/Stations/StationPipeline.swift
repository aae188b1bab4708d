import Contract
import HostRuntime
import Insights
import PM5Codec
import Publishing
import Recording
import Rowing
import Timeline

/// Receives the reports of a station: the recorder, Home Assistant's bridge and others.
///
/// Called on the station's queue, in order; a listener must not wait.
protocol StationListener: Sendable {
    /// The erg exists, with or without a monitor.
    func stationDidStart(_ station: StationID)
    func stationDidOpen(_ station: StationID, to monitor: MonitorIdentity)
    func stationDidClose(_ station: StationID)
    /// Receives events, values and a checkpoint; returns false if there was no room for them.
    func stationDidReport(_ update: StationUpdate) -> Bool
}

extension StationListener {
    func stationDidStart(_ station: StationID) {}
    func stationDidOpen(_ station: StationID, to monitor: MonitorIdentity) {}
    func stationDidClose(_ station: StationID) {}
    func stationDidReport(_ update: StationUpdate) -> Bool { true }
}

/// The recorder's mailbox.
extension BoundedMailbox: StationListener where Element == StationUpdate {
    func stationDidReport(_ update: StationUpdate) -> Bool { send(update) }
}

extension HomeAssistantBridge: StationListener {
    func stationDidStart(_ station: StationID) { describe(station, nil) }

    func stationDidOpen(_ station: StationID, to monitor: MonitorIdentity) {
        describe(station, monitor)
    }
}

/// Outputs of a station. Called on the station's queue; they must not wait.
struct StationOutputs: Sendable {
    /// Each receives every report, in this order.
    var listeners: [any StationListener]
    /// To the MQTT queue, for current subscribers.
    var live: @Sendable (StationID, MetricsSample) -> Void
    /// A retained message must be replaced.
    var retain: @Sendable (RetainedTopic, [UInt8]) -> Void
}

/// One erg: its queue, its bytes, its sessions.
///
/// The link reads the erg's sockets on this queue and calls directly, so a value without a relevant
/// change ends in a struct, without an event.
actor StationPipeline: QueueActor, ErgLinkListener {
    nonisolated let executor: SerialQueueExecutor

    nonisolated let station: StationID
    private let gateway: GatewayID
    private let runtime: any Runtime
    private let log: SystemLog
    private let outputs: StationOutputs
    private var machine: SessionMachine
    /// Events that were not reported yet.
    private var events: [SessionEvent] = []
    /// Insights from `events`; reported together with them.
    private var insights: StationInsights
    private var raw: RawCapture
    /// The rate that a new link requests.
    private let configuredRate: SampleRate
    private var identity: MonitorIdentity?
    private var linkStatus = LinkStatus(phase: .searching)
    private var monitorConnection = StationReport.MonitorConnection.linked
    private var openSince: BootInstant?
    /// Writes to the monitor; nil without a link.
    private var link: (any ErgLink)?
    /// The channel of the link; nil without one.
    private(set) var channel: MonitorChannel?
    private var batteryWatch = BatteryWatch()
    /// The local calendar for the clocks of monitors; nil if rowgate does not set them.
    private let clockCalendar: ClubCalendar?
    private var clockWatch = MonitorClockWatch()
    /// Requested by a command; nil for the configured rate.
    private var rate: SampleRate?
    private var lastValue: BootInstant?
    private var values: UInt64 = 0
    private var valueMeter = ValueMeter()
    private var lostEvents: UInt64 = 0
    private var unusableBefore = 0
    private var isUnusableBurst = false
    private var liveSchedule = LiveSampleSchedule(interval: .milliseconds(500))
    /// Between ticks, and between live samples unless load is shed.
    private var interval = Duration.milliseconds(500)
    /// The load that is shed while the machine is too slow.
    private var shedLevel = LoadShedding.Level.full
    /// Whether the station has started.
    private(set) var isStarted = false

    init(
        station: StationID, gateway: GatewayID, resuming interrupted: InterruptedSession?,
        firing: [Alert] = [], alerts: AlertSettings = AlertSettings(),
        own: AlertSettings = AlertSettings(), keepsRaw: Bool,
        configuredRate: SampleRate = .every500Milliseconds, clockCalendar: ClubCalendar? = nil,
        outputs: StationOutputs, runtime: any Runtime, log: SystemLog
    ) {
        executor = runtime.makeQueue(label: "rowgate.erg.\(station)")
        self.station = station
        self.gateway = gateway
        raw = RawCapture(isWanted: keepsRaw)
        self.configuredRate = configuredRate
        self.clockCalendar = clockCalendar
        self.outputs = outputs
        self.runtime = runtime
        self.log = log
        machine = SessionMachine(makeSessionID: {
            SessionID(runtime.makeULID().description)
        })
        insights = StationInsights(alerts, own: own, firing: firing) { runtime.makeULID().description }
        guard let interrupted else { return }
        if let session = interrupted.checkpoint.beginning { insights.resume(session) }
        machine.resume(
            from: interrupted.checkpoint, awayFor: interrupted.away, at: runtime.now(),
            into: &events)
    }

    /// Announces the erg; from now on `tick` is called every `interval`, which is also the interval
    /// of live samples.
    func start(interval: Duration) {
        outputs.retain(.stationAvailability(station), Availability.offline.payload)
        for listener in outputs.listeners { listener.stationDidStart(station) }
        isStarted = true
        self.interval = interval
        liveSchedule.interval = shedLevel.liveInterval(over: interval)
        publishAlerts(at: runtime.now())
        report(at: runtime.now())
    }

    func stop() {
        isStarted = false
        channel?.end()
        channel = nil
        let now = runtime.now()
        machine.tick(at: now, into: &events)
        report(at: now)
    }

    /// Handles the passing of time: `StationTicks` calls it once per interval.
    func tick() {
        let now = runtime.now()
        machine.tick(at: now, into: &events)
        evaluate(at: now)
        report(at: now, withRaw: true)
        valueMeter.note(values, at: now)
        noteUnusable()
        watchBattery(at: now)
        watchClock(at: now)
        if liveSchedule.isSampleDueWithoutStatus(at: now) { sendLive(at: now) }
    }

    private func sendLive(at now: BootInstant) {
        if openSince != nil, let sample = machine.live(at: now), sample.state.hasOpenSession {
            outputs.live(station, sample)
        }
    }

    /// Logs one line per burst of unusable values; status shows their number.
    private func noteUnusable() {
        let unusable = machine.counters.unusable
        if unusable > unusableBefore, !isUnusableBurst {
            log.warning(
                "its monitor sends invalid values, \(unusable) so far; they are dropped; newer firmware "
                    + "of the monitor may help", logFields)
        }
        isUnusableBurst = unusable > unusableBefore
        unusableBefore = unusable
    }

    /// Sets the targets of the next piece of a workout.
    private func setTargets(_ targets: WorkoutTargets, in workout: Workout) {
        machine.setTargets(targets, for: workout, into: &events)
        report(at: runtime.now())
    }

    /// Reports pending events with the corresponding checkpoint.
    private func report(at now: BootInstant, withRaw: Bool = false) {
        guard withRaw || !events.isEmpty || insights.hasPending else { return }
        let isStored = raw.isStored(during: machine.state.activity, at: now)
        if withRaw, !isStored { raw.dropOld(at: now) }
        if !events.isEmpty, insights.interpret(events, at: now) { publishAlerts(at: now) }
        let hasReport = !events.isEmpty || insights.hasPending
        guard hasReport || withRaw && isStored && !raw.isEmpty else { return }
        let update = StationUpdate(
            station: station, monitorSerial: identity?.serial, monitorConnection: monitorConnection, at: now,
            events: events, insights: insights.drainPending(),
            raw: isStored ? raw.drain(of: station, identity, at: now) : RawRecording(),
            checkpoint: hasReport ? machine.checkpoint(at: now)?.encode() ?? [] : [])
        events = []
        for listener in outputs.listeners where !listener.stationDidReport(update) {
            lostEvents += UInt64(update.events.count)
        }
    }

    private func store(
        _ value: UnsafeRawBufferPointer, of characteristic: CharacteristicID, at now: BootInstant
    ) {
        guard !shedLevel.dropsRaw else { return }
        raw.append(value, of: characteristic, station: station, at: now)
    }

    // MARK: - ErgLinkListener

    nonisolated func linkDidOpen(
        _ monitor: MonitorIdentity, through link: any ErgLink, at now: BootInstant
    ) {
        assumeIsolated { $0.opened(monitor, through: link, at: now) }
    }

    nonisolated func linkDidReceive(
        _ characteristic: CharacteristicID, _ bytes: UnsafeRawBufferPointer, at now: BootInstant
    ) {
        let value = BorrowedValue(bytes: bytes)
        assumeIsolated { $0.received(characteristic, value, at: now) }
    }

    nonisolated func linkDidClose(_ reason: LinkClosure, at now: BootInstant) {
        assumeIsolated { $0.closed(reason, at: now) }
    }

    nonisolated func linkDidUpdate(_ status: LinkStatus) {
        assumeIsolated { $0.updated(status, at: runtime.now()) }
    }

    nonisolated var linkAwaitsReply: Bool { assumeIsolated { $0.channel?.awaitsReply ?? false } }

    nonisolated func linkMayLendControl(at now: BootInstant) -> Bool {
        assumeIsolated { $0.channel?.tryLend(at: now) ?? true }
    }

    nonisolated func linkDidReturnControl(setsWorkout: Bool, at now: BootInstant) {
        assumeIsolated {
            $0.channel?.endLoan(at: now)
            if setsWorkout { $0.machine.notePhoneWorkout(at: now) }
        }
    }

    private func received(
        _ characteristic: CharacteristicID, _ value: BorrowedValue, at now: BootInstant
    ) {
        values &+= 1
        lastValue = now
        store(value.bytes, of: characteristic, at: now)
        // Some firmware sends it at the end of 0x003E.
        if let percent = AdditionalStatus3.batteryPercent(in: value.bytes, of: characteristic) {
            noteBattery(percent, at: now)
        }
        if characteristic != .csafeOut {
            machine.receive(characteristic, value.bytes, at: now, into: &events)
        }
        if let channel { apply(channel.receive(characteristic, value.bytes, at: now), at: now) }
        report(at: now)
        if liveSchedule.isSampleDue(after: characteristic.carried(in: value.bytes), at: now) {
            sendLive(at: now)
        }
    }

    private func tickChannel(at now: BootInstant) {
        guard let channel else { return }
        apply(channel.tick(at: now), at: now)
        report(at: now)
    }

    private func apply(_ outcome: MonitorChannel.Outcome, at now: BootInstant) {
        for value in outcome.written { value.withUnsafeBytes { store($0, of: .csafeIn, at: now) } }
        for curve in outcome.curves { machine.receive(curve, at: now, into: &events) }
        if outcome.isTerminated { machine.terminationAccepted(at: now) }
        for answer in outcome.answers {
            switch answer {
            case .battery(let percent): noteBattery(percent, at: now)
            case .clock(let clock): noteClock(clock, at: now)
            case .clockIsSet(let clock): noteClockSetting(clock)
            }
        }
    }

    private func opened(
        _ monitor: MonitorIdentity, through link: any ErgLink, at now: BootInstant
    ) {
        if let known = identity?.serial, known != monitor.serial {
            log.notice(
                "different monitor: PM5 \(monitor.serial) replaces PM5 \(known)",
                logFields)
        }
        let known = identity?.serial == monitor.serial ? identity?.batteryPercent : nil
        identity = monitor
        identity?.batteryPercent = known
        batteryWatch.linkOpened()
        clockWatch.linkOpened()
        raw.requireIdentity()
        openSince = now
        self.link = link
        channel?.end()
        channel = newChannel(to: monitor, through: link)
        // A monitor does not store its rate when the link ends.
        if rate != nil || shedLevel.slowsStatus { Task { await writeRate() } }
        let failures = linkStatus.failures
        log.notice(
            "connected to PM5 \(monitor.serial) through \(monitor.adapter)"
                + (failures > 0 ? ", after \(failures) failed attempts" : ""),
            logFields + [
                ("FIRMWARE", monitor.firmwareRevision ?? ""),
                ("CHARACTERISTICS", "\(monitor.notifying.count)"),
            ])
        publishIdentity(at: now)
        outputs.retain(.stationAvailability(station), Availability.online.payload)
        for listener in outputs.listeners { listener.stationDidOpen(station, to: monitor) }
        machine.linkOpened(at: now, machine: monitor.machineType, into: &events)
        report(at: now)
    }

    private func publishIdentity(at now: BootInstant) {
        guard let identity else { return }
        outputs.retain(
            .info(station),
            identity.payload(
                gateway: gateway, station: station, at: now, clock: runtime.wall()))
    }

    /// Requests the battery level periodically, if the monitor can send the answer.
    private func watchBattery(at now: BootInstant) {
        guard let channel, identity?.notifying.contains(.csafeOut) == true,
            batteryWatch.isDue(at: now)
        else { return }
        channel.enqueue(.battery)
    }

    /// Handles the battery level of the monitor.
    private func noteBattery(_ percent: Int, at now: BootInstant) {
        guard openSince != nil, let known = identity, known.batteryPercent != percent
        else { return }
        let lowest = insights.lowestBattery
        if percent < lowest, known.batteryPercent ?? 100 >= lowest {
            log.warning(
                "its monitor's batteries are at \(percent) %; put in two new D cells", logFields)
        }
        identity?.batteryPercent = percent
        publishIdentity(at: now)
    }

    /// Reads and sets the monitor's clock while nobody uses it, if wanted and if this machine's own clock is right.
    private func watchClock(at now: BootInstant) {
        guard let clockCalendar, let channel, identity?.notifying.contains(.csafeOut) == true else { return }
        clockWatch.note(isUsed: channel.hasWorkout || !machine.state.isUnused, at: now)
        guard clockWatch.isDue(at: now) else { return }
        let wall = runtime.wall()
        guard wall.isSynchronized else { return }
        let local = clockCalendar.local(wall.unixMilliseconds(at: now))
        if let request = clockWatch.request(at: now, local: local) { channel.enqueue(request) }
    }

    private func noteClock(_ clock: MonitorClock, at now: BootInstant) {
        guard let clockCalendar else { return }
        let hadGivenUp = clockWatch.hasGivenUp
        clockWatch.note(clock, local: clockCalendar.local(runtime.wall().unixMilliseconds(at: now)))
        guard clockWatch.hasGivenUp, !hadGivenUp else { return }
        log.warning(
            "the clock of its monitor \(clockWatch.offsetText), and it does not keep the time that rowgate sets; "
                + "set it in the monitor's menu", logFields)
    }

    private func noteClockSetting(_ clock: MonitorClock) {
        log.notice(
            "the clock of its monitor \(clockWatch.offsetText); rowgate set it to \(clock.text)", logFields)
        clockWatch.noteSetting()
    }

    private func closed(_ reason: LinkClosure, at now: BootInstant) {
        guard openSince != nil else { return }
        openSince = nil
        link = nil
        channel?.end()
        channel = nil
        // The caller that closes a link logs the reason: a command, sleep, the end of the program.
        if reason != .ours {
            log.notice(
                "disconnected from PM5 \(identity?.serial ?? ""): \(reason.logText)", logFields)
        }
        log.debug(machine.counters.logText, logFields)
        outputs.retain(.stationAvailability(station), Availability.offline.payload)
        for listener in outputs.listeners { listener.stationDidClose(station) }
        machine.linkClosed(at: now, into: &events)
        if monitorConnection.isEndedOnPurpose { machine.monitorReleased(at: now, into: &events) }
        report(at: now)
    }

    /// The retained state shows later subscribers that a monitor is released, asleep or without a slot.
    private func updated(_ status: LinkStatus, at now: BootInstant) {
        linkStatus = status
        let monitorConnection = StationReport.MonitorConnection(status.phase)
        guard monitorConnection != self.monitorConnection else { return }
        self.monitorConnection = monitorConnection
        if monitorConnection.isEndedOnPurpose { machine.monitorReleased(at: now, into: &events) }
        events.append(.state(machine.state))
        report(at: now)
    }

    private var logFields: [(String, String)] {
        [("ERG", station.slug), ("PM5_SERIAL", identity?.serial ?? "")]
    }

    // MARK: - Alerts and values for the room

    /// Evaluates the current state of the erg.
    private func evaluate(at now: BootInstant) {
        let moment = ErgMoment(
            isLinkLost: openSince == nil && !monitorConnection.isEndedOnPurpose,
            sample: machine.live(at: now), batteryPercent: identity?.batteryPercent)
        if insights.evaluate(moment, at: now) { publishAlerts(at: now) }
    }

    /// Sets the level that is out of service for every erg; nil for none.
    func note(outage: AlertRule.Level?) { insights.note(outage: outage) }

    /// Acknowledges an alert. Returns it with the first person who acknowledged it; nil if no
    /// active alert has this id.
    func acknowledge(_ id: String, by name: String?) -> Alert? {
        let now = runtime.now()
        let (alert, hasChanged) = insights.acknowledge(id, by: name, at: now)
        if hasChanged { publishAlerts(at: now) }
        report(at: now)
        return alert
    }

    /// Removes `name` as the person who acknowledged active alerts.
    func forget(_ name: String) {
        insights.forget(name)
        publishAlerts(at: runtime.now())
    }

    /// Applies the limits of the assigned athlete.
    func applyLimits(_ own: AlertSettings) {
        let now = runtime.now()
        if insights.setLimits(own, at: now) { publishAlerts(at: now) }
        report(at: now)
    }

    /// Returns the values for the room, which reads them at its own pace.
    func drainReading() -> ErgReading {
        let sample = openSince == nil ? nil : machine.live(at: runtime.now())
        return ErgReading(erg: station, sample: sample, sums: insights.drainSums())
    }

    /// Replaces the retained message with the active alerts.
    private func publishAlerts(at now: BootInstant) {
        let clock = runtime.wall()
        outputs.retain(
            .alerts(station),
            FiringAlerts(insights.firing, clock: clock).payload(
                gateway: gateway, station: station, at: now, clock: clock))
    }

    // MARK: - Commands and load shedding

    /// Sets or ends a workout on the monitor; returns when the result was read back or failed.
    ///
    /// - Parameter targets: the targets of a workout.
    func performWorkoutOrder(
        _ order: WorkoutProcedure.Order, _ targets: WorkoutTargets = WorkoutTargets()
    ) async -> CommandOutcome {
        guard let channel else { return .notConnected }
        guard !channel.hasWorkout else { return .busy }
        let procedure: WorkoutProcedure
        do throws(WorkoutProgramError) {
            procedure = try WorkoutProcedure(order.showing(targets), at: runtime.now())
        } catch {
            return CommandOutcome(.badValue, "\(error)")
        }
        let result = await withCheckedContinuation { channel.start(procedure, $0) }
        guard let result else { return .interrupted }
        if case .program = order, case .success(let workout) = result {
            setTargets(targets, in: workout)
        }
        return CommandOutcome(order, result)
    }

    /// Creates the channel of a link that has just opened.
    private func newChannel(to monitor: MonitorIdentity, through link: any ErgLink) -> MonitorChannel {
        let timer = makeTimer { $0.tickChannel(at: $0.runtime.now()) }
        return MonitorChannel(
            link: link, pollsForce: ForcePlotPoller.isNeeded(by: monitor), timer: timer, log: log,
            logFields: logFields
        ) { [weak self] in
            Task { [weak self] in await self?.noteFailedWrite() }
        }
    }

    private func noteFailedWrite() { channel?.noteFailedWrite() }

    /// Sets the monitor's status rate, on this link and on later ones.
    func setRate(_ rate: SampleRate) async -> CommandOutcome {
        self.rate = rate
        return await writeRate()
    }

    @discardableResult
    private func writeRate() async -> CommandOutcome {
        guard let link else { return .notConnected }
        let wanted = rate ?? configuredRate
        let rate = shedLevel.slowsStatus ? .every1000Milliseconds : wanted
        do {
            try await link.write([rate.rawValue], to: .sampleRate)
        } catch {
            return CommandOutcome(.monitorRefused, "the monitor did not accept the rate: \(error)")
        }
        return CommandOutcome(
            .done,
            "a status every \(wanted.periodMilliseconds ?? 0) ms, until rowgate is restarted"
                + (rate == wanted ? "" : "; once a second while the machine is too slow"))
    }

    /// Sheds the load that `level` names, and resumes the rest.
    func shed(_ level: LoadShedding.Level) {
        guard level != shedLevel else { return }
        let before = shedLevel
        shedLevel = level
        liveSchedule.interval = level.liveInterval(over: interval)
        if before.slowsStatus != level.slowsStatus { Task { await writeRate() } }
        // Values that are stored again start with the monitor's identity.
        if before.dropsRaw != level.dropsRaw { raw.requireIdentity() }
    }

    // MARK: - Inspection

    /// The monitor of the open link, and its signal; nil without a link.
    func monitor() -> (identity: MonitorIdentity, signalDBm: Int?)? {
        guard let identity, openSince != nil else { return nil }
        return (identity, linkStatus.rssi)
    }

    func snapshot() -> StationSnapshot {
        StationSnapshot(
            station: station, serial: identity?.serial, machineType: identity?.machineType,
            link: linkStatus, openSince: openSince,
            lastValue: lastValue,
            valueRate: openSince == nil ? .zero : valueMeter.rate,
            state: machine.state, live: machine.live(at: runtime.now()),
            undecodable: machine.counters.unusable,
            lostEvents: lostEvents, batteryPercent: identity?.batteryPercent,
            lowestBattery: insights.lowestBattery,
            clockOffset: clockWatch.offsetMilliseconds.map { .milliseconds($0) },
            clockSettings: clockWatch.settings, alerts: insights.firing,
            alertsTotal: insights.alertsTotal,
            createdAt: runtime.now())
    }
}

/// Bytes of a value on their way into the actor, within one call on one queue.
private struct BorrowedValue: @unchecked Sendable {
    /// Valid only during that call.
    let bytes: UnsafeRawBufferPointer
}

extension StationReport.MonitorConnection {
    /// A monitor that is only being looked for keeps its last state.
    fileprivate init(_ phase: LinkPhase) {
        switch phase {
        case .released: self = .released
        case .asleep: self = .asleep
        case .parked(let reason): self = .parked(reason)
        default: self = .linked
        }
    }

    /// Whether rowgate ended the link on purpose.
    var isEndedOnPurpose: Bool { self == .released || self == .asleep }
}

extension StationState {
    /// Whether the monitor shows a menu, or waits without a workout: nobody rows or is about to.
    fileprivate var isUnused: Bool {
        activity == .idle || activity == .ready && workout?.type.isJustRow == true
    }
}

extension WorkoutProcedure.Order {
    /// Adds the pace that the monitor shows.
    fileprivate func showing(_ targets: WorkoutTargets) -> Self {
        guard case .program(let program, let isForced) = self else { return self }
        return .program(program.showing(targets), isForced: isForced)
    }
}
