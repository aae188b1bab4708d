import Contract

/// Content of retained messages per erg: its last report, and whether its numbers changed.
struct RetainedReports {
    private var reports: [StationID: StationReport] = [:]
    /// Names of athletes that may be published, by the athlete's slug.
    private var athleteNames: [String: String] = [:]
    /// Ergs whose numbers are ahead of their retained `marks`.
    private var withChangedNumbers: Set<StationID> = []

    /// Ergs that have reported.
    var stations: [StationID] { Array(reports.keys) }

    mutating func setReport(_ report: StationReport, of station: StationID) {
        reports[station] = report
    }

    mutating func setAthleteNames(_ names: [String: String]) { athleteNames = names }

    /// The last report of the erg with its current athlete; nil before its first report.
    func report(of station: StationID, athlete: String?) -> StationReport? {
        var report = reports[station]
        report?.athlete = athlete
        report?.athleteName = athlete.flatMap { athleteNames[$0] }
        return report
    }

    mutating func markNumbersChanged(of stations: some Sequence<StationID>) {
        withChangedNumbers.formUnion(stations)
    }

    /// Returns the ergs whose `marks` are outdated; the caller replaces them.
    mutating func drainStationsWithChangedNumbers() -> Set<StationID> {
        defer { withChangedNumbers = [] }
        return withChangedNumbers
    }
}
