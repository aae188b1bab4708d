import PM5Codec

/// The published values of the current interval, or of the interval before a rest. Changes nothing.
extension IntervalHistory {
    /// Nil in single pieces.
    var progress: IntervalProgress? {
        guard isInterval else { return nil }
        var progress = IntervalProgress()
        if isIndexCertain { progress.number = leg.index }
        progress.isOver = leg.isClosed
        guard !leg.isClosed || leg.isEndReceived || leg.isSettled else { return progress }
        progress.elapsed = .centiseconds(leg.elapsed)
        progress.distance = Meters(decimeters: presentDistance)
        return progress
    }

    /// In 0.1 m. The last status of a leg can be a second old at the end of the work. The monitor's sum of
    /// finished intervals is complete, in whole metres.
    private var presentDistance: Int64 {
        if case .distance = target { return leg.distance }
        guard leg.isClosed, !leg.isSettled, let before = leg.metersBefore,
            let finished = leg.finishedMeters, finished > before
        else { return leg.distance }
        return max(leg.distance, Int64(finished - before) * 10)
    }

    /// The remaining work; nil if no length is set.
    ///
    /// - Parameter status: holds the monitor's calories; nil before the first one arrived.
    func remainder(_ status: AdditionalStatus2?) -> Remainder? {
        var remainder = Remainder()
        switch target {
        case .distance(let length):
            remainder.distance = Meters(
                millimeters: max(0, length.millimeters - leg.distance * 100))
        case .time(let length):
            remainder.time = max(.zero, length - .centiseconds(leg.elapsed))
        case .calories(let count):
            // Calories and the start of a new interval arrive in different packets.
            guard let status,
                abs(Int64(status.elapsedCentiseconds) - leg.elapsed) <= Self.jitterCentiseconds
            else { return nil }
            remainder.calories = max(0, count - Int(status.totalCalories))
        case .none, .wattMinutes: return nil
        }
        return remainder
    }
}
