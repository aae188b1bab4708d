import BlueZLink
import Contract
import ControlSocket
import HostRuntime
import Insights
import PM5Codec
import Publishing
import Recording
import Rowing
import Synchronization
import Timeline

/// All values for status and health, collected from the queues that own them.
struct GatewaySnapshot: Sendable {
    var gateway: GatewayID
    var version: String
    var at: BootInstant
    var started: BootInstant
    var clock: WallClock
    var room: RoomSnapshot
    /// In the order of the configuration.
    var stations: [StationSnapshot]
    var ergsConfigured: Int
    var publisher: PublisherStatistics
    var recorder: RecorderSnapshot
    /// Commands that were refused or dropped.
    var commandsRejected: UInt64
    var host = HostStatus()
    /// The longest wait for an erg's queue during this snapshot.
    var queueDelay = Duration.zero
    var load = LoadMonitor.Reading()
    /// Firing alerts of the gateway.
    var alerts: [Alert] = []
    /// Number of alerts of the gateway since the start.
    var alertsTotal = 0
    var crews: [Crew] = []
    var athletes = GatewayAthletes.Reading()
    /// Time without synchronisation of the clock; nil if synchronised.
    var clockUnsynchronized: Duration?

    /// Number of powered adapters.
    var adaptersUp: Int { room.adapters.count { $0.isPowered } }

    /// Number of ergs released because of idleness.
    var ergsAsleep: Int {
        stations.count { if case .asleep = $0.link.phase { true } else { false } }
    }
}

/// One erg at one moment.
struct StationSnapshot: Equatable, Sendable {
    var station: StationID
    /// Nine digits; nil until a monitor has been seen at this erg.
    var serial: String?
    /// As the monitor reports it; nil before.
    var machineType: ErgMachineType?
    var link: LinkStatus
    /// When the current link opened; nil without one.
    var openSince: BootInstant?
    /// When the last value arrived; nil before the first.
    var lastValue: BootInstant?
    /// Values per second over the link; zero without a link.
    var valueRate: Rate
    var state: StationState
    var live: MetricsSample?
    var undecodable: Int
    /// Number of events that found the recorder's mailbox full.
    var lostEvents: UInt64
    /// The last reported level of the monitor's batteries; nil before.
    var batteryPercent: Int?
    /// Below this level the batteries should be replaced.
    var lowestBattery = AlertSettings().lowestBattery
    /// Active alerts.
    var alerts: [Alert] = []
    /// Number of alerts that started since the start of the process.
    var alertsTotal = 0
    /// When the station's queue made this snapshot.
    var createdAt = BootInstant(nanoseconds: 0)

    var isBatteryLow: Bool {
        batteryPercent.map { $0 < lowestBattery } ?? false
    }

    /// How long no value has arrived over a link that opened at `open`.
    ///
    /// The last value may have arrived before that.
    func silence(at now: BootInstant, since open: BootInstant) -> Duration {
        max(lastValue ?? open, open).duration(to: now)
    }
}

/// The state of the machine; nil for values that it does not report.
struct HostStatus: Equatable, Sendable {
    /// Of the file system with the ring log.
    var diskFreeBytes: UInt64?
    /// In tenths of a degree Celsius.
    var processorDecidegrees: Int?
    var isUndervoltage: Bool?
    /// Processor use of rowgate.
    var processor: ProcessorUsage?
}

extension HostStatus {
    /// Reads the values from the kernel.
    init(ringPath: String, sensors: HostSensors = HostSensors()) {
        let end = ringPath.lastIndex(of: "/") ?? ringPath.startIndex
        let folder = String(ringPath[..<end])
        diskFreeBytes = HostSensors.freeBytes(at: folder.isEmpty ? "/" : folder)
        processorDecidegrees = sensors.processorTemperature().map { ($0 + 50) / 100 }
        isUndervoltage = sensors.isUndervoltage()
        processor = ProcessorUsage()
    }
}

/// Whether the machine keeps up with the room, and which load is shed.
///
/// Written only by `HealthReporter`; any part may read it.
final class LoadMonitor: Sendable {
    struct Reading: Equatable, Sendable {
        var shedding = LoadShedding()
        var measurements = LoadShedding.Measurements()
    }

    private struct State {
        var reading = Reading()
        var processor: (use: ProcessorUsage, at: BootInstant)?
    }

    private let state = Mutex(State())

    var reading: Reading { state.withLock { $0.reading } }

    /// Evaluates a snapshot; returns true if the level has changed.
    func update(with snapshot: GatewaySnapshot) -> Bool {
        let now = snapshot.at
        return state.withLock { state in
            var measurements = LoadShedding.Measurements(queueDelay: snapshot.queueDelay)
            measurements.commit = [snapshot.recorder.diskDelay, snapshot.recorder.lastCommit]
                .compactMap(\.self).max()
            if let processor = snapshot.host.processor {
                let before =
                    state.processor
                    ?? (ProcessorUsage(used: .zero, allowed: 1), at: snapshot.started)
                measurements.processorPercent = processor.percent(
                    since: before.use, in: before.at.duration(to: now))
                state.processor = (processor, now)
            }
            state.reading.measurements = measurements
            return state.reading.shedding.update(with: measurements, at: now)
        }
    }
}

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
            clockUnsynchronized: clockWatch.note(clock, at: now))
    }
}
