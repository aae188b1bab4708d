import PM5Codec

/// What a split, an interval or a whole piece adds up to.
///
/// Times and distances are cut to what the log shows (0.1 s, 1 m) at each end, not per split, so
/// that the splits of a piece add up to the piece.
struct Lap: Equatable, Sendable {
    /// Totals of the interval where this lap begins.
    private let startMilliseconds: Int
    private let startMeters: Double
    private let startStrokes: Int
    private let startCalories: Int
    private var heartSum = 0
    private var heartSeconds = 0
    private(set) var minimumHeartRate: UInt8?
    private(set) var maximumHeartRate: UInt8?
    private var heartSecond = 0

    init(startMilliseconds: Int = 0, startMeters: Double = 0, strokes: Int = 0, calories: Int = 0) {
        self.startMilliseconds = startMilliseconds
        self.startMeters = startMeters
        startStrokes = strokes
        startCalories = calories
    }

    /// Counts a heart rate once per second of the simulation.
    mutating func note(heartRate: UInt8?, at milliseconds: Int) {
        guard let heartRate, milliseconds / 1000 > heartSecond else { return }
        heartSecond = milliseconds / 1000
        heartSum += Int(heartRate)
        heartSeconds += 1
        minimumHeartRate = min(minimumHeartRate ?? heartRate, heartRate)
        maximumHeartRate = max(maximumHeartRate ?? heartRate, heartRate)
    }

    var averageHeartRate: UInt8? { heartSeconds > 0 ? UInt8(heartSum / heartSeconds) : nil }

    /// The averages when the interval stands at these totals.
    func result(
        type: IntervalType, milliseconds: Int, meters: Double, strokes: Int, calories: Int
    ) -> LapResult {
        let span = LapResult.Span(
            deciseconds: milliseconds / 100 - startMilliseconds / 100,
            meters: Int(meters) - Int(startMeters))
        return LapResult(
            type: type, span: span, exactMilliseconds: milliseconds - startMilliseconds,
            exactMeters: meters - startMeters, strokes: strokes - startStrokes,
            calories: calories - startCalories, heartRate: averageHeartRate)
    }
}

/// The figures of a finished split, interval or piece.
struct LapResult: Equatable, Sendable {
    struct Span: Equatable, Sendable {
        var deciseconds: Int
        var meters: Int
    }

    /// Of the work.
    var type: IntervalType
    var span: Span
    var exactMilliseconds: Int
    var exactMeters: Double
    var strokes: Int
    var calories: Int
    /// The average; nil without a belt.
    var heartRate: UInt8?

    var speed: Double {
        RowingFormulas.speed(milliseconds: exactMilliseconds, meters: exactMeters)
    }
    var watts: Double { RowingFormulas.power(speed: speed) }
    var powerWatts: UInt16 { UInt16(watts.rounded()) }
    var caloriesPerHour: UInt16 { UInt16(RowingFormulas.calorieRate(power: watts)) }
    var speedMillimetersPerSecond: UInt16 { UInt16(speed * 1000) }

    /// Cut, not rounded, and computed from the rounded time and distance, as the log does
    /// (CSAFE definition rev 0.25, appendix B); all ones without distance.
    var paceDecisecondsPer500m: UInt16 {
        guard span.meters > 0 else { return .max }
        return UInt16(clamping: span.deciseconds * 500 / span.meters)
    }

    var paceCentisecondsPer500m: UInt16 { RowingFormulas.pace(speed: speed) }

    /// Strokes per minute, cut.
    var strokeRate: UInt8 {
        span.deciseconds > 0 ? UInt8(clamping: strokes * 600 / span.deciseconds) : 0
    }
}
