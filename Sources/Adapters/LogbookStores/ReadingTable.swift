import Contract

/// The table columns for the fields of a kind of record; they have the same names.
///
/// Records of kind `session`, `summary` and `manifest` share one row of `session`, in any order. Records of
/// other kinds have their own rows. A new field of the contract needs a line here and a column in a
/// migration; until then, only the record contains it.
struct ReadingTable: Sendable {
    /// Name in the database.
    let name: String
    let columns: [ReadingColumn]

    init(_ name: String, _ columns: [ReadingColumn]) {
        self.name = name
        self.columns = columns
    }

    /// The fields that have a column.
    var storedColumns: [ReadingColumn] {
        columns.filter { if case .recordOnly = $0.kind { false } else { true } }
    }

    static func of(_ kind: StreamKind) -> ReadingTable {
        switch kind {
        case .gatewayEvent: event
        case .session: sessionEdge
        case .stroke: stroke
        case .force: force
        case .split: split
        case .summary: summary
        case .gap: gap
        case .manifest: manifest
        case .alert: alert
        case .rollup: rollup
        case .roomRollup: roomRollup
        case .crewRollup: crewRollup
        }
    }

    private static let sessionID = ReadingColumn("session_id", .ulid, isRequired: true)
    private static let athlete = ReadingColumn("athlete_id", .athlete)

    private static let workout = [
        ReadingColumn("session_type", .enumValue), ReadingColumn("workout", .enumValue),
        ReadingColumn("target_distance_m", .decimal), ReadingColumn("target_time_s", .decimal),
        ReadingColumn("target_calories_kcal", .whole), ReadingColumn("target_work_w_min", .whole),
        ReadingColumn("workout_set_by", .recordOnly),
        ReadingColumn("interval_count", .recordOnly), ReadingColumn("interval_rest_s", .recordOnly),
    ]

    private static let machine = ReadingColumn("machine_type", .enumValue)

    private static let bands = [
        ReadingColumn("target_pace_min_s_per_500m", .decimal),
        ReadingColumn("target_pace_max_s_per_500m", .decimal),
        ReadingColumn("target_power_min_w", .whole), ReadingColumn("target_power_max_w", .whole),
        ReadingColumn("target_stroke_rate_min_spm", .whole),
        ReadingColumn("target_stroke_rate_max_spm", .whole),
        ReadingColumn("target_heart_rate_min_bpm", .whole),
        ReadingColumn("target_heart_rate_max_bpm", .whole),
    ]
    private static let againstTarget = [
        ReadingColumn("pace_vs_target", .enumValue), ReadingColumn("power_vs_target", .enumValue),
        ReadingColumn("stroke_rate_vs_target", .enumValue), ReadingColumn("heart_rate_vs_target", .enumValue),
    ]
    private static let inTarget = [
        ReadingColumn("target_strokes", .whole), ReadingColumn("in_target_ratio", .decimal),
    ]

    private static let sessionEdge = ReadingTable(
        "session",
        [
            sessionID, athlete, ReadingColumn("event", .enumValue, isRequired: true),
            ReadingColumn("started_ms", .signed),
        ] + workout + [machine])

    private static let summary = ReadingTable(
        "session",
        [
            sessionID, athlete, ReadingColumn("revision", .whole, isRequired: true),
            ReadingColumn("started_ms", .signed), ReadingColumn("ended_ms", .signed),
            ReadingColumn("result_time_s", .decimal, substitute: "received_time_s"),
            ReadingColumn("distance_m", .decimal, substitute: "received_distance_m"),
            ReadingColumn("avg_pace_s_per_500m", .decimal), ReadingColumn("avg_power_w", .whole),
            ReadingColumn("max_power_w", .whole), ReadingColumn("avg_stroke_rate_spm", .whole),
            ReadingColumn("avg_heart_rate_bpm", .whole),
            ReadingColumn("min_heart_rate_bpm", .whole),
            ReadingColumn("max_heart_rate_bpm", .whole),
            ReadingColumn("ending_heart_rate_bpm", .whole),
            ReadingColumn("recovery_heart_rate_bpm", .whole),
            ReadingColumn("drag_factor_avg", .whole), ReadingColumn("calories_kcal", .whole),
            ReadingColumn("strokes", .whole), ReadingColumn("splits", .whole),
            ReadingColumn("strokes_received_ratio", .recordOnly),
            ReadingColumn("partial_result", .recordOnly),
            ReadingColumn("received_time_s", .recordOnly), ReadingColumn("received_distance_m", .recordOnly),
            ReadingColumn("complete", .flag), ReadingColumn("pm5_serial", .freeText),
            ReadingColumn("pm5_log_date", .freeText), ReadingColumn("pm5_log_address", .recordOnly),
            ReadingColumn("pm5_workout_hash", .recordOnly), ReadingColumn("verified_against_pm5", .flag),
        ] + workout + [machine] + inTarget)

    private static let manifest = ReadingTable(
        "session",
        [
            sessionID, ReadingColumn("stroke_first_seq", .whole),
            ReadingColumn("stroke_last_seq", .whole),
            ReadingColumn("stroke_count", .whole, isRequired: true),
            ReadingColumn("stroke_sha256", .enumValue, isRequired: true),
            ReadingColumn("force_count", .whole, isRequired: true),
            ReadingColumn("split_count", .whole, isRequired: true),
            ReadingColumn("gap_count", .whole, isRequired: true),
            ReadingColumn("pm5_strokes", .whole),
        ])

    private static let stroke = ReadingTable(
        "stroke",
        [
            sessionID, athlete, ReadingColumn("stroke", .whole, isRequired: true),
            ReadingColumn("elapsed_s", .decimal), ReadingColumn("distance_m", .decimal),
            ReadingColumn("stroke_rate_spm", .whole), ReadingColumn("power_w", .whole),
            ReadingColumn("pace_s_per_500m", .decimal), ReadingColumn("heart_rate_bpm", .whole),
            ReadingColumn("drive_length_m", .decimal), ReadingColumn("drive_time_s", .decimal),
            ReadingColumn("recovery_time_s", .decimal),
            ReadingColumn("stroke_distance_m", .decimal), ReadingColumn("peak_force_n", .decimal),
            ReadingColumn("avg_force_n", .decimal), ReadingColumn("work_j", .decimal),
            ReadingColumn("calories_kcal", .whole), ReadingColumn("interval", .whole),
            ReadingColumn("projected_time_s", .decimal),
            ReadingColumn("projected_distance_m", .decimal),
        ] + againstTarget)

    private static let force = ReadingTable(
        "force",
        [
            sessionID, ReadingColumn("stroke", .whole, isRequired: true),
            ReadingColumn("points", .whole), ReadingColumn("complete", .flag),
            ReadingColumn("peak_force_n", .decimal), ReadingColumn("peak_position_ratio", .decimal),
            ReadingColumn("avg_to_peak_ratio", .decimal),
            ReadingColumn("force_n", .forces, isRequired: true),
        ])

    private static let split = ReadingTable(
        "split",
        [
            sessionID, athlete, ReadingColumn("split", .whole, isRequired: true),
            ReadingColumn("type", .enumValue), ReadingColumn("distance_m", .decimal),
            ReadingColumn("duration_s", .decimal), ReadingColumn("avg_power_w", .whole),
            ReadingColumn("avg_pace_s_per_500m", .decimal),
            ReadingColumn("avg_stroke_rate_spm", .whole),
            ReadingColumn("avg_heart_rate_bpm", .whole), ReadingColumn("avg_drag_factor", .whole),
            ReadingColumn("rest_s", .decimal), ReadingColumn("rest_distance_m", .decimal),
            ReadingColumn("work_heart_rate_bpm", .whole), ReadingColumn("calories_kcal", .whole),
        ] + bands + inTarget)

    private static let gap = ReadingTable(
        "gap",
        [
            sessionID, ReadingColumn("reason", .enumValue, isRequired: true),
            ReadingColumn("from_stroke", .whole), ReadingColumn("to_stroke", .whole),
            ReadingColumn("uncounted_strokes", .flag), ReadingColumn("from_split", .whole),
            ReadingColumn("to_split", .whole), ReadingColumn("duration_s", .decimal),
            ReadingColumn("recovered", .flag),
        ])

    private static let alert = ReadingTable(
        "alert",
        [
            ReadingColumn("session_id", .ulid), athlete,
            ReadingColumn("alert_id", .ulid, isRequired: true),
            ReadingColumn("state", .enumValue, isRequired: true),
            ReadingColumn("rule", .enumValue, isRequired: true), ReadingColumn("severity", .enumValue),
            ReadingColumn("value", .decimal), ReadingColumn("threshold", .decimal),
            ReadingColumn("since_ms", .signed), ReadingColumn("resolution", .enumValue),
            ReadingColumn("acknowledged_ms", .signed), ReadingColumn("acknowledged_by", .freeText),
        ])

    private static let rollup = ReadingTable(
        "rollup",
        [
            sessionID, athlete, ReadingColumn("span", .enumValue, isRequired: true),
            ReadingColumn("number", .whole, isRequired: true), ReadingColumn("from_stroke", .whole),
            ReadingColumn("to_stroke", .whole), ReadingColumn("strokes", .whole),
            ReadingColumn("whole", .flag), ReadingColumn("avg_power_w", .decimal),
            ReadingColumn("sd_power_w", .decimal), ReadingColumn("avg_stroke_rate_spm", .decimal),
            ReadingColumn("sd_stroke_rate_spm", .decimal),
            ReadingColumn("avg_heart_rate_bpm", .decimal),
            ReadingColumn("sd_heart_rate_bpm", .decimal),
            ReadingColumn("avg_pace_s_per_500m", .decimal),
            ReadingColumn("sd_pace_s_per_500m", .decimal),
            ReadingColumn("drive_to_recovery", .decimal),
            ReadingColumn("peak_position_ratio", .decimal),
            ReadingColumn("avg_to_peak_ratio", .decimal),
        ] + inTarget)

    private static let together = [
        ReadingColumn("from_ms", .signed, isRequired: true),
        ReadingColumn("duration_s", .decimal), ReadingColumn("ergs", .recordOnly),
        ReadingColumn("strokes", .whole), ReadingColumn("distance_m", .decimal),
        ReadingColumn("total_power_w", .decimal), ReadingColumn("avg_power_w", .decimal),
        ReadingColumn("avg_stroke_rate_spm", .decimal),
        ReadingColumn("avg_heart_rate_bpm", .decimal), ReadingColumn("pace_s_per_500m", .decimal),
    ]

    private static let roomRollup = ReadingTable("room_rollup", together)

    private static let crewRollup = ReadingTable(
        "room_rollup",
        [ReadingColumn("crew", .slug, isRequired: true), ReadingColumn("members", .recordOnly)]
            + together + [
                ReadingColumn("erg_rate_similarity_ratio", .recordOnly),
                ReadingColumn("erg_force_similarity_ratio", .recordOnly),
            ])

    private static let event = ReadingTable(
        "event",
        [
            ReadingColumn("event", .enumValue, isRequired: true), ReadingColumn("version", .freeText),
            ReadingColumn("adapter", .freeText), ReadingColumn("reason", .freeText),
            ReadingColumn("stream", .freeText), ReadingColumn("from_seq", .whole),
            ReadingColumn("to_seq", .whole), ReadingColumn("dropped_bytes", .whole),
            ReadingColumn("first_seq", .recordOnly), ReadingColumn("step_ms", .signed),
        ])
}
