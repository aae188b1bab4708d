import Contract
import HostRuntime

/// What the broker keeps for whoever comes later. Writes `retained`.
extension Recorder {
    func publishState(of station: StationID) {
        let athlete = athlete(at: station)
        outlet.seated(station, athlete)
        guard let report = retained.report(of: station, athlete: athlete) else { return }
        outlet.retain(
            .state(station),
            report.payload(
                gateway: gateway, station: station, at: runtime.now(), clock: readClock()))
    }

    /// The last number of each stream, of ergs where it has moved since the last call.
    func publishPositions() {
        let clock = readClock()
        for station in retained.takeMoved() {
            guard let streams = numbering.state.streams[station] else { continue }
            let last = StreamKind.allCases.filter { streams.next[$0] > 1 }
                .map { ($0, streams.next[$0] - 1) }
            let positions = StreamPositions(
                epoch: epoch, last: Dictionary(uniqueKeysWithValues: last))
            outlet.retain(
                .marks(station),
                positions.payload(
                    gateway: gateway, station: station, at: runtime.now(), clock: clock))
        }
    }
}
