/// 0x0037, split or interval data: at the end of each; after the rest if there is one.
///
/// | off | size | field | unit | range, none |
/// |---|---|---|---|---|
/// | 0 | 3 | elapsed time | 0.01 s | of the current interval |
/// | 3 | 3 | distance | 0.1 m | of the current interval |
/// | 6 | 3 | split time | 0.1 s | of the finished one |
/// | 9 | 3 | split distance | 1 m | of the finished one |
/// | 12 | 2 | interval rest time | 1 s | |
/// | 14 | 2 | interval rest distance | 1 m | |
/// | 16 | 1 | split type | `IntervalType` | of the work part |
/// | 17 | 1 | split number | 1 | first is 1 |
///
/// Multiplexed: the same. Source: Concept2 BLE definition rev 1.30, 0x0037; without a rest the first two
/// fields have already restarted (captures of 2026).
package struct SplitData: FieldwisePayload {
    package static let characteristic = CharacteristicID.splitData

    /// 0.01 s; of the next interval if there is no rest.
    package var elapsedCentiseconds: UInt32 = 0
    /// 0.1 m, of the next interval; may include metres of a rest.
    package var distanceDecimeters: UInt32 = 0
    /// 0.1 s of work in the finished split or interval, truncated.
    package var splitDeciseconds: UInt32 = 0
    /// Metres of work in the finished split or interval, truncated.
    package var splitDistanceMeters: UInt32 = 0
    /// Seconds of the rest after it; 0 without one.
    package var restSeconds: UInt16 = 0
    /// Metres rowed in that rest.
    package var restDistanceMeters: UInt16 = 0
    /// Of the work in all captures. The document says that it may depend on the state.
    @WireCode package var splitType: IntervalType = .distance
    /// Starts at 1 and wraps after 255; the count in 0x0033 starts at 0.
    package var splitNumber: UInt8 = 1

    /// 18 bytes with either carrier; fewer throw `.truncated`.
    static func length(by carrier: Carrier) -> Int { 18 }

    @inline(__always)
    mutating func code(with coder: inout some PayloadCoder) {
        coder.uint24(&elapsedCentiseconds, "elapsed_time_s", decimals: 2)
        coder.uint24(&distanceDecimeters, "distance_m", decimals: 1)
        coder.uint24(&splitDeciseconds, "split_time_s", decimals: 1)
        coder.uint24(&splitDistanceMeters, "split_distance_m")
        coder.field(&restSeconds, "rest_time_s")
        coder.field(&restDistanceMeters, "rest_distance_m")
        coder.code(&_splitType, "split_type")
        coder.field(&splitNumber, "split_number")
    }
}

/// 0x0038, additional split or interval data: directly after 0x0037.
///
/// | off | size | field | unit | range, none |
/// |---|---|---|---|---|
/// | 0 | 3 | elapsed time | 0.01 s | |
/// | 3 | 1 | average stroke rate | 1/min | |
/// | 4 | 1 | work heart rate | 1/min | 0 none, 255 too |
/// | 5 | 1 | rest heart rate | 1/min | 0 none, 255 too |
/// | 6 | 2 | average pace | 0.1 s/500 m | |
/// | 8 | 2 | total calories | 1 cal | |
/// | 10 | 2 | average calorie rate | 1 cal/hr | |
/// | 12 | 2 | speed | 0.001 m/s | |
/// | 14 | 2 | power | 1 W | |
/// | 16 | 1 | average drag factor | 1 | |
/// | 17 | 1 | split number | 1 | first is 1 |
/// | 18 | 1 | erg machine type | `ErgMachineType` | absent before rev 1.27 |
///
/// Multiplexed: the same. The document gives a length of 18 bytes but lists 19, so the received length
/// decides. Source: Concept2 BLE definition rev 1.30, 0x0038.
package struct AdditionalSplitData: FieldwisePayload {
    package static let characteristic = CharacteristicID.additionalSplitData

    /// 0.01 s, of the current interval, not of the finished one.
    package var elapsedCentiseconds: UInt32 = 0
    /// Strokes per minute over the split; 0 if nothing was rowed.
    package var averageStrokeRatePerMinute: UInt8 = 0
    /// Beats per minute in the work; 0 or 255 means none, see `knownWorkHeartRateBeatsPerMinute`.
    package var workHeartRateBeatsPerMinute: UInt8 = 0
    /// Beats per minute at the end of the rest; 0 or 255 means none, also without a rest.
    package var restHeartRateBeatsPerMinute: UInt8 = 0
    /// 0.1 s for 500 m, also on a BikeErg: ten times coarser than the paces of the status.
    package var averagePaceDecisecondsPer500m: UInt16 = 0
    /// Calories (kcal) of the split.
    package var totalCalories: UInt16 = 0
    /// Calories per hour: 4 * 0.8604 * watts + 300, truncated.
    package var averageCaloriesPerHour: UInt16 = 0
    /// 0.001 m/s, at most 65.534 m/s.
    package var speedMillimetersPerSecond: UInt16 = 0
    /// Mean power of the split in watts, at most 65,534.
    package var powerWatts: UInt16 = 0
    /// As on the display, 88 to 141 in captures; 0 if not measured.
    package var averageDragFactor: UInt8 = 0
    /// Starts at 1 and wraps after 255; the count in 0x0033 starts at 0.
    package var splitNumber: UInt8 = 1
    /// Nil on firmware before rev 1.27 of the definition (2018).
    @OptionalWireCode package var ergMachineType: ErgMachineType? = .modelD

    /// 18 bytes, or 19 with the machine type, with either carrier; fewer throw `.truncated`.
    static func length(by carrier: Carrier) -> Int { 18 }

    @inline(__always)
    mutating func code(with coder: inout some PayloadCoder) {
        coder.uint24(&elapsedCentiseconds, "elapsed_time_s", decimals: 2)
        coder.field(&averageStrokeRatePerMinute, "split_avg_stroke_rate_spm")
        coder.field(&workHeartRateBeatsPerMinute, "split_work_heart_rate_raw")
        coder.field(&restHeartRateBeatsPerMinute, "split_rest_heart_rate_raw")
        coder.field(&averagePaceDecisecondsPer500m, "split_avg_pace_s_per_500m", decimals: 1)
        coder.field(&totalCalories, "split_total_calories_kcal")
        coder.field(&averageCaloriesPerHour, "split_avg_calories_per_h")
        coder.field(&speedMillimetersPerSecond, "split_speed_m_per_s", decimals: 3)
        coder.field(&powerWatts, "split_power_w")
        coder.field(&averageDragFactor, "split_avg_drag_factor")
        coder.field(&splitNumber, "split_number")
        coder.appended(&_ergMachineType.rawValue, "erg_machine_type")
    }
}

extension AdditionalSplitData {
    /// 0 if nothing was rowed; nil for an impossible rate.
    package var knownAverageStrokeRatePerMinute: UInt8? {
        Sentinel.strokeRate(averageStrokeRatePerMinute, on: ergMachineType)
    }
    /// Nil without a belt.
    package var knownWorkHeartRateBeatsPerMinute: UInt8? {
        Sentinel.heartRate(workHeartRateBeatsPerMinute)
    }
    /// Nil without a belt or without a rest.
    package var knownRestHeartRateBeatsPerMinute: UInt8? {
        Sentinel.heartRate(restHeartRateBeatsPerMinute)
    }
    /// Nil if nothing was rowed.
    package var knownAveragePaceDecisecondsPer500m: UInt16? {
        Sentinel.pace(averagePaceDecisecondsPer500m)
    }
    /// Nil if not measured.
    package var knownAverageDragFactor: UInt8? { Sentinel.dragFactor(averageDragFactor) }
}
