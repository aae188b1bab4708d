/// 0x0036, additional stroke data: once per stroke, at the end of the drive.
///
/// | off | size | field | unit | range, none | multiplexed |
/// |---|---|---|---|---|---|
/// | 0 | 3 | elapsed time | 0.01 s | | 0 |
/// | 3 | 2 | stroke power | 1 W | | 3 |
/// | 5 | 2 | stroke calorie rate | 1 cal/hr | | 5 |
/// | 7 | 2 | stroke count | 1 | | 7 |
/// | 9 | 3 | projected work time | 1 s | 0 not applicable | 9 |
/// | 12 | 3 | projected work distance | 1 m | 0 not applicable | 12 |
/// | - | 2 | work per stroke | 0.1 J | 0xFFFF on the first stroke | 15 |
///
/// Source: Concept2 BLE definition rev 1.30, 0x0036; calorie rate per hour from the ErgometerJS
/// recording (openrowingmonitor sends small calories per stroke instead).
package struct AdditionalStrokeData: FieldwisePayload {
    package static let characteristic = CharacteristicID.additionalStrokeData

    /// 0.01 s at the end of the drive; restarts at each interval.
    package var elapsedCentiseconds: UInt32 = 0
    /// Power of the last drive, in watts.
    package var strokePowerWatts: UInt16 = 0
    /// Calories per hour at this power: 4 * 0.8604 * watts + 300, truncated.
    package var strokeCaloriesPerHour: UInt16 = 0
    /// The same as in the 0x0035 of this drive; restarts at each interval and wraps after 65,535.
    package var strokeCount: UInt16 = 0
    /// Projected seconds of the whole piece; 0 if its goal is a time or it has none.
    package var projectedWorkSeconds: UInt32 = 0
    /// Projected metres of the whole piece; 0 if its goal is a distance or it has none.
    package var projectedWorkDistanceMeters: UInt32 = 0
    /// Nil when dedicated: it is in 0x0035. Otherwise nil is encoded as 0xFFFF.
    package var workPerStrokeDecijoules: UInt16?

    /// Dedicated 15 bytes; multiplexed 17, with the work. Fewer throw `.truncated`.
    static func length(by carrier: Carrier) -> Int { carrier == .dedicated ? 15 : 17 }

    @inline(__always)
    mutating func code(with coder: inout some PayloadCoder) {
        coder.uint24(&elapsedCentiseconds, "elapsed_time_s", decimals: 2)
        coder.field(&strokePowerWatts, "stroke_power_w")
        coder.field(&strokeCaloriesPerHour, "stroke_calories_raw")
        coder.field(&strokeCount, "stroke_count")
        coder.uint24(&projectedWorkSeconds, "projected_work_time_s")
        coder.uint24(&projectedWorkDistanceMeters, "projected_work_distance_m")
        coder.field(
            &workPerStrokeDecijoules, "work_per_stroke_j", decimals: 1, onlyIn: .multiplexed)
    }
}

extension AdditionalStrokeData {
    /// Nil in timed pieces and just row.
    package var knownProjectedWorkSeconds: UInt32? { Sentinel.zero(projectedWorkSeconds) }
    /// Nil in distance pieces and just row.
    package var knownProjectedWorkDistanceMeters: UInt32? {
        Sentinel.zero(projectedWorkDistanceMeters)
    }
    /// Nil for the first stroke, and when dedicated.
    package var knownWorkPerStrokeDecijoules: UInt16? {
        workPerStrokeDecijoules.flatMap(Sentinel.allOnes)
    }
}
