/// 0x0035, stroke data: twice per stroke.
///
/// | off | size | field | unit | range, none | multiplexed |
/// |---|---|---|---|---|---|
/// | 0 | 3 | elapsed time | 0.01 s | | 0 |
/// | 3 | 3 | distance | 0.1 m | | 3 |
/// | 6 | 1 | drive length | 0.01 m | up to 2.55 | 6 |
/// | 7 | 1 | drive time | 0.01 s | up to 2.55 | 7 |
/// | 8 | 2 | recovery time | 0.01 s | 0 at the first drive | 8 |
/// | 10 | 2 | stroke distance | 0.01 m | | 10 |
/// | 12 | 2 | peak drive force | 0.1 lbf | | 12 |
/// | 14 | 2 | average drive force | 0.1 lbf | | 14 |
/// | 16 | 2 | work per stroke | 0.1 J | 0xFFFF on the first stroke | - |
/// | 18 | 2 | stroke count | 1 | | 16 |
///
/// Sent at the end of the drive (count incremented, old recovery time), and again at the end of the
/// recovery (same count, new recovery time). Use the recovery time of the second packet. Source: Concept2
/// BLE definition rev 1.30, 0x0035; ErgometerJS recording for the two packets.
package struct StrokeData: FieldwisePayload {
    package static let characteristic = CharacteristicID.strokeData

    /// 0.01 s at the end of the drive or of the recovery; restarts at each interval.
    package var elapsedCentiseconds: UInt32 = 0
    /// 0.1 m at the same time; restarts at each interval.
    package var distanceDecimeters: UInt32 = 0
    /// 0.01 m, path of the handle, at most 2.55 m.
    package var driveLengthCentimeters: UInt8 = 0
    /// 0.01 s, at most 2.55 s.
    package var driveCentiseconds: UInt8 = 0
    /// 0.01 s: of the previous stroke in the first packet, of this stroke in the second; 0 in the very
    /// first packet.
    package var recoveryCentiseconds: UInt16 = 0
    /// 0.01 m, distance of the boat in the stroke.
    package var strokeDistanceCentimeters: UInt16 = 0
    /// 0.1 lbf, the maximum of the drive.
    package var peakDriveForceTenthsOfPound: UInt16 = 0
    /// 0.1 lbf, the mean of the drive.
    package var averageDriveForceTenthsOfPound: UInt16 = 0
    /// Nil when multiplexed: it is in 0x0036. Otherwise nil is encoded as 0xFFFF.
    package var workPerStrokeDecijoules: UInt16? = .max
    /// Incremented at the end of the drive, from 1; restarts at each interval and wraps after 65,535.
    package var strokeCount: UInt16 = 0

    /// Dedicated 20 bytes; multiplexed 18, without the work. Fewer throw `.truncated`.
    static func length(by carrier: Carrier) -> Int { carrier == .dedicated ? 20 : 18 }

    @inline(__always)
    mutating func code(with coder: inout some PayloadCoder) {
        coder.uint24(&elapsedCentiseconds, "elapsed_time_s", decimals: 2)
        coder.uint24(&distanceDecimeters, "distance_m", decimals: 1)
        coder.field(&driveLengthCentimeters, "drive_length_m", decimals: 2)
        coder.field(&driveCentiseconds, "drive_time_s", decimals: 2)
        coder.field(&recoveryCentiseconds, "recovery_time_s", decimals: 2)
        coder.field(&strokeDistanceCentimeters, "stroke_distance_m", decimals: 2)
        coder.field(&peakDriveForceTenthsOfPound, "peak_drive_force_lbf", decimals: 1)
        coder.field(&averageDriveForceTenthsOfPound, "average_drive_force_lbf", decimals: 1)
        coder.field(&workPerStrokeDecijoules, "work_per_stroke_j", decimals: 1, onlyIn: .dedicated)
        coder.field(&strokeCount, "stroke_count")
    }
}

extension StrokeData {
    /// Nil in the first packet of the first stroke.
    package var knownRecoveryCentiseconds: UInt16? { Sentinel.zero(recoveryCentiseconds) }
    /// Nil for the first stroke, and when multiplexed.
    package var knownWorkPerStrokeDecijoules: UInt16? {
        workPerStrokeDecijoules.flatMap(Sentinel.allOnes)
    }
}

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
