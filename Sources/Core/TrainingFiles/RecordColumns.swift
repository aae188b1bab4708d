import Contract

/// The members of each kind of message, in the order in which they are written.
///
/// A test compares them with their source, `config/schema`.
package enum RecordColumns {
    private static let head = [
        "v", "kind", "gw", "erg", "epoch", "seq", "ts_ms", "time", "clock", "boot_id", "boot_ms",
    ]

    private static let workout = [
        "session_type", "workout", "target_distance_m", "target_time_s", "target_calories_kcal",
        "target_work_w_min", "workout_set_by", "interval_count", "interval_rest_s",
    ]

    private static let bands = [
        "target_pace_min_s_per_500m", "target_pace_max_s_per_500m", "target_power_min_w",
        "target_power_max_w", "target_stroke_rate_min_spm", "target_stroke_rate_max_spm",
        "target_heart_rate_min_bpm", "target_heart_rate_max_bpm",
    ]
    private static let againstTarget = [
        "pace_vs_target", "power_vs_target", "stroke_rate_vs_target", "heart_rate_vs_target",
    ]
    private static let inTarget = ["target_strokes", "in_target_ratio"]

    /// Head and body. Records about the gateway have no erg.
    package static func all(of kind: StreamKind) -> [String] {
        (kind.isGatewayOnly ? head.filter { $0 != "erg" } : head) + body(of: kind)
    }

    private static let together = [
        "from_ms", "duration_s", "ergs", "strokes", "distance_m", "total_power_w", "avg_power_w",
        "avg_stroke_rate_spm", "avg_heart_rate_bpm", "pace_s_per_500m",
    ]

    private static func body(of kind: StreamKind) -> [String] {
        switch kind {
        case .gatewayEvent:
            [
                "event", "version", "adapter", "reason", "stream", "from_seq", "to_seq",
                "dropped_bytes", "first_seq", "step_ms",
            ]
        case .session:
            ["event", "session_id", "athlete_id", "started_ms"] + workout + ["machine_type"]
        case .stroke:
            [
                "session_id", "athlete_id", "stroke", "elapsed_s", "distance_m",
                "stroke_rate_spm", "power_w", "pace_s_per_500m", "heart_rate_bpm",
                "drive_length_m", "drive_time_s", "recovery_time_s", "stroke_distance_m",
                "peak_force_n", "avg_force_n", "work_j", "calories_kcal", "interval",
                "projected_time_s", "projected_distance_m",
            ] + againstTarget
        case .force:
            [
                "session_id", "stroke", "points", "complete", "peak_force_n",
                "peak_position_ratio", "avg_to_peak_ratio", "force_n",
            ]
        case .split:
            [
                "session_id", "athlete_id", "split", "type", "distance_m", "duration_s",
                "avg_power_w", "avg_pace_s_per_500m", "avg_stroke_rate_spm",
                "avg_heart_rate_bpm", "avg_drag_factor", "rest_s", "rest_distance_m",
                "work_heart_rate_bpm", "calories_kcal",
            ] + bands + inTarget
        case .summary:
            ["revision", "session_id", "athlete_id"] + workout + [
                "machine_type", "started_ms", "ended_ms", "result_time_s", "distance_m",
                "avg_pace_s_per_500m", "avg_power_w", "max_power_w", "avg_stroke_rate_spm",
                "avg_heart_rate_bpm", "min_heart_rate_bpm", "max_heart_rate_bpm",
                "ending_heart_rate_bpm", "recovery_heart_rate_bpm", "drag_factor_avg",
                "calories_kcal", "strokes", "splits", "strokes_received_ratio", "partial_result",
                "received_time_s", "received_distance_m", "complete", "pm5_serial", "pm5_log_date",
                "pm5_log_address", "pm5_workout_hash", "verified_against_pm5",
            ] + inTarget
        case .gap:
            [
                "session_id", "reason", "from_stroke", "to_stroke", "uncounted_strokes",
                "from_split", "to_split", "duration_s", "recovered",
            ]
        case .alert:
            [
                "alert_id", "state", "rule", "severity", "value", "threshold", "since_ms",
                "session_id", "athlete_id", "resolution", "acknowledged_ms", "acknowledged_by",
            ]
        case .rollup:
            [
                "session_id", "athlete_id", "span", "number", "from_stroke", "to_stroke",
                "strokes", "whole", "avg_power_w", "sd_power_w", "avg_stroke_rate_spm",
                "sd_stroke_rate_spm", "avg_heart_rate_bpm", "sd_heart_rate_bpm",
                "avg_pace_s_per_500m", "sd_pace_s_per_500m", "drive_to_recovery",
                "peak_position_ratio", "avg_to_peak_ratio",
            ] + inTarget
        case .roomRollup: together
        case .crewRollup:
            ["crew", "members"] + together + [
                "erg_rate_similarity_ratio", "erg_force_similarity_ratio",
            ]
        case .manifest:
            [
                "session_id", "stroke_first_seq", "stroke_last_seq", "stroke_count",
                "stroke_sha256", "force_count", "split_count", "gap_count", "pm5_strokes",
            ]
        }
    }
}
