import AvahiClient
import BlueZLink
import Contract
import ControlSocket
import HostRuntime
import PM5Codec
import Publishing
import Recording
import Timeline

/// Collects the values for status and health from the queues that own them, and publishes the gateway's
/// retained messages.
struct GatewayObserver: Sendable {
    let gateway: GatewayID
    let configuration: Configuration
    let started: BootInstant
    let runtime: any Runtime
    /// Returns the state of the machine with the ring at this path.
    let hostStatus: @Sendable (_ ringPath: String) -> HostStatus
    let recorder: Recorder
    let publisher: Publisher
    let registry: StationRegistry
    let ticks: StationTicks
    /// Combines the values of all ergs, and of crews.
    let roomPipeline: RoomPipeline
    /// The Bluetooth links of all monitors.
    let room: any RoomPort
    let commands: CommandCounters
    let alerts: AlertWatch
    let athletes: GatewayAthletes
    /// nil if the gateway is not announced.
    var announcer: ServiceAnnouncer?
    let load = LoadMonitor()
    private let clockWatch = ClockWatch()

    func scan() async -> ScanReply {
        ScanReply(await room.snapshot(), ergs: registry.stationsBySerial)
    }

    /// Publishes the named workouts for pages.
    func publish(_ workouts: [NamedWorkout]) {
        publisher.setRetained(
            .workouts,
            WorkoutList(workouts).payload(
                gateway: gateway, at: runtime.now(), clock: runtime.wall()))
    }

    /// Publishes which monitors phones can use.
    func publish(_ relays: RelayReport) {
        publisher.setRetained(
            .relays, relays.payload(gateway: gateway, at: runtime.now(), clock: runtime.wall()))
    }

    /// Publishes where the athletes come from.
    func publish(_ roster: RosterReport) {
        publisher.setRetained(
            .roster, roster.payload(gateway: gateway, at: runtime.now(), clock: runtime.wall()))
    }

    /// Returns a snapshot of all values.
    ///
    /// - Parameter requested: time of the request on another queue; the time since then counts as queue
    ///   delay.
    func snapshot(requested: BootInstant? = nil) async -> GatewaySnapshot {
        let begun = requested ?? runtime.now()
        let stations = await ticks.collect { $0.snapshot() }
        let queueDelay =
            zip([begun] + stations.map(\.createdAt), stations.map(\.createdAt))
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
            host: hostStatus(configuration.ring.path), queueDelay: queueDelay,
            load: load.reading, alerts: alerts.firing, alertsTotal: alerts.total,
            crews: await roomPipeline.crews, athletes: athletes.reading,
            clockUnsynchronized: clockWatch.note(clock, at: now), announcement: announcer?.summary)
    }
}
