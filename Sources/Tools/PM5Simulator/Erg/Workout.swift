import PM5Codec

/// The goal that ends a piece or an interval.
package struct WorkoutGoal: Equatable, Sendable {
    /// The unit of the goal; distance without a goal.
    let durationType: DurationType
    /// In the unit of `durationType`; 0 without a goal.
    let count: Int

    init(_ durationType: DurationType, _ count: Int) {
        self.durationType = durationType
        self.count = count
    }

    package static let none = WorkoutGoal(.distance, 0)
    package static func meters(_ count: Int) -> WorkoutGoal { WorkoutGoal(.distance, count) }
    package static func centiseconds(_ count: Int) -> WorkoutGoal { WorkoutGoal(.time, count) }
    package static func calories(_ count: Int) -> WorkoutGoal { WorkoutGoal(.calories, count) }

    /// Whether this much rowing reaches the goal.
    func isReached(milliseconds: Int, meters: Double) -> Bool {
        guard count > 0 else { return false }
        return switch durationType {
        case .distance, .unrecognized: meters >= Double(count)
        case .time: milliseconds >= count * 10
        case .calories:
            RowingFormulas.calories(milliseconds: milliseconds, meters: meters) >= Double(count)
        case .wattMinutes:
            RowingFormulas.wattMinutes(milliseconds: milliseconds, meters: meters) >= Double(count)
        }
    }

    /// Whether it is counted by the average power, which falls without rowing.
    var isOfPower: Bool { durationType == .calories || durationType == .wattMinutes }
}

/// A stretch of work and the rest after it.
package struct WorkoutInterval: Equatable, Sendable {
    /// The duration of the rest.
    package enum Rest: Equatable, Sendable {
        case none
        case seconds(Int)
        /// Until the rower continues.
        case undefined
    }

    /// What ends it.
    package var goal: WorkoutGoal
    /// The rest before the next interval.
    package var rest: Rest
    /// The target pace shown by the monitor; nil for none.
    package var targetPaceCentisecondsPer500m: UInt32?

    package init(
        _ goal: WorkoutGoal, rest: Rest = .none, targetPaceCentisecondsPer500m: UInt32? = nil
    ) {
        self.goal = goal
        self.rest = rest
        self.targetPaceCentisecondsPer500m = targetPaceCentisecondsPer500m
    }

    /// The type in 0x0031 byte 7 and 0x0037 byte 16 during the work.
    package var type: IntervalType {
        let isUndefined = rest == .undefined
        return switch goal.durationType {
        case .distance, .unrecognized: isUndefined ? .distanceUndefinedRest : .distance
        case .time: isUndefined ? .timeUndefinedRest : .time
        case .calories: isUndefined ? .caloriesUndefinedRest : .calories
        case .wattMinutes: isUndefined ? .wattMinutesUndefinedRest : .wattMinutes
        }
    }

    /// Intervals of calories and watt-minutes are "distance" to the monitor (CSAFE definition, note
    /// to the states).
    var isTimed: Bool { goal.durationType == .time }
}

/// The workout on the monitor's screen.
package struct Workout: Equatable, Sendable {
    /// As in 0x0031 byte 6.
    package var type: WorkoutType
    /// One for a single piece, and for the fixed interval types, which repeat it indefinitely.
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
        repeatsForEver || type == .variableInterval || type == .variableIntervalUndefinedRest
    }

    var repeatsForEver: Bool {
        type == .fixedTimeInterval || type == .fixedDistanceInterval
            || type == .fixedCalorieInterval
    }

    var isJustRow: Bool { type == .justRowWithSplits || type == .justRowWithoutSplits }

    /// The interval at a 0-based position; nil past the end.
    package func interval(_ index: Int) -> WorkoutInterval? {
        if repeatsForEver { return intervals[0] }
        return index < intervals.count ? intervals[index] : nil
    }

    /// The monitor's workout after power-on: just row, splits of 500 m.
    package static let justRow = Workout(
        .justRowWithSplits, [WorkoutInterval(.none)], splitLength: 500)
}
