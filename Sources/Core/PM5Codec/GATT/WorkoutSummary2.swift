import Bytes

/// 0x003C, summary 2: with 0x0039, and only inside 0x0080.
///
/// | off | size | field | unit | range, none |
/// |---|---|---|---|---|
/// | 0 | 4 | log entry date and time | `LogTimestamp` | |
/// | 4 | 2 | average pace | 0.1 s/500 m | 0xFFFF invalid |
/// | 6 | 1 | low nibble game id, high nibble verified | `GameID` | |
/// | 7 | 2 | game score | 1 point, target games 0.1 % | |
/// | 9 | 1 | erg machine type | `ErgMachineType` | |
///
/// Source: Concept2 BLE definition rev 1.30, 0x0080 identifier 0x3C.
package struct WorkoutSummary2: CharacteristicPayload {
    package static let characteristic = CharacteristicID.workoutSummary2
    static let length = 10

    /// The entry in the monitor's log; 0x0039, 0x003A and 0x003C of one piece have the same.
    package var logged: LogTimestamp
    /// 0.1 s for 500 m, truncated: the pace that a multiplexed 0x0039 lacks.
    package var averagePaceDecisecondsPer500m: UInt16
    /// Game id and verified flag as they share a byte.
    package var gameAndVerification: UInt8
    /// Fish and darts: 1 point; target games: 0.1 %.
    package var gameScore: UInt16
    /// In a MultiErg workout one of the three MultiErg types.
    @WireCode package var ergMachineType: ErgMachineType

    package init(
        logged: LogTimestamp, averagePaceDecisecondsPer500m: UInt16 = .max,
        gameAndVerification: UInt8 = 0, gameScore: UInt16 = 0,
        ergMachineType: ErgMachineType = .modelD
    ) {
        self.logged = logged
        self.averagePaceDecisecondsPer500m = averagePaceDecisecondsPer500m
        self.gameAndVerification = gameAndVerification
        self.gameScore = gameScore
        self.ergMachineType = ergMachineType
    }

    /// 10 bytes; fewer throw `.truncated`.
    @inline(__always)
    package init(decoding reader: inout ByteReader, carrier: Carrier) throws(DecodeError) {
        var fields = try reader.fields(Self.length)
        logged = LogTimestamp(decoding: &fields)
        averagePaceDecisecondsPer500m = fields.uint16()
        gameAndVerification = fields.uint8()
        gameScore = fields.uint16()
        _ergMachineType = fields.code()
    }

    package func layout(by carrier: Carrier) -> [WireField] {
        logged.layout + [
            .uint16(averagePaceDecisecondsPer500m, "avg_pace_s_per_500m", decimals: 1),
            .uint8(gameAndVerification, "game_id_raw"),
            .uint16(gameScore, "game_score_raw"),
            .code(_ergMachineType, "erg_machine_type"),
        ]
    }
}

extension WorkoutSummary2 {
    /// `.none` for a workout.
    package var gameID: GameID { GameID(rawValue: gameAndVerification & 0x0F) }
    /// Whether the monitor vouches for the result.
    package var isVerified: Bool { gameAndVerification & 0xF0 != 0 }
    /// Nil where invalid.
    package var knownAveragePaceDecisecondsPer500m: UInt16? {
        Sentinel.pace(averagePaceDecisecondsPer500m)
    }
}
