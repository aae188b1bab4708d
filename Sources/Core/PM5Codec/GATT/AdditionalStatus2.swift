import Bytes

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
/// Source: Concept2 BLE definition rev 1.30, 0x0033; units of offsets 12 and 14 from captures
/// (see FieldSources). On interval workouts the last split lags a boundary: do not rely on it.
package struct AdditionalStatus2: CharacteristicPayload {
    package static let characteristic = CharacteristicID.additionalStatus2

    /// 0.01 s, below 2^24 (46 h 36 min); restarts at each interval, runs on over splits.
    package var elapsedCentiseconds: UInt32
    /// Finished splits or intervals, from 0; already one more in a rest, and runs over after 255.
    package var intervalCount: UInt8
    /// Nil when multiplexed: there it travels in 0x0032. A dedicated payload carries 0 for nil.
    package var averagePowerWatts: UInt16?
    /// Calories (kcal) since the start of the piece; restarts at each interval.
    package var totalCalories: UInt16
    /// 0.01 s for 500 m over the present split or interval; 0 before its first stroke.
    package var splitAveragePaceCentisecondsPer500m: UInt16
    /// Mean power of the present split or interval in watts.
    package var splitAveragePowerWatts: UInt16
    /// Calories of the split when dedicated; multiplexed perhaps calories per hour, which no
    /// capture has decided: above 100 beside a small total it is the rate.
    package var splitAverageCalories: UInt16
    /// 0.01 s, although the documents say 0.1 s; 0 until a split has ended. Lags a boundary behind
    /// in intervals.
    package var lastSplitCentiseconds: UInt32
    /// Metres; stays 0 in pieces of a set distance.
    package var lastSplitDistanceMeters: UInt32

    package init(
        elapsedCentiseconds: UInt32 = 0, intervalCount: UInt8 = 0, averagePowerWatts: UInt16? = 0,
        totalCalories: UInt16 = 0, splitAveragePaceCentisecondsPer500m: UInt16 = 0,
        splitAveragePowerWatts: UInt16 = 0, splitAverageCalories: UInt16 = 0,
        lastSplitCentiseconds: UInt32 = 0, lastSplitDistanceMeters: UInt32 = 0
    ) {
        self.elapsedCentiseconds = elapsedCentiseconds
        self.intervalCount = intervalCount
        self.averagePowerWatts = averagePowerWatts
        self.totalCalories = totalCalories
        self.splitAveragePaceCentisecondsPer500m = splitAveragePaceCentisecondsPer500m
        self.splitAveragePowerWatts = splitAveragePowerWatts
        self.splitAverageCalories = splitAverageCalories
        self.lastSplitCentiseconds = lastSplitCentiseconds
        self.lastSplitDistanceMeters = lastSplitDistanceMeters
    }

    /// Dedicated 20 bytes, multiplexed 18, without the power; fewer throw `.truncated`.
    @inline(__always)
    package init(decoding reader: inout ByteReader, carrier: Carrier) throws(DecodeError) {
        var fields = try reader.fields(carrier == .dedicated ? 20 : 18)
        elapsedCentiseconds = fields.uint24()
        intervalCount = fields.uint8()
        averagePowerWatts = carrier == .dedicated ? fields.uint16() : nil
        totalCalories = fields.uint16()
        splitAveragePaceCentisecondsPer500m = fields.uint16()
        splitAveragePowerWatts = fields.uint16()
        splitAverageCalories = fields.uint16()
        lastSplitCentiseconds = fields.uint24()
        lastSplitDistanceMeters = fields.uint24()
    }

    package func layout(by carrier: Carrier) -> [WireField] {
        [
            .uint24(elapsedCentiseconds, "elapsed_time_s", decimals: 2),
            .uint8(intervalCount, "interval_count"),
            .uint16(
                averagePowerWatts, "average_power_w", ifCarried: carrier == .dedicated, none: 0),
            .uint16(totalCalories, "total_calories_kcal"),
            .uint16(splitAveragePaceCentisecondsPer500m, "split_avg_pace_s_per_500m", decimals: 2),
            .uint16(splitAveragePowerWatts, "split_avg_power_w"),
            .uint16(splitAverageCalories, "split_avg_calories_raw"),
            .uint24(lastSplitCentiseconds, "last_split_time_raw"),
            .meaning(Field("last_split_time_s", lastSplitCentiseconds, decimals: 2)),
            .uint24(lastSplitDistanceMeters, "last_split_distance_m"),
        ]
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
