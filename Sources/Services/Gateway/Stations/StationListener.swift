import Contract
import Publishing
import Recording
import Rowing

/// Receives the reports of a station: the recorder, Home Assistant's bridge and others.
///
/// Called on the station's queue, in order; a listener must not wait.
protocol StationListener: Sendable {
    /// The erg exists, with or without a monitor.
    func stationDidStart(_ station: StationID)
    func stationDidOpen(_ station: StationID, to monitor: MonitorIdentity)
    func stationDidClose(_ station: StationID)
    /// Receives events, values and a checkpoint; returns false if there was no room for them.
    func stationDidReport(_ news: StationNews) -> Bool
}

extension StationListener {
    func stationDidStart(_ station: StationID) {}
    func stationDidOpen(_ station: StationID, to monitor: MonitorIdentity) {}
    func stationDidClose(_ station: StationID) {}
    func stationDidReport(_ news: StationNews) -> Bool { true }
}

/// A listener for reports only: the recorder's mailbox.
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
