import BlueZLink
import Contract
import ControlSocket
import Glibc
import HostRuntime
import Publishing
import Recording

/// The gateway: every part, put together.
///
/// Nothing that is missing outside (a bus, an adapter, a broker, a disk) keeps it from starting or
/// ends it; each is waited for by the part that needs it, and shown by `rowgatectl status`.
package struct Daemon: Sendable {
    private let configuration: Configuration
    private let gateway: GatewayID
    private let surroundings: Surroundings
    private let log: SystemLog
    private let recorder: Recorder
    private let publisher: Publisher
    private let registry: StationRegistry
    private let room: any RoomPort
    private let commands: CommandCenter
    private let control: ControlServer
    private let liveness: LivenessWatch
    private let health: HealthReporter

    /// Puts the parts together; nothing runs yet, but the ring is open.
    ///
    /// - Parameter path: where the configuration is read anew when a command says so.
    ///
    /// Throws `InvalidConfiguration` for the broker's files, if they are not what they should be,
    /// and `RingLogError` for a ring that a later version wrote.
    package init(
        _ configuration: Configuration, readFrom path: String, in surroundings: Surroundings
    ) async throws {
        guard let gateway = GatewayID(configuration.gateway.id) else {
            preconditionFailure("a checked configuration has a slug for the gateway")
        }
        self.configuration = configuration
        self.gateway = gateway
        self.surroundings = surroundings
        let runtime = surroundings.runtime
        log = SystemLog(
            subsystem: "rowgate", threshold: configuration.logLevel.threshold,
            destination: surroundings.logDestination)
        let broker = try configuration.brokerConfiguration(
            credentialsDirectory: Launch.credentialsDirectory)
        recorder = try Recorder(
            gateway: gateway, stations: configuration.ergs.compactMap { StationID($0.slug) },
            settings: configuration.ring, log: log.scoped(to: "journal"), runtime: runtime,
            fileSystem: surroundings.fileSystem)
        publisher = Publisher(
            configuration: broker, connector: surroundings.connector,
            topics: TopicMap(gateway: gateway), source: recorder, runtime: runtime,
            log: log.scoped(to: "mqtt"))
        registry = await Self.stations(configuration, gateway, recorder, publisher, runtime, log)
        room = surroundings.makeRoom(
            configuration.room(
                roster: Self.roster(configuration, registry), seed: runtime.random()),
            log.scoped(to: "link")
        ) { [recorder] adapter, reason in
            Task { await recorder.record(.adapterReset(adapter: adapter, reason: reason)) }
        }
        let observer = GatewayObserver(
            gateway: gateway, configuration: configuration, started: runtime.now(),
            surroundings: surroundings,
            recorder: recorder, publisher: publisher, registry: registry, room: room,
            commands: CommandCounters())
        health = HealthReporter(observer)
        commands = Self.commands(configuration, readFrom: path, observer, log)
        var routes = ControlRoutes()
        routes.onStatus { StatusReply(await observer.snapshot()) }
        routes.onCommand(Self.carryOut(commands, runtime))
        routes.on(RowgateInterface.Scan.self) { _ in await observer.scan() }
        routes.on(RowgateInterface.ForgetAthlete.self) { [recorder, commands] parameters in
            try await Self.forget(parameters.athlete, in: recorder, commands)
        }
        control = ControlServer(
            path: configuration.controlSocket, version: Release.version, routes: routes,
            runtime: runtime, log: log.scoped(to: "control"))
        let fixed = [
            recorder.executor, publisher.executor, room.executor, control.queue, commands.executor,
        ]
        liveness = LivenessWatch(
            runtime: runtime, queues: { [registry] in fixed + registry.stations.map(\.executor) },
            log: log.scoped(to: "liveness"))
    }

    /// Runs until SIGTERM or SIGINT, then stops in order.
    package func run() async throws {
        let signals = TerminationSignals()
        var steps = try await start()
        ServiceNotifier.ready(status: "started")
        log.notice(
            "ready, version \(Release.version)", [("GATEWAY", gateway.slug)], event: .ready)
        let signal = await signals.first()
        log.notice("stopping on signal \(signal)")
        ServiceNotifier.stopping()
        await steps.stop()
        log.notice("stopped")
    }

    /// Starts every part; they run until the steps are stopped.
    func start() async throws -> ServiceSteps {
        var steps = ServiceSteps(parts, runtime: surroundings.runtime, log: log)
        try await steps.start()
        return steps
    }

    /// What is started, in this order, and stopped in reverse: links first, so that what the
    /// monitors still send is recorded; the ring last, so that the broker's last answers are kept.
    ///
    /// The deadlines add up to less than the 5 s in which a stop must be done.
    private var parts: [ServiceStep] {
        [
            ServiceStep(
                name: "journal", stopDeadline: .milliseconds(500), start: startRecorder,
                stop: { await recorder.stop() }),
            ServiceStep(
                name: "publisher", stopDeadline: .milliseconds(1200),
                start: { await publisher.start(onCommand: commands.take) },
                stop: { await publisher.stop(deadline: .seconds(1)) }),
            ServiceStep(
                name: "stations", stopDeadline: .milliseconds(300),
                start: {
                    for station in registry.stations {
                        await station.start(interval: configuration.liveInterval)
                    }
                },
                stop: { for station in registry.stations { await station.stop() } }),
            ServiceStep(
                name: "health", stopDeadline: .milliseconds(100), start: startHealth,
                stop: {
                    await liveness.stop()
                    await health.stop()
                }),
            ServiceStep(
                name: "control socket", stopDeadline: .milliseconds(100), start: startControl,
                stop: { await control.stop() }),
            ServiceStep(
                name: "room link", stopDeadline: .milliseconds(2600),
                start: { await room.start() }, stop: { await room.stop() }),
        ]
    }

    private func startRecorder() async {
        let outlet = RecorderOutlet(
            recordsAvailable: publisher.recordsAvailable, retain: publisher.setRetained,
            epochChanged: publisher.announceAgain)
        await recorder.start(outlet: outlet)
        await recorder.seat(
            names: configuration.publishedNames, places: configuration.roster?.places ?? [],
            replacing: false)
        await recorder.record(.started(version: Release.version))
        if configuration.bluetooth.discovery == .listed { await clearFormerStations() }
    }

    /// What the broker keeps of an erg that left the configuration would look like one that is off.
    private func clearFormerStations() async {
        for station in recorder.formerStations {
            for topic in RetainedTopic.all(of: station) { publisher.setRetained(topic, []) }
        }
    }

    private func startHealth() async {
        await health.start()
        // Three rounds fit into the time that systemd allows, so that one may be late.
        guard let timeout = ServiceNotifier.watchdogInterval() else { return }
        await liveness.start(interval: timeout / 3)
    }

    /// A control socket that cannot be made is no reason not to record.
    private func startControl() async {
        guard surroundings.hasControlSocket else { return }
        do { try await control.start() } catch {
            log.error("no control socket, rowgatectl will not work: \(error)")
        }
    }
}
