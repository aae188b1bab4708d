import Bytes

/// Reads records.
extension RowedWorkout {
    /// As many as a monitor holds.
    private static let mostParts = 50

    /// What a session was set to; nil where that is no distance and no time.
    ///
    /// - Parameters:
    ///   - told: of the summary, or without one of the session's beginning.
    ///   - splits: of intervals, each its result.
    init?(_ told: JSONObject, _ splits: [JSONObject], total: RowedPoint, isComplete: Bool) {
        let inTarget = told.decimal("in_target_ratio").map { Int(($0 * 1000).rounded()) }
        switch told.text("session_type") {
        case "distance", "time":
            guard let extent = Extent(told, "target_distance_m", "target_time_s") else {
                return nil
            }
            self.init(
                [Part(extent, rowed: total)], isIntervals: false, isComplete: isComplete,
                inTarget: inTarget)
        case "intervals":
            // Without a count, equal intervals go on until the rower stops: the whole ones count.
            let isEndless =
                (told.text("workout")?.hasPrefix("fixed_") ?? false)
                && told["interval_count"] == nil
            let set = isEndless ? Extent(told, "target_distance_m", "target_time_s") : nil
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

extension RowedWorkout.Extent {
    /// A whole length of metres or seconds.
    fileprivate init?(_ told: JSONObject, _ metres: String, _ seconds: String) {
        func whole(_ name: String, _ limits: ClosedRange<Double>) -> Int? {
            told.decimal(name).flatMap {
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

extension RowedWorkout.Part {
    /// An interval's result: what it was set to is what it counts in.
    fileprivate init?(_ split: JSONObject) {
        guard let type = split.text("type"),
            let rowed = RowedPoint(split, "duration_s", "distance_m")
        else { return nil }
        let extent: RowedWorkout.Extent?
        if type.hasPrefix("distance") {
            extent = RowedWorkout.Extent(split, "distance_m", "")
        } else if type.hasPrefix("time") {
            extent = RowedWorkout.Extent(split, "", "duration_s")
        } else {
            extent = nil
        }
        guard let extent else { return nil }
        let rest = (0...3600).clamping(split.decimal("rest_s") ?? 0)
        self.init(
            extent, restSeconds: type.hasSuffix("undefined_rest") ? nil : Int(rest.rounded()),
            rowed: rowed)
    }
}

extension ClosedRange<Double> {
    fileprivate func clamping(_ value: Double) -> Double {
        Swift.min(Swift.max(value, lowerBound), upperBound)
    }
}
