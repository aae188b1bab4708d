import BlueZLink
import Contract
import ControlSocket
import HostRuntime
import Publishing
import Recording
import Timeline

/// Gathers what status and health are made of, from the queues that own it, and publishes what the
/// gateway itself keeps retained.
struct GatewayObserver: Sendable {
    let gateway: GatewayID
    let configuration: Configuration
    let started: BootInstant
    let runtime: any Runtime
    /// How the machine does, which holds the ring at this path.
    let hostFigures: @Sendable (_ ringPath: String) -> HostFigures
    let recorder: Recorder
    let publisher: Publisher
    let registry: StationRegistry
    let ticks: StationTicks
    let roomPipeline: RoomPipeline
    let room: any RoomPort
    let commands: CommandCounters
    let alerts: AlertWatch
    let load = LoadGauge()
    private let clockWatch = ClockWatch()

    func scan() async -> ScanReply {
        ScanReply(await room.snapshot(), places: registry.places)
    }

    /// Tells pages which workouts can be asked for by name.
    func publish(_ workouts: [NamedWorkout]) {
        publisher.setRetained(
            .workouts,
            WorkoutList(workouts).payload(
                gateway: gateway, at: runtime.now(), clock: runtime.wall()))
    }

    /// - Parameter asked: when somebody wanted it, where that was on another thread: how long that one
    ///   was waited for is part of how long queues let wait.
    func snapshot(asked: BootInstant? = nil) async -> GatewaySnapshot {
        let begun = asked ?? runtime.now()
        let stations = await ticks.ask { $0.snapshot() }
        let queueDelay =
            zip([begun] + stations.map(\.taken), stations.map(\.taken))
            .map { $0.duration(to: $1) }.max() ?? .zero
        let alerts = alerts.reading
        let isListed = configuration.bluetooth.discovery == .listed
        let (now, clock) = (runtime.now(), runtime.wall())
        return GatewaySnapshot(
            gateway: gateway, version: Release.version, at: now, started: started,
            clock: clock, room: await room.snapshot(),
            stations: stations,
            ergsConfigured: isListed ? configuration.ergs.count : configuration.bluetooth.limit,
            publisher: await publisher.statistics(), recorder: await recorder.snapshot(),
            commandsRejected: commands.rejected.load(ordering: .relaxed),
            host: hostFigures(configuration.ring.path), queueDelay: queueDelay,
            load: load.reading, alerts: alerts.firing, alertsTotal: alerts.total,
            crews: await roomPipeline.crews,
            clockUnsynchronized: clockWatch.note(clock, at: now))
    }
}
