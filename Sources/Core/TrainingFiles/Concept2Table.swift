import Bests
import Bytes
import Contract
import Timeline

/// Sessions as the season table that Concept2's logbook exports: a line for each result. Training diaries
/// read it.
///
/// Concept2 documents no table format for imports. Columns and cells follow exports that people published
/// from 2016 to 2026. `Log ID`, `Age`, `Weight` and `Date Entered` are Concept2's own and stay empty;
/// `Comments` is the session's id.
package struct Concept2Table: Sendable {
    static let columns = [
        "Log ID", "Date", "Description", "Work Time (Formatted)", "Work Time (Seconds)",
        "Rest Time (Formatted)", "Rest Time (Seconds)", "Work Distance", "Rest Distance",
        "Stroke Rate/Cadence", "Stroke Count", "Pace", "Avg Watts", "Cal/Hour", "Total Cal",
        "Avg Heart Rate", "Drag Factor", "Age", "Weight", "Type", "Ranked", "Comments",
        "Date Entered",
    ]

    /// The header line.
    package static var head: [UInt8] {
        var line: [UInt8] = []
        CommaSeparatedTable.append(columns, to: &line)
        return line
    }

    /// Returns a result as a line; nil for a summary without a result.
    ///
    /// - Parameters:
    ///   - summary: the session's newest summary.
    ///   - splits: its splits or intervals, in order.
    ///   - machine: used if the summary does not name the machine.
    ///   - local: converts Unix milliseconds to local time, as if it were UTC.
    static func line(
        _ summary: JSONObject, _ splits: [JSONObject], on machine: MachineKind,
        local: (Int64) -> Int64
    ) -> [UInt8]? {
        let machine = ConnectedMachine(summary, fallback: machine)
        guard let result = Result(summary, splits, verb: machine.kind.verb),
            let ended = summary.number("ended_ms")
        else { return nil }
        var cells = [String: String]()
        let date = CivilTime(unixMilliseconds: local(Int64(ended)))
        cells["Date"] = "\(date.date) \(date.timeOfDay)"
        cells["Description"] = result.description
        cells["Work Time (Formatted)"] = Tenths(time: result.time).clock
        cells["Work Time (Seconds)"] = Tenths(time: result.time).seconds
        if result.rest > 0 {
            cells["Rest Time (Formatted)"] = Tenths(time: result.rest).clock
            cells["Rest Time (Seconds)"] = Tenths(time: result.rest).seconds
        }
        cells["Work Distance"] = "\(DisplayRounding.metres(result.distance))"
        if result.restDistance > 0 {
            cells["Rest Distance"] = "\(DisplayRounding.metres(result.restDistance))"
        }
        cells["Pace"] = summary.decimal("avg_pace_s_per_500m").map {
            Tenths(pace: $0 * Double(machine.kind.paceMeters) / 500).clock
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

    /// Returns the workout as Concept2 writes it, without the kind of machine: `8x500m/1:00r`; nil without a result.
    static func workout(_ summary: JSONObject, _ splits: [JSONObject]) -> String? {
        Result(summary, splits, verb: "")?.workout
    }

    /// Returns the description of a session in Concept2's terms: `8x500m/1:00r row`; nil without a result.
    package static func description(
        _ summary: JSONObject, _ splits: [JSONObject], on machine: MachineKind
    ) -> String? {
        Result(summary, splits, verb: machine.verb)?.description
    }

    /// Columns that contain a member of the summary unchanged.
    private static let members = [
        ("Stroke Rate/Cadence", "avg_stroke_rate_spm"), ("Stroke Count", "strokes"),
        ("Avg Watts", "avg_power_w"), ("Total Cal", "calories_kcal"),
        ("Avg Heart Rate", "avg_heart_rate_bpm"), ("Drag Factor", "drag_factor_avg"),
        ("Comments", "session_id"),
    ]
}

/// The result in Concept2's terms.
private struct Result {
    /// Seconds and metres of work, and of rest.
    let time, distance: Double
    let rest, restDistance: Double
    /// The workout that was set, or the time rowed.
    let workout: String
    let description: String

    init?(_ summary: JSONObject, _ splits: [JSONObject], verb: String) {
        let result = RecordedResult(summary)
        guard let time = summary.decimal(result.timeField),
            let distance = summary.decimal(result.distanceField), time > 0
        else { return nil }
        (self.time, self.distance) = (time, distance)
        rest = splits.reduce(0) { $0 + ($1.decimal("rest_s") ?? 0) }
        restDistance = splits.reduce(0) { $0 + ($1.decimal("rest_distance_m") ?? 0) }
        workout = Self.workout(summary, splits, time: time, isComplete: result.isComplete)
        description = "\(workout) \(verb)"
    }

    /// Returns the workout that was set, or the time rowed: `2000m`, `30:00`, `4x500m/1:00r`,
    /// `v500m/1:00r...3`.
    ///
    /// Only completed intervals count, because a monitor repeats fixed intervals until the rower stops.
    /// Concept2 treats a single piece that was stopped early as a just row.
    private static func workout(
        _ summary: JSONObject, _ splits: [JSONObject], time: Double, isComplete: Bool
    ) -> String {
        if summary.text("session_type") == "intervals", let first = splits.first {
            let lengths = splits.map { work($0, of: summary) }
            let rest = first.decimal("rest_s") ?? 0
            let interval = lengths[0] + (rest > 0 ? "/\(Tenths(time: rest).wholeClock)r" : "")
            return Set(lengths).count == 1
                ? "\(splits.count)x\(interval)" : "v\(interval)...\(splits.count)"
        }
        return (isComplete ? target(summary) : nil)
            ?? Tenths(time: time.rounded(.down)).wholeClock
    }

    /// The length that was set; nil for a just row.
    private static func target(_ summary: JSONObject) -> String? {
        if let metres = summary.decimal("target_distance_m") {
            return "\(DisplayRounding.metres(metres))m"
        }
        if let seconds = summary.decimal("target_time_s") {
            return Tenths(time: seconds).wholeClock
        }
        if let calories = summary.decimal("target_calories_kcal") {
            return "\(calories.whole) cal"
        }
        return summary.decimal("target_work_w_min").map { "\($0.whole) watt-minutes" }
    }

    /// The length of one interval, in the unit that ends it.
    private static func work(_ split: JSONObject, of summary: JSONObject) -> String {
        let type = split.text("type") ?? ""
        let seconds = split.decimal("duration_s") ?? 0
        if type.hasPrefix("time") { return Tenths(time: seconds).wholeClock }
        if type.hasPrefix("calories") {
            return "\((split.decimal("calories_kcal") ?? 0).whole) cal"
        }
        if type.hasPrefix("watt_minutes") {
            // Records do not contain watt-minutes, and their power and time are truncated.
            var work = (split.decimal("avg_power_w") ?? 0) * seconds / 60
            if let target = summary.decimal("target_work_w_min"),
                abs(work - target) <= max(2, target / 50)
            {
                work = target
            }
            return "\(work.whole) watt-minutes"
        }
        return "\(DisplayRounding.metres(split.decimal("distance_m") ?? 0))m"
    }
}

/// A time or a pace in tenths of a second.
private struct Tenths {
    let count: Int64

    init(time seconds: Double) { count = DisplayRounding.tenths(ofTime: seconds) }
    init(pace seconds: Double) { count = DisplayRounding.tenths(ofPace: seconds) }

    var seconds: String { "\(count / 10).\(count % 10)" }

    /// `21:11.3`, `1:02:03.0`
    var clock: String { "\(wholeClock).\(count % 10)" }

    /// `21:11`
    var wholeClock: String { WorkoutResult.Extent.clock(Int(count / 10)) }
}

/// The machine of a session.
private struct ConnectedMachine {
    let kind: MachineKind
    /// The name in Concept2's logbook, which ranks slides and the Dynamic separately.
    let nameAtConcept2: String

    init(_ summary: JSONObject, fallback: MachineKind) {
        kind = MachineKind(recordedIn: [summary]) ?? fallback
        let word = summary.text("machine_type") ?? ""
        if word.hasPrefix("multi_erg") {
            nameAtConcept2 = "MultiErg"
        } else if word.hasSuffix("_on_slides") {
            nameAtConcept2 = "Slides"
        } else if word == "dynamic" {
            nameAtConcept2 = "Dynamic"
        } else {
            nameAtConcept2 =
                switch kind {
                case .rower: "RowErg"
                case .ski: "SkiErg"
                case .bike: "BikeErg"
                }
        }
    }
}

extension MachineKind {
    fileprivate var verb: String { self == .rower ? "row" : rawValue }
}
