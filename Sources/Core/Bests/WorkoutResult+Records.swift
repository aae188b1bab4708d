import Bytes

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
