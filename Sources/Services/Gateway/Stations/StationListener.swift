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
    func stationDidReport(_ update: StationUpdate) -> Bool
}

extension StationListener {
    func stationDidStart(_ station: StationID) {}
    func stationDidOpen(_ station: StationID, to monitor: MonitorIdentity) {}
    func stationDidClose(_ station: StationID) {}
    func stationDidReport(_ update: StationUpdate) -> Bool { true }
}

/// A listener for reports only: the recorder's mailbox.
struct UpdateListener: StationListener {
    let onUpdate: @Sendable (StationUpdate) -> Bool

    func stationDidReport(_ update: StationUpdate) -> Bool { onUpdate(update) }
}

extension HomeAssistantBridge: StationListener {
    func stationDidStart(_ station: StationID) { describe(station, nil) }

    func stationDidOpen(_ station: StationID, to monitor: MonitorIdentity) {
        describe(station, monitor)
    }
}
