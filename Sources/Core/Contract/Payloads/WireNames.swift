import Bytes
import PM5Codec
import Rowing

// Wire names of the monitor's enumerations. An unknown value of newer firmware keeps its number
// (`unrecognized_13`).

extension WorkoutType {
    package var wireName: String {
        switch self {
        case .justRowWithoutSplits: "just_row_without_splits"
        case .justRowWithSplits: "just_row_with_splits"
        case .fixedDistanceWithoutSplits: "fixed_distance_without_splits"
        case .fixedDistanceWithSplits: "fixed_distance_with_splits"
        case .fixedTimeWithoutSplits: "fixed_time_without_splits"
        case .fixedTimeWithSplits: "fixed_time_with_splits"
        case .fixedTimeInterval: "fixed_time_interval"
        case .fixedDistanceInterval: "fixed_distance_interval"
        case .variableInterval: "variable_interval"
        case .variableIntervalUndefinedRest: "variable_interval_undefined_rest"
        case .fixedCaloriesWithSplits: "fixed_calories_with_splits"
        case .fixedWattMinutesWithSplits: "fixed_watt_minutes_with_splits"
        case .fixedCalorieInterval: "fixed_calorie_interval"
        case .unrecognized(let number): "unrecognized_\(number)"
        }
    }

    /// Coarse class of the workout, for grouping.
    var sessionType: String {
        switch self {
        case .justRowWithoutSplits, .justRowWithSplits: "just_row"
        case .fixedDistanceWithoutSplits, .fixedDistanceWithSplits: "distance"
        case .fixedTimeWithoutSplits, .fixedTimeWithSplits: "time"
        case .fixedCaloriesWithSplits: "calories"
        case .fixedWattMinutesWithSplits: "watt_minutes"
        case .fixedTimeInterval, .fixedDistanceInterval, .fixedCalorieInterval, .variableInterval,
            .variableIntervalUndefinedRest:
            "intervals"
        case .unrecognized: "unrecognized"
        }
    }
}

extension IntervalType {
    package var wireName: String {
        switch self {
        case .time: "time"
        case .distance: "distance"
        case .rest: "rest"
        case .timeUndefinedRest: "time_undefined_rest"
        case .distanceUndefinedRest: "distance_undefined_rest"
        case .undefinedRest: "undefined_rest"
        case .calories: "calories"
        case .caloriesUndefinedRest: "calories_undefined_rest"
        case .wattMinutes: "watt_minutes"
        case .wattMinutesUndefinedRest: "watt_minutes_undefined_rest"
        case .none: "none"
        case .unrecognized(let number): "unrecognized_\(number)"
        }
    }
}

extension StrokeState {
    /// Rowing term of the phase; nil while the flywheel does not turn.
    package var wireName: String? {
        switch self {
        case .waitingForAcceleration: "catch"
        case .driving: "drive"
        case .dwellingAfterDrive: "finish"
        case .recovery: "recovery"
        case .waitingForMinimumSpeed, .unrecognized: nil
        }
    }
}

extension ErgMachineType {
    package var wireName: String {
        switch self {
        case .modelA: "model_a"
        case .modelB: "model_b"
        case .modelC: "model_c"
        case .modelD: "model_d"
        case .modelE: "model_e"
        case .rowerSimulator: "rower_simulator"
        case .dynamic: "dynamic"
        case .modelAOnSlides: "model_a_on_slides"
        case .modelBOnSlides: "model_b_on_slides"
        case .modelCOnSlides: "model_c_on_slides"
        case .modelDOnSlides: "model_d_on_slides"
        case .modelEOnSlides: "model_e_on_slides"
        case .dynamicOnSlides: "dynamic_on_slides"
        case .dynamometer: "dynamometer"
        case .skiErg: "ski_erg"
        case .skiSimulator: "ski_simulator"
        case .bikeWithoutArms, .bikeWithoutArmsSecondCode: "bike_without_arms"
        case .bikeWithArms: "bike_with_arms"
        case .bikeSimulator: "bike_simulator"
        case .multiErgRow: "multi_erg_row"
        case .multiErgSki: "multi_erg_ski"
        case .multiErgBike: "multi_erg_bike"
        case .unrecognized(let number): "unrecognized_\(number)"
        }
    }
}

extension JSONWriter {
    /// Writes `session_type`, `workout`, the goal of the workout, and for equal intervals their number
    /// and rest.
    package mutating func workout(_ workout: Workout) {
        field("session_type", workout.type.sessionType)
        field("workout", workout.publishedType.wireName)
        switch workout.target {
        case .none: break
        case .distance(let distance): meters("target_distance_m", distance)
        case .time(let time): seconds("target_time_s", time)
        case .calories(let count): field("target_calories_kcal", count)
        case .wattMinutes(let count): field("target_work_w_min", count)
        }
        guard let repetition = workout.repetition else { return }
        field("interval_count", repetition.count)
        if case .seconds(let rest) = repetition.rest { field("interval_rest_s", Int(rest)) }
    }

    /// Writes the current interval; during a rest the previous one.
    mutating func interval(_ interval: IntervalProgress?) {
        guard let interval else { return }
        field("interval", interval.number)
        seconds("interval_elapsed_s", interval.elapsed)
        meters("interval_distance_m", interval.distance)
        pace("interval_avg_pace_s_per_500m", interval.averagePace)
    }
}
