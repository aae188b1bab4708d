import Bytes

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
package struct AdditionalStatus1: CharacteristicPayload {
    package static let characteristic = CharacteristicID.additionalStatus1

    /// 0.01 s, below 2^24 (46 h 36 min); restarts at each interval, runs on over splits.
    package var elapsedCentiseconds: UInt32
    /// 0.001 m/s; 0 before the first stroke, and frozen at its last value in a pause.
    package var speedMillimetersPerSecond: UInt16
    /// Strokes per minute; 0 before the first stroke, and frozen in a pause.
    package var strokeRatePerMinute: UInt8
    /// Beats per minute; 255 without a belt on a PM5, 0 on emulators.
    package var heartRateBeatsPerMinute: UInt8
    /// 0.01 s for 500 m, at most 655.34 s; 0 before the first stroke. Not quite the inverse of the
    /// speed: this is the one that the monitor shows.
    package var currentPaceCentisecondsPer500m: UInt16
    /// 0.01 s for 500 m since the start of the piece or interval; 0 before the first stroke.
    package var averagePaceCentisecondsPer500m: UInt16
    /// Metres rowed in the present rest.
    package var restDistanceMeters: UInt16
    /// 0.01 s that remain of a planned rest; counts down to 0.
    package var restCentiseconds: UInt32
    private var machineCode: WireCode<ErgMachineType>?
    /// Nil when dedicated; a multiplexed payload carries 0 for nil.
    package var averagePowerWatts: UInt16?

    package init(
        elapsedCentiseconds: UInt32 = 0, speedMillimetersPerSecond: UInt16 = 0,
        strokeRatePerMinute: UInt8 = 0, heartRateBeatsPerMinute: UInt8 = 255,
        currentPaceCentisecondsPer500m: UInt16 = 0, averagePaceCentisecondsPer500m: UInt16 = 0,
        restDistanceMeters: UInt16 = 0, restCentiseconds: UInt32 = 0,
        averagePowerWatts: UInt16? = nil, ergMachineType: ErgMachineType? = .modelD
    ) {
        self.elapsedCentiseconds = elapsedCentiseconds
        self.speedMillimetersPerSecond = speedMillimetersPerSecond
        self.strokeRatePerMinute = strokeRatePerMinute
        self.heartRateBeatsPerMinute = heartRateBeatsPerMinute
        self.currentPaceCentisecondsPer500m = currentPaceCentisecondsPer500m
        self.averagePaceCentisecondsPer500m = averagePaceCentisecondsPer500m
        self.restDistanceMeters = restDistanceMeters
        self.restCentiseconds = restCentiseconds
        self.averagePowerWatts = averagePowerWatts
        machineCode = ergMachineType.map(WireCode.init)
    }

    /// Dedicated 16 bytes and with the machine type 17, multiplexed 18 and 19; fewer throw
    /// `.truncated`.
    @inline(__always)
    package init(decoding reader: inout ByteReader, carrier: Carrier) throws(DecodeError) {
        var fields = try reader.fields(carrier == .dedicated ? 16 : 18)
        elapsedCentiseconds = fields.uint24()
        speedMillimetersPerSecond = fields.uint16()
        strokeRatePerMinute = fields.uint8()
        heartRateBeatsPerMinute = fields.uint8()
        currentPaceCentisecondsPer500m = fields.uint16()
        averagePaceCentisecondsPer500m = fields.uint16()
        restDistanceMeters = fields.uint16()
        restCentiseconds = fields.uint24()
        averagePowerWatts = carrier == .multiplexed ? fields.uint16() : nil
        machineCode = reader.remaining > 0 ? WireCode(rawValue: try reader.uint8()) : nil
    }

    package func layout(by carrier: Carrier) -> [WireField] {
        [
            .uint24(elapsedCentiseconds, "elapsed_time_s", decimals: 2),
            .uint16(speedMillimetersPerSecond, "speed_m_per_s", decimals: 3),
            .uint8(strokeRatePerMinute, "stroke_rate_spm"),
            .uint8(heartRateBeatsPerMinute, "heart_rate_raw"),
            .meaning(Field("heart_rate_bpm", .integer(knownHeartRateBeatsPerMinute))),
            .uint16(currentPaceCentisecondsPer500m, "current_pace_s_per_500m", decimals: 2),
            .uint16(averagePaceCentisecondsPer500m, "average_pace_s_per_500m", decimals: 2),
            .uint16(restDistanceMeters, "rest_distance_m"),
            .uint24(restCentiseconds, "rest_time_s", decimals: 2),
            .uint16(
                averagePowerWatts, "average_power_w", ifCarried: carrier == .multiplexed, none: 0),
            .machine(machineCode),
        ]
    }
}

extension AdditionalStatus1 {
    /// Nil on firmware before rev 1.26 of the definition (2018).
    package var ergMachineType: ErgMachineType? {
        get { machineCode?.wrappedValue }
        set { machineCode = newValue.map(WireCode.init) }
    }

    /// Nil without a belt.
    package var knownHeartRateBeatsPerMinute: UInt8? {
        Sentinel.heartRate(heartRateBeatsPerMinute)
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
