import Bytes

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
package struct AdditionalWorkoutSummary: CharacteristicPayload {
    package static let characteristic = CharacteristicID.additionalWorkoutSummary

    /// The entry in the monitor's log; 0x0039, 0x003A and 0x003C of one piece have the same.
    package var logged: LogTimestamp
    /// Nil when multiplexed; a dedicated payload carries `.none` for nil.
    package var splitType: IntervalType?
    /// Metres or seconds, by the kind of workout.
    package var splitSize: UInt16
    /// Splits or intervals of the piece.
    package var splitCount: UInt8
    /// Calories (kcal) of the work.
    package var totalCalories: UInt16
    /// Mean power of the work in watts.
    package var averagePowerWatts: UInt16
    /// Metres rowed in all rests together; 0 without rests.
    package var totalRestDistanceMeters: UInt32
    /// Seconds of rest. One capture of five intervals holds 60: of each or of all is not known.
    package var intervalRestSeconds: UInt16
    /// Calories per hour of the work.
    package var averageCaloriesPerHour: UInt16

    package init(
        logged: LogTimestamp, splitType: IntervalType? = .distance, splitSize: UInt16 = 0,
        splitCount: UInt8 = 0, totalCalories: UInt16 = 0, averagePowerWatts: UInt16 = 0,
        totalRestDistanceMeters: UInt32 = 0, intervalRestSeconds: UInt16 = 0,
        averageCaloriesPerHour: UInt16 = 0
    ) {
        self.logged = logged
        self.splitType = splitType
        self.splitSize = splitSize
        self.splitCount = splitCount
        self.totalCalories = totalCalories
        self.averagePowerWatts = averagePowerWatts
        self.totalRestDistanceMeters = totalRestDistanceMeters
        self.intervalRestSeconds = intervalRestSeconds
        self.averageCaloriesPerHour = averageCaloriesPerHour
    }

    /// Dedicated 19 bytes, multiplexed 18, without the split type; fewer throw `.truncated`.
    @inline(__always)
    package init(decoding reader: inout ByteReader, carrier: Carrier) throws(DecodeError) {
        var fields = try reader.fields(carrier == .dedicated ? 19 : 18)
        logged = LogTimestamp(decoding: &fields)
        splitType = carrier == .dedicated ? IntervalType(rawValue: fields.uint8()) : nil
        splitSize = fields.uint16()
        splitCount = fields.uint8()
        totalCalories = fields.uint16()
        averagePowerWatts = fields.uint16()
        totalRestDistanceMeters = fields.uint24()
        intervalRestSeconds = fields.uint16()
        averageCaloriesPerHour = fields.uint16()
    }

    package func layout(by carrier: Carrier) -> [WireField] {
        logged.layout + [
            .code(
                splitType, "split_type", ifCarried: carrier == .dedicated,
                none: IntervalType.none),
            .uint16(splitSize, "split_size_raw"),
            .uint8(splitCount, "split_count"),
            .uint16(totalCalories, "total_calories_kcal"),
            .uint16(averagePowerWatts, "average_power_w"),
            .uint24(totalRestDistanceMeters, "total_rest_distance_m"),
            .uint16(intervalRestSeconds, "interval_rest_time_s"),
            .uint16(averageCaloriesPerHour, "avg_calories_per_h"),
        ]
    }
}
