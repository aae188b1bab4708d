import Contract

/// What the broker must retain of each erg: its last report, and whether its numbers changed.
struct RetainedReports {
    private var reports: [StationID: StationReport] = [:]
    /// Names that may be published, by athlete.
    private var names: [String: String] = [:]
    /// Ergs whose numbers are ahead of their retained `marks`.
    private var moved: Set<StationID> = []

    /// Ergs that have reported.
    var stations: [StationID] { Array(reports.keys) }

    mutating func note(_ report: StationReport, of station: StationID) {
        reports[station] = report
    }

    mutating func publish(names: [String: String]) { self.names = names }

    /// The last report of the erg with its current athlete; nil before its first report.
    func report(of station: StationID, athlete: String?) -> StationReport? {
        var report = reports[station]
        report?.athlete = athlete
        report?.athleteName = athlete.flatMap { names[$0] }
        return report
    }

    mutating func numbersMoved(of stations: some Sequence<StationID>) {
        moved.formUnion(stations)
    }

    /// Returns the ergs whose `marks` are outdated; the caller replaces them.
    mutating func takeMoved() -> Set<StationID> {
        defer { moved = [] }
        return moved
    }
}
