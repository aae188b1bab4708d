/// 0x0033, additional status 2: by timer, in every state.
///
/// | off | size | field | unit | range, none | multiplexed |
/// |---|---|---|---|---|---|
/// | 0 | 3 | elapsed time | 0.01 s | | 0 |
/// | 3 | 1 | interval count | 1 | counts splits too; 0-based | 3 |
/// | 4 | 2 | average power | 1 W | whole piece | - |
/// | 6 | 2 | total calories | 1 cal | | 4 |
/// | 8 | 2 | split average pace | 0.01 s/500 m | 0 none | 6 |
/// | 10 | 2 | split average power | 1 W | | 8 |
/// | 12 | 2 | split average calories | 1 cal | cal/hr is possible when multiplexed | 10 |
/// | 14 | 3 | last split time | 0.01 s | 0 until a split ended | 12 |
/// | 17 | 3 | last split distance | 1 m | | 15 |
///
/// Source: Concept2 BLE definition rev 1.30, 0x0033; units of offsets 12 and 14 from captures (see
/// FieldSources). In interval workouts the last split is one boundary late: do not use it.
package struct AdditionalStatus2: FieldwisePayload {
    package static let characteristic = CharacteristicID.additionalStatus2

    /// 0.01 s, below 2^24 (46 h 36 min); restarts at each interval, continues over splits.
    package var elapsedCentiseconds: UInt32 = 0
    /// Finished splits or intervals, from 0; includes the interval before a rest; wraps after 255.
    package var intervalCount: UInt8 = 0
    /// Nil when multiplexed: it is in 0x0032. A dedicated payload has 0 for nil.
    package var averagePowerWatts: UInt16? = 0
    /// Calories (kcal) since the start of the piece; restarts at each interval.
    package var totalCalories: UInt16 = 0
    /// 0.01 s for 500 m over the current split or interval; 0 before its first stroke.
    package var splitAveragePaceCentisecondsPer500m: UInt16 = 0
    /// Mean power of the current split or interval in watts.
    package var splitAveragePowerWatts: UInt16 = 0
    /// Calories of the split when dedicated. Multiplexed it may be calories per hour, which no capture
    /// confirms: above 100 with a small total it is the rate.
    package var splitAverageCalories: UInt16 = 0
    /// 0.01 s, although the documents say 0.1 s; 0 until a split has ended. In intervals it is one boundary
    /// late.
    package var lastSplitCentiseconds: UInt32 = 0
    /// Metres; stays 0 in pieces with a distance goal.
    package var lastSplitDistanceMeters: UInt32 = 0

    /// Dedicated 20 bytes; multiplexed 18, without the power. Fewer throw `.truncated`.
    static func length(by carrier: Carrier) -> Int { carrier == .dedicated ? 20 : 18 }

    @inline(__always)
    mutating func code(with coder: inout some PayloadCoder) {
        coder.uint24(&elapsedCentiseconds, "elapsed_time_s", decimals: 2)
        coder.field(&intervalCount, "interval_count")
        coder.field(&averagePowerWatts, "average_power_w", onlyIn: .dedicated, none: 0)
        coder.field(&totalCalories, "total_calories_kcal")
        coder.field(&splitAveragePaceCentisecondsPer500m, "split_avg_pace_s_per_500m", decimals: 2)
        coder.field(&splitAveragePowerWatts, "split_avg_power_w")
        coder.field(&splitAverageCalories, "split_avg_calories_raw")
        coder.uint24(&lastSplitCentiseconds, "last_split_time_raw")
        coder.meaning(Field("last_split_time_s", lastSplitCentiseconds, decimals: 2))
        coder.uint24(&lastSplitDistanceMeters, "last_split_distance_m")
    }
}

extension AdditionalStatus2 {
    /// Nil before the first stroke of the split.
    package var knownSplitAveragePaceCentisecondsPer500m: UInt16? {
        Sentinel.pace(splitAveragePaceCentisecondsPer500m)
    }
    /// Nil until a split has ended.
    package var knownLastSplitCentiseconds: UInt32? { Sentinel.zero(lastSplitCentiseconds) }
}
