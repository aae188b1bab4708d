import Bytes

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
package struct AdditionalStrokeData: CharacteristicPayload {
    package static let characteristic = CharacteristicID.additionalStrokeData

    /// 0.01 s at the end of the drive; restarts at each interval.
    package var elapsedCentiseconds: UInt32
    /// Power of the drive that has just ended, in watts.
    package var strokePowerWatts: UInt16
    /// Calories per hour at this power: 4 * 0.8604 * watts + 300, truncated.
    package var strokeCaloriesPerHour: UInt16
    /// The same as in the 0x0035 of this drive; restarts at each interval and runs over after
    /// 65,535.
    package var strokeCount: UInt16
    /// Seconds that the whole piece will take; 0 where its length is a time, or there is none.
    package var projectedWorkSeconds: UInt32
    /// Metres that the whole piece will have; 0 where its length is a distance, or there is none.
    package var projectedWorkDistanceMeters: UInt32
    /// Nil when dedicated: there it travels in 0x0035. Encodes as 0xFFFF otherwise.
    package var workPerStrokeDecijoules: UInt16?

    package init(
        elapsedCentiseconds: UInt32 = 0, strokePowerWatts: UInt16 = 0,
        strokeCaloriesPerHour: UInt16 = 0, strokeCount: UInt16 = 0,
        projectedWorkSeconds: UInt32 = 0, projectedWorkDistanceMeters: UInt32 = 0,
        workPerStrokeDecijoules: UInt16? = nil
    ) {
        self.elapsedCentiseconds = elapsedCentiseconds
        self.strokePowerWatts = strokePowerWatts
        self.strokeCaloriesPerHour = strokeCaloriesPerHour
        self.strokeCount = strokeCount
        self.projectedWorkSeconds = projectedWorkSeconds
        self.projectedWorkDistanceMeters = projectedWorkDistanceMeters
        self.workPerStrokeDecijoules = workPerStrokeDecijoules
    }

    /// Dedicated 15 bytes, multiplexed 17, with the work; fewer throw `.truncated`.
    @inline(__always)
    package init(decoding reader: inout ByteReader, carrier: Carrier) throws(DecodeError) {
        var fields = try reader.fields(carrier == .dedicated ? 15 : 17)
        elapsedCentiseconds = fields.uint24()
        strokePowerWatts = fields.uint16()
        strokeCaloriesPerHour = fields.uint16()
        strokeCount = fields.uint16()
        projectedWorkSeconds = fields.uint24()
        projectedWorkDistanceMeters = fields.uint24()
        workPerStrokeDecijoules = carrier == .multiplexed ? fields.uint16() : nil
    }

    /// As many bytes; a work of nil is 0xFFFF where there is room for it.
    package func encode(into writer: inout ByteWriter, carrier: Carrier) {
        writer.uint24(elapsedCentiseconds)
        writer.uint16(strokePowerWatts)
        writer.uint16(strokeCaloriesPerHour)
        writer.uint16(strokeCount)
        writer.uint24(projectedWorkSeconds)
        writer.uint24(projectedWorkDistanceMeters)
        if carrier == .multiplexed { writer.uint16(workPerStrokeDecijoules ?? .max) }
    }
}

extension AdditionalStrokeData {
    /// Nil in timed pieces and just row.
    package var knownProjectedWorkSeconds: UInt32? { Sentinel.zero(projectedWorkSeconds) }
    /// Nil in distance pieces and just row.
    package var knownProjectedWorkDistanceMeters: UInt32? {
        Sentinel.zero(projectedWorkDistanceMeters)
    }
    /// Nil on the first stroke, and when dedicated.
    package var knownWorkPerStrokeDecijoules: UInt16? {
        workPerStrokeDecijoules.flatMap(Sentinel.allOnes)
    }

    package var fields: [Field] {
        var fields = [
            Field("elapsed_time_s", elapsedCentiseconds, decimals: 2),
            Field("stroke_power_w", strokePowerWatts),
            Field("stroke_calories_raw", strokeCaloriesPerHour),
            Field("stroke_count", strokeCount),
            Field("projected_work_time_s", projectedWorkSeconds),
            Field("projected_work_distance_m", projectedWorkDistanceMeters),
        ]
        if let workPerStrokeDecijoules {
            fields.append(Field("work_per_stroke_j", workPerStrokeDecijoules, decimals: 1))
        }
        return fields
    }
}
