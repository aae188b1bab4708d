import PM5Codec

/// A workout that a host is defining by commands, before a screen command arms it.
///
/// Rejects the same values as a monitor, by the limits of the CSAFE definition rev 0.27, table 19.
/// Watt-minutes are rejected too: no monitor is known to support them.
struct ProgramDraft: Equatable, Sendable {
    private var type: WorkoutType?
    private var intervalType: IntervalType?
    private var goal: WorkoutGoal?
    private var restSeconds = 0
    private var split: WorkoutGoal?
    /// A split of 0 was set, which keeps undefined rests out of the biathlon logic.
    private var hasZeroSplit = false
    private var targetPace: UInt32?
    /// Defined and enabled intervals.
    private var intervals: [WorkoutInterval] = []
    private var isVariable = false
    private var isEnabled = false

    init() {}

    /// Applies a set command; false if the monitor rejects it.
    mutating func apply(_ command: ProprietaryCommand) -> Bool {
        switch command {
        case .workoutType(let type): return apply(type)
        case .workoutIntervalCount(let index): return beginInterval(Int(index))
        case .intervalType(let type):
            intervalType = type
            return true
        case .workoutDuration(let type, let amount):
            goal = Self.goal(type, amount)
            return goal != nil
        case .restDuration(let seconds):
            restSeconds = Int(seconds)
            return seconds <= 595
        case .splitDuration(let type, let amount):
            hasZeroSplit = amount == 0
            split = amount == 0 ? nil : Self.goal(type, amount)
            return amount == 0 || split != nil
        case .targetPace(let centiseconds):
            targetPace = centiseconds
            return true
        case .configureWorkout(.enable): return enable()
        case .configureWorkout:
            self = ProgramDraft()
            return true
        default: return true
        }
    }

    private mutating func apply(_ type: WorkoutType) -> Bool {
        switch type {
        case .fixedWattMinutesWithSplits, .unrecognized: return false
        case .variableInterval, .variableIntervalUndefinedRest:
            self.type = type
            return isVariable
        default:
            self = ProgramDraft()
            self.type = type
            return true
        }
    }

    private mutating func beginInterval(_ index: Int) -> Bool {
        if index == 0 {
            self = ProgramDraft()
            isVariable = true
        }
        guard isVariable, index == intervals.count, index < 50 else { return false }
        goal = nil
        intervalType = nil
        restSeconds = 0
        targetPace = nil
        return true
    }

    /// Adds the definition so far to the workout, if it is valid.
    private mutating func enable() -> Bool {
        guard isVariable else {
            isEnabled = workout(enabled: true) != nil
            return isEnabled
        }
        guard let goal, let intervalType else { return false }
        var rest: WorkoutInterval.Rest = restSeconds > 0 ? .seconds(restSeconds) : .none
        let undefined: [IntervalType] = [
            .timeUndefinedRest, .distanceUndefinedRest, .caloriesUndefinedRest,
        ]
        if undefined.contains(intervalType) {
            guard rest == .none else { return false }
            rest = .undefined
        }
        let interval = WorkoutInterval(
            goal, rest: rest, targetPaceCentisecondsPer500m: targetPace)
        let program = WorkoutProgram(.intervals([interval.programmed]))
        guard interval.type == intervalType, Self.isValid(program) else { return false }
        intervals.append(interval)
        return true
    }

    /// The workout that a screen command arms; nil if the definition is incomplete.
    var workout: Workout? { workout(enabled: isEnabled) }

    private func workout(enabled: Bool) -> Workout? {
        guard let type else { return nil }
        if isVariable { return variable(type) }
        switch type {
        case .justRowWithoutSplits: return Workout(type, [WorkoutInterval(.none)])
        case .justRowWithSplits:
            return Workout(type, [WorkoutInterval(.none)], splitLength: split?.count ?? 500)
        default: return enabled ? planned(type) : nil
        }
    }

    /// Undefined rests have a separate type and a split of 0; anything else becomes a different
    /// workout than intended.
    private func variable(_ type: WorkoutType) -> Workout? {
        let isUndefined = intervals.contains { $0.rest == .undefined }
        guard !intervals.isEmpty, isUndefined == (type == .variableIntervalUndefinedRest),
            !isUndefined || hasZeroSplit
        else { return nil }
        return Workout(type, intervals)
    }

    private func planned(_ type: WorkoutType) -> Workout? {
        guard let goal, goal.durationType == type.durationType else { return nil }
        switch type {
        case .fixedTimeInterval, .fixedDistanceInterval, .fixedCalorieInterval:
            let program = WorkoutProgram(
                .repeating(goal.extent, restSeconds: UInt16(restSeconds)))
            let rest: WorkoutInterval.Rest = restSeconds > 0 ? .seconds(restSeconds) : .none
            let interval = WorkoutInterval(
                goal, rest: rest, targetPaceCentisecondsPer500m: targetPace)
            return Self.isValid(program) ? Workout(type, [interval]) : nil
        default:
            let program = WorkoutProgram(.single(goal.extent, split: split?.extent))
            return Self.isValid(program)
                ? Workout(
                    type, [WorkoutInterval(goal, targetPaceCentisecondsPer500m: targetPace)],
                    splitLength: split?.count) : nil
        }
    }

    /// The reason is not reported, because a monitor's reject does not contain one either.
    private static func isValid(_ program: WorkoutProgram) -> Bool {
        do throws(WorkoutProgramError) {
            try program.validate()
            return true
        } catch {
            return false
        }
    }

    private static func goal(_ type: DurationType, _ amount: UInt32) -> WorkoutGoal? {
        [.time, .distance, .calories].contains(type) ? WorkoutGoal(type, Int(amount)) : nil
    }
}

extension WorkoutGoal {
    fileprivate var extent: WorkoutProgram.Extent {
        switch durationType {
        case .time: .centiseconds(UInt32(count))
        case .calories: .calories(UInt32(count))
        // The CSAFE definition gives no limits for watt-minutes, so a draft never contains them.
        case .distance, .wattMinutes, .unrecognized: .meters(UInt32(count))
        }
    }
}

extension WorkoutInterval {
    fileprivate var programmed: WorkoutProgram.Interval {
        switch rest {
        case .none: .init(goal.extent, rest: .seconds(0))
        case .seconds(let seconds): .init(goal.extent, rest: .seconds(UInt16(seconds)))
        case .undefined: .init(goal.extent, rest: .undefined)
        }
    }
}

extension WorkoutType {
    /// The unit that durations of this type have.
    fileprivate var durationType: DurationType {
        switch self {
        case .fixedTimeWithoutSplits, .fixedTimeWithSplits, .fixedTimeInterval: .time
        case .fixedCaloriesWithSplits, .fixedCalorieInterval: .calories
        default: .distance
        }
    }
}
