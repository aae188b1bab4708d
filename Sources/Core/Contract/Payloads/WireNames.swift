import Bytes
import PM5Codec
import Rowing
import Timeline

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
        if workout.isSetByPhone { field("workout_set_by", "phone") }
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

/// Writes targets of a stroke, an interval or a piece, and their results. Writes nothing without a
/// target.
extension JSONWriter {
    /// Writes the limits of the target bands.
    mutating func bands(_ bands: TargetBands?) {
        guard let bands else { return }
        field("target_pace_min_s_per_500m", bands.pace?.low.map(Int64.init), places: 2)
        field("target_pace_max_s_per_500m", bands.pace?.high.map(Int64.init), places: 2)
        field("target_power_min_w", bands.watts?.low)
        field("target_power_max_w", bands.watts?.high)
        field("target_stroke_rate_min_spm", bands.rate?.low)
        field("target_stroke_rate_max_spm", bands.rate?.high)
        field("target_heart_rate_min_bpm", bands.heartRate?.low)
        field("target_heart_rate_max_bpm", bands.heartRate?.high)
    }

    /// Writes whether each value is below, in or above its band.
    mutating func targetPositions(_ check: TargetCheck?) {
        guard let check else { return }
        field("pace_vs_target", check.pace?.rawValue)
        field("power_vs_target", check.watts?.rawValue)
        field("stroke_rate_vs_target", check.rate?.rawValue)
        field("heart_rate_vs_target", check.heartRate?.rawValue)
    }

    /// Writes the number of comparable strokes, and the share of them that was in all bands.
    package mutating func tally(_ tally: TargetTally?) {
        guard let tally, let share = tally.thousandths else { return }
        field("target_strokes", tally.strokes)
        field("in_target_ratio", Int64(share), places: 3)
    }
}

/// Writes quantities with as many decimal places as the monitor's resolution. Finer values are rounded,
/// half away from zero.
extension JSONWriter {
    /// Two places: the monitor sends hundredths of a second.
    package mutating func seconds(_ name: StaticString, _ duration: Duration?) {
        field(name, duration.map { Self.rounded($0.wholeMilliseconds, to: 10) }, places: 2)
    }

    /// Whole milliseconds, for fields whose name ends in `_ms`.
    package mutating func milliseconds(_ name: StaticString, _ duration: Duration?) {
        field(name, duration?.wholeMilliseconds)
    }

    /// One place: the monitor's resolution of most distances. Drive length and stroke distance have
    /// hundredths.
    package mutating func meters(_ name: StaticString, _ distance: Meters?, places: Int = 1) {
        let divisor: Int64 = places == 2 ? 10 : 100
        field(name, distance.map { Self.rounded($0.millimeters, to: divisor) }, places: places)
    }

    /// Two places: the finest pace of the monitor.
    package mutating func pace(_ name: StaticString, _ pace: Pace?) {
        field(name, pace.map { Self.rounded($0.millisecondsPer500m, to: 10) }, places: 2)
    }

    /// One place: the monitor's step of 0.1 lbf is 0.44 N.
    package mutating func newtons(_ name: StaticString, _ force: Newtons?) {
        field(name, force.map(Self.decinewtons), places: 1)
    }

    /// The force in 0.1 N, half rounded away from zero.
    package static func decinewtons(_ force: Newtons) -> Int64 {
        rounded(force.millinewtons, to: 100)
    }

    /// `value / divisor`, half rounded away from zero.
    private static func rounded(_ value: Int64, to divisor: Int64) -> Int64 {
        let half = value < 0 ? -divisor / 2 : divisor / 2
        return (value + half) / divisor
    }
}

extension TimeStamp {
    /// - Parameter boot: boot time to write even if the clock is synchronised.
    package func write(into json: inout JSONWriter, boot: BootTime? = nil) {
        let boot = boot ?? unsynchronized
        json.field("ts_ms", unixMilliseconds)
        json.field("time", CivilTime(unixMilliseconds: unixMilliseconds).rfc3339)
        json.field("clock", unsynchronized == nil ? "synced" : "unsynced")
        json.field("boot_id", boot?.bootID)
        json.field("boot_ms", boot?.bootMilliseconds)
    }
}
