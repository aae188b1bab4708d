import AvahiClient
import BlueZLink
import Contract
import ControlSocket
import Glibc
import HostRuntime
import Insights
import Publishing
import Recording
import Settings
import Timeline

/// The gateway with all its parts.
///
/// A missing bus, adapter, broker or disk neither prevents the start nor ends the daemon. The part that needs
/// it waits for it, and `rowgatectl status` shows it.
package struct Daemon: Sendable {
    private let configuration: Configuration
    private let gateway: GatewayID
    private let environment: GatewayEnvironment
    private let log: SystemLog
    private let ergs: GatewayErgs
    private let recorder: Recorder
    private let publisher: Publisher
    private let homeAssistant: HomeAssistantBridge
    private let registry: StationRegistry
    private let ticks: StationTicks
    private let limits: AthleteAlertLimits
    private let roomPipeline: RoomPipeline
    private let room: any RoomPort
    private let commands: CommandCenter
    private let control: ControlServer
    private let liveness: LivenessWatch
    private let observer: GatewayObserver
    private let health: HealthReporter
    /// nil if the gateway is not announced.
    private let announcer: ServiceAnnouncer?

    /// Creates the parts and opens the ring; starts nothing.
    ///
    /// Throws `InvalidConfiguration` for invalid files of the broker section, and `RingLogError` for a ring
    /// of a later version.
    ///
    /// - Parameter path: path from which a command reloads the configuration.
    package init(
        _ configuration: Configuration, readFrom path: String, in environment: GatewayEnvironment
    ) throws {
        guard let gateway = GatewayID(configuration.gateway.id) else {
            preconditionFailure("a checked configuration has a slug for the gateway")
        }
        self.gateway = gateway
        self.environment = environment
        let runtime = environment.runtime
        log = SystemLog(
            subsystem: "gateway", threshold: configuration.logLevel.threshold,
            destination: environment.logDestination)
        let rosterFile = configuration.stateFile("roster")
        let received = GatewayAthletes.stored(in: rosterFile, log)
        var configuration = configuration
        if configuration.athletes.roster == .logbook { configuration.roster = received?.roster }
        self.configuration = configuration
        let broker = try configuration.brokerConfiguration(
            credentialsDirectory: CredentialFile.directory)
        ergs = configuration.gatewayErgs
        recorder = try Recorder(
            gateway: gateway, stations: configuration.ergs.compactMap { StationID($0.slug) },
            ergs: ergs, settings: configuration.ring, log: log.scoped(to: "ring"), runtime: runtime,
            fileSystem: environment.fileSystem)
        publisher = Publisher(
            configuration: broker, connector: environment.connector,
            topics: TopicMap(gateway: gateway, below: configuration.broker.topicPrefix), source: recorder,
            runtime: runtime,
            log: log.scoped(to: "broker"))
        homeAssistant = HomeAssistantBridge(
            publisher, discovery: configuration.homeAssistantDiscovery, version: Release.version)
        registry = Self.stations(
            configuration, gateway, recorder, publisher, homeAssistant, runtime, log)
        ticks = StationTicks(registry, runtime: runtime)
        limits = AthleteAlertLimits(configuration.roster, registry)
        roomPipeline = Self.roomPipeline(
            configuration, gateway, registry, recorder, publisher, runtime)
        room = environment.makeRoom(
            configuration.room(
                roster: Self.roster(configuration, registry), seed: runtime.random()),
            log.scoped(to: "bluetooth")
        ) { [recorder] adapter, reason in
            Task { await recorder.record(.adapterReset(adapter: adapter, reason: reason)) }
        }
        announcer = Self.announcer(configuration, environment, log)
        observer = GatewayObserver(
            gateway: gateway, configuration: configuration, started: runtime.now(),
            runtime: runtime, hostStatus: environment.hostStatus,
            recorder: recorder, publisher: publisher, registry: registry,
            ticks: ticks, roomPipeline: roomPipeline, room: room, commands: CommandCounters(),
            alerts: Self.alerts(configuration, gateway, recorder, publisher, runtime),
            athletes: GatewayAthletes(
                configuration, received: received, file: rosterFile, runtime: runtime,
                log: log.scoped(to: "athletes")),
            announcer: announcer)
        health = HealthReporter(observer, log: log)
        commands = Self.commands(configuration, readFrom: path, observer, log)
        var routes = ControlRoutes()
        routes.onStatus { [observer] in StatusReply(await observer.snapshot()) }
        routes.onCommand(Self.carryOut(commands, runtime))
        routes.on(RowgateInterface.Scan.self) { [observer] _ in await observer.scan() }
        routes.on(RowgateInterface.Workouts.self) { [commands] _ in
            WorkoutsReply(
                workouts: await commands.workouts.map { .init(name: $0.name, row: $0.row) })
        }
        routes.on(RowgateInterface.ForgetAthlete.self) { [observer, commands] parameters in
            try await Self.forget(parameters.athlete, in: observer, commands)
        }
        control = ControlServer(
            path: configuration.controlSocket, version: Release.version, routes: routes,
            runtime: runtime, log: log.scoped(to: "control socket"))
        liveness = LivenessWatch(runtime: runtime, log: log.scoped(to: "watchdog"))
    }

    /// Runs until a request to stop, which may arrive at any moment, then stops the parts in order.
    func run(until request: StopRequest) async throws {
        var steps = ServiceSteps(parts, runtime: environment.runtime, log: log)
        if try await steps.start(until: request) {
            ServiceNotifier.ready(status: "started")
            log.notice(
                "ready, version \(Release.version)", [("GATEWAY", gateway.slug)], event: .ready)
        }
        let signal = await request.signal()
        log.notice("stopping on \(signal == SIGINT ? "SIGINT" : "SIGTERM")")
        ServiceNotifier.stopping()
        // If a part hangs, the process ends without waiting for others.
        if await steps.stop() { await recorder.finishCopy() }
        log.notice("stopped")
    }

    /// The parts in the order of their start; they stop in reverse. Links stop first, so that their last
    /// values are recorded; the ring stops last, so that the broker's last acknowledgements are stored.
    var parts: [ServiceStep] {
        [
            ServiceStep(
                name: "recorder", queues: { [recorder.executor] },
                stopDeadline: StopDeadline.recorder, start: startRecorder,
                stop: { await recorder.stop() }),
            ServiceStep(
                name: "publisher", queues: { [publisher.executor, commands.executor] },
                stopDeadline: StopDeadline.publisher,
                start: {
                    await publisher.start(
                        onCommand: commands.enqueue, onHomeAssistant: homeAssistant.handleStatus, ergs: ergs)
                },
                stop: { await publisher.stop(deadline: .seconds(1)) }),
            ServiceStep(
                name: "stations",
                queues: {
                    registry.stations.map(\.executor) + [ticks.executor, roomPipeline.executor]
                },
                stopDeadline: StopDeadline.stations,
                start: {
                    for station in registry.stations {
                        await station.start(interval: configuration.liveInterval)
                    }
                    await ticks.start(interval: configuration.liveInterval)
                    await roomPipeline.start()
                },
                stop: {
                    await ticks.stop()
                    for station in registry.stations { await station.stop() }
                    await roomPipeline.stop()
                }),
            ServiceStep(
                name: "health", queues: { [health.executor] }, stopDeadline: StopDeadline.health,
                start: startHealth,
                stop: {
                    await liveness.stop()
                    await health.stop()
                }),
            ServiceStep(
                name: "control socket", queues: { [control.executor] },
                stopDeadline: StopDeadline.controlSocket, start: startControl,
                stop: { await control.stop() }),
            // A bus may hang, so the queue is not among those of the liveness check.
            ServiceStep(
                name: "announcer", queues: { [] }, stopDeadline: StopDeadline.announcer,
                start: { await announcer?.start() }, stop: { await announcer?.stop() }),
            ServiceStep(
                name: "room link", queues: { [room.executor] }, stopDeadline: StopDeadline.roomLink,
                start: { await room.start() }, stop: { await room.stop() }),
        ]
    }

    private func startRecorder() async {
        let callbacks = RecorderCallbacks(
            recordsAvailable: publisher.recordsAvailable, retain: publisher.setRetained,
            assignmentChanged: { [limits] in limits.applyLimits(of: $1, to: $0) },
            epochChanged: publisher.renewBirth)
        await recorder.start(callbacks: callbacks)
        await observer.athletes.start(
            .init(commands: commands, limits: limits, recorder: recorder, retain: observer.publish))
        observer.publish(configuration.workouts)
        await recorder.record(.gatewayStarted(version: Release.version))
        clearFormerErgs()
    }

    /// Clears retained messages of ergs that are in the ring but not in the configuration. The publisher
    /// finds other former ergs.
    private func clearFormerErgs() {
        for station in recorder.formerStations where !ergs.contains(station) {
            for topic in RetainedTopic.all(of: station) { publisher.setRetained(topic, []) }
            homeAssistant.remove(station)
        }
    }

    private func startHealth() async {
        homeAssistant.describeGateway()
        await health.start()
        // Three rounds fit into the watchdog interval, so that one may be late.
        guard let timeout = ServiceNotifier.watchdogInterval() else { return }
        await liveness.start(interval: timeout / 3) { parts.flatMap { $0.queues() } }
    }

    /// Opens the control socket; without it the daemon still records.
    private func startControl() async {
        guard environment.hasControlSocket else { return }
        do { try await control.start() } catch {
            log.error("no control socket, so rowgatectl will not work: \(error)")
        }
    }
}

extension Daemon {
    /// Maximum number of reports that wait for the log queue: minutes of a full room.
    private static let reportCapacity = 4096

    /// Creates the stations of the configuration, each with its interrupted session.
    static func stations(
        _ configuration: Configuration, _ gateway: GatewayID, _ recorder: Recorder,
        _ publisher: Publisher, _ homeAssistant: HomeAssistantBridge, _ runtime: any Runtime,
        _ log: SystemLog
    ) -> StationRegistry {
        let updates = BoundedMailbox<StationUpdate>(
            capacity: reportCapacity, to: recorder.executor
        ) { [weak recorder] batch in
            recorder?.assumeIsolated { $0.record(batch) }
        }
        let outputs = StationOutputs(
            listeners: [updates, homeAssistant],
            live: { station, sample in
                publisher.publishLive(sample, of: station, clock: runtime.wall())
            },
            retain: publisher.setRetained)
        let alerts = Dictionary(
            configuration.ergs.map { ($0.slug, $0.alerts) }, uniquingKeysWith: { first, _ in first }
        )
        let limits = configuration.roster?.limits ?? [:]
        let clockCalendar = configuration.bluetooth.setsMonitorClocks ? machineCalendar(log) : nil
        let registry = StationRegistry { station in
            StationPipeline(
                station: station, gateway: gateway, resuming: recorder.interruptedSessions[station],
                firing: recorder.firingAlerts[station] ?? [],
                alerts: alerts[station.slug] ?? configuration.alerts,
                own: recorder.assignedAthletes[station].flatMap { limits[$0] } ?? AlertSettings(),
                keepsRaw: configuration.ring.keepsRaw, configuredRate: configuration.bluetooth.rate,
                clockCalendar: clockCalendar,
                outputs: outputs, runtime: runtime,
                log: log.scoped(to: station.slug))
        }
        for erg in configuration.ergs {
            guard let station = StationID(erg.slug) else { continue }
            _ = registry.add(station, serial: erg.serial)
        }
        guard configuration.bluetooth.discovery == .any else { return registry }
        // An interrupted session must end even if its monitor does not return.
        for station in recorder.interruptedSessions.keys.sorted() {
            if let serial = station.monitorSerial { _ = registry.add(station, serial: serial) }
        }
        return registry
    }

    /// The calendar of the machine's time zone; nil if the zone cannot be used.
    private static func machineCalendar(_ log: SystemLog) -> ClubCalendar? {
        let (calendar, warning) = TimeZoneDatabase.system.machine()
        guard warning != nil else { return calendar }
        log.warning(
            "the clocks of monitors are not set: the time zone of this machine is unknown; set it with "
                + "timedatectl set-timezone, and restart rowgate")
        return nil
    }

    /// Creates the gateway's alerts, including those of the previous process.
    static func alerts(
        _ configuration: Configuration, _ gateway: GatewayID, _ recorder: Recorder,
        _ publisher: Publisher, _ runtime: any Runtime
    ) -> AlertWatch {
        let alerts = GatewayAlerts(
            configuration.alerts, firing: recorder.firingAlerts[nil] ?? []
        ) { runtime.makeULID().description }
        return AlertWatch(
            alerts, of: gateway, record: { alerts in recorder.later { $0.record(alerts) } },
            retain: publisher.setRetained)
    }

    /// Creates the announcer of the gateway in the network; nil if it is switched off.
    static func announcer(
        _ configuration: Configuration, _ environment: GatewayEnvironment, _ log: SystemLog
    ) -> ServiceAnnouncer? {
        guard configuration.gateway.isAnnounced else { return nil }
        let hostName = Configuration.currentHostName()
        return environment.makeAnnouncer?(log.scoped(to: "announcer")) {
            configuration.announcement(hostName: hostName)
        }
    }

    /// Creates the pipeline for the values of the whole room.
    static func roomPipeline(
        _ configuration: Configuration, _ gateway: GatewayID, _ registry: StationRegistry,
        _ recorder: Recorder, _ publisher: Publisher, _ runtime: any Runtime
    ) -> RoomPipeline {
        let outputs = RoomOutputs(
            canPublishLive: { publisher.canPublishLive },
            live: { topic, payload in publisher.publishLive(payload, on: topic) },
            record: { insights in recorder.later { $0.record(insights) } })
        return RoomPipeline(
            gateway: gateway, registry: registry,
            crews: CrewRoster(
                configured: configuration.crews, commanded: recorder.commandedCrews),
            outputs: outputs, runtime: runtime)
    }

    /// Returns the ergs of the room: the configured ones, or one for each monitor in range.
    static func roster(_ configuration: Configuration, _ registry: StationRegistry) -> Roster {
        guard configuration.bluetooth.discovery == .any else { return .listed(registry.endpoints()) }
        let interval = configuration.liveInterval
        return .any(limit: configuration.bluetooth.limit) { serial in
            // A configured monitor keeps its slug; the slug of others is their number.
            guard let station = StationID.ofMonitor(serial) else { return nil }
            let (pipeline, isNew) = registry.add(station, serial: serial)
            if isNew { Task { await pipeline.start(interval: interval) } }
            return pipeline.endpoint
        }
    }
}

extension Configuration {
    /// Ergs that can exist.
    var gatewayErgs: GatewayErgs {
        GatewayErgs(
            ergs.compactMap { StationID($0.slug) },
            discovery: bluetooth.discovery == .any ? .any : .listed, serials: ergs.map(\.serial))
    }
}
