import Contract
import HostRuntime

/// What the broker keeps for whoever comes later.
extension Recorder {
    func publishState(of station: StationID) {
        guard var report = reports[station] else { return }
        report.athlete = state.streams[station]?.assignment.athlete
        report.athleteName = report.athlete.flatMap { athleteNames[$0] }
        outlet.retain(
            .state(station),
            report.payload(
                gateway: gateway, station: station, at: runtime.now(), clock: readClock()))
    }

    /// Marks for who rows, and the cursor for a room in which nobody does: there it has no record to
    /// ride along with, and costs a page of its own, if it moved.
    func keepHouse() {
        publishPositions()
        commit(cursor: true)
    }

    func publishPositions() {
        let clock = readClock()
        for station in stationsToPublish {
            guard let streams = state.streams[station] else { continue }
            let last = StreamKind.allCases.filter { streams.next[$0] > 1 }
                .map { ($0, streams.next[$0] - 1) }
            let marks = StreamPositions(epoch: epoch, last: Dictionary(uniqueKeysWithValues: last))
            outlet.retain(
                .marks(station),
                marks.payload(
                    gateway: gateway, station: station, at: runtime.now(), clock: clock))
        }
        stationsToPublish = []
    }
}
