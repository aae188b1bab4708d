import PM5Codec
import Testing

/// The position of each field in a payload, from the layout tables of the definitions: name, first byte,
/// width, decimals. Typed from the documents, not from the decoders.
private struct Layout: Sendable, CustomTestStringConvertible {
    struct Place: Sendable {
        let name: String
        let offset: Int
        let width: Int
        var decimals = 0
    }

    let id: CharacteristicID
    let carrier: Carrier
    let length: Int
    let places: [Place]

    init(
        _ id: CharacteristicID, _ carrier: Carrier, _ length: Int,
        _ places: [(String, Int, Int, Int)]
    ) {
        self.id = id
        self.carrier = carrier
        self.length = length
        self.places = places.map { Place(name: $0, offset: $1, width: $2, decimals: $3) }
    }

    var testDescription: String { "\(id) \(carrier)" }

    func fields(_ payload: [UInt8]) throws -> [Field] {
        let isDedicated = carrier == .dedicated
        let bytes = isDedicated ? payload : [UInt8(truncatingIfNeeded: id.rawValue)] + payload
        return try decode(isDedicated ? id : .multiplexed, bytes).get().value.payload.fields
    }
}

private let common: [(String, Int, Int, Int)] = [
    ("elapsed_time_s", 0, 3, 2), ("speed_m_per_s", 3, 2, 3), ("stroke_rate_spm", 5, 1, 0),
    ("heart_rate_raw", 6, 1, 0), ("current_pace_s_per_500m", 7, 2, 2),
    ("average_pace_s_per_500m", 9, 2, 2), ("rest_distance_m", 11, 2, 0), ("rest_time_s", 13, 3, 2),
]

private let stroke: [(String, Int, Int, Int)] = [
    ("elapsed_time_s", 0, 3, 2), ("distance_m", 3, 3, 1), ("drive_length_m", 6, 1, 2),
    ("drive_time_s", 7, 1, 2), ("recovery_time_s", 8, 2, 2), ("stroke_distance_m", 10, 2, 2),
    ("peak_drive_force_lbf", 12, 2, 1), ("average_drive_force_lbf", 14, 2, 1),
]

private let power: [(String, Int, Int, Int)] = [
    ("elapsed_time_s", 0, 3, 2), ("stroke_power_w", 3, 2, 0), ("stroke_calories_raw", 5, 2, 0),
    ("stroke_count", 7, 2, 0), ("projected_work_time_s", 9, 3, 0),
    ("projected_work_distance_m", 12, 3, 0),
]

private let split: [(String, Int, Int, Int)] = [
    ("elapsed_time_s", 0, 3, 2), ("split_avg_stroke_rate_spm", 3, 1, 0),
    ("split_work_heart_rate_raw", 4, 1, 0), ("split_rest_heart_rate_raw", 5, 1, 0),
    ("split_avg_pace_s_per_500m", 6, 2, 1), ("split_total_calories_kcal", 8, 2, 0),
    ("split_avg_calories_per_h", 10, 2, 0), ("split_speed_m_per_s", 12, 2, 3),
    ("split_power_w", 14, 2, 0), ("split_avg_drag_factor", 16, 1, 0), ("split_number", 17, 1, 0),
]

private let result: [(String, Int, Int, Int)] = [
    ("log_date_raw", 0, 2, 0), ("log_time_raw", 2, 2, 0), ("elapsed_time_s", 4, 3, 2),
    ("distance_m", 7, 3, 1), ("avg_stroke_rate_spm", 10, 1, 0),
    ("ending_heart_rate_raw", 11, 1, 0), ("average_heart_rate_raw", 12, 1, 0),
    ("min_heart_rate_raw", 13, 1, 0), ("max_heart_rate_raw", 14, 1, 0),
    ("avg_drag_factor", 15, 1, 0), ("recovery_heart_rate_raw", 16, 1, 0),
    ("workout_type", 17, 1, 0),
]

/// Concept2 BLE definition rev 1.30, tables of 0x0031 to 0x003C and of 0x0080; CSAFE definition rev 0.25
/// for 0x003E to 0x0041. Decimals of offset 14 in 0x0033 as recorded.
private let layouts: [Layout] =
    Carrier.allCases.map { carrier in
        Layout(
            .generalStatus, carrier, 19,
            [
                ("elapsed_time_s", 0, 3, 2), ("distance_m", 3, 3, 1), ("workout_type", 6, 1, 0),
                ("interval_type", 7, 1, 0), ("workout_state", 8, 1, 0),
                ("rowing_state", 9, 1, 0), ("stroke_state", 10, 1, 0),
                ("total_work_distance_m", 11, 3, 0), ("workout_duration_raw", 14, 3, 0),
                ("workout_duration_type", 17, 1, 0), ("drag_factor", 18, 1, 0),
            ])
    } + [
        Layout(.additionalStatus1, .dedicated, 16, common),
        Layout(.additionalStatus1, .dedicated, 17, common + [("erg_machine_type", 16, 1, 0)]),
        Layout(.additionalStatus1, .multiplexed, 18, common + [("average_power_w", 16, 2, 0)]),
        Layout(
            .additionalStatus1, .multiplexed, 19,
            common + [("average_power_w", 16, 2, 0), ("erg_machine_type", 18, 1, 0)]),
        Layout(
            .additionalStatus2, .dedicated, 20,
            [
                ("elapsed_time_s", 0, 3, 2), ("interval_count", 3, 1, 0),
                ("average_power_w", 4, 2, 0), ("total_calories_kcal", 6, 2, 0),
                ("split_avg_pace_s_per_500m", 8, 2, 2), ("split_avg_power_w", 10, 2, 0),
                ("split_avg_calories_raw", 12, 2, 0), ("last_split_time_s", 14, 3, 2),
                ("last_split_time_raw", 14, 3, 0), ("last_split_distance_m", 17, 3, 0),
            ]),
        Layout(
            .additionalStatus2, .multiplexed, 18,
            [
                ("elapsed_time_s", 0, 3, 2), ("interval_count", 3, 1, 0),
                ("total_calories_kcal", 4, 2, 0), ("split_avg_pace_s_per_500m", 6, 2, 2),
                ("split_avg_power_w", 8, 2, 0), ("split_avg_calories_raw", 10, 2, 0),
                ("last_split_time_s", 12, 3, 2), ("last_split_time_raw", 12, 3, 0),
                ("last_split_distance_m", 15, 3, 0),
            ]),
        Layout(
            .strokeData, .dedicated, 20,
            stroke + [("work_per_stroke_j", 16, 2, 1), ("stroke_count", 18, 2, 0)]),
        Layout(.strokeData, .multiplexed, 18, stroke + [("stroke_count", 16, 2, 0)]),
        Layout(.additionalStrokeData, .dedicated, 15, power),
        Layout(
            .additionalStrokeData, .multiplexed, 17, power + [("work_per_stroke_j", 15, 2, 1)]),
        Layout(
            .workoutSummary, .dedicated, 20, result + [("avg_pace_s_per_500m", 18, 2, 1)]),
        Layout(.workoutSummary, .multiplexed, 18, result),
        Layout(
            .additionalWorkoutSummary, .dedicated, 19,
            [
                ("log_date_raw", 0, 2, 0), ("log_time_raw", 2, 2, 0), ("split_type", 4, 1, 0),
                ("split_size_raw", 5, 2, 0), ("split_count", 7, 1, 0),
                ("total_calories_kcal", 8, 2, 0), ("average_power_w", 10, 2, 0),
                ("total_rest_distance_m", 12, 3, 0), ("interval_rest_time_s", 15, 2, 0),
                ("avg_calories_per_h", 17, 2, 0),
            ]),
        Layout(
            .additionalWorkoutSummary, .multiplexed, 18,
            [
                ("log_date_raw", 0, 2, 0), ("log_time_raw", 2, 2, 0),
                ("split_size_raw", 4, 2, 0), ("split_count", 6, 1, 0),
                ("total_calories_kcal", 7, 2, 0), ("average_power_w", 9, 2, 0),
                ("total_rest_distance_m", 11, 3, 0), ("interval_rest_time_s", 14, 2, 0),
                ("avg_calories_per_h", 16, 2, 0),
            ]),
        Layout(
            .heartRateInput, .dedicated, 20,
            [
                ("source", 0, 1, 0), ("energy_expended_kj", 1, 2, 0), ("rr_interval_raw", 3, 2, 0),
                ("heart_rate_raw", 5, 2, 0), ("flags", 7, 1, 0),
                ("ant_measurement_time_raw", 8, 2, 0), ("ant_beat_count", 10, 1, 0),
                ("ant_heart_rate_raw", 11, 1, 0),
            ]),
    ]
    + Carrier.allCases.flatMap { carrier in
        [
            Layout(
                .splitData, carrier, 18,
                [
                    ("elapsed_time_s", 0, 3, 2), ("distance_m", 3, 3, 1), ("split_time_s", 6, 3, 1),
                    ("split_distance_m", 9, 3, 0), ("rest_time_s", 12, 2, 0),
                    ("rest_distance_m", 14, 2, 0), ("split_type", 16, 1, 0),
                    ("split_number", 17, 1, 0),
                ]),
            Layout(.additionalSplitData, carrier, 18, split),
            Layout(.additionalSplitData, carrier, 19, split + [("erg_machine_type", 18, 1, 0)]),
            Layout(
                .heartRateBelt, carrier, 6,
                [("manufacturer_id", 0, 1, 0), ("device_type", 1, 1, 0), ("belt_id", 2, 4, 0)]),
            Layout(
                .workoutSummary2, carrier, 10,
                [
                    ("log_date_raw", 0, 2, 0), ("log_time_raw", 2, 2, 0),
                    ("avg_pace_s_per_500m", 4, 2, 1), ("game_id_raw", 6, 1, 0),
                    ("game_score_raw", 7, 2, 0), ("erg_machine_type", 9, 1, 0),
                ]),
            Layout(
                .additionalStatus3, carrier, 12,
                [
                    ("operational_state", 0, 1, 0), ("workout_verification_state", 1, 1, 0),
                    ("screen_number", 2, 2, 0), ("last_error", 4, 2, 0),
                    ("calibration_mode", 6, 1, 0), ("calibration_state", 7, 1, 0),
                    ("calibration_status", 8, 1, 0), ("game_id", 9, 1, 0), ("game_score", 10, 2, 0),
                ]),
            Layout(
                .loggedWorkout, carrier, 15,
                [
                    ("internal_log_address", 8, 4, 0), ("log_size_bytes", 12, 2, 0),
                    ("erg_machine_type", 14, 1, 0),
                ]),
        ]
    }

/// Fields that show another field in a different form.
private let derived: Set = ["heart_rate_bpm", "log_date", "log_time", "workout_hash_hex"]

@Suite struct PayloadLayoutTests {
    @Test(arguments: layouts)
    fileprivate func assignsEachByteToItsField(_ layout: Layout) throws {
        // Sets one byte of a value, all others 0. Only the field of that byte may change, by the weight of
        // the byte, least significant first.
        for index in 0..<layout.length {
            var payload = [UInt8](repeating: 0, count: layout.length)
            payload[index] = 0x5A
            for field in try layout.fields(payload) where !derived.contains(field.name) {
                let place = try #require(
                    layout.places.first { $0.name == field.name },
                    "\(field.name) has no place in the table")
                let isHere = (place.offset..<place.offset + place.width).contains(index)
                let weight = isHere ? Int64(0x5A) << (8 * Int64(index - place.offset)) : 0
                #expect(
                    field.value == .number(weight, decimals: place.decimals),
                    "\(layout.id) \(layout.carrier), byte \(index), \(field.name)")
            }
        }
    }

    @Test(arguments: layouts)
    fileprivate func printsEveryField(_ layout: Layout) throws {
        // Compares the names of the table with the printed names.
        let printed = try layout.fields([UInt8](repeating: 0, count: layout.length)).map(\.name)
        #expect(Set(layout.places.map(\.name)) == Set(printed).subtracting(derived))
        #expect(Set(printed).count == printed.count)
    }

    @Test func printsHashInProtocolOrder() throws {
        // Eight different bytes.
        let layout = Layout(.loggedWorkout, .dedicated, 15, [])
        let fields = try layout.fields([1, 2, 3, 4, 5, 6, 7, 8] + [UInt8](repeating: 0, count: 7))
        #expect(fields.first?.value == .text("0102030405060708"))
    }
}
