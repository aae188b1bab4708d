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
/// Sent again about a minute later with the recovery heart rate, unless the rower went on.
/// Source: Concept2 BLE definition rev 1.30, 0x0039; date layout from captures.
package struct WorkoutSummary: FieldwisePayload {
    package static let characteristic = CharacteristicID.workoutSummary

    /// The entry in the monitor's log; 0x0039, 0x003A and 0x003C of one piece have the same.
    package var logged = LogTimestamp()
    /// 0.01 s of work, rests left out.
    package var elapsedCentiseconds: UInt32 = 0
    /// 0.1 m of work, rests left out; 0 in an entry that was spoiled.
    package var distanceDecimeters: UInt32 = 0
    /// Strokes per minute, truncated.
    package var averageStrokeRatePerMinute: UInt8 = 0
    /// Beats per minute at the end; 0 or 255 is none.
    package var endingHeartRateBeatsPerMinute: UInt8 = 0
    /// Beats per minute; 0 on real monitors also where a belt was worn.
    package var averageHeartRateBeatsPerMinute: UInt8 = 0
    /// Beats per minute; 0 on real monitors also where a belt was worn.
    package var minimumHeartRateBeatsPerMinute: UInt8 = 0
    /// Beats per minute; 0 on real monitors also where a belt was worn.
    package var maximumHeartRateBeatsPerMinute: UInt8 = 0
    /// As the monitor shows it; 0 on old firmware.
    package var averageDragFactor: UInt8 = 0
    /// Beats per minute after a minute of rest, in the repeated packet alone; 0 before.
    package var recoveryHeartRateBeatsPerMinute: UInt8 = 0
    /// Kind of the piece that was logged; `.justRowWithSplits` in a spoiled entry.
    @WireCode package var workoutType: WorkoutType = .justRowWithoutSplits
    /// Nil when multiplexed: there it travels in 0x003C. Encodes as 0xFFFF otherwise.
    package var averagePaceDecisecondsPer500m: UInt16? = .max

    /// Dedicated 20 bytes, multiplexed 18, without the pace; fewer throw `.truncated`.
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
    /// 0 where nobody rowed; nil for a rate that nobody rows. The packet does not tell the machine.
    package func knownAverageStrokeRatePerMinute(on machine: ErgMachineType?) -> UInt8? {
        Sentinel.strokeRate(averageStrokeRatePerMinute, on: machine)
    }
    /// Nil without a belt.
    package var knownEndingHeartRateBeatsPerMinute: UInt8? {
        Sentinel.heartRate(endingHeartRateBeatsPerMinute)
    }
    /// Nil where the monitor tells none: take the mean of 0x0032 instead.
    package var knownAverageHeartRateBeatsPerMinute: UInt8? {
        Sentinel.heartRate(averageHeartRateBeatsPerMinute)
    }
    /// Nil where the monitor tells none.
    package var knownMinimumHeartRateBeatsPerMinute: UInt8? {
        Sentinel.heartRate(minimumHeartRateBeatsPerMinute)
    }
    /// Nil where the monitor tells none.
    package var knownMaximumHeartRateBeatsPerMinute: UInt8? {
        Sentinel.heartRate(maximumHeartRateBeatsPerMinute)
    }
    /// Nil until the packet is repeated.
    package var knownRecoveryHeartRateBeatsPerMinute: UInt8? {
        Sentinel.heartRate(recoveryHeartRateBeatsPerMinute)
    }
    /// Nil on old firmware.
    package var knownAverageDragFactor: UInt8? { Sentinel.dragFactor(averageDragFactor) }
    /// Nil when invalid, and when multiplexed.
    package var knownAveragePaceDecisecondsPer500m: UInt16? {
        averagePaceDecisecondsPer500m.flatMap(Sentinel.pace)
    }
}
