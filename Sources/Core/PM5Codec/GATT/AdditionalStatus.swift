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

/// 0x0033, additional status 2: by timer, in every state.
///
/// | off | size | field | unit | range, none | multiplexed |
/// |---|---|---|---|---|---|
/// | 0 | 3 | elapsed time | 0.01 s | | 0 |
/// | 3 | 1 | interval count | 1 | counts splits too; 0-based | 3 |
/// | 4 | 2 | average power | 1 W | whole piece | - |
/// | 6 | 2 | total calories | 1 cal | | 4 |
/// | 8 | 2 | split average pace | 0.01 s/500 m | 0 none | 6 |
/// | 10 | 2 | split average power | 1 W | | 8 |
/// | 12 | 2 | split average calories | 1 cal | cal/hr is possible when multiplexed | 10 |
/// | 14 | 3 | last split time | 0.01 s | 0 until a split ended | 12 |
/// | 17 | 3 | last split distance | 1 m | | 15 |
///
/// Source: Concept2 BLE definition rev 1.30, 0x0033; units of offsets 12 and 14 from captures (see
/// FieldSources). In interval workouts the last split is one boundary late: do not use it.
package struct AdditionalStatus2: FieldwisePayload {
    package static let characteristic = CharacteristicID.additionalStatus2

    /// 0.01 s, below 2^24 (46 h 36 min); restarts at each interval, continues over splits.
    package var elapsedCentiseconds: UInt32 = 0
    /// Finished splits or intervals, from 0; includes the interval before a rest; wraps after 255.
    package var intervalCount: UInt8 = 0
    /// Nil when multiplexed: it is in 0x0032. A dedicated payload has 0 for nil.
    package var averagePowerWatts: UInt16? = 0
    /// Calories (kcal) since the start of the piece; restarts at each interval.
    package var totalCalories: UInt16 = 0
    /// 0.01 s for 500 m over the current split or interval; 0 before its first stroke.
    package var splitAveragePaceCentisecondsPer500m: UInt16 = 0
    /// Mean power of the current split or interval in watts.
    package var splitAveragePowerWatts: UInt16 = 0
    /// Calories of the split when dedicated. Multiplexed it may be calories per hour, which no capture
    /// confirms: above 100 with a small total it is the rate.
    package var splitAverageCalories: UInt16 = 0
    /// 0.01 s, although the documents say 0.1 s; 0 until a split has ended. In intervals it is one boundary
    /// late.
    package var lastSplitCentiseconds: UInt32 = 0
    /// Metres; stays 0 in pieces with a distance goal.
    package var lastSplitDistanceMeters: UInt32 = 0

    /// Dedicated 20 bytes; multiplexed 18, without the power. Fewer throw `.truncated`.
    static func length(by carrier: Carrier) -> Int { carrier == .dedicated ? 20 : 18 }

    @inline(__always)
    mutating func code(with coder: inout some PayloadCoder) {
        coder.uint24(&elapsedCentiseconds, "elapsed_time_s", decimals: 2)
        coder.field(&intervalCount, "interval_count")
        coder.field(&averagePowerWatts, "average_power_w", onlyIn: .dedicated, none: 0)
        coder.field(&totalCalories, "total_calories_kcal")
        coder.field(&splitAveragePaceCentisecondsPer500m, "split_avg_pace_s_per_500m", decimals: 2)
        coder.field(&splitAveragePowerWatts, "split_avg_power_w")
        coder.field(&splitAverageCalories, "split_avg_calories_raw")
        coder.uint24(&lastSplitCentiseconds, "last_split_time_raw")
        coder.meaning(Field("last_split_time_s", lastSplitCentiseconds, decimals: 2))
        coder.uint24(&lastSplitDistanceMeters, "last_split_distance_m")
    }
}

extension AdditionalStatus2 {
    /// Nil before the first stroke of the split.
    package var knownSplitAveragePaceCentisecondsPer500m: UInt16? {
        Sentinel.pace(splitAveragePaceCentisecondsPer500m)
    }
    /// Nil until a split has ended.
    package var knownLastSplitCentiseconds: UInt32? { Sentinel.zero(lastSplitCentiseconds) }
}

/// 0x003E, additional status 3: by timer, newer firmware only.
///
/// | off | size | field | unit | range, none |
/// |---|---|---|---|---|
/// | 0 | 1 | operational state | `OperationalState` | |
/// | 1 | 1 | workout verification state | 1 | values not published |
/// | 2 | 2 | screen number | 1 | |
/// | 4 | 2 | last error | 1 | 0 none |
/// | 6 | 1 | calibration mode | 1 | BikeErg only, else 0 |
/// | 7 | 1 | calibration state | 1 | BikeErg only, else 0 |
/// | 8 | 1 | calibration status | 1 | BikeErg only, else 0 |
/// | 9 | 1 | game id | `GameID` | |
/// | 10 | 2 | game score | 1 | |
///
/// Multiplexed: the same. Some firmware appends seven bytes. Only the first is read (see FieldSources): the
/// battery level in percent (`batteryPercent(of:)`). Source: Concept2 CSAFE definition rev 0.25, BLE byte
/// lists.
package struct AdditionalStatus3: FieldwisePayload {
    package static let characteristic = CharacteristicID.additionalStatus3

    /// The activity of the whole monitor: a workout, a race, a firmware update.
    @WireCode package var operationalState: OperationalState = .idle
    /// Values not published.
    package var workoutVerificationState: UInt8 = 0
    /// The current screen; numbers not published.
    package var screenNumber: UInt16 = 0
    /// 0 for none; numbers not published.
    package var lastError: UInt16 = 0
    /// 0 except during the calibration of a BikeErg.
    package var calibrationMode: UInt8 = 0
    /// 0 except during the calibration of a BikeErg.
    package var calibrationState: UInt8 = 0
    /// 0 except during the calibration of a BikeErg.
    package var calibrationStatus: UInt8 = 0
    /// The current game; `.none` in a workout.
    @WireCode package var gameID: GameID = .none
    /// In the units of 0x003C, as far as known.
    package var gameScore: UInt16 = 0

    /// 12 bytes with either carrier; fewer throw `.truncated`. The last seven of 19 are not read here.
    static func length(by carrier: Carrier) -> Int { 12 }

    /// The battery level in the longer form; nil for the shorter one and for invalid values.
    ///
    /// - Parameter payload: the value of the characteristic itself.
    package static func batteryPercent(of payload: UnsafeRawBufferPointer) -> Int? {
        let length = length(by: .dedicated)
        guard payload.count == length + 7, (0...100).contains(payload[length]) else { return nil }
        return Int(payload[length])
    }

    /// The same for a value that may contain another payload.
    package static func batteryPercent(
        in value: UnsafeRawBufferPointer, of characteristic: CharacteristicID
    ) -> Int? {
        switch characteristic {
        case .additionalStatus3: batteryPercent(of: value)
        case .multiplexed
        where value.first.map(UInt16.init) == CharacteristicID.additionalStatus3.rawValue:
            batteryPercent(of: UnsafeRawBufferPointer(rebasing: value.dropFirst()))
        default: nil
        }
    }

    @inline(__always)
    mutating func code(with coder: inout some PayloadCoder) {
        coder.code(&_operationalState, "operational_state")
        coder.field(&workoutVerificationState, "workout_verification_state")
        coder.field(&screenNumber, "screen_number")
        coder.field(&lastError, "last_error")
        coder.field(&calibrationMode, "calibration_mode")
        coder.field(&calibrationState, "calibration_state")
        coder.field(&calibrationStatus, "calibration_status")
        coder.code(&_gameID, "game_id")
        coder.field(&gameScore, "game_score")
    }
}
