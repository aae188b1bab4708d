import Bytes
import Contract
import PM5Codec

/// Converts the steps of a workout of intervals.icu into workout notation.
///
/// The steps are read as the service's forum and public programs describe them: `duration` in seconds or `distance` in
/// metres, `reps` with nested `steps`, and targets in `power`, `hr`, `pace` and `cadence`. If a step has both lengths,
/// the distance counts, because the service adds an estimated duration. Warm-up and cool-down are intervals like the
/// others. A step is a rest if its `intensity` is `rest`, or its text is "rest" and it has no target; everything else
/// is rowed, also an easy step.
enum IntervalsICUWorkout {
    private enum Limit {
        /// Steps inside of repeated steps.
        static let depth = 4
        /// Intervals and rests together: a monitor has 50 intervals.
        static let items = 2 * WorkoutProgram.maximumIntervals
        /// Seconds or metres; the monitor's own limits are lower.
        static let length = 1...999_999
    }

    /// A workout that has no notation.
    private struct NotExpressible: Error {}

    private enum Item: Equatable {
        case work(String, targets: String)
        /// Seconds.
        case rest(Int)
    }

    /// Returns `4x500m/1:00r@1:50-1:55`; nil if a monitor cannot have the workout, or a step is not understood.
    ///
    /// - Parameter document: `workout_doc` of an event.
    static func notation(of document: JSONObject) -> String? {
        guard case .list(let steps)? = document["steps"],
            let items = try? items(of: steps, depth: 0), let text = text(of: items),
            (try? WorkoutRequest(parsing: text)) != nil
        else { return nil }
        return text
    }

    // MARK: Steps

    private static func items(of steps: [JSONValue], depth: Int) throws(NotExpressible) -> [Item] {
        var items: [Item] = []
        for step in steps {
            guard case .object(let step) = step else { throw NotExpressible() }
            items += try self.items(of: step, depth: depth)
            guard items.count <= Limit.items else { throw NotExpressible() }
        }
        return items
    }

    private static func items(of step: JSONObject, depth: Int) throws(NotExpressible) -> [Item] {
        guard step.isSet("reps") || step.isSet("steps") else { return try item(of: step).map { [$0] } ?? [] }
        guard depth < Limit.depth, case .list(let steps)? = step["steps"],
            let count = try length("reps", of: step)
        else { throw NotExpressible() }
        let items = try items(of: steps, depth: depth + 1)
        guard !items.isEmpty, count <= Limit.items / items.count else { throw NotExpressible() }
        return (0..<count).flatMap { _ in items }
    }

    /// Returns nil for a comment.
    private static func item(of step: JSONObject) throws(NotExpressible) -> Item? {
        if step.members.allSatisfy({ ["text", "text_locale"].contains($0.name) }), step.text("text") != nil {
            return nil
        }
        guard try !flag("until_lap_press", of: step) else { throw NotExpressible() }
        let (seconds, metres) = (try length("duration", of: step), try length("distance", of: step))
        let targets = IntervalsICUTargets.notation(of: step)
        if try isRest(step) {
            guard let seconds, metres == nil else { throw NotExpressible() }
            return .rest(seconds)
        }
        if let metres { return .work("\(metres)m", targets: targets) }
        guard let seconds else { throw NotExpressible() }
        return .work(clock(seconds), targets: targets)
    }

    private static func isRest(_ step: JSONObject) throws(NotExpressible) -> Bool {
        guard let intensity = step.text("intensity") else {
            guard !step.isSet("intensity") else { throw NotExpressible() }
            let text = step.text("text")?.lowercased()
            return ["rest", "pause"].contains(text) && !IntervalsICUTargets.exist(in: step)
        }
        return intensity == "rest"
    }

    private static func flag(_ name: String, of step: JSONObject) throws(NotExpressible) -> Bool {
        guard step.isSet(name) else { return false }
        guard case .flag(let flag)? = step[name] else { throw NotExpressible() }
        return flag
    }

    /// Returns nil if the member is missing or 0, which is no length.
    private static func length(_ name: String, of step: JSONObject) throws(NotExpressible) -> Int? {
        guard step.isSet(name) else { return nil }
        guard let value = step.decimal(name) else { throw NotExpressible() }
        if value == 0 { return nil }
        guard let whole = Int(exactly: value), Limit.length.contains(whole) else { throw NotExpressible() }
        return whole
    }

    // MARK: Notation

    private struct Interval: Equatable {
        var work: String
        var targets: String
        /// Seconds.
        var rest = 0

        var text: String { work + (rest > 0 ? "/\(clock(rest))r" : "") + targets }
    }

    /// Returns nil for a rest before the first interval.
    private static func text(of items: [Item]) -> String? {
        var intervals: [Interval] = []
        for item in items {
            switch item {
            case .work(let work, let targets): intervals.append(Interval(work: work, targets: targets))
            case .rest(let seconds):
                guard !intervals.isEmpty else { return nil }
                intervals[intervals.count - 1].rest += seconds
            }
        }
        guard !intervals.isEmpty else { return nil }
        let period = (1...intervals.count).first { period in
            intervals.count.isMultiple(of: period)
                && intervals.indices.allSatisfy { intervals[$0] == intervals[$0 % period] }
        }
        guard let period else { return nil }
        let list = intervals.prefix(period).map(\.text).joined(separator: "+")
        return period < intervals.count ? "\(intervals.count / period)x\(list)" : list
    }

    /// `0:30`, `1:15:00`.
    private static func clock(_ seconds: Int) -> String {
        let digits = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
        let (minutes, rest) = (seconds / 60, digits(seconds % 60))
        return minutes < 60 ? "\(minutes):\(rest)" : "\(minutes / 60):\(digits(minutes % 60)):\(rest)"
    }
}

extension JSONObject {
    /// Whether the member exists and is not null.
    fileprivate func isSet(_ name: String) -> Bool { self[name] ?? .null != .null }
}

/// Converts the targets of a step into workout notation. A target that is not clearly in its unit, or that a monitor
/// cannot show, is left out.
enum IntervalsICUTargets {
    private static let (watts, rates, beats) = (1...2000, 10...60, 30...250)
    /// Seconds per 500 m.
    private static let paces = 60.0...600.0

    /// Returns `@1:50-1:55,18-20spm`; empty without a target.
    static func notation(of step: JSONObject) -> String {
        let power = range(step.object("_power")) ?? range(step.object("power"), in: ["w"])
        let rate = range(step.object("cadence"), in: ["rpm", "cadence"])
        let heartRate = range(step.object("_hr")) ?? range(step.object("hr"), in: ["bpm"])
        let found: [String?] = [
            pace(of: step).flatMap(paceBand), band(power, in: watts, "w"), band(rate, in: rates, "spm"),
            band(heartRate, in: beats, "bpm"),
        ]
        let bands = found.compactMap(\.self)
        return bands.isEmpty ? "" : "@" + bands.joined(separator: ",")
    }

    /// Whether a step has any target, also one without notation.
    static func exist(in step: JSONObject) -> Bool {
        ["power", "hr", "pace", "cadence", "_power", "_hr", "_pace"].contains { step.isSet($0) }
    }

    /// Seconds per 500 m, from a pace in that unit or the resolved metres per second.
    private static func pace(of step: JSONObject) -> ClosedRange<Double>? {
        if let pace = range(step.object("pace"), in: ["SECS_500M"]) { return pace }
        guard let resolved = step.object("_pace"), !resolved.isSet("units"),
            let speed = range(resolved), speed.lowerBound > 0
        else { return nil }
        return 500 / speed.upperBound...500 / speed.lowerBound
    }

    /// The range from `start` to `end`, in either order, or the single `value`.
    ///
    /// - Parameter units: those that the target must have; nil for a resolved target.
    private static func range(_ target: JSONObject?, in units: [String]? = nil) -> ClosedRange<Double>? {
        guard let target else { return nil }
        if let units {
            guard let unit = target.text("units"), units.contains(unit) else { return nil }
        }
        let ends = [target.decimal("start"), target.decimal("end")].compactMap(\.self)
        let values = ends.count == 2 ? ends : [target.decimal("value")].compactMap(\.self)
        guard let low = values.min(), let high = values.max(), low.isFinite, high.isFinite else { return nil }
        return low...high
    }

    private static func band(
        _ range: ClosedRange<Double>?, in limits: ClosedRange<Int>, _ unit: String
    ) -> String? {
        guard let range else { return nil }
        let (low, high) = (range.lowerBound.rounded(), range.upperBound.rounded())
        guard low >= Double(limits.lowerBound), high <= Double(limits.upperBound) else { return nil }
        return "\(Int(low))-\(Int(high))\(unit)"
    }

    private static func paceBand(_ range: ClosedRange<Double>) -> String? {
        guard paces.contains(range.lowerBound), paces.contains(range.upperBound) else { return nil }
        return "\(tenths(range.lowerBound))-\(tenths(range.upperBound))"
    }

    /// `1:52`, `1:52.5`.
    private static func tenths(_ seconds: Double) -> String {
        let tenths = Int((seconds * 10).rounded())
        let (minutes, rest) = (tenths / 600, tenths / 10 % 60)
        let text = "\(minutes):" + (rest < 10 ? "0\(rest)" : "\(rest)")
        return tenths % 10 == 0 ? text : text + ".\(tenths % 10)"
    }
}
