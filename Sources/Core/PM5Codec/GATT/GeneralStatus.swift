/// 0x0031, general status: by timer, in every state.
///
/// | off | size | field | unit | range, none |
/// |---|---|---|---|---|
/// | 0 | 3 | elapsed time | 0.01 s | restarts at each interval |
/// | 3 | 3 | distance | 0.1 m | restarts at each interval |
/// | 6 | 1 | workout type | `WorkoutType` | |
/// | 7 | 1 | interval type | `IntervalType` | 255 none |
/// | 8 | 1 | workout state | `WorkoutState` | |
/// | 9 | 1 | rowing state | `RowingState` | |
/// | 10 | 1 | stroke state | `StrokeState` | |
/// | 11 | 3 | total work distance | 1 m | sum of the finished intervals |
/// | 14 | 3 | workout duration | by byte 17 | 0 none |
/// | 17 | 1 | duration type | `DurationType` | |
/// | 18 | 1 | drag factor | 1 | 0 not measured yet |
///
/// Multiplexed: the same. Source: Concept2 BLE definition rev 1.30, 0x0031; the unit of offset 11
/// from traces (see FieldSources).
package struct GeneralStatus: FieldwisePayload {
    package static let characteristic = CharacteristicID.generalStatus

    /// 0.01 s, below 2^24 (46 h 36 min); restarts at each interval, continues over splits. Stops only in
    /// the pause of a just row.
    package var elapsedCentiseconds: UInt32 = 0
    /// 0.1 m; restarts at each interval, continues over splits. May increase in a rest.
    package var distanceDecimeters: UInt32 = 0
    /// 13 while the user chooses a workout.
    @WireCode package var workoutType: WorkoutType = .justRowWithoutSplits
    /// `.distance` in single pieces of any kind; a rest type in a rest, `.none` in the menus.
    @WireCode package var intervalType: IntervalType = .distance
    /// The state of the piece. It shows the end; frozen values do not.
    @WireCode package var workoutState: WorkoutState = .waitToBegin
    /// Active from the end of the first drive until strokes are missing.
    @WireCode package var rowingState: RowingState = .inactive
    /// The phase of the stroke at the time of the status. A short drive may fall between two statuses.
    @WireCode package var strokeState: StrokeState = .waitingForMinimumSpeed
    /// Metres of the finished intervals; grows when one ends, 0 throughout a single piece.
    package var totalWorkDistanceMeters: UInt32 = 0
    /// In the unit of `durationType`: 0.01 s, 1 m, 1 cal or 1 watt-minute.
    package var workoutDuration: UInt32 = 0
    /// The unit of `workoutDuration`. It gives the kind of goal; the interval type does not.
    @WireCode package var durationType: DurationType = .distance
    /// As on the display, 88 to 141 in captures; 0 until the first strokes of an interval.
    package var dragFactor: UInt8 = 0

    /// 19 bytes with either carrier; fewer throw `.truncated`.
    static func length(by carrier: Carrier) -> Int { 19 }

    @inline(__always)
    mutating func code(with coder: inout some PayloadCoder) {
        coder.uint24(&elapsedCentiseconds, "elapsed_time_s", decimals: 2)
        coder.uint24(&distanceDecimeters, "distance_m", decimals: 1)
        coder.code(&_workoutType, "workout_type")
        coder.code(&_intervalType, "interval_type")
        coder.code(&_workoutState, "workout_state")
        coder.code(&_rowingState, "rowing_state")
        coder.code(&_strokeState, "stroke_state")
        coder.uint24(&totalWorkDistanceMeters, "total_work_distance_m")
        coder.uint24(&workoutDuration, "workout_duration_raw")
        coder.code(&_durationType, "workout_duration_type")
        coder.field(&dragFactor, "drag_factor")
    }
}

extension GeneralStatus {
    /// Nil until measured in this interval.
    package var knownDragFactor: UInt8? { Sentinel.dragFactor(dragFactor) }
    /// Nil in a just row, which has no planned length.
    package var knownWorkoutDuration: UInt32? { Sentinel.zero(workoutDuration) }
}
