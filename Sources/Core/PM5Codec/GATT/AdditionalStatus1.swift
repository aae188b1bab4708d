/// 0x0032, additional status 1: by timer, in every state.
///
/// | off | size | field | unit | range, none | multiplexed |
/// |---|---|---|---|---|---|
/// | 0 | 3 | elapsed time | 0.01 s | | 0 |
/// | 3 | 2 | speed | 0.001 m/s | 0 before the first stroke | 3 |
/// | 5 | 1 | stroke rate | 1/min | 0 | 5 |
/// | 6 | 1 | heart rate | 1/min | 255 no belt, 0 too | 6 |
/// | 7 | 2 | current pace | 0.01 s/500 m | 0 none | 7 |
/// | 9 | 2 | average pace | 0.01 s/500 m | 0 none | 9 |
/// | 11 | 2 | rest distance | 1 m | | 11 |
/// | 13 | 3 | rest time | 0.01 s | counts down | 13 |
/// | - | 2 | average power | 1 W | multiplexed only | 16 |
/// | 16 | 1 | erg machine type | `ErgMachineType` | absent before rev 1.26 | 18 |
///
/// Source: Concept2 BLE definition rev 1.30, 0x0032; lengths of old firmware from captures.
package struct AdditionalStatus1: FieldwisePayload {
    package static let characteristic = CharacteristicID.additionalStatus1

    /// 0.01 s, below 2^24 (46 h 36 min); restarts at each interval, continues over splits.
    package var elapsedCentiseconds: UInt32 = 0
    /// 0.001 m/s; 0 before the first stroke, and frozen at its last value in a pause.
    package var speedMillimetersPerSecond: UInt16 = 0
    /// Strokes per minute; 0 before the first stroke, and frozen in a pause.
    package var strokeRatePerMinute: UInt8 = 0
    /// Beats per minute; 255 without a belt on a PM5, 0 on emulators.
    package var heartRateBeatsPerMinute: UInt8 = 255
    /// 0.01 s for 500 m, at most 655.34 s; 0 before the first stroke. The monitor displays this value,
    /// which differs slightly from the inverse of the speed.
    package var currentPaceCentisecondsPer500m: UInt16 = 0
    /// 0.01 s for 500 m since the start of the piece or interval; 0 before the first stroke.
    package var averagePaceCentisecondsPer500m: UInt16 = 0
    /// Metres rowed in the current rest.
    package var restDistanceMeters: UInt16 = 0
    /// 0.01 s, remaining time of a planned rest.
    package var restCentiseconds: UInt32 = 0
    /// Nil when dedicated; a multiplexed payload has 0 for nil.
    package var averagePowerWatts: UInt16?
    /// Nil on firmware before rev 1.26 of the definition (2018).
    @OptionalWireCode package var ergMachineType: ErgMachineType? = .modelD

    /// Dedicated 16 bytes, or 17 with the machine type; multiplexed 18 or 19. Fewer throw `.truncated`.
    static func length(by carrier: Carrier) -> Int { carrier == .dedicated ? 16 : 18 }

    @inline(__always)
    mutating func code(with coder: inout some PayloadCoder) {
        coder.uint24(&elapsedCentiseconds, "elapsed_time_s", decimals: 2)
        coder.field(&speedMillimetersPerSecond, "speed_m_per_s", decimals: 3)
        coder.field(&strokeRatePerMinute, "stroke_rate_spm")
        coder.field(&heartRateBeatsPerMinute, "heart_rate_raw")
        coder.meaning(Field("heart_rate_bpm", .integer(knownHeartRateBeatsPerMinute)))
        coder.field(&currentPaceCentisecondsPer500m, "current_pace_s_per_500m", decimals: 2)
        coder.field(&averagePaceCentisecondsPer500m, "average_pace_s_per_500m", decimals: 2)
        coder.field(&restDistanceMeters, "rest_distance_m")
        coder.uint24(&restCentiseconds, "rest_time_s", decimals: 2)
        coder.field(&averagePowerWatts, "average_power_w", onlyIn: .multiplexed, none: 0)
        coder.appended(&_ergMachineType.rawValue, "erg_machine_type")
    }
}

extension AdditionalStatus1 {
    /// Nil without a belt.
    package var knownHeartRateBeatsPerMinute: UInt8? {
        Sentinel.heartRate(heartRateBeatsPerMinute)
    }
    /// 0 before the first stroke; nil for an impossible rate.
    package var knownStrokeRatePerMinute: UInt8? {
        Sentinel.strokeRate(strokeRatePerMinute, on: ergMachineType)
    }
    /// Nil before the first stroke.
    package var knownCurrentPaceCentisecondsPer500m: UInt16? {
        Sentinel.pace(currentPaceCentisecondsPer500m)
    }
    /// Nil before the first stroke.
    package var knownAveragePaceCentisecondsPer500m: UInt16? {
        Sentinel.pace(averagePaceCentisecondsPer500m)
    }
}
