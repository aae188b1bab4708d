import Bytes

/// A preset workout and the result of each part.
///
/// Only pieces over a distance or a time, and intervals of these. Workouts that count calories, and
/// sessions without a preset, have none.
package struct WorkoutResult: Equatable, Sendable {
    package enum Extent: Hashable, Sendable {
        case metres(Int)
        case seconds(Int)
    }

    /// A piece, or one of its intervals.
    package struct Part: Equatable, Sendable {
        package var extent: Extent
        /// Seconds of rest after it; nil if the rest has no set end.
        package var restSeconds: Int?
        package var result: WorkPoint

        package init(_ extent: Extent, restSeconds: Int? = 0, result: WorkPoint) {
            (self.extent, self.restSeconds, self.result) = (extent, restSeconds, result)
        }
    }

    /// In order; never empty.
    package let parts: [Part]
    package let isIntervals: Bool
    /// Whether the whole workout was completed.
    package let isComplete: Bool
    /// Share of the evaluated strokes that met all targets, in thousandths; nil without a target.
    package let inTarget: Int?
    /// The workout in notation, without targets: `4x500m/1:00r`, `30:00`.
    package let notation: String

    package init(
        _ parts: [Part], isIntervals: Bool, isComplete: Bool = true, inTarget: Int? = nil
    ) {
        self.parts = parts
        self.isIntervals = isIntervals
        self.isComplete = isComplete
        self.inTarget = inTarget
        notation = Self.notation(of: parts, isIntervals: isIntervals)
    }

    /// The rest after the last interval is the end of the workout: it is written like the rest before it.
    private static func notation(of parts: [Part], isIntervals: Bool) -> String {
        guard isIntervals else { return parts.first.map { $0.extent.text } ?? "" }
        let last = parts.count - 1
        let texts = parts.indices.map { index in
            let rest = parts[index == last && last > 0 ? last - 1 : index].restSeconds
            return parts[index].extent.text + rest.restText
        }
        if let first = texts.first, texts.allSatisfy({ $0 == first }) {
            return "\(texts.count)x\(first)"
        }
        return texts.joined(separator: "+")
    }
}

extension WorkoutResult.Extent {
    /// `500m`, `30:00`.
    package var text: String {
        switch self {
        case .metres(let metres): "\(metres)m"
        case .seconds(let seconds): Self.clock(seconds)
        }
    }

    /// `2:00`, `1:30:00`.
    package static func clock(_ seconds: Int) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (hours, rest) = seconds.quotientAndRemainder(dividingBy: 3600)
        let (minutes, last) = rest.quotientAndRemainder(dividingBy: 60)
        return hours > 0
            ? "\(hours):\(two(minutes)):\(two(last))" : "\(minutes):\(two(last))"
    }
}

extension Int? {
    /// `/1:00r`; `/r` for a rest without a set end.
    fileprivate var restText: String {
        map { "/\(WorkoutResult.Extent.clock($0))r" } ?? "/r"
    }
}

/// Reads records.
extension WorkoutResult {
    /// Maximum number of intervals of a monitor.
    private static let mostParts = 50

    /// The workout of a session; nil if no distance or time was set.
    ///
    /// - Parameters:
    ///   - head: the summary, or the session's begin record if there is none.
    ///   - splits: one record for each interval.
    init?(_ head: JSONObject, _ splits: [JSONObject], total: WorkPoint, isComplete: Bool) {
        let inTarget = head.decimal("in_target_ratio").map { Int(($0 * 1000).rounded()) }
        switch head.text("session_type") {
        case "distance", "time":
            guard let extent = Extent(head, "target_distance_m", "target_time_s") else {
                return nil
            }
            self.init(
                [Part(extent, result: total)], isIntervals: false, isComplete: isComplete,
                inTarget: inTarget)
        case "intervals":
            // Without an interval count, equal intervals repeat until the rower stops: only whole ones
            // count.
            let isEndless =
                (head.text("workout")?.hasPrefix("fixed_") ?? false)
                && head["interval_count"] == nil
            let set = isEndless ? Extent(head, "target_distance_m", "target_time_s") : nil
            var parts: [Part] = []
            for split in splits.prefix(Self.mostParts) {
                guard let part = Part(split) else { break }
                if let set, part.extent != set { break }
                parts.append(part)
            }
            guard !parts.isEmpty else { return nil }
            self.init(
                parts, isIntervals: true, isComplete: isEndless ? parts.count > 1 : isComplete,
                inTarget: inTarget)
        default: return nil
        }
    }
}

extension WorkoutResult.Extent {
    /// Reads a whole number of metres or seconds.
    fileprivate init?(_ head: JSONObject, _ metres: String, _ seconds: String) {
        func whole(_ name: String, _ limits: ClosedRange<Double>) -> Int? {
            head.decimal(name).flatMap {
                limits.contains($0) && $0 == $0.rounded() ? Int($0) : nil
            }
        }
        if let metres = whole(metres, 20...100_000) {
            self = .metres(metres)
        } else if let seconds = whole(seconds, 10...35_999) {
            self = .seconds(seconds)
        } else {
            return nil
        }
    }
}

extension WorkoutResult.Part {
    /// Reads an interval's result. The interval type says whether its distance or its time was set.
    fileprivate init?(_ split: JSONObject) {
        guard let type = split.text("type"),
            let result = WorkPoint(split, "duration_s", "distance_m")
        else { return nil }
        let extent: WorkoutResult.Extent?
        if type.hasPrefix("distance") {
            extent = WorkoutResult.Extent(split, "distance_m", "")
        } else if type.hasPrefix("time") {
            extent = WorkoutResult.Extent(split, "", "duration_s")
        } else {
            extent = nil
        }
        guard let extent else { return nil }
        let rest = (0...3600).clamping(split.decimal("rest_s") ?? 0)
        self.init(
            extent, restSeconds: type.hasSuffix("undefined_rest") ? nil : Int(rest.rounded()),
            result: result)
    }
}

extension ClosedRange<Double> {
    fileprivate func clamping(_ value: Double) -> Double {
        Swift.min(Swift.max(value, lowerBound), upperBound)
    }
}
