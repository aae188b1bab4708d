import Contract

/// What the broker is to keep of each erg: what it last reported, and that its numbers moved.
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

    /// What the erg last reported, with who sits there now; nil before its first report.
    func report(of station: StationID, athlete: String?) -> StationReport? {
        var report = reports[station]
        report?.athlete = athlete
        report?.athleteName = athlete.flatMap { names[$0] }
        return report
    }

    mutating func numbersMoved(of stations: some Sequence<StationID>) {
        moved.formUnion(stations)
    }

    /// The ergs whose `marks` are out of date; the caller replaces them.
    mutating func takeMoved() -> Set<StationID> {
        defer { moved = [] }
        return moved
    }
}
