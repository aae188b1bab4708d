import BlueZLink
import Contract
import ControlSocket
import HostRuntime
import Insights
import PM5Codec
import Publishing
import Recording
import Rowing
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
    /// State of the announcement by mDNS; nil if it is switched off.
    var announcement: String?

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
    /// How far the monitor's clock was ahead when it was read, to half a minute; negative if it was behind. Nil
    /// unless rowgate sets the clocks of monitors.
    var clockOffset: Duration?
    /// How often rowgate has set the monitor's clock since the start of the process.
    var clockSettings = 0
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
