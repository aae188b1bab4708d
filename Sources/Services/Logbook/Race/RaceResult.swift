import Bytes
import Contract
import People
import TrainingFiles

/// The result of a piece, from the gateway's summary.
struct RaceResult: Equatable, Sendable {
    /// Empty for the mean of a team.
    let session: String
    let revision: UInt64
    /// Whether the piece was rowed to its end, and the gateway received or could compute its result.
    let isComplete: Bool
    let centiseconds: Int64
    let decimeters: Int64
    var paceCentiseconds: Int64?
    var watts: Int64?
    var strokeRate: Int64?
    /// The machine as in a summary: `bike`; nil if unknown, and for the mean of different machines.
    var machineType: String?
    /// Whether the monitor's result agrees with the gateway's sums; nil if the monitor sent none.
    var isVerified: Bool?

    func equals(_ other: Self, _ piece: RaceSettings.Piece) -> Bool {
        !isBetter(than: other, over: piece) && !other.isBetter(than: self, over: piece)
    }

    /// Whether this result is better. Incomplete results are compared by distance.
    func isBetter(than other: Self, over piece: RaceSettings.Piece) -> Bool {
        if case .distance = piece, isComplete, other.isComplete {
            return centiseconds < other.centiseconds
        }
        return decimeters > other.decimeters
    }
}

/// The order of results, in a race and in a regatta.
enum RaceRanking {
    /// Sorts entries by their group, then by result, and numbers those that finished. Equal results share a place.
    ///
    /// - Parameter entries: the sort order of the standing, whether the entry finished, and its result.
    /// - Returns: the index of each entry, and the place of each that finished, in the order of the results.
    static func places(
        of entries: [(group: Int, isFinished: Bool, result: RaceResult?)], over piece: RaceSettings.Piece
    ) -> [(index: Int, place: Int?)] {
        let order = entries.indices.sorted { left, right in
            let (one, other) = (entries[left], entries[right])
            if one.group != other.group { return one.group < other.group }
            if let first = one.result, let second = other.result, !first.equals(second, piece) {
                return first.isBetter(than: second, over: piece)
            }
            return left < right
        }
        var found: [(index: Int, place: Int?)] = []
        for index in order {
            guard entries[index].isFinished, let result = entries[index].result else {
                found.append((index, nil))
                continue
            }
            let before = found.last
            let isTie = before.flatMap { entries[$0.index].result }.map { result.equals($0, piece) } ?? false
            found.append((index, isTie ? before?.place : found.count + 1))
        }
        return found
    }
}

extension RaceResult {
    /// Reads a summary or a stored result.
    init?(_ fields: JSONObject) {
        let result = RecordedResult(fields)
        guard let session = fields.text("session_id"), let revision = fields.number("revision"),
            let centiseconds = fields.units(result.timeField, places: 2),
            let decimeters = fields.units(result.distanceField, places: 1)
        else { return nil }
        self.init(
            session: session, revision: revision, isComplete: result.isComplete,
            centiseconds: centiseconds, decimeters: decimeters)
        paceCentiseconds = fields.units("avg_pace_s_per_500m", places: 2)
        watts = fields.units("avg_power_w", places: 0)
        strokeRate = fields.units("avg_stroke_rate_spm", places: 0)
        machineType = fields.text("machine_type")
        if case .flag(let isVerified)? = fields["verified_against_pm5"] {
            self.isVerified = isVerified
        }
    }

    /// Writes the result with the field names of a summary.
    ///
    /// - Parameter isPublic: Whether to leave out the session.
    func write(to json: inout JSONWriter, isPublic: Bool = false) {
        if !isPublic, !session.isEmpty { json.field("session_id", session) }
        json.field("revision", revision)
        json.field("complete", isComplete)
        json.field("result_time_s", centiseconds, places: 2)
        json.field("distance_m", decimeters, places: 1)
        json.field("avg_pace_s_per_500m", paceCentiseconds, places: 2)
        json.field("avg_power_w", watts)
        json.field("avg_stroke_rate_spm", strokeRate)
        json.field("machine_type", machineType)
        json.field("verified_against_pm5", isVerified)
    }
}

extension JSONObject {
    /// Returns a decimal in units of 10 to the power of minus `places`; nil outside of 0 ..< 10^9.
    func units(_ name: String, places: Int) -> Int64? {
        guard let value = decimal(name), (0..<1e9).contains(value) else { return nil }
        let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
        return Int64((value * scale).rounded())
    }
}

/// The results of a race as a CSV table.
enum RaceResultsCSV {
    static let columns = [
        "place", "lane", "gw", "erg", "athlete_id", "athlete_name", "standing", "result_time_s",
        "distance_m", "avg_pace_s_per_500m", "avg_power_w", "avg_stroke_rate_spm",
        "verified_against_pm5", "false_starts", "early_s", "start_s", "session_id", "team_name",
    ]

    /// - Parameter names: The names of athletes whom the gateway did not name.
    static func bytes(of race: Race, names: AthleteNames) -> [UInt8] {
        var output: [UInt8] = []
        CommaSeparatedTable.append(columns, to: &output)
        for (place, lane) in race.results {
            CommaSeparatedTable.append(cells(lane, place, in: race, names), to: &output)
        }
        return output
    }

    private static func cells(
        _ lane: RaceLane, _ place: Int?, in race: Race, _ names: AthleteNames
    ) -> [String] {
        let number = race.lanes.firstIndex { $0.place == lane.place }.map { "\($0 + 1)" } ?? ""
        let name = lane.name ?? lane.athlete.flatMap(names.known) ?? ""
        let result = lane.result
        let start = race.signal.flatMap(lane.startMilliseconds)
        return [
            place.map { "\($0)" } ?? "", number, lane.place.gateway.slug,
            lane.place.erg?.slug ?? "", lane.athlete ?? "", Self.escapedFormula(name),
            lane.standing, decimal(result?.centiseconds, 2),
            decimal(result?.decimeters, 1), decimal(result?.paceCentiseconds, 2),
            decimal(result?.watts, 0), decimal(result?.strokeRate, 0),
            result?.isVerified.map { "\($0)" } ?? "", "\(lane.falseStarts)",
            decimal(lane.earlyBy?.wholeMilliseconds, 3), decimal(start, 3), lane.session ?? "",
            Self.escapedFormula(lane.team ?? ""),
        ]
    }

    /// Escapes a name that a spreadsheet would treat as a formula.
    static func escapedFormula(_ name: String) -> String {
        guard let first = name.first, "=+-@\t\r".contains(first) else { return name }
        return "'" + name
    }

    /// Writes a decimal with this many places; nothing for nil.
    static func decimal(_ units: Int64?, _ places: Int) -> String {
        guard let units else { return "" }
        let digits = String(units.magnitude)
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        let whole = padded.dropLast(places)
        return (units < 0 ? "-" : "") + whole + (places > 0 ? "." + padded.suffix(places) : "")
    }
}
