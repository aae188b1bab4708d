import PM5Codec

/// The workout on a monitor: its type, and the goal of a single piece or interval.
package struct Workout: Hashable, Sendable {
    /// The length of the piece or of equal intervals; otherwise of the first interval.
    package enum Target: Hashable, Sendable {
        case none
        case distance(Meters)
        case time(Duration)
        case calories(Int)
        case wattMinutes(Int)
    }

    /// Equal intervals. The monitor does not report them, so they are known only if the gateway programmed
    /// the workout.
    package struct Repetition: Hashable, Sendable {
        /// The number of intervals, at least 1; nil if unlimited.
        package var count: Int?
        /// The rest between two intervals.
        package var rest: WorkoutProgram.Rest

        package init(count: Int?, rest: WorkoutProgram.Rest) {
            (self.count, self.rest) = (count, rest)
        }
    }

    /// The type in the monitor's status.
    package var type: WorkoutType
    /// `.none` for a just row.
    package var target: Target
    /// Nil for single pieces, for intervals that differ, and if unknown.
    package var repetition: Repetition?
    /// Whether a phone app set it, through a relay.
    package var isSetByPhone = false

    package init(type: WorkoutType, target: Target, repetition: Repetition? = nil) {
        self.type = type
        self.target = target
        self.repetition = repetition
    }

    /// The type to publish. A monitor stores a fixed number of equal intervals as a variable workout. They
    /// are published as equal intervals, except with an undefined rest, for which no such type exists.
    package var publishedType: WorkoutType {
        guard type == .variableInterval, repetition != nil else { return type }
        return switch target {
        case .distance: .fixedDistanceInterval
        case .time: .fixedTimeInterval
        case .calories: .fixedCalorieInterval
        case .none, .wattMinutes: type
        }
    }
}

extension WorkoutProgram {
    /// Nil for single pieces and for intervals that differ. The last interval may have no rest.
    package var repetition: Workout.Repetition? {
        switch plan {
        case .justRow, .justRowWithSplits, .single: return nil
        case .repeating(_, let seconds):
            return Workout.Repetition(count: nil, rest: .seconds(seconds))
        case .intervals(let intervals):
            guard let first = intervals.first, let last = intervals.last,
                intervals.allSatisfy({ $0.work == first.work }),
                intervals.dropLast().allSatisfy({ $0.rest == first.rest }),
                last.rest == first.rest || last.rest == .seconds(0)
            else { return nil }
            return Workout.Repetition(count: intervals.count, rest: first.rest)
        }
    }
}

// MARK: - The workout that the monitor shows

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
