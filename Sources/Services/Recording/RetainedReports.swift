import Contract
import HostRuntime

/// Content of retained messages per erg: its last report, and whether its numbers changed. Confined to the log
/// queue.
final class RetainedReports {
    private var reports: [StationID: StationReport] = [:]
    /// Names of athletes that may be published, by the athlete's slug.
    private var athleteNames: [String: String] = [:]
    /// Ergs whose numbers are ahead of their retained `marks`.
    private var withChangedNumbers: Set<StationID> = []

    /// Ergs that have reported.
    var stations: [StationID] { Array(reports.keys) }

    func setReport(_ report: StationReport, of station: StationID) {
        reports[station] = report
    }

    func setAthleteNames(_ names: [String: String]) { athleteNames = names }

    /// The last report of the erg with its current athlete; nil before its first report.
    func report(of station: StationID, athlete: String?) -> StationReport? {
        var report = reports[station]
        report?.athlete = athlete
        report?.athleteName = athlete.flatMap { athleteNames[$0] }
        return report
    }

    func markNumbersChanged(of stations: some Sequence<StationID>) {
        withChangedNumbers.formUnion(stations)
    }

    /// Returns the ergs whose `marks` are outdated; the caller replaces them.
    func drainStationsWithChangedNumbers() -> Set<StationID> {
        defer { withChangedNumbers = [] }
        return withChangedNumbers
    }
}

/// Messages that the broker retains for later subscribers.
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
