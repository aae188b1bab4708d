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
