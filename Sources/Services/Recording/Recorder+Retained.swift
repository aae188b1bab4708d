import Contract
import HostRuntime

/// Messages that the broker retains for later subscribers. Writes `retained`.
extension Recorder {
    func publishState(of station: StationID) {
        let athlete = athlete(at: station)
        callbacks.assignmentChanged(station, athlete)
        guard let report = retained.report(of: station, athlete: athlete) else { return }
        callbacks.retain(
            .state(station),
            report.payload(
                gateway: gateway, station: station, at: runtime.now(), clock: readClock()))
    }

    /// Publishes the last number of each stream, for ergs if it has changed since the last call.
    func publishPositions() {
        let clock = readClock()
        for station in retained.drainStationsWithChangedNumbers() {
            guard let stationState = numbering.state.stationStates[station] else { continue }
            let last = StreamKind.allCases.filter { stationState.next[$0] > 1 }
                .map { ($0, stationState.next[$0] - 1) }
            let positions = StreamPositions(
                epoch: epoch, last: Dictionary(uniqueKeysWithValues: last))
            callbacks.retain(
                .marks(station),
                positions.payload(
                    gateway: gateway, station: station, at: runtime.now(), clock: clock))
        }
    }
}
