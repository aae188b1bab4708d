import Bests
import Bytes
import Timeline

/// Sessions as the table that Concept2's logbook gives out for a season: a line for each result, which
/// programs that keep training diaries read.
///
/// Concept2 documents no form in which its logbook takes a table; these columns and the form of their cells
/// are those of exports that people published from 2016 to 2026. `Log ID`, `Age`, `Weight` and `Date Entered`
/// are Concept2's own, and empty; `Comments` has the session's id.
package struct Concept2Table: Sendable {
    static let columns = [
        "Log ID", "Date", "Description", "Work Time (Formatted)", "Work Time (Seconds)",
        "Rest Time (Formatted)", "Rest Time (Seconds)", "Work Distance", "Rest Distance",
        "Stroke Rate/Cadence", "Stroke Count", "Pace", "Avg Watts", "Cal/Hour", "Total Cal",
        "Avg Heart Rate", "Drag Factor", "Age", "Weight", "Type", "Ranked", "Comments",
        "Date Entered",
    ]

    /// The line that names the columns.
    package static var head: [UInt8] {
        var line: [UInt8] = []
        CommaSeparatedTable.append(columns, to: &line)
        return line
    }

    /// A result as a line; nil of a summary that tells none.
    ///
    /// - Parameters:
    ///   - summary: the session's newest.
    ///   - splits: its splits or intervals, in order.
    ///   - local: what the clock on the wall showed at Unix milliseconds, as if it were UTC.
    static func line(
        _ summary: JSONObject, _ splits: [JSONObject], on machine: MachineKind,
        local: (Int64) -> Int64
    ) -> [UInt8]? {
        guard let result = Result(summary, splits, on: machine),
            let ended = summary.number("ended_ms")
        else { return nil }
        var cells = [String: String]()
        let date = CivilTime(unixMilliseconds: local(Int64(ended)))
        cells["Date"] = "\(date.date) \(date.timeOfDay)"
        cells["Description"] = result.description
        cells["Work Time (Formatted)"] = Tenths(result.time).clock
        cells["Work Time (Seconds)"] = Tenths(result.time).seconds
        if result.rest > 0 {
            cells["Rest Time (Formatted)"] = Tenths(result.rest).clock
            cells["Rest Time (Seconds)"] = Tenths(result.rest).seconds
        }
        cells["Work Distance"] = "\(result.distance.whole)"
        if result.restDistance > 0 {
            cells["Rest Distance"] = "\(result.restDistance.whole)"
        }
        // A bicycle's pace is over a kilometre.
        cells["Pace"] = summary.decimal("avg_pace_s_per_500m").map {
            Tenths(machine == .bike ? $0 * 2 : $0).clock
        }
        if let calories = summary.decimal("calories_kcal"), result.time > 0 {
            cells["Cal/Hour"] = "\((calories * 3600 / result.time).whole)"
        }
        for (column, member) in Self.members { cells[column] = summary[member]?.cell }
        cells["Type"] = machine.nameAtConcept2
        cells["Ranked"] = "No"
        var line: [UInt8] = []
        CommaSeparatedTable.append(columns.map { cells[$0] ?? "" }, to: &line)
        return line
    }

    /// What stands in a column as it does in the summary.
    private static let members = [
        ("Stroke Rate/Cadence", "avg_stroke_rate_spm"), ("Stroke Count", "strokes"),
        ("Avg Watts", "avg_power_w"), ("Total Cal", "calories_kcal"),
        ("Avg Heart Rate", "avg_heart_rate_bpm"), ("Drag Factor", "drag_factor_avg"),
        ("Comments", "session_id"),
    ]
}

/// What was rowed, as Concept2 calls it.
private struct Result {
    /// Seconds and metres of work, and of rest.
    let time, distance: Double
    let rest, restDistance: Double
    let description: String

    init?(_ summary: JSONObject, _ splits: [JSONObject], on machine: MachineKind) {
        guard let time = summary.decimal("result_time_s"),
            let distance = summary.decimal("distance_m"), time > 0
        else { return nil }
        (self.time, self.distance) = (time, distance)
        rest = splits.reduce(0) { $0 + ($1.decimal("rest_s") ?? 0) }
        restDistance = splits.reduce(0) { $0 + ($1.decimal("rest_distance_m") ?? 0) }
        let workout = Self.workout(summary, splits, time: time)
        description = "\(workout) \(machine.verb)"
    }

    /// `2000m`, `30:00`, `4x500m/1:00r`, `v500m/1:00r...3`: what was set, or how long somebody rowed.
    private static func workout(
        _ summary: JSONObject, _ splits: [JSONObject], time: Double
    ) -> String {
        let set = Self.object(summary["workout"])
        if set.text("session_type") == "intervals", let first = splits.first {
            let areEqual = Set(splits.map(work)).count == 1
            let rest = first.decimal("rest_s").map { $0 > 0 ? "/\(Tenths($0).wholeClock)r" : "" }
            let interval = work(first) + (rest ?? "")
            return areEqual ? "\(splits.count)x\(interval)" : "v\(interval)...\(splits.count)"
        }
        if let metres = set.decimal("target_distance_m") { return "\(metres.whole)m" }
        if let calories = set.decimal("target_calories_kcal") { return "\(calories.whole) cal" }
        return Tenths(set.decimal("target_time_s") ?? time.rounded(.down)).wholeClock
    }

    private static func object(_ value: JSONValue?) -> JSONObject {
        if case .object(let object)? = value { object } else { .empty }
    }

    /// Of one interval, by what ended it.
    private static func work(_ split: JSONObject) -> String {
        let type = split.text("type") ?? ""
        if type.hasPrefix("time") { return Tenths(split.decimal("duration_s") ?? 0).wholeClock }
        if type.hasPrefix("calories") {
            return "\((split.decimal("calories_kcal") ?? 0).whole) cal"
        }
        return "\((split.decimal("distance_m") ?? 0).whole)m"
    }
}

/// A time to a tenth of a second, as results are told.
private struct Tenths {
    let count: Int64

    init(_ seconds: Double) { count = (seconds * 10).whole }

    var seconds: String { "\(count / 10).\(count % 10)" }

    /// `21:11.3`, `1:02:03.0`
    var clock: String { "\(wholeClock).\(count % 10)" }

    /// `21:11`
    var wholeClock: String { RowedWorkout.Extent.clock(Int(count / 10)) }
}

extension MachineKind {
    fileprivate var nameAtConcept2: String {
        switch self {
        case .rower: "RowErg"
        case .ski: "SkiErg"
        case .bike: "BikeErg"
        }
    }

    fileprivate var verb: String { self == .rower ? "row" : rawValue }
}
