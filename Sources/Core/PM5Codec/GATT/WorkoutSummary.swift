/// 0x0039, end-of-workout summary: 1 to 3.5 s after the end.
///
/// | off | size | field | unit | range, none | multiplexed |
/// |---|---|---|---|---|---|
/// | 0 | 4 | log entry date and time | `LogTimestamp` | | 0 |
/// | 4 | 3 | elapsed time | 0.01 s | work only | 4 |
/// | 7 | 3 | distance | 0.1 m | work only | 7 |
/// | 10 | 1 | average stroke rate | 1/min | | 10 |
/// | 11 | 1 | ending heart rate | 1/min | 0 none, 255 too | 11 |
/// | 12 | 1 | average heart rate | 1/min | 0 none, 255 too | 12 |
/// | 13 | 1 | minimum heart rate | 1/min | 0 none, 255 too | 13 |
/// | 14 | 1 | maximum heart rate | 1/min | 0 none, 255 too | 14 |
/// | 15 | 1 | average drag factor | 1 | 0 on old firmware | 15 |
/// | 16 | 1 | recovery heart rate | 1/min | 0 not valid | 16 |
/// | 17 | 1 | workout type | `WorkoutType` | | 17 |
/// | 18 | 2 | average pace | 0.1 s/500 m | 0xFFFF invalid | - |
///
/// Repeated about a minute later with the recovery heart rate, unless the rower continues. Source: Concept2
/// BLE definition rev 1.30, 0x0039; date layout from captures.
package struct WorkoutSummary: FieldwisePayload {
    package static let characteristic = CharacteristicID.workoutSummary

    /// The entry in the monitor's log; 0x0039, 0x003A and 0x003C of one piece have the same.
    package var logged = LogTimestamp()
    /// 0.01 s of work, without rests.
    package var elapsedCentiseconds: UInt32 = 0
    /// 0.1 m of work, without rests; 0 in a spoiled entry.
    package var distanceDecimeters: UInt32 = 0
    /// Strokes per minute, truncated.
    package var averageStrokeRatePerMinute: UInt8 = 0
    /// Beats per minute at the end; 0 or 255 means none.
    package var endingHeartRateBeatsPerMinute: UInt8 = 0
    /// Beats per minute; real monitors also send 0 with a belt.
    package var averageHeartRateBeatsPerMinute: UInt8 = 0
    /// Beats per minute; real monitors also send 0 with a belt.
    package var minimumHeartRateBeatsPerMinute: UInt8 = 0
    /// Beats per minute; real monitors also send 0 with a belt.
    package var maximumHeartRateBeatsPerMinute: UInt8 = 0
    /// As on the display; 0 on old firmware.
    package var averageDragFactor: UInt8 = 0
    /// Beats per minute after a minute of rest, only in the repeated packet; 0 before.
    package var recoveryHeartRateBeatsPerMinute: UInt8 = 0
    /// Type of the logged piece; `.justRowWithSplits` in a spoiled entry.
    @WireCode package var workoutType: WorkoutType = .justRowWithoutSplits
    /// Nil when multiplexed: it is in 0x003C. Otherwise nil is encoded as 0xFFFF.
    package var averagePaceDecisecondsPer500m: UInt16? = .max

    /// Dedicated 20 bytes; multiplexed 18, without the pace. Fewer throw `.truncated`.
    static func length(by carrier: Carrier) -> Int { carrier == .dedicated ? 20 : 18 }

    @inline(__always)
    mutating func code(with coder: inout some PayloadCoder) {
        logged.code(with: &coder)
        coder.uint24(&elapsedCentiseconds, "elapsed_time_s", decimals: 2)
        coder.uint24(&distanceDecimeters, "distance_m", decimals: 1)
        coder.field(&averageStrokeRatePerMinute, "avg_stroke_rate_spm")
        coder.field(&endingHeartRateBeatsPerMinute, "ending_heart_rate_raw")
        coder.field(&averageHeartRateBeatsPerMinute, "average_heart_rate_raw")
        coder.field(&minimumHeartRateBeatsPerMinute, "min_heart_rate_raw")
        coder.field(&maximumHeartRateBeatsPerMinute, "max_heart_rate_raw")
        coder.field(&averageDragFactor, "avg_drag_factor")
        coder.field(&recoveryHeartRateBeatsPerMinute, "recovery_heart_rate_raw")
        coder.code(&_workoutType, "workout_type")
        coder.field(
            &averagePaceDecisecondsPer500m, "avg_pace_s_per_500m", decimals: 1, onlyIn: .dedicated)
    }
}

extension WorkoutSummary {
    /// 0 if nothing was rowed; nil for an impossible rate. The packet does not have the machine.
    package func knownAverageStrokeRatePerMinute(on machine: ErgMachineType?) -> UInt8? {
        Sentinel.strokeRate(averageStrokeRatePerMinute, on: machine)
    }
    /// Nil without a belt.
    package var knownEndingHeartRateBeatsPerMinute: UInt8? {
        Sentinel.heartRate(endingHeartRateBeatsPerMinute)
    }
    /// Nil if the monitor reports none; use the mean of 0x0032 instead.
    package var knownAverageHeartRateBeatsPerMinute: UInt8? {
        Sentinel.heartRate(averageHeartRateBeatsPerMinute)
    }
    /// Nil if the monitor reports none.
    package var knownMinimumHeartRateBeatsPerMinute: UInt8? {
        Sentinel.heartRate(minimumHeartRateBeatsPerMinute)
    }
    /// Nil if the monitor reports none.
    package var knownMaximumHeartRateBeatsPerMinute: UInt8? {
        Sentinel.heartRate(maximumHeartRateBeatsPerMinute)
    }
    /// Nil until the packet is repeated.
    package var knownRecoveryHeartRateBeatsPerMinute: UInt8? {
        Sentinel.heartRate(recoveryHeartRateBeatsPerMinute)
    }
    /// Nil on old firmware.
    package var knownAverageDragFactor: UInt8? { Sentinel.dragFactor(averageDragFactor) }
    /// Nil if invalid, and when multiplexed.
    package var knownAveragePaceDecisecondsPer500m: UInt16? {
        averagePaceDecisecondsPer500m.flatMap(Sentinel.pace)
    }
}
