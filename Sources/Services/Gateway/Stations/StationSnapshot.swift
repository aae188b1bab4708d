import Contract
import Insights
import PM5Codec
import Rowing
import Timeline

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
