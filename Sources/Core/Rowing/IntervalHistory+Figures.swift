import PM5Codec

/// What is published of the interval under way, or of the one just rowed. Changes nothing.
extension IntervalHistory {
    /// nil in single pieces.
    var figures: IntervalFigures? {
        guard isInterval else { return nil }
        var figures = IntervalFigures()
        if isIndexCertain { figures.number = leg.index }
        figures.isOver = leg.isClosed
        guard !leg.isClosed || leg.isEndHeard || leg.isSettled else { return figures }
        figures.elapsed = .centiseconds(leg.elapsed)
        figures.distance = Meters(decimeters: presentDistance)
        return figures
    }

    /// 0.1 m. The last status of a leg is up to a second old when its work is done; the monitor's
    /// sum of finished intervals has all of it, in whole metres.
    private var presentDistance: Int64 {
        if case .distance = target { return leg.distance }
        guard leg.isClosed, !leg.isSettled, let before = leg.metersBefore,
            let finished = leg.finishedMeters, finished > before
        else { return leg.distance }
        return max(leg.distance, Int64(finished - before) * 10)
    }

    /// nil where no length is set.
    ///
    /// - Parameter status: the monitor's sums, of which calories are counted; nil before it came.
    func remainder(_ status: AdditionalStatus2?) -> Remainder? {
        var remainder = Remainder()
        switch target {
        case .distance(let length):
            remainder.distance = Meters(
                millimeters: max(0, length.millimeters - leg.distance * 100))
        case .time(let length):
            remainder.time = max(.zero, length - .centiseconds(leg.elapsed))
        case .calories(let count):
            // Another packet than the one that tells of a new interval.
            guard let status,
                abs(Int64(status.elapsedCentiseconds) - leg.elapsed) <= Self.jitterCentiseconds
            else { return nil }
            remainder.calories = max(0, count - Int(status.totalCalories))
        case .none, .wattMinutes: return nil
        }
        return remainder
    }
}
