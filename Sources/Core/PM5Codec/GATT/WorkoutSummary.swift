import Bytes

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
package struct WorkoutSummary: CharacteristicPayload {
    package static let characteristic = CharacteristicID.workoutSummary

    /// The entry in the monitor's log; 0x0039, 0x003A and 0x003C of one piece have the same.
    package var logged: LogTimestamp
    /// 0.01 s of work, rests left out.
    package var elapsedCentiseconds: UInt32
    /// 0.1 m of work, rests left out; 0 in an entry that was spoiled.
    package var distanceDecimeters: UInt32
    /// Strokes per minute, truncated.
    package var averageStrokeRatePerMinute: UInt8
    /// Beats per minute at the end; 0 or 255 is none.
    package var endingHeartRateBeatsPerMinute: UInt8
    /// Beats per minute; 0 on real monitors also where a belt was worn.
    package var averageHeartRateBeatsPerMinute: UInt8
    /// Beats per minute; 0 on real monitors also where a belt was worn.
    package var minimumHeartRateBeatsPerMinute: UInt8
    /// Beats per minute; 0 on real monitors also where a belt was worn.
    package var maximumHeartRateBeatsPerMinute: UInt8
    /// As the monitor shows it; 0 on old firmware.
    package var averageDragFactor: UInt8
    /// Beats per minute after a minute of rest, in the repeated packet alone; 0 before.
    package var recoveryHeartRateBeatsPerMinute: UInt8
    /// Kind of the piece that was logged; `.justRowWithSplits` in a spoiled entry.
    @WireCode package var workoutType: WorkoutType
    /// Nil when multiplexed: there it travels in 0x003C. Encodes as 0xFFFF otherwise.
    package var averagePaceDecisecondsPer500m: UInt16?

    package init(
        logged: LogTimestamp, elapsedCentiseconds: UInt32 = 0, distanceDecimeters: UInt32 = 0,
        averageStrokeRatePerMinute: UInt8 = 0, endingHeartRateBeatsPerMinute: UInt8 = 0,
        averageHeartRateBeatsPerMinute: UInt8 = 0, minimumHeartRateBeatsPerMinute: UInt8 = 0,
        maximumHeartRateBeatsPerMinute: UInt8 = 0, averageDragFactor: UInt8 = 0,
        recoveryHeartRateBeatsPerMinute: UInt8 = 0,
        workoutType: WorkoutType = .justRowWithoutSplits,
        averagePaceDecisecondsPer500m: UInt16? = .max
    ) {
        self.logged = logged
        self.elapsedCentiseconds = elapsedCentiseconds
        self.distanceDecimeters = distanceDecimeters
        self.averageStrokeRatePerMinute = averageStrokeRatePerMinute
        self.endingHeartRateBeatsPerMinute = endingHeartRateBeatsPerMinute
        self.averageHeartRateBeatsPerMinute = averageHeartRateBeatsPerMinute
        self.minimumHeartRateBeatsPerMinute = minimumHeartRateBeatsPerMinute
        self.maximumHeartRateBeatsPerMinute = maximumHeartRateBeatsPerMinute
        self.averageDragFactor = averageDragFactor
        self.recoveryHeartRateBeatsPerMinute = recoveryHeartRateBeatsPerMinute
        self.workoutType = workoutType
        self.averagePaceDecisecondsPer500m = averagePaceDecisecondsPer500m
    }

    /// Dedicated 20 bytes, multiplexed 18, without the pace; fewer throw `.truncated`.
    @inline(__always)
    package init(decoding reader: inout ByteReader, carrier: Carrier) throws(DecodeError) {
        var fields = try reader.fields(carrier == .dedicated ? 20 : 18)
        logged = LogTimestamp(decoding: &fields)
        elapsedCentiseconds = fields.uint24()
        distanceDecimeters = fields.uint24()
        averageStrokeRatePerMinute = fields.uint8()
        endingHeartRateBeatsPerMinute = fields.uint8()
        averageHeartRateBeatsPerMinute = fields.uint8()
        minimumHeartRateBeatsPerMinute = fields.uint8()
        maximumHeartRateBeatsPerMinute = fields.uint8()
        averageDragFactor = fields.uint8()
        recoveryHeartRateBeatsPerMinute = fields.uint8()
        _workoutType = fields.code()
        averagePaceDecisecondsPer500m = carrier == .dedicated ? fields.uint16() : nil
    }

    package func layout(by carrier: Carrier) -> [WireField] {
        logged.layout + [
            .uint24(elapsedCentiseconds, "elapsed_time_s", decimals: 2),
            .uint24(distanceDecimeters, "distance_m", decimals: 1),
            .uint8(averageStrokeRatePerMinute, "avg_stroke_rate_spm"),
            .uint8(endingHeartRateBeatsPerMinute, "ending_heart_rate_raw"),
            .uint8(averageHeartRateBeatsPerMinute, "average_heart_rate_raw"),
            .uint8(minimumHeartRateBeatsPerMinute, "min_heart_rate_raw"),
            .uint8(maximumHeartRateBeatsPerMinute, "max_heart_rate_raw"),
            .uint8(averageDragFactor, "avg_drag_factor"),
            .uint8(recoveryHeartRateBeatsPerMinute, "recovery_heart_rate_raw"),
            .code(_workoutType, "workout_type"),
            .uint16(
                averagePaceDecisecondsPer500m, "avg_pace_s_per_500m", decimals: 1,
                ifCarried: carrier == .dedicated, none: .max),
        ]
    }
}

extension WorkoutSummary {
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
    package var knownAverageDragFactor: UInt8? { Sentinel.zero(averageDragFactor) }
    /// Nil when invalid, and when multiplexed.
    package var knownAveragePaceDecisecondsPer500m: UInt16? {
        averagePaceDecisecondsPer500m.flatMap(Sentinel.pace)
    }
}
