import Contract
import Publishing
import Recording
import Rowing

/// Who hears what a station reports: the recorder, Home Assistant's bridge, and whoever comes.
///
/// Called on the station's queue, in the order in which things happened; a listener never waits.
protocol StationListener: Sendable {
    /// The place is there, with or without a monitor.
    func stationDidStart(_ station: StationID)
    func stationDidOpen(_ station: StationID, to monitor: MonitorIdentity)
    func stationDidClose(_ station: StationID)
    /// Events, values and a checkpoint; false when there was no room for them.
    func stationDidReport(_ news: StationNews) -> Bool
}

extension StationListener {
    func stationDidStart(_ station: StationID) {}
    func stationDidOpen(_ station: StationID, to monitor: MonitorIdentity) {}
    func stationDidClose(_ station: StationID) {}
    func stationDidReport(_ news: StationNews) -> Bool { true }
}

/// A listener to news alone: the recorder's mailbox.
struct NewsListener: StationListener {
    let take: @Sendable (StationNews) -> Bool

    func stationDidReport(_ news: StationNews) -> Bool { take(news) }
}

extension HomeAssistantBridge: StationListener {
    func stationDidStart(_ station: StationID) { describe(station, nil) }

    func stationDidOpen(_ station: StationID, to monitor: MonitorIdentity) {
        describe(station, monitor)
    }
}
