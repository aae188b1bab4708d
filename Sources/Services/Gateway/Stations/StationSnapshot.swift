import Contract
import Insights
import Rowing
import Timeline

/// One erg at one moment.
struct StationSnapshot: Equatable, Sendable {
    var station: StationID
    /// Nine digits; nil while no monitor has been seen in this place.
    var serial: String?
    var link: LinkStatus
    /// When the present link opened; nil without one.
    var openSince: BootInstant?
    /// When the last value arrived; nil before the first.
    var lastValue: BootInstant?
    /// Values that came over the link in the last seconds; zero without a link.
    var valueRate: Rate
    var state: StationState
    var live: MetricsSample?
    var undecodable: Int
    /// Events that found the recorder's mailbox full.
    var lostEvents: UInt64
    /// How full the monitor's batteries were when it last said so; nil before.
    var batteryPercent: Int?
    /// Below this a person should see to it that there are new ones.
    var lowestBattery = AlertSettings().lowestBattery
    /// What fires.
    var alerts: [Alert] = []
    /// How many alerts began since the start.
    var alertsTotal = 0
    /// When the station's queue had its turn to tell this.
    var taken = BootInstant(nanoseconds: 0)

    var isBatteryLow: Bool {
        batteryPercent.map { $0 < lowestBattery } ?? false
    }

    /// How long nothing came over a link that opened at `open`.
    ///
    /// The last value may have come over the link before it.
    func silence(at now: BootInstant, since open: BootInstant) -> Duration {
        max(lastValue ?? open, open).duration(to: now)
    }
}
