import PM5Codec

extension WorkoutType {
    /// The type in 0x0031 while the user chooses a workout (ErgometerJS recording).
    static let menu = WorkoutType.unrecognized(13)

    /// Elapsed time, distance and stroke count restart with each interval.
    package var isInterval: Bool {
        switch self {
        case .fixedTimeInterval, .fixedDistanceInterval, .fixedCalorieInterval, .variableInterval,
            .variableIntervalUndefinedRest:
            true
        default: false
        }
    }

    /// Each interval has its own goal, so a changed goal does not mean another workout.
    var isVariable: Bool {
        self == .variableInterval || self == .variableIntervalUndefinedRest
    }

    /// Without a goal: the rower ends it, and it is never complete.
    package var isJustRow: Bool {
        self == .justRowWithoutSplits || self == .justRowWithSplits
    }

    /// Whether the monitor reports splits or intervals by itself.
    var hasSplits: Bool {
        switch self {
        case .justRowWithoutSplits, .fixedDistanceWithoutSplits, .fixedTimeWithoutSplits,
            .unrecognized:
            false
        default: true
        }
    }

    /// Whether the monitor ends the piece by itself. Equal intervals continue until the rower stops.
    package var hasEnd: Bool {
        switch self {
        case .justRowWithoutSplits, .justRowWithSplits, .fixedTimeInterval, .fixedDistanceInterval,
            .fixedCalorieInterval, .unrecognized:
            false
        default: true
        }
    }
}

/// The meaning of the workout state in 0x0031 for a session.
enum PiecePhase: Equatable, CaseIterable {
    /// Armed, being armed again, or in a menu.
    case waiting
    case working
    case resting
    /// Finished, stopped early, or logged.
    case over
    /// A transition, or a state of newer firmware: keeps the previous phase.
    case unchanged
}

extension WorkoutState {
    var phase: PiecePhase {
        switch self {
        case .waitToBegin, .rearm: .waiting
        case .workoutRow, .intervalWorkTime, .intervalWorkDistance: .working
        case .intervalRest, .intervalWorkTimeToRest, .intervalWorkDistanceToRest: .resting
        case .workoutEnd, .terminate, .workoutLogged: .over
        case .countdownPause, .intervalRestEndToWorkTime, .intervalRestEndToWorkDistance,
            .unrecognized:
            .unchanged
        }
    }
}

extension GeneralStatus {
    var phase: PiecePhase { workoutType == .menu ? .waiting : workoutState.phase }
}

extension Workout {
    init(_ status: GeneralStatus) {
        type = status.workoutType
        target = type.isJustRow ? .none : Target(status)
    }

    /// Whether `status` can belong to a piece of this workout. The menu belongs to none.
    func admits(_ status: GeneralStatus) -> Bool {
        guard status.workoutType == type else { return false }
        return type.isVariable || type.isJustRow || target == Target(status)
    }
}

extension Workout.Target {
    /// The goal of the piece, or of the current interval.
    init(_ status: GeneralStatus) {
        guard let duration = status.knownWorkoutDuration else {
            self = .none
            return
        }
        self =
            switch status.durationType {
            case .time: .time(.centiseconds(duration))
            case .distance: .distance(Meters(Int64(duration)))
            case .calories: .calories(Int(duration))
            case .wattMinutes: .wattMinutes(Int(duration))
            case .unrecognized: .none
            }
    }
}
