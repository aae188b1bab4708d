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
package struct GeneralStatus: CharacteristicPayload {
    package static let characteristic = CharacteristicID.generalStatus
    static let length = 19

    package var elapsedCentiseconds: UInt32
    package var distanceDecimeters: UInt32
    @WireCode package var workoutType: WorkoutType
    @WireCode package var intervalType: IntervalType
    @WireCode package var workoutState: WorkoutState
    @WireCode package var rowingState: RowingState
    @WireCode package var strokeState: StrokeState
    package var totalWorkDistanceMeters: UInt32
    /// In the unit of `durationType`: 0.01 s, 1 m, 1 cal or 1 watt-minute.
    package var workoutDuration: UInt32
    @WireCode package var durationType: DurationType
    package var dragFactor: UInt8

    package init(
        elapsedCentiseconds: UInt32 = 0, distanceDecimeters: UInt32 = 0,
        workoutType: WorkoutType = .justRowWithoutSplits, intervalType: IntervalType = .distance,
        workoutState: WorkoutState = .waitToBegin, rowingState: RowingState = .inactive,
        strokeState: StrokeState = .waitingForMinimumSpeed, totalWorkDistanceMeters: UInt32 = 0,
        workoutDuration: UInt32 = 0, durationType: DurationType = .distance, dragFactor: UInt8 = 0
    ) {
        self.elapsedCentiseconds = elapsedCentiseconds
        self.distanceDecimeters = distanceDecimeters
        self.workoutType = workoutType
        self.intervalType = intervalType
        self.workoutState = workoutState
        self.rowingState = rowingState
        self.strokeState = strokeState
        self.totalWorkDistanceMeters = totalWorkDistanceMeters
        self.workoutDuration = workoutDuration
        self.durationType = durationType
        self.dragFactor = dragFactor
    }

    @inline(__always)
    package init(decoding reader: inout ByteReader, carrier: Carrier) throws(DecodeError) {
        var fields = try reader.fields(Self.length)
        elapsedCentiseconds = fields.uint24()
        distanceDecimeters = fields.uint24()
        _workoutType = fields.code()
        _intervalType = fields.code()
        _workoutState = fields.code()
        _rowingState = fields.code()
        _strokeState = fields.code()
        totalWorkDistanceMeters = fields.uint24()
        workoutDuration = fields.uint24()
        _durationType = fields.code()
        dragFactor = fields.uint8()
    }

    package func encode(into writer: inout ByteWriter, carrier: Carrier) {
        writer.uint24(elapsedCentiseconds)
        writer.uint24(distanceDecimeters)
        writer.code(workoutType)
        writer.code(intervalType)
        writer.code(workoutState)
        writer.code(rowingState)
        writer.code(strokeState)
        writer.uint24(totalWorkDistanceMeters)
        writer.uint24(workoutDuration)
        writer.code(durationType)
        writer.uint8(dragFactor)
    }
}

extension GeneralStatus {
    /// Nil until the drag of this interval has been measured.
    package var knownDragFactor: UInt8? { Sentinel.zero(dragFactor) }
    /// Nil in just row, which has no planned length.
    package var knownWorkoutDuration: UInt32? { Sentinel.zero(workoutDuration) }

    package var fields: [Field] {
        [
            Field("elapsed_time_s", elapsedCentiseconds, decimals: 2),
            Field("distance_m", distanceDecimeters, decimals: 1),
            Field("workout_type", workoutType),
            Field("interval_type", intervalType),
            Field("workout_state", workoutState),
            Field("rowing_state", rowingState),
            Field("stroke_state", strokeState),
            Field("total_work_distance_m", totalWorkDistanceMeters),
            Field("workout_duration_raw", workoutDuration),
            Field("workout_duration_type", durationType),
            Field("drag_factor", dragFactor),
        ]
    }
}
