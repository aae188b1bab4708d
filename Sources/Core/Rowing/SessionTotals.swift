import Bytes

/// Beats per minute over a time: mean and range of what was measured.
struct HeartRateTally: Equatable {
    private(set) var sum = 0
    private(set) var count = 0
    private(set) var minimum: UInt8 = .max
    private(set) var maximum: UInt8 = 0
    // Of a checkpoint, where it stands since older versions.
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

/// A count of the monitor that restarts with each interval, added up.
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

/// A mean of whole numbers with weights.
struct WeightedMean: Equatable {
    fileprivate(set) var sum = 0
    fileprivate(set) var weight = 0
    var value: Int? { weight > 0 ? sum / weight : nil }

    mutating func add(_ value: Int, weight more: Int = 1) {
        sum += value * more
        weight += more
    }
}

/// Our own sums over a session: what a summary says where the monitor says nothing.
struct SessionTotals: Equatable {
    /// Strokes that were declared missing.
    private(set) var missingStrokes = 0
    /// Splits of which both packets came: how many, and what they add up to.
    private(set) var wholeSplits = 0
    private(set) var splitDeciseconds = 0
    private(set) var splitCalories = 0
    /// The monitor's sums of a single piece are those of its end.
    private(set) var areFinal = false
    /// Strokes and splits published.
    private(set) var strokes = 0
    private(set) var splits = 0
    private(set) var maximumWatts = 0
    private(set) var heartRate = HeartRateTally()
    /// Since the last split.
    private(set) var splitHeartRate = HeartRateTally()
    private(set) var calories = RunningTotal()
    /// Cleared when the end of an interval was missed, and what it came to.
    private(set) var areCaloriesCertain = true
    private(set) var dragFactor = WeightedMean()
    /// Watts of the strokes.
    private(set) var strokePower = WeightedMean()
    /// Watts of the finished intervals, weighted by their deciseconds.
    private(set) var intervalPower = WeightedMean()
    /// The monitor's average power of the piece or the interval.
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

    /// The monitor's sums will not change any more.
    mutating func finish() { areFinal = true }

    /// The share of the strokes that came, in thousandths, where every missing one has a number.
    var receivedThousandths: Int? {
        missingStrokes > 0 ? strokes * 1000 / (strokes + missingStrokes) : nil
    }

    /// Whether every stroke came with its power, provided that each has a number.
    var hasEveryPower: Bool { missingStrokes == 0 && strokePower.weight == strokes }

    /// Whether the splits that came are all there were in so many hundredths of a second.
    func splitsCover(_ centiseconds: Int64) -> Bool {
        wholeSplits > 0 && wholeSplits == splits
            && abs(Int64(splitDeciseconds) * 10 - centiseconds) <= 50
    }

    mutating func add(strokeWatts watts: Int) {
        maximumWatts = max(maximumWatts, watts)
        strokePower.add(watts)
    }

    /// The monitor's averages and sums of the piece, or of the interval.
    mutating func note(averageWatts: Int) { reportedWatts = averageWatts }
    mutating func note(calories count: Int) { calories.update(count) }

    /// Another interval has begun unseen, whatever the monitor's sums show by now.
    ///
    /// - Parameter isWhole: the one before was heard to its end.
    mutating func restartInterval(isWhole: Bool) {
        calories.restart()
        if !isWhole { loseCalories() }
    }

    mutating func loseCalories() { areCaloriesCertain = false }

    mutating func add(heartRate rate: UInt8) {
        heartRate.add(rate)
        splitHeartRate.add(rate)
    }
}

// MARK: - Bytes of a checkpoint

extension SessionTotals {
    /// What a checkpoint has: not whether that is all there was.
    var kept: SessionTotals {
        var kept = self
        (kept.missingStrokes, kept.wholeSplits) = (0, 0)
        (kept.splitDeciseconds, kept.splitCalories, kept.areFinal) = (0, 0, false)
        return kept
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
