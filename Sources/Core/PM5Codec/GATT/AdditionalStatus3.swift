import Bytes

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
/// Multiplexed: the same. Some firmware appends seven bytes, which stay unread but for the first of
/// them (see FieldSources): the batteries' level in percent (`batteryPercent(of:)`).
/// Source: Concept2 CSAFE definition rev 0.25, BLE byte lists.
package struct AdditionalStatus3: CharacteristicPayload {
    package static let characteristic = CharacteristicID.additionalStatus3
    static let length = 12

    /// What the monitor as a whole is about: a workout, a race, its firmware.
    @WireCode package var operationalState: OperationalState
    /// Meaning not published.
    package var workoutVerificationState: UInt8
    /// The screen that is shown; numbers not published.
    package var screenNumber: UInt16
    /// 0 for none; numbers not published.
    package var lastError: UInt16
    /// 0 but on a BikeErg that is being calibrated.
    package var calibrationMode: UInt8
    /// 0 but on a BikeErg that is being calibrated.
    package var calibrationState: UInt8
    /// 0 but on a BikeErg that is being calibrated.
    package var calibrationStatus: UInt8
    /// The game being played; `.none` in a workout.
    @WireCode package var gameID: GameID
    /// In the units of 0x003C, as far as is known.
    package var gameScore: UInt16

    package init(
        operationalState: OperationalState = .idle, workoutVerificationState: UInt8 = 0,
        screenNumber: UInt16 = 0, lastError: UInt16 = 0, calibrationMode: UInt8 = 0,
        calibrationState: UInt8 = 0, calibrationStatus: UInt8 = 0, gameID: GameID = .none,
        gameScore: UInt16 = 0
    ) {
        self.operationalState = operationalState
        self.workoutVerificationState = workoutVerificationState
        self.screenNumber = screenNumber
        self.lastError = lastError
        self.calibrationMode = calibrationMode
        self.calibrationState = calibrationState
        self.calibrationStatus = calibrationStatus
        self.gameID = gameID
        self.gameScore = gameScore
    }

    /// 12 bytes by either carrier; fewer throw `.truncated`, and of 19 the last seven stay unread.
    @inline(__always)
    package init(decoding reader: inout ByteReader, carrier: Carrier) throws(DecodeError) {
        var fields = try reader.fields(Self.length)
        _operationalState = fields.code()
        workoutVerificationState = fields.uint8()
        screenNumber = fields.uint16()
        lastError = fields.uint16()
        calibrationMode = fields.uint8()
        calibrationState = fields.uint8()
        calibrationStatus = fields.uint8()
        _gameID = fields.code()
        gameScore = fields.uint16()
    }

    /// What the longer form tells of the batteries; nil for the shorter one, and for nonsense.
    ///
    /// - Parameter payload: as the characteristic itself carries it.
    package static func batteryPercent(of payload: UnsafeRawBufferPointer) -> Int? {
        guard payload.count == length + 7, (0...100).contains(payload[length]) else { return nil }
        return Int(payload[length])
    }

    package func layout(by carrier: Carrier) -> [WireField] {
        [
            .code(_operationalState, "operational_state"),
            .uint8(workoutVerificationState, "workout_verification_state"),
            .uint16(screenNumber, "screen_number"),
            .uint16(lastError, "last_error"),
            .uint8(calibrationMode, "calibration_mode"),
            .uint8(calibrationState, "calibration_state"),
            .uint8(calibrationStatus, "calibration_status"),
            .code(_gameID, "game_id"),
            .uint16(gameScore, "game_score"),
        ]
    }
}
