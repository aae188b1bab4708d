/// Beats per minute over a time: mean and range of what was measured.
struct HeartRateTally: Equatable {
    private(set) var sum = 0
    private(set) var count = 0
    private(set) var minimum: UInt8 = .max
    private(set) var maximum: UInt8 = 0
    private(set) var last: UInt8 = 0

    var average: Int? { count > 0 ? (sum + count / 2) / count : nil }
    var lowest: Int? { count > 0 ? Int(minimum) : nil }
    var highest: Int? { count > 0 ? Int(maximum) : nil }
    var ending: Int? { count > 0 ? Int(last) : nil }

    mutating func add(_ rate: UInt8) {
        sum += Int(rate)
        count += 1
        minimum = min(minimum, rate)
        maximum = max(maximum, rate)
        last = rate
    }

    init() {}

    init(sum: Int, count: Int, minimum: UInt8, maximum: UInt8, last: UInt8) {
        self.sum = sum
        self.count = count
        self.minimum = minimum
        self.maximum = maximum
        self.last = last
    }
}

/// A count of the monitor that restarts with each interval, added up.
struct RunningTotal: Equatable {
    var finished = 0
    var present = 0
    var sum: Int { finished + present }

    mutating func update(_ value: Int) {
        if value < present { restart() }
        present = value
    }

    /// Another interval has begun, whatever the count shows by now.
    mutating func restart() {
        finished += present
        present = 0
    }
}

/// A mean of whole numbers with weights.
struct WeightedMean: Equatable {
    var sum = 0
    var weight = 0
    var value: Int? { weight > 0 ? sum / weight : nil }

    mutating func add(_ value: Int, weight more: Int = 1) {
        sum += value * more
        weight += more
    }
}

/// Our own sums over a session: what a summary says where the monitor says nothing.
struct SessionTotals: Equatable {
    /// Strokes and splits published.
    var strokes = 0
    var splits = 0
    var maximumWatts = 0
    var heartRate = HeartRateTally()
    /// Since the last split.
    var splitHeartRate = HeartRateTally()
    var calories = RunningTotal()
    var dragFactor = WeightedMean()
    /// Watts of the strokes.
    var strokePower = WeightedMean()
    /// Watts of the finished intervals, weighted by their deciseconds.
    var intervalPower = WeightedMean()
    /// The monitor's average power of the piece or the interval.
    var reportedWatts = 0
    /// Of the finished intervals.
    var restSeconds = 0
    var restMeters = 0

    init() {}

    mutating func add(_ split: AssembledSplit, isInterval: Bool) {
        splits += 1
        splitHeartRate = HeartRateTally()
        guard isInterval else { return }
        restSeconds += Int(split.data.restSeconds)
        restMeters += Int(split.data.restDistanceMeters)
        if let additional = split.additional {
            intervalPower.add(
                Int(additional.powerWatts), weight: Int(split.data.splitDeciseconds))
        }
    }

    mutating func add(_ stroke: AssembledStroke) {
        strokes += 1
        guard let power = stroke.power else { return }
        maximumWatts = max(maximumWatts, Int(power.strokePowerWatts))
        strokePower.add(Int(power.strokePowerWatts))
    }

    mutating func add(heartRate rate: UInt8) {
        heartRate.add(rate)
        splitHeartRate.add(rate)
    }

    /// Of the whole piece: the monitor's own where there is one, otherwise the strokes' mean.
    func averageWatts(isInterval: Bool) -> Int? {
        if isInterval { return intervalPower.value ?? strokePower.value }
        return reportedWatts > 0 ? reportedWatts : strokePower.value
    }
}
