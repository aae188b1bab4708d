/// 0x003A, additional end-of-workout summary: with 0x0039.
///
/// | off | size | field | unit | range, none | multiplexed |
/// |---|---|---|---|---|---|
/// | 0 | 4 | log entry date and time | `LogTimestamp` | | 0 |
/// | 4 | 1 | split type | `IntervalType` | of the state at the end | - |
/// | 5 | 2 | split size | 1 m or 1 s | | 4 |
/// | 7 | 1 | split count | 1 | | 6 |
/// | 8 | 2 | total calories | 1 cal | | 7 |
/// | 10 | 2 | average power | 1 W | | 9 |
/// | 12 | 3 | total rest distance | 1 m | | 11 |
/// | 15 | 2 | interval rest time | 1 s | | 14 |
/// | 17 | 2 | average calorie rate | 1 cal/hr | | 16 |
///
/// Source: Concept2 BLE definition rev 1.30, 0x003A.
package struct AdditionalWorkoutSummary: FieldwisePayload {
    package static let characteristic = CharacteristicID.additionalWorkoutSummary

    /// The entry in the monitor's log; 0x0039, 0x003A and 0x003C of one piece have the same.
    package var logged = LogTimestamp()
    /// Nil when multiplexed; a dedicated payload has `.none` for nil.
    @OptionalWireCode package var splitType: IntervalType? = .distance
    /// Metres or seconds, depending on the workout.
    package var splitSize: UInt16 = 0
    /// Number of splits or intervals of the piece.
    package var splitCount: UInt8 = 0
    /// Calories (kcal) of the work.
    package var totalCalories: UInt16 = 0
    /// Mean power of the work in watts.
    package var averagePowerWatts: UInt16 = 0
    /// Total metres rowed in rests; 0 without rests.
    package var totalRestDistanceMeters: UInt32 = 0
    /// Seconds of rest. One capture of five intervals has 60; whether per rest or in total is unknown.
    package var intervalRestSeconds: UInt16 = 0
    /// Calories per hour of the work.
    package var averageCaloriesPerHour: UInt16 = 0

    /// Dedicated 19 bytes; multiplexed 18, without the split type. Fewer throw `.truncated`.
    static func length(by carrier: Carrier) -> Int { carrier == .dedicated ? 19 : 18 }

    @inline(__always)
    mutating func code(with coder: inout some PayloadCoder) {
        logged.code(with: &coder)
        coder.field(&_splitType.rawValue, "split_type", onlyIn: .dedicated)
        coder.field(&splitSize, "split_size_raw")
        coder.field(&splitCount, "split_count")
        coder.field(&totalCalories, "total_calories_kcal")
        coder.field(&averagePowerWatts, "average_power_w")
        coder.uint24(&totalRestDistanceMeters, "total_rest_distance_m")
        coder.field(&intervalRestSeconds, "interval_rest_time_s")
        coder.field(&averageCaloriesPerHour, "avg_calories_per_h")
    }
}
