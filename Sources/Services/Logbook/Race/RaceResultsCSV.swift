import TrainingFiles

/// The results of a race as a CSV table.
enum RaceResultsCSV {
    static let columns = [
        "place", "lane", "gw", "erg", "athlete_id", "athlete_name", "standing", "result_time_s",
        "distance_m", "avg_pace_s_per_500m", "avg_power_w", "avg_stroke_rate_spm",
        "verified_against_pm5", "false_starts", "early_s", "start_s", "session_id",
    ]

    static func bytes(of race: Race) -> [UInt8] {
        var output: [UInt8] = []
        CommaSeparatedTable.append(columns, to: &output)
        for (place, lane) in race.results {
            CommaSeparatedTable.append(cells(lane, place, in: race), to: &output)
        }
        return output
    }

    private static func cells(_ lane: RaceLane, _ place: Int?, in race: Race) -> [String] {
        let number = race.lanes.firstIndex { $0.place == lane.place }.map { "\($0 + 1)" } ?? ""
        let result = lane.result
        let start = race.signal.flatMap(lane.startMilliseconds)
        return [
            place.map { "\($0)" } ?? "", number, lane.place.gateway.slug,
            lane.place.erg?.slug ?? "", lane.athlete ?? "", Self.escapedFormula(lane.name ?? ""),
            lane.status.rawValue, decimal(result?.centiseconds, 2),
            decimal(result?.decimeters, 1), decimal(result?.paceCentiseconds, 2),
            decimal(result?.watts, 0), decimal(result?.strokeRate, 0),
            result?.isVerified.map { "\($0)" } ?? "", "\(lane.falseStarts)",
            decimal(lane.earlyBy?.wholeMilliseconds, 3), decimal(start, 3), lane.session ?? "",
        ]
    }

    /// Escapes a name that a spreadsheet would treat as a formula.
    private static func escapedFormula(_ name: String) -> String {
        guard let first = name.first, "=+-@\t\r".contains(first) else { return name }
        return "'" + name
    }

    private static func decimal(_ units: Int64?, _ places: Int) -> String {
        guard let units else { return "" }
        let digits = String(units.magnitude)
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        let whole = padded.dropLast(places)
        return (units < 0 ? "-" : "") + whole + (places > 0 ? "." + padded.suffix(places) : "")
    }
}
