import Bests
import Bytes
import Contract
import Timeline

/// A session as the JSON that Concept2's logbook takes.
///
/// Fields and units follow "Concept2 Logbook API" at log.concept2.com/developers/documentation (2026-09). All numbers
/// are whole; the service refuses a workout with a fraction. The verification of a result needs a code that monitors
/// show and do not send.
package enum Concept2Result {
    /// The weight classes of Concept2's rankings.
    package enum WeightClass: String, Sendable {
        case heavyweight = "H"
        case lightweight = "L"
    }

    /// The difference between the monitor's and the gateway's clock up to which the monitor's date is used, so
    /// that another program's upload of the same entry is recognized: milliseconds.
    private static let clockTolerance: Int64 = 120_000

    /// - Parameters:
    ///   - session: the session of the following records.
    ///   - summary: its newest summary.
    ///   - splits: its splits or intervals, in order.
    ///   - calendar: the club's local time.
    ///   - weightClass: the athlete's, for the RowErg.
    package static func json(
        _ session: ExportedSession, _ summary: JSONObject, _ splits: [JSONObject], in calendar: ClubCalendar,
        weightClass: WeightClass
    ) -> [UInt8] {
        let isIntervals = summary.text("session_type") == "intervals"
        return JSONWriter.object { json in
            json.field("type", machine(summary, session.machine))
            json.field("date", date(summary, in: calendar))
            json.field("timezone", calendar.name)
            json.field("distance", DisplayRounding.metres(session.distance))
            json.field("time", DisplayRounding.tenths(ofTime: session.duration))
            if session.machine == .rower { json.field("weight_class", weightClass.rawValue) }
            json.field("workout_type", workoutType(summary))
            json.field("stroke_rate", session.strokesPerMinute)
            json.field("stroke_count", session.strokeCount > 0 ? session.strokeCount : nil)
            json.field("calories_total", session.calories)
            json.field("drag_factor", summary.whole("drag_factor_avg"))
            heartRate(
                [
                    ("average", "avg_heart_rate_bpm"), ("min", "min_heart_rate_bpm"),
                    ("max", "max_heart_rate_bpm"), ("ending", "ending_heart_rate_bpm"),
                    ("recovery", "recovery_heart_rate_bpm"),
                ], of: summary, to: &json)
            if isIntervals {
                json.field("rest_time", session.laps.reduce(0) { $0 + tenths($1.rest) })
                json.field("rest_distance", restDistance(splits))
            }
            if !splits.isEmpty {
                json.object("workout") { json in
                    json.list(isIntervals ? "intervals" : "splits", of: session.laps.enumerated().map(\.self))
                    {
                        write($1.element, splits, number: $1.offset + 1, isIntervals, to: &$0)
                    }
                }
            }
            if !session.strokes.isEmpty {
                json.list("stroke_data", of: strokes(session, isIntervals)) { json, stroke in
                    stroke.write(to: &json)
                }
            }
        }
    }

    private static func tenths(_ seconds: Double) -> Int64 { DisplayRounding.tenths(ofTime: seconds) }

    private static func restDistance(_ splits: [JSONObject]) -> Int64? {
        let metres = splits.compactMap { $0.decimal("rest_distance_m") }.reduce(0, +)
        return metres > 0 ? DisplayRounding.metres(metres) : nil
    }

    private static func machine(_ summary: JSONObject, _ kind: MachineKind) -> String {
        let type = summary.text("machine_type") ?? ""
        if type.hasPrefix("multi_erg") { return "multierg" }
        if type.hasSuffix("_on_slides") { return "slides" }
        if type == "dynamic" { return "dynamic" }
        return switch kind {
        case .rower: "rower"
        case .ski: "skierg"
        case .bike: "bike"
        }
    }

    /// The local time of the end: that of the monitor's log, or the gateway's if the monitor's clock is wrong.
    private static func date(_ summary: JSONObject, in calendar: ClubCalendar) -> String {
        let local = calendar.local(summary.moment("ended_ms") ?? 0)
        if let minute = summary.text("pm5_log_date"), let day = CivilTime.midnight(String(minute.prefix(10)))
        {
            let clock = minute.dropFirst(11).split(separator: ":").compactMap { Int64($0) }
            if clock.count == 2 {
                let logged = day + (clock[0] * 60 + clock[1]) * 60_000
                if abs(logged - local) <= clockTolerance { return text(CivilTime(unixMilliseconds: logged)) }
            }
        }
        return text(CivilTime(unixMilliseconds: local))
    }

    private static func text(_ time: CivilTime) -> String { "\(time.date) \(time.timeOfDay)" }

    /// The service's word for the monitor's workout type. It treats a single piece that was stopped early as a just row.
    private static func workoutType(_ summary: JSONObject) -> String {
        let isComplete = summary["complete"] != .flag(false)
        switch summary.text("workout") {
        case "fixed_distance_without_splits", "fixed_distance_with_splits":
            return isComplete ? "FixedDistanceSplits" : "JustRow"
        case "fixed_time_without_splits", "fixed_time_with_splits":
            return isComplete ? "FixedTimeSplits" : "JustRow"
        case "fixed_calories_with_splits": return isComplete ? "FixedCalorie" : "JustRow"
        case "fixed_watt_minutes_with_splits": return isComplete ? "FixedWattMinute" : "JustRow"
        case "fixed_time_interval": return "FixedTimeInterval"
        case "fixed_distance_interval": return "FixedDistanceInterval"
        case "fixed_calorie_interval": return "FixedCalorieInterval"
        case "variable_interval": return "VariableInterval"
        case "variable_interval_undefined_rest": return "VariableIntervalUndefinedRest"
        case "just_row_without_splits", "just_row_with_splits": return "JustRow"
        default: return "unknown"
        }
    }

    private static func heartRate(
        _ members: [(StaticString, String)], of record: JSONObject, to json: inout JSONWriter
    ) {
        let known = members.compactMap { name, member in record.number(member).map { (name, $0) } }
        guard !known.isEmpty else { return }
        json.object("heart_rate") { json in
            for (name, value) in known { json.field(name, value) }
        }
    }

    private static func write(
        _ lap: ExportedSession.Lap, _ splits: [JSONObject], number: Int, _ isInterval: Bool,
        to json: inout JSONWriter
    ) {
        let split = splits.last { $0.number("split") == UInt64(number) } ?? .empty
        json.field("distance", DisplayRounding.metres(lap.distance))
        json.field("time", tenths(lap.duration))
        json.field("stroke_rate", lap.strokesPerMinute)
        json.field("calories_total", lap.calories)
        heartRate([("average", "work_heart_rate_bpm")], of: split, to: &json)
        guard isInterval else { return }
        json.field("type", intervalType(split.text("type") ?? ""))
        json.field("rest_time", tenths(lap.rest))
        json.field("rest_distance", split.decimal("rest_distance_m").map(DisplayRounding.metres))
    }

    private static func intervalType(_ type: String) -> String {
        if type.hasPrefix("time") { return "time" }
        if type.hasPrefix("calories") { return "calorie" }
        return type.hasPrefix("watt_minutes") ? "wattminute" : "distance"
    }

    // MARK: Strokes

    private struct Stroke {
        /// Tenths of a second and decimetres since the start, or since the start of the interval.
        var time, distance: Int64
        /// Tenths of a second per 500 m, or per 1000 m for the BikeErg.
        var pace: Int64?
        var rate, heartRate: Int?

        func write(to json: inout JSONWriter) {
            json.field("t", time)
            json.field("d", distance)
            json.field("p", pace)
            json.field("spm", rate)
            json.field("hr", heartRate)
        }
    }

    private static func strokes(_ session: ExportedSession, _ isIntervals: Bool) -> [Stroke] {
        // The seconds and metres before each interval.
        var starts = [(0.0, 0.0)]
        for lap in session.laps {
            let last = starts[starts.count - 1]
            starts.append((last.0 + lap.duration, last.1 + lap.distance))
        }
        return session.strokes.map { stroke in
            let index = isIntervals ? min(max(stroke.interval ?? 1, 1), session.laps.count) - 1 : 0
            let (seconds, metres) = starts[index]
            let isValid = stroke.heartRate.map(ExportedSession.heartRates.contains) ?? false
            return Stroke(
                time: tenths(stroke.elapsed - seconds),
                distance: DisplayRounding.tenths(ofTime: stroke.distance - metres),
                pace: stroke.pace.map {
                    DisplayRounding.tenths(ofPace: $0 * Double(session.machine.paceMeters) / 500)
                },
                rate: stroke.strokesPerMinute, heartRate: isValid ? stroke.heartRate : nil)
        }
    }
}
