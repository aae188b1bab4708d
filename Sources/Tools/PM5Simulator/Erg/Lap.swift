import PM5Codec

/// The totals of a split, an interval or a whole piece.
///
/// Times and distances are truncated to the resolution of the log (0.1 s, 1 m) at each end, not per
/// split, so that the splits of a piece add up to the piece.
struct Lap: Equatable, Sendable {
    /// The progress of an interval.
    struct Mark: Equatable, Sendable {
        var milliseconds = 0
        var meters = 0.0
        var strokes = 0
        var calories = 0
    }

    /// Where this lap begins.
    private let start: Mark
    private var heartSum = 0
    private var heartSeconds = 0
    private(set) var minimumHeartRate: UInt8?
    private(set) var maximumHeartRate: UInt8?
    private var heartSecond = 0

    init(start: Mark = Mark()) { self.start = start }

    /// Counts a heart rate once per simulated second.
    mutating func note(heartRate: UInt8?, at milliseconds: Int) {
        guard let heartRate, milliseconds / 1000 > heartSecond else { return }
        heartSecond = milliseconds / 1000
        heartSum += Int(heartRate)
        heartSeconds += 1
        minimumHeartRate = min(minimumHeartRate ?? heartRate, heartRate)
        maximumHeartRate = max(maximumHeartRate ?? heartRate, heartRate)
    }

    var averageHeartRate: UInt8? { heartSeconds > 0 ? UInt8(heartSum / heartSeconds) : nil }

    /// Returns the totals when the interval has reached a mark.
    func result(type: IntervalType, at end: Mark) -> LapResult {
        LapResult(
            type: type,
            span: LapResult.Span(
                deciseconds: end.milliseconds / 100 - start.milliseconds / 100,
                meters: Int(end.meters) - Int(start.meters)),
            exactMilliseconds: end.milliseconds - start.milliseconds,
            exactMeters: end.meters - start.meters, strokes: end.strokes - start.strokes,
            calories: end.calories - start.calories, heartRate: averageHeartRate)
    }
}

/// The totals of a finished split, interval or piece.
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

    /// Truncated, not rounded, and computed from the rounded time and distance, like the log (CSAFE
    /// definition rev 0.25, appendix B); all ones without distance.
    var paceDecisecondsPer500m: UInt16 {
        guard span.meters > 0 else { return .max }
        return UInt16(clamping: span.deciseconds * 500 / span.meters)
    }

    var paceCentisecondsPer500m: UInt16 { RowingFormulas.pace(speed: speed) }

    /// Strokes per minute, truncated.
    var strokeRate: UInt8 {
        span.deciseconds > 0 ? UInt8(clamping: strokes * 600 / span.deciseconds) : 0
    }
}
