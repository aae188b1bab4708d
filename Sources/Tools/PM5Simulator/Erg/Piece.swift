import PM5Codec

/// A workout being rowed, or shown after its end: the numbers on the monitor's screen.
struct Piece: Equatable, Sendable {
    enum Phase: Equatable, Sendable {
        case work
        /// Its begin and duration; nil until the rower continues.
        case rest(since: Int, seconds: Int?)
        case over
    }

    /// Averages as of the end of the last drive: the values of 0x0032 and 0x0033 that change once
    /// per stroke.
    struct Averages: Equatable, Sendable {
        var strokeRate = 0.0
        var currentSpeed = 0.0
        var interval: LapResult?
        var split: LapResult?
    }

    let number: Int
    let workout: Workout
    var phase = Phase.work
    /// 0-based position of the interval.
    var intervalIndex = 0
    /// Finished splits and intervals: 0x0033 byte 3.
    var lapCount = 0
    var splitsInInterval = 0

    /// When the clock of this interval started.
    var intervalStart: Int
    /// The current stroke cycle; nil in a rest and at the end.
    var stroke: Stroke?
    /// The stroke whose drive has ended and whose recovery continues.
    var pending: PendingStroke?
    /// The rower has stopped within the work: when, on the erg's clock, and at which distance.
    var pause: Standstill?
    /// Strokes of this interval.
    var strokeCount = 0
    /// Time and distance once they stop changing.
    var frozen: Standstill?

    var lap = Lap()
    var interval = Lap()
    var averages = Averages()
    var lastLap: LapResult?
    /// An interval whose work is done, before 0x0037 and 0x0038 report it.
    var finishedWork: LapResult?

    /// Work of the finished intervals.
    var finished = Totals()
    var restMeters = 0
    var heart = Lap()

    struct Standstill: Equatable, Sendable {
        var milliseconds: Int
        var meters: Double
    }

    struct Totals: Equatable, Sendable {
        var deciseconds = 0
        var meters = 0.0
        var strokes = 0
        var calories = 0
        var exactMilliseconds = 0
    }

    init(_ workout: Workout, number: Int, at milliseconds: Int) {
        self.workout = workout
        self.number = number
        intervalStart = milliseconds
    }

    var isWorking: Bool { phase == .work }
    var isOver: Bool { phase == .over }
    var currentInterval: WorkoutInterval { workout.interval(intervalIndex) ?? workout.intervals[0] }

    /// The clock of the interval. In a pause it continues, except in a just row.
    func elapsedMilliseconds(at now: Int) -> Int {
        if let frozen { return frozen.milliseconds }
        let stopped = workout.isJustRow ? pause?.milliseconds : nil
        return (stopped ?? now) - intervalStart
    }

    /// The distance of the interval. In a rest the spinning flywheel still adds to it.
    func meters(at now: Int) -> Double {
        workMeters(at: now) + coastedMeters(at: now)
    }

    /// The flywheel slows down evenly within six seconds.
    func coastedMeters(at now: Int) -> Double {
        guard case .rest(let since, _) = phase else { return 0 }
        let seconds = min(Double(now - since) / 1000, 6)
        return 0.4 * averages.currentSpeed * (seconds - seconds * seconds / 12)
    }

    /// Whole calories of the interval.
    func calories(at now: Int) -> Int {
        let time = elapsedMilliseconds(at: now)
        return Int(RowingFormulas.calories(milliseconds: time, meters: workMeters(at: now)))
    }

    /// Without the rest.
    func workMeters(at now: Int) -> Double {
        frozen?.meters ?? pause?.meters ?? stroke?.meters(at: now) ?? 0
    }

    /// Returns what was rowed from the start of a split, an interval or the whole piece until `now`.
    func result(of lap: Lap, at now: Int) -> LapResult {
        lap.result(type: workout.hasIntervals ? currentInterval.type : .distance, at: mark(at: now))
    }

    func mark(at now: Int) -> Lap.Mark {
        Lap.Mark(
            milliseconds: elapsedMilliseconds(at: now), meters: workMeters(at: now),
            strokes: strokeCount, calories: calories(at: now))
    }

    mutating func note(heartRate: UInt8?, at milliseconds: Int) {
        guard !isOver else { return }
        lap.note(heartRate: heartRate, at: milliseconds)
        heart.note(heartRate: heartRate, at: milliseconds)
    }

    /// Work of the finished intervals, as the log counts it.
    var total: LapResult {
        LapResult(
            type: .distance,
            span: .init(deciseconds: finished.deciseconds, meters: Int(finished.meters)),
            exactMilliseconds: finished.exactMilliseconds, exactMeters: finished.meters,
            strokes: finished.strokes, calories: finished.calories,
            heartRate: heart.averageHeartRate)
    }
}

/// A stroke between its two 0x0035 packets.
struct PendingStroke: Equatable, Sendable {
    var data: StrokeData
    var additional: AdditionalStrokeData
    var ratePerMinute: Double
    var heartRate: UInt8?
    /// Whether every packet so far reached a subscriber.
    var isSent: Bool
}
