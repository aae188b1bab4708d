import Bytes

/// Mean and range of the heart rate over a time, beats per minute.
struct HeartRateTally: Equatable {
    private(set) var sum = 0
    private(set) var count = 0
    private(set) var minimum: UInt8 = .max
    private(set) var maximum: UInt8 = 0
    // Not used; older versions stored it at this position of a checkpoint.
    private(set) var last: UInt8 = 0

    var average: Int? { count > 0 ? (sum + count / 2) / count : nil }
    var lowest: Int? { count > 0 ? Int(minimum) : nil }
    var highest: Int? { count > 0 ? Int(maximum) : nil }

    mutating func add(_ rate: UInt8) {
        sum += Int(rate)
        count += 1
        minimum = min(minimum, rate)
        maximum = max(maximum, rate)
        last = rate
    }
}

/// The sum of a monitor count that restarts with each interval.
struct RunningTotal: Equatable {
    fileprivate(set) var finished = 0
    fileprivate(set) var present = 0
    var sum: Int { finished + present }

    mutating func update(_ value: Int) {
        if value < present { restart() }
        present = value
    }

    mutating func restart() {
        finished += present
        present = 0
    }
}

/// A weighted mean of whole numbers.
struct WeightedMean: Equatable {
    fileprivate(set) var sum = 0
    fileprivate(set) var weight = 0
    var value: Int? { weight > 0 ? sum / weight : nil }

    mutating func add(_ value: Int, weight more: Int = 1) {
        sum += value * more
        weight += more
    }
}

/// Our own sums over a session, for summaries without values of the monitor.
struct SessionTotals: Equatable {
    /// Strokes that were declared missing.
    private(set) var missingStrokes = 0
    /// Splits with both packets: their number and sums.
    private(set) var wholeSplits = 0
    private(set) var splitDeciseconds = 0
    private(set) var splitCalories = 0
    /// Whether the monitor's sums are those at the end of a single piece.
    private(set) var areFinal = false
    /// Published strokes and splits.
    private(set) var strokes = 0
    private(set) var splits = 0
    private(set) var maximumWatts = 0
    private(set) var heartRate = HeartRateTally()
    /// Since the last split.
    private(set) var splitHeartRate = HeartRateTally()
    private(set) var calories = RunningTotal()
    /// False if the end of an interval, and its calories, were missed.
    private(set) var areCaloriesCertain = true
    private(set) var dragFactor = WeightedMean()
    /// Watts, over the strokes.
    private(set) var strokePower = WeightedMean()
    /// Watts, over the finished intervals, weighted by deciseconds.
    private(set) var intervalPower = WeightedMean()
    /// The monitor's average power of the piece or interval.
    private(set) var reportedWatts = 0
    /// Of the finished intervals.
    private(set) var restSeconds = 0
    private(set) var restMeters = 0

    mutating func add(_ split: AssembledSplit, isInterval: Bool) {
        splits += 1
        splitHeartRate = HeartRateTally()
        if let additional = split.additional {
            wholeSplits += 1
            splitDeciseconds += Int(split.data.splitDeciseconds)
            splitCalories += Int(additional.totalCalories)
        }
        guard isInterval else { return }
        restSeconds += Int(split.data.restSeconds)
        restMeters += Int(split.data.restDistanceMeters)
        if let additional = split.additional {
            intervalPower.add(
                Int(additional.powerWatts), weight: Int(split.data.splitDeciseconds))
        }
    }

    mutating func add(_ stroke: AssembledStroke, dragFactor drag: UInt8?) {
        strokes += 1
        if let drag { dragFactor.add(Int(drag)) }
        if let power = stroke.power { add(strokeWatts: Int(power.strokePowerWatts)) }
    }

    mutating func add(missingStrokes count: Int) { missingStrokes += count }

    /// Marks the monitor's sums as final.
    mutating func finish() { areFinal = true }

    /// The share of received strokes in thousandths, if every missing one has a number; nil if none is
    /// missing.
    var receivedThousandths: Int? {
        missingStrokes > 0 ? strokes * 1000 / (strokes + missingStrokes) : nil
    }

    /// Whether every stroke has a power value, if each has a number.
    var hasEveryPower: Bool { missingStrokes == 0 && strokePower.weight == strokes }

    /// Whether the received splits cover the whole time, in 0.01 s.
    func splitsCover(_ centiseconds: Int64) -> Bool {
        wholeSplits > 0 && wholeSplits == splits
            && abs(Int64(splitDeciseconds) * 10 - centiseconds) <= 50
    }

    mutating func add(strokeWatts watts: Int) {
        maximumWatts = max(maximumWatts, watts)
        strokePower.add(watts)
    }

    /// Stores the monitor's averages and sums of the piece or interval.
    mutating func note(averageWatts: Int) { reportedWatts = averageWatts }
    mutating func note(calories count: Int) { calories.update(count) }

    /// Begins another interval that was not seen to begin.
    ///
    /// - Parameter isWhole: whether the end of the previous one was received.
    mutating func restartInterval(isWhole: Bool) {
        calories.restart()
        if !isWhole { markCaloriesUncertain() }
    }

    mutating func markCaloriesUncertain() { areCaloriesCertain = false }

    mutating func add(heartRate rate: UInt8) {
        heartRate.add(rate)
        splitHeartRate.add(rate)
    }
}

// MARK: - Bytes of a checkpoint

extension SessionTotals {
    /// The part that a checkpoint stores. It does not say whether all values were received.
    var checkpointValue: SessionTotals {
        var value = self
        (value.missingStrokes, value.wholeSplits) = (0, 0)
        (value.splitDeciseconds, value.splitCalories, value.areFinal) = (0, 0, false)
        return value
    }

    mutating func code(with coder: inout ByteCoder) {
        coder.count(&strokes)
        coder.count(&splits)
        coder.count(&maximumWatts)
        coder.count(&calories.finished)
        coder.count(&calories.present)
        coder.count(&dragFactor.sum)
        coder.count(&dragFactor.weight)
        coder.count(&strokePower.sum)
        coder.count(&strokePower.weight)
        coder.count(&intervalPower.sum)
        coder.count(&intervalPower.weight)
        coder.count(&reportedWatts)
        coder.count(&restSeconds)
        coder.count(&restMeters)
        heartRate.code(with: &coder)
        splitHeartRate.code(with: &coder)
    }
}

extension HeartRateTally {
    fileprivate mutating func code(with coder: inout ByteCoder) {
        coder.count(&sum)
        coder.count(&count)
        coder.count(&minimum)
        coder.count(&maximum)
        coder.count(&last)
    }
}
