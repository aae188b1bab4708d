import Bytes
import Rowing

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
