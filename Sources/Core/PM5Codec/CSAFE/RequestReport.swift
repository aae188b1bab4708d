import Bytes

// The commands of a request frame under published names, for printing and for tests. The names are those of
// Concept2's CSAFE definition rev 0.25 in snake case, without `CSAFE` and `CMD`.

extension Command {
    /// `id` and `command` (its name or `unknown`), then its arguments; for a wrapper `commands`.
    package var fields: [Field] {
        switch self {
        case .reset: Self.named("reset", 0x81)
        case .goIdle: Self.named("go_idle", 0x82)
        case .goHaveID: Self.named("go_have_id", 0x83)
        case .goInUse: Self.named("go_in_use", 0x85)
        case .goFinished: Self.named("go_finished", 0x86)
        case .goReady: Self.named("go_ready", 0x87)
        case .badID: Self.named("bad_id", 0x88)
        case .autoUpload(let configuration):
            Self.named("auto_upload", 0x01, Field("configuration", configuration))
        case .idDigits(let count): Self.named("id_digits", 0x10, Field("digits", count))
        case .setTime(let hour, let minute, let second):
            Self.named(
                "set_time", 0x11, Field("hour", hour), Field("minute", minute),
                Field("second", second))
        case .setDate(let year, let month, let day):
            Self.named(
                "set_date", 0x12, Field("year", 1900 + Int(year)), Field("month", month),
                Field("day", day))
        case .setTimeout(let seconds):
            Self.named("set_timeout", 0x13, Field("timeout_s", seconds))
        case .setWorkTime(let hours, let minutes, let seconds):
            Self.named(
                "set_work_time", 0x20, Field("hours", hours), Field("minutes", minutes),
                Field("seconds", seconds))
        case .setHorizontal(let value, let unit):
            Self.named("set_horizontal", 0x21, Field("distance", value), Field("unit", unit))
        case .setCalories(let calories):
            Self.named("set_calories", 0x23, Field("calories_kcal", calories))
        case .setProgram(let number):
            Self.named("set_program", 0x24, Field("workout_number", number))
        case .setPower(let value, let unit):
            Self.named("set_power", 0x34, Field("power", value), Field("unit", unit))
        case .wrapped(let wrapper, let commands):
            Self.named(
                wrapper.name, wrapper.rawValue,
                Field(
                    "commands",
                    .list(commands.map { .object($0.fields(order: wrapper.byteOrder)) })))
        case .other(let id, let data): Self.request(id, data)
        }
    }

    private static func named(_ name: String, _ id: UInt8, _ arguments: Field...) -> [Field] {
        [Field("id", id), Field("command", .text(name))] + arguments
    }

    /// Fields of a public query; all but one have no data.
    private static func request(_ id: UInt8, _ data: [UInt8]) -> [Field] {
        if id == 0x70, data.count == 1 {
            return named("get_caps", id, Field("capability_code", data[0]))
        }
        return RequestName.fields(RequestName.ofPublicQuery[id], id, data)
    }
}

extension ProprietaryCommand {
    /// As for `Command`.
    ///
    /// - Parameter order: the byte order of the wrapper.
    func fields(order: ByteOrder) -> [Field] {
        if case .other(let id, let data) = self { return Self.request(id, data, order) }
        let name = RequestName.ofProprietaryCommand[id] ?? RequestName.unknown
        return [Field("id", id), Field("command", .text(name))] + arguments
    }

    private var arguments: [Field] {
        switch self {
        case .workoutType(let type): [Field("workout_type", type)]
        // In the unit of the type.
        case .workoutDuration(let type, let amount), .splitDuration(let type, let amount):
            [Field("duration_type", type), Field("duration", amount)]
        case .restDuration(let seconds): [Field("rest_s", seconds)]
        case .targetPace(let pace): [Field("pace_s_per_500m", pace, decimals: 2)]
        case .screenState(let type, let value):
            [Field("screen_type", type), Field("screen_value", value)]
        case .configureWorkout(let mode): [Field("programming_mode", mode)]
        case .targetAveragePower(let watts): [Field("power_w", watts)]
        case .targetCalories(let perHour): [Field("calories_kcal_per_h", perHour)]
        case .intervalType(let type): [Field("interval_type", type)]
        case .workoutIntervalCount(let index): [Field("interval_index", index)]
        case .displayUpdateRate(let rate): [Field("rate", rate)]
        case .dateTime(let clock): clock.arguments
        case .languageType(let language): [Field("language", language)]
        case .screenErrorMode(let mode): [Field("mode", mode)]
        case .heartRateMonitor(let sensor, let number):
            sensor.arguments + [Field("sensor_number", number)]
        case .heartRateBelt(let user, let sensor, let number):
            [Field("user", user)] + sensor.arguments + [Field("sensor_number", number)]
        case .gameParameters(let game): game.arguments
        case .extendedHeartRateBelt(let unused, let sensor, let number):
            [Field("unused", unused)] + sensor.arguments + [Field("sensor_number", number)]
        case .extendedHeartRateMonitor(let sensor, let number):
            sensor.arguments + [Field("sensor_number", number)]
        case .backlight(let state, let percent):
            [Field("state", state), Field("brightness_pct", percent)]
        case .raceControl(let race): race.arguments
        case .other: []
        }
    }

    /// Fields of a query; most have no data.
    private static func request(_ id: UInt8, _ data: [UInt8], _ order: ByteOrder) -> [Field] {
        let name = RequestName.ofProprietaryQuery[id] ?? RequestName.ofProprietaryCommand[id]
        var arguments: [Field]?
        switch (id, data.count) {
        case (0x56, 1), (0x57, 1): arguments = [Field("user", data[0])]
        case (0x58, 2): arguments = [Field("structure", data[0]), Field("split", data[1])]
        case (0x6A, 5):
            let address = try? data.withReader { reader throws(DecodeError) in
                try reader.uint32(order)
            }
            arguments = address.map { [Field("address", $0), Field("byte_count", data[4])] }
        case (0x6B, 1), (0x6C, 1): arguments = [Field("byte_count", data[0])]
        case (0x6D, 1), (0x6E, 1), (0x72, 1), (0x78, 1): arguments = [Field("unused", data[0])]
        default: break
        }
        guard let name, let arguments else { return RequestName.fields(name, id, data) }
        return [Field("id", id), Field("command", .text(name))] + arguments
    }
}

/// Names by ID byte.
package enum RequestName {
    static let unknown = "unknown"

    /// `data` is included if it is not decoded.
    static func fields(_ name: String?, _ id: UInt8, _ data: [UInt8]) -> [Field] {
        [Field("id", id), Field("command", .text(name ?? unknown))]
            + (data.isEmpty ? [] : [Field("data", .hex(data))])
    }

    package static let ofPublicQuery: [UInt8: String] = [
        0x70: "get_caps", 0x80: "get_status", 0x91: "get_version", 0x92: "get_id",
        0x93: "get_units", 0x94: "get_serial", 0x9B: "get_odometer", 0x9C: "get_error_code",
        0xA0: "get_twork", 0xA1: "get_horizontal", 0xA3: "get_calories", 0xA4: "get_program",
        0xA6: "get_pace", 0xA7: "get_cadence", 0xAB: "get_user_info", 0xB0: "get_hr_cur",
        0xB4: "get_power",
    ]

    /// Names of both query wrappers; no ID is in both.
    package static let ofProprietaryQuery: [UInt8: String] = [
        0x56: "get_hr_belt_info", 0x57: "get_ext_hr_belt_info", 0x58: "get_current_log_structure",
        0x80: "get_fw_version", 0x81: "get_hw_version", 0x82: "get_hw_address",
        0x84: "get_hrm", 0x85: "get_datetime", 0x86: "get_screen_state_status",
        0x89: "get_workout_type", 0x8A: "get_display_type", 0x8B: "get_display_units",
        0x8D: "get_workout_state", 0x8E: "get_interval_type", 0x8F: "get_operational_state",
        0x92: "get_power_up_state", 0x93: "get_rowing_state", 0x97: "get_battery_level_percent",
        0x99: "get_internal_log_params", 0x9A: "get_product_configuration",
        0x9F: "get_workout_interval_count", 0xE8: "get_workout_duration", 0xE9: "get_work_other",
        0xEA: "get_extended_hrm", 0xEC: "get_flywheel_speed", 0xED: "get_erg_machine_type",
        0xEF: "get_firmware_update_status",
        0x6A: "get_internal_log_memory", 0x6B: "get_force_plot_data",
        0x6C: "get_heartbeat_data", 0x6D: "get_ui_events", 0x6E: "get_stroke_stats",
        0x72: "get_current_workout_hash", 0x78: "get_game_score",
        0xA0: "get_work_time", 0xA1: "get_projected_work_time", 0xA2: "get_total_rest_time",
        0xA3: "get_work_distance", 0xA4: "get_total_work_distance",
        0xA5: "get_projected_work_distance", 0xA6: "get_rest_distance",
        0xA7: "get_total_rest_distance", 0xA8: "get_stroke_500m_pace", 0xA9: "get_stroke_power",
        0xAA: "get_stroke_caloric_burn_rate", 0xAB: "get_split_avg_500m_pace",
        0xAC: "get_split_avg_power", 0xAD: "get_split_avg_caloric_burn_rate",
        0xAE: "get_split_avg_calories", 0xAF: "get_total_avg_500m_pace",
        0xB0: "get_total_avg_power", 0xB1: "get_total_avg_caloric_burn_rate",
        0xB2: "get_total_avg_calories", 0xB3: "get_stroke_rate",
        0xB4: "get_split_avg_stroke_rate", 0xB5: "get_total_avg_stroke_rate",
        0xB6: "get_avg_heart_rate", 0xB7: "get_ending_avg_heart_rate",
        0xB8: "get_rest_avg_heart_rate", 0xB9: "get_split_time", 0xBA: "get_last_split_time",
        0xBB: "get_split_distance", 0xBC: "get_last_split_distance",
        0xBD: "get_last_rest_distance", 0xBE: "get_target_pace_time", 0xBF: "get_stroke_state",
        0xC0: "get_stroke_rate_state", 0xC1: "get_drag_factor", 0xC3: "get_heart_rate_state",
        0xC8: "get_error_type", 0xC9: "get_error_value", 0xCA: "get_status_type",
        0xCB: "get_status_value", 0xCF: "get_rest_time",
    ]

    package static let ofProprietaryCommand: [UInt8: String] = [
        0x01: "set_workout_type", 0x03: "set_workout_duration", 0x04: "set_rest_duration",
        0x05: "set_split_duration", 0x06: "set_target_pace_time", 0x13: "set_screen_state",
        0x14: "configure_workout", 0x15: "set_target_avg_watts",
        0x16: "set_target_cals_per_hr", 0x17: "set_interval_type",
        0x18: "set_workout_interval_count", 0x19: "set_display_update_rate",
        0x22: "set_datetime", 0x23: "set_language_type", 0x27: "set_screen_error_mode",
        0x2B: "set_hrm", 0x2D: "set_hr_belt_info", 0x38: "set_game_params",
        0x39: "set_ext_hr_belt_info", 0x3A: "set_ext_hrm", 0x3B: "set_led_backlight",
        0x3E: "set_race_control_params",
    ]
}

extension Wrapper {
    fileprivate var name: String {
        switch self {
        case .userConfiguration: "set_user_cfg1"
        case .setConfiguration: "set_pm_cfg"
        case .setData: "set_pm_data"
        case .getConfiguration: "get_pm_cfg"
        case .getData: "get_pm_data"
        }
    }
}

extension MonitorClock {
    fileprivate var arguments: [Field] {
        [
            Field("year", year), Field("month", month), Field("day", day), Field("hour", hour),
            Field("minute", minute),
        ]
    }
}

extension HeartRateSensor {
    fileprivate var arguments: [Field] {
        [Field("manufacturer", manufacturer), Field("device_type", deviceType)]
    }
}

extension GameParameters {
    fileprivate var arguments: [Field] {
        [
            Field("game", game), Field("duration", duration), Field("split", split),
            Field("pace_s_per_500m", targetPaceCentisecondsPer500m, decimals: 2),
            Field("power_w", targetPowerWatts), Field("calories_kcal_per_h", targetCaloriesPerHour),
            Field("stroke_rate_spm", targetStrokeRatePerMinute),
        ]
    }
}

extension RaceControlParameters {
    fileprivate var arguments: [Field] {
        [
            Field("rest_to_work_transition_s", restToWorkTransitionSeconds),
            Field("undefined_rest_interval_s", undefinedRestIntervalSeconds),
            Field("prompt_s", promptSeconds), Field("time_cap_s", timeCapSeconds),
        ]
    }
}
