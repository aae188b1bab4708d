import PM5Codec

/// The workout on the monitor, and when the rower stops.
package struct WorkoutScript: Equatable, Sendable {
    /// When the rower presses Menu before the end of the workout.
    enum Stop: Equatable, Sendable {
        case never
        case afterMilliseconds(Int)
        /// Shortly before the end of the rest after this many intervals.
        case afterIntervals(Int)
    }

    let workout: Workout
    let stop: Stop
    /// Whether the rower rows only workouts set by a host.
    let waitsForHost: Bool

    init(_ workout: Workout, stop: Stop = .never, waitsForHost: Bool = false) {
        self.workout = workout
        self.stop = stop
        self.waitsForHost = waitsForHost
    }

    /// The notation of `init(parsing:)`, for a help text.
    package static let syntax = """
        wait             nothing until a host sends a workout
        just-row         for ever          just-row/2:00   for two minutes, then Menu
        just-row/0       without splits    just-row/0/2:00 both
        2000m            fixed distance    2000m/400m      with splits of 400 m
        30:00            fixed time        30:00/5:00      with splits of five minutes
        100cal           fixed calories    2000m/0         without splits
        300wm            fixed watt-minutes
        4x500m/1:00r     four fixed intervals with a minute of rest, then Menu
        500m/1:00r+2:00/1:30r+100cal/r   intervals that differ; /r: rest without end
        """

    /// Reads the notation of `syntax`.
    package init(parsing text: String) throws(WorkoutSyntaxError) {
        if text == "wait" {
            self.init(.justRow, waitsForHost: true)
            return
        }
        let parts = text.split(separator: "/", maxSplits: 1).map(String.init)
        if parts.first == "just-row" {
            try self.init(
                justRow: text.split(separator: "/").dropFirst().map(String.init), in: text)
        } else if let cross = text.firstIndex(of: "x") {
            try self.init(
                repeating: String(text[text.index(after: cross)...]),
                count: Int(text[..<cross]), in: text)
        } else if text.contains("+") || text.hasSuffix("r") {
            try self.init(variable: text)
        } else {
            try self.init(single: parts, in: text)
        }
    }

    private init(justRow options: [String], in text: String) throws(WorkoutSyntaxError) {
        let hasSplits = options.first != "0"
        let workout: Workout =
            hasSplits ? .justRow : Workout(.justRowWithoutSplits, [WorkoutInterval(.none)])
        let rest = hasSplits ? options[...] : options.dropFirst()
        guard let length = rest.first else {
            self.init(workout)
            return
        }
        guard rest.count == 1, let goal = Self.goal(length), goal.durationType == .time else {
            throw WorkoutSyntaxError(text: text)
        }
        self.init(workout, stop: .afterMilliseconds(goal.count * 10))
    }

    private init(
        repeating text: String, count: Int?, in whole: String
    ) throws(WorkoutSyntaxError) {
        guard let count, (1...50).contains(count), let interval = Self.interval(text) else {
            throw WorkoutSyntaxError(text: whole)
        }
        let type: WorkoutType =
            switch interval.goal.durationType {
            case .distance, .unrecognized: .fixedDistanceInterval
            case .time: .fixedTimeInterval
            case .calories: .fixedCalorieInterval
            // A PM5 cannot repeat watt-minutes; use variable intervals.
            case .wattMinutes: throw WorkoutSyntaxError(text: whole)
            }
        self.init(Workout(type, [interval]), stop: .afterIntervals(count))
    }

    private init(variable text: String) throws(WorkoutSyntaxError) {
        let intervals = text.split(separator: "+", omittingEmptySubsequences: false).map {
            Self.interval(String($0))
        }
        guard !intervals.isEmpty, intervals.count <= 50, !intervals.contains(nil) else {
            throw WorkoutSyntaxError(text: text)
        }
        let whole = intervals.compactMap { $0 }
        let undefined = whole.contains { $0.rest == .undefined }
        self.init(Workout(undefined ? .variableIntervalUndefinedRest : .variableInterval, whole))
    }

    private init(single parts: [String], in text: String) throws(WorkoutSyntaxError) {
        guard let goal = parts.first.flatMap(Self.goal) else {
            throw WorkoutSyntaxError(text: text)
        }
        var split = Self.usualSplit(of: goal)
        if parts.count == 2 {
            if parts[1] == "0" {
                split = 0
            } else if let chosen = Self.goal(parts[1]), chosen.durationType == goal.durationType {
                split = chosen.count
            } else {
                throw WorkoutSyntaxError(text: text)
            }
        }
        let type: WorkoutType =
            switch goal.durationType {
            case .distance, .unrecognized:
                split > 0 ? .fixedDistanceWithSplits : .fixedDistanceWithoutSplits
            case .time: split > 0 ? .fixedTimeWithSplits : .fixedTimeWithoutSplits
            case .calories: .fixedCaloriesWithSplits
            case .wattMinutes: .fixedWattMinutesWithSplits
            }
        self.init(Workout(type, [WorkoutInterval(goal)], splitLength: split > 0 ? split : nil))
    }

    /// A fifth, but at least the monitor's minimum (100 m, 20 s, 5 cal, 5 watt-minutes).
    private static func usualSplit(of goal: WorkoutGoal) -> Int {
        let least =
            switch goal.durationType {
            case .distance, .unrecognized: 100
            case .time: 2000
            case .calories, .wattMinutes: 5
            }
        return min(max(goal.count / 5, least), goal.count)
    }

    /// `500m/1:00r`, `500m/r`, `500m`.
    private static func interval(_ text: String) -> WorkoutInterval? {
        let parts = text.split(separator: "/", maxSplits: 1).map(String.init)
        guard let first = parts.first, let goal = goal(first) else { return nil }
        guard parts.count == 2 else { return WorkoutInterval(goal) }
        guard parts[1].hasSuffix("r") else { return nil }
        let rest = String(parts[1].dropLast())
        if rest.isEmpty { return WorkoutInterval(goal, rest: .undefined) }
        guard let seconds = seconds(rest), seconds <= 595 else { return nil }
        return WorkoutInterval(goal, rest: seconds == 0 ? .none : .seconds(seconds))
    }

    /// `2000m`, `100cal`, `300wm`, `30:00`, `1:30:00`.
    private static func goal(_ text: String) -> WorkoutGoal? {
        if text.hasSuffix("wm") {
            return positive(Int(text.dropLast(2))).map { WorkoutGoal(.wattMinutes, $0) }
        }
        if text.hasSuffix("cal") { return positive(Int(text.dropLast(3))).map { .calories($0) } }
        if text.hasSuffix("m") { return positive(Int(text.dropLast())).map { .meters($0) } }
        return positive(seconds(text)).map { .centiseconds($0 * 100) }
    }

    /// `30:00`, `1:30:00`.
    private static func seconds(_ text: String) -> Int? {
        let fields = text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        guard (2...3).contains(fields.count), fields.allSatisfy({ (0...59).contains($0 ?? -1) })
        else { return nil }
        return fields.reduce(0) { $0 * 60 + ($1 ?? 0) }
    }

    /// Within the three bytes and the limits of the monitor.
    private static func positive(_ value: Int?) -> Int? {
        value.flatMap { (1...999_999).contains($0) ? $0 : nil }
    }
}

/// A workout that does not follow `WorkoutScript.syntax`.
package struct WorkoutSyntaxError: Error, Equatable, CustomStringConvertible {
    package let text: String
    package var description: String {
        "'\(text)' is not a valid workout. Examples:\n\(WorkoutScript.syntax)"
    }
}
