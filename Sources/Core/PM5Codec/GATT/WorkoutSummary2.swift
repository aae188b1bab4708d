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
package struct WorkoutSummary2: FieldwisePayload {
    package static let characteristic = CharacteristicID.workoutSummary2

    /// The entry in the monitor's log; 0x0039, 0x003A and 0x003C of one piece have the same.
    package var logged = LogTimestamp()
    /// 0.1 s for 500 m, truncated: the pace that is missing in a multiplexed 0x0039.
    package var averagePaceDecisecondsPer500m: UInt16 = .max
    /// Game ID and verified flag in one byte.
    package var gameAndVerification: UInt8 = 0
    /// Fish and darts: 1 point; target games: 0.1 %.
    package var gameScore: UInt16 = 0
    /// The kind of machine; in a MultiErg workout one of the three MultiErg types.
    @WireCode package var ergMachineType: ErgMachineType = .modelD

    /// 10 bytes; fewer throw `.truncated`.
    static func length(by carrier: Carrier) -> Int { 10 }

    @inline(__always)
    mutating func code(with coder: inout some PayloadCoder) {
        logged.code(with: &coder)
        coder.field(&averagePaceDecisecondsPer500m, "avg_pace_s_per_500m", decimals: 1)
        coder.field(&gameAndVerification, "game_id_raw")
        coder.field(&gameScore, "game_score_raw")
        coder.code(&_ergMachineType, "erg_machine_type")
    }
}

extension WorkoutSummary2 {
    /// `.none` for a workout.
    package var gameID: GameID { GameID(rawValue: gameAndVerification & 0x0F) }
    /// Whether the monitor verified the result.
    package var isVerified: Bool { gameAndVerification & 0xF0 != 0 }
    /// Nil if invalid.
    package var knownAveragePaceDecisecondsPer500m: UInt16? {
        Sentinel.pace(averagePaceDecisecondsPer500m)
    }
}
