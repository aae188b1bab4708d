import Contract
import HostRuntime
import Insights
import PM5Codec
import Recording
import Rowing
import Timeline

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
    let gateway: GatewayID
    let runtime: any Runtime
    let log: SystemLog
    let outputs: StationOutputs
    private(set) var machine: SessionMachine
    /// Events that were not reported yet.
    private var events: [SessionEvent] = []
    /// Alerts and rollups of this erg.
    var insights: ErgInsights
    /// Insights from `events`; reported together with them.
    var found: [Insight] = []
    /// The configured alert limits, without those of an athlete.
    let alertSettings: AlertSettings
    /// Number of alerts that started.
    var alertsTotal = 0
    /// Sums over the strokes since the room's last reading, for `RoomPipeline`.
    var share = ErgStrokeSums()
    /// Raw values since the last report, or of the last moments, if they are stored.
    private var raw = RawRecording()
    private let keepsRaw: Bool
    /// The rate that a new link requests.
    let configuredRate: SampleRate
    private var rawWindow = RawWindow()
    /// Whether the stored raw values name their monitor.
    var isIdentityStored = false
    private(set) var identity: MonitorIdentity?
    private var linkStatus = LinkStatus(phase: .searching)
    private(set) var monitorConnection = StationReport.MonitorConnection.linked
    private(set) var openSince: BootInstant?
    /// Writes to the monitor; nil without a link.
    private(set) var link: (any ErgLink)?
    /// The channel of the link; nil without one.
    private(set) var channel: MonitorChannel?
    var batteryWatch = BatteryWatch()
    /// Requested by a command; nil for the configured rate.
    var rate: SampleRate?
    private var lastValue: BootInstant?
    private var values: UInt64 = 0
    private var valueMeter = ValueMeter()
    private var lostEvents: UInt64 = 0
    private var unusableBefore = 0
    private var isUnusableBurst = false
    var liveSchedule = LiveSampleSchedule(interval: .milliseconds(500))
    /// Between ticks, and between live samples unless load is shed.
    private(set) var interval = Duration.milliseconds(500)
    /// The load that is shed while the machine is too slow.
    var shedLevel = LoadShedding.Level.full
    /// Whether the station has started.
    private(set) var isStarted = false

    init(
        station: StationID, gateway: GatewayID, resuming interrupted: InterruptedSession?,
        firing: [Alert] = [], alerts: AlertSettings = AlertSettings(),
        own: AlertSettings = AlertSettings(), keepsRaw: Bool,
        configuredRate: SampleRate = .every500Milliseconds,
        outputs: StationOutputs, runtime: any Runtime, log: SystemLog
    ) {
        executor = runtime.makeQueue(label: "rowgate.erg.\(station)")
        self.station = station
        self.gateway = gateway
        self.keepsRaw = keepsRaw
        self.configuredRate = configuredRate
        self.outputs = outputs
        self.runtime = runtime
        self.log = log
        machine = SessionMachine(makeSessionID: {
            SessionID(runtime.makeULID().description)
        })
        insights = ErgInsights(alerts.limited(by: own), firing: firing) {
            runtime.makeULID().description
        }
        alertSettings = alerts
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
        deliver(at: runtime.now())
    }

    func stop() {
        isStarted = false
        channel?.end()
        channel = nil
        let now = runtime.now()
        machine.tick(at: now, into: &events)
        deliver(at: now)
    }

    /// Handles the passing of time: `StationTicks` calls it once per interval.
    func tick() {
        let now = runtime.now()
        machine.tick(at: now, into: &events)
        evaluate(at: now)
        deliver(at: now, withRaw: true)
        valueMeter.note(values, at: now)
        noteUnusable()
        watchBattery(at: now)
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
    func setTargets(_ targets: WorkoutTargets, in workout: Workout) {
        machine.setTargets(targets, for: workout, into: &events)
        deliver(at: runtime.now())
    }

    /// Reports pending events with the corresponding checkpoint.
    func deliver(at now: BootInstant, withRaw: Bool = false) {
        guard withRaw || !events.isEmpty || !found.isEmpty else { return }
        let isStored = keepsRaw && rawWindow.isOpen(during: machine.state.activity, at: now)
        if withRaw, !isStored {
            raw.drop(before: now.advanced(by: .zero - RawWindow.leadIn))
            isIdentityStored = false
        }
        if !events.isEmpty { interpret(events, at: now) }
        let hasReport = !events.isEmpty || !found.isEmpty
        guard hasReport || withRaw && isStored && !raw.isEmpty else { return }
        let update = StationUpdate(
            station: station, monitorSerial: identity?.serial, monitorConnection: monitorConnection, at: now,
            events: events, insights: found, raw: isStored ? drainRaw(at: now) : RawRecording(),
            checkpoint: hasReport ? machine.checkpoint(at: now)?.encode() ?? [] : [])
        (events, found) = ([], [])
        for listener in outputs.listeners where !listener.stationDidReport(update) {
            lostEvents += UInt64(update.events.count)
        }
    }

    /// Returns the raw values since the last call, preceded by the monitor's identity if it is not
    /// stored yet.
    private func drainRaw(at now: BootInstant) -> RawRecording {
        var recording = RawRecording()
        if !isIdentityStored, let identity {
            isIdentityStored = true
            recording = identity.recording(of: station, at: raw.begun ?? now)
        }
        recording.append(raw)
        raw = RawRecording()
        return recording
    }

    private func store(
        _ value: UnsafeRawBufferPointer, of characteristic: CharacteristicID, at now: BootInstant
    ) {
        guard keepsRaw, !shedLevel.dropsRaw else { return }
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

    private func received(
        _ characteristic: CharacteristicID, _ value: BorrowedValue, at now: BootInstant
    ) {
        values &+= 1
        lastValue = now
        store(value.bytes, of: characteristic, at: now)
        noteBattery(in: value.bytes, of: characteristic, at: now)
        if characteristic != .csafeOut {
            machine.receive(characteristic, value.bytes, at: now, into: &events)
        }
        if let channel { apply(channel.receive(characteristic, value.bytes, at: now), at: now) }
        deliver(at: now)
        if liveSchedule.isSampleDue(after: characteristic.carried(in: value.bytes), at: now) {
            sendLive(at: now)
        }
    }

    func tickChannel(at now: BootInstant) {
        guard let channel else { return }
        apply(channel.tick(at: now), at: now)
        deliver(at: now)
    }

    private func apply(_ outcome: MonitorChannel.Outcome, at now: BootInstant) {
        for value in outcome.written { value.withUnsafeBytes { store($0, of: .csafeIn, at: now) } }
        for curve in outcome.curves { machine.receive(curve, at: now, into: &events) }
        if outcome.isTerminated { machine.terminationAccepted(at: now) }
        for answer in outcome.answers {
            switch answer {
            case .battery(let percent): noteBattery(percent, at: now)
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
        isIdentityStored = false
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
        deliver(at: now)
    }

    private func publishIdentity(at now: BootInstant) {
        guard let identity else { return }
        outputs.retain(
            .info(station),
            identity.payload(
                gateway: gateway, station: station, at: now, clock: runtime.wall()))
    }

    /// Handles the battery level of the monitor.
    func noteBattery(_ percent: Int, at now: BootInstant) {
        guard openSince != nil, let known = identity, known.batteryPercent != percent
        else { return }
        let lowest = alertSettings.lowestBattery
        if percent < lowest, known.batteryPercent ?? 100 >= lowest {
            log.warning(
                "its monitor's batteries are at \(percent) %; put in two new D cells", logFields)
        }
        identity?.batteryPercent = percent
        publishIdentity(at: now)
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
        deliver(at: now)
    }

    /// The retained state shows later subscribers that a monitor is released, asleep or without a slot.
    private func updated(_ status: LinkStatus, at now: BootInstant) {
        linkStatus = status
        let monitorConnection = StationReport.MonitorConnection(status.phase)
        guard monitorConnection != self.monitorConnection else { return }
        self.monitorConnection = monitorConnection
        if monitorConnection.isEndedOnPurpose { machine.monitorReleased(at: now, into: &events) }
        events.append(.state(machine.state))
        deliver(at: now)
    }

    var logFields: [(String, String)] {
        [("ERG", station.slug), ("PM5_SERIAL", identity?.serial ?? "")]
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
            lowestBattery: alertSettings.lowestBattery, alerts: insights.firing,
            alertsTotal: alertsTotal,
            createdAt: runtime.now())
    }
}

/// Bytes of a value on their way into the actor, within one call on one queue.
private struct BorrowedValue: @unchecked Sendable {
    /// Valid only during that call.
    let bytes: UnsafeRawBufferPointer
}

extension MonitorIdentity {
    /// The monitor's identity as raw values, as if it had just been read.
    fileprivate func recording(of station: StationID, at now: BootInstant) -> RawRecording {
        var recording = RawRecording()
        if let bytes = DeviceInformation.bytes(serial, for: .serialNumber) {
            bytes.withUnsafeBytes {
                recording.append($0, of: .serialNumber, station: station, at: now)
            }
        }
        if let machineType {
            [machineType.rawValue].withUnsafeBytes {
                recording.append($0, of: .ergMachineType, station: station, at: now)
            }
        }
        return recording
    }
}

/// Values per second over the last few seconds, from a running count.
struct ValueMeter {
    private static let span = Duration.seconds(5)
    private var start: (count: UInt64, at: BootInstant)?
    private(set) var rate = Rate.zero

    mutating func note(_ count: UInt64, at now: BootInstant) {
        guard let start else {
            self.start = (count, now)
            return
        }
        let elapsed = start.at.duration(to: now)
        guard elapsed >= Self.span else { return }
        rate = Rate(of: Int64(count &- start.count), in: elapsed)
        self.start = (count, now)
    }
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
