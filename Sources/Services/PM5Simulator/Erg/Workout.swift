import PM5Codec

/// What ends a piece or an interval.
package enum WorkoutGoal: Equatable, Sendable {
    case none
    case meters(Int)
    case centiseconds(Int)
    case calories(Int)
    case wattMinutes(Int)

    package var durationType: DurationType {
        switch self {
        case .none, .meters: .distance
        case .centiseconds: .time
        case .calories: .calories
        case .wattMinutes: .wattMinutes
        }
    }

    /// In the unit of `durationType`; 0 without a goal.
    package var wireDuration: UInt32 {
        switch self {
        case .none: 0
        case .meters(let count), .centiseconds(let count), .calories(let count),
            .wattMinutes(let count):
            UInt32(count)
        }
    }

    /// Whether the goal is met by this much rowing.
    func isReached(milliseconds: Int, meters: Double) -> Bool {
        switch self {
        case .none: false
        case .meters(let goal): meters >= Double(goal)
        case .centiseconds(let goal): milliseconds >= goal * 10
        case .calories(let goal):
            RowingFormulas.calories(milliseconds: milliseconds, meters: meters) >= Double(goal)
        case .wattMinutes(let goal):
            RowingFormulas.wattMinutes(milliseconds: milliseconds, meters: meters) >= Double(goal)
        }
    }

    /// Whether it is counted by the average power, which falls while nobody rows.
    var isOfPower: Bool {
        switch self {
        case .calories, .wattMinutes: true
        case .none, .meters, .centiseconds: false
        }
    }

    /// A goal of the same kind, `count` units long.
    func sameKind(_ count: Int) -> WorkoutGoal {
        switch self {
        case .none, .meters: .meters(count)
        case .centiseconds: .centiseconds(count)
        case .calories: .calories(count)
        case .wattMinutes: .wattMinutes(count)
        }
    }
}

/// A stretch of work and the rest behind it.
package struct WorkoutInterval: Equatable, Sendable {
    /// How long nobody has to row behind it.
    package enum Rest: Equatable, Sendable {
        case none
        case seconds(Int)
        /// Until the rower goes on.
        case undefined
    }

    /// What ends it.
    package var goal: WorkoutGoal
    /// What comes between it and the next.
    package var rest: Rest
    /// The pace that the monitor asks for; nil for none.
    package var targetPaceCentisecondsPer500m: UInt32?

    package init(
        _ goal: WorkoutGoal, rest: Rest = .none, targetPaceCentisecondsPer500m: UInt32? = nil
    ) {
        self.goal = goal
        self.rest = rest
        self.targetPaceCentisecondsPer500m = targetPaceCentisecondsPer500m
    }

    /// What 0x0031 byte 7 and 0x0037 byte 16 say while this is worked on.
    package var type: IntervalType {
        switch (goal, rest == .undefined) {
        case (.none, _), (.meters, false): .distance
        case (.meters, true): .distanceUndefinedRest
        case (.centiseconds, false): .time
        case (.centiseconds, true): .timeUndefinedRest
        case (.calories, false): .calories
        case (.calories, true): .caloriesUndefinedRest
        case (.wattMinutes, false): .wattMinutes
        case (.wattMinutes, true): .wattMinutesUndefinedRest
        }
    }

    /// Intervals of calories and watt-minutes are "distance" to the monitor (CSAFE definition, note to the states).
    var isTimed: Bool { if case .centiseconds = goal { true } else { false } }
}

/// What a monitor is programmed to: the workout on its screen.
package struct Workout: Equatable, Sendable {
    /// As 0x0031 byte 6 tells it.
    package var type: WorkoutType
    /// One for a single piece and for the fixed interval types, which repeat it for ever.
    package var intervals: [WorkoutInterval]
    /// In the unit of the goal; nil without splits. Just row splits by distance.
    package var splitLength: Int?

    package init(_ type: WorkoutType, _ intervals: [WorkoutInterval], splitLength: Int? = nil) {
        precondition(!intervals.isEmpty, "a workout has at least one interval")
        self.type = type
        self.intervals = intervals
        self.splitLength = splitLength
    }

    /// Whether the monitor counts each interval from 0.
    package var hasIntervals: Bool {
        switch type {
        case .fixedTimeInterval, .fixedDistanceInterval, .fixedCalorieInterval, .variableInterval,
            .variableIntervalUndefinedRest:
            true
        default: false
        }
    }

    var repeatsForEver: Bool {
        switch type {
        case .fixedTimeInterval, .fixedDistanceInterval, .fixedCalorieInterval: true
        default: false
        }
    }

    var isJustRow: Bool { type == .justRowWithSplits || type == .justRowWithoutSplits }

    /// The interval at a 0-based position; nil past the end.
    package func interval(_ index: Int) -> WorkoutInterval? {
        if repeatsForEver { return intervals[0] }
        return index < intervals.count ? intervals[index] : nil
    }

    /// What the monitor shows after it was switched on: just row, splits of 500 m.
    package static let justRow = Workout(
        .justRowWithSplits, [WorkoutInterval(.none)], splitLength: 500)
}
