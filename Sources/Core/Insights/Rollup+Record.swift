import Bytes
import Contract
import Rowing

/// Encodes a published rollup.
extension Rollup: RecordBody {
    package static let recordKind = StreamKind.rollup

    package func write(into json: inout JSONWriter, context: RecordContext) {
        json.field("session_id", session.text)
        json.field("athlete_id", context.athlete)
        json.field("span", span.rawValue)
        json.field("number", number)
        json.field("from_stroke", strokes.lowerBound)
        json.field("to_stroke", strokes.upperBound)
        json.field("strokes", count)
        json.field("whole", isWhole)
        json.mean("avg_power_w", of: watts, places: 1)
        json.deviation("sd_power_w", of: watts, places: 1)
        json.mean("avg_stroke_rate_spm", of: rate, places: 1)
        json.deviation("sd_stroke_rate_spm", of: rate, places: 1)
        json.mean("avg_heart_rate_bpm", of: heartRate, places: 1)
        json.deviation("sd_heart_rate_bpm", of: heartRate, places: 1)
        json.mean("avg_pace_s_per_500m", of: pace, unit: 1000, places: 2)
        json.deviation("sd_pace_s_per_500m", of: pace, unit: 1000, places: 2)
        json.mean("drive_to_recovery", of: driveToRecovery, unit: 10_000, places: 3)
        json.mean("peak_position_ratio", of: peakPosition, unit: 1000, places: 3)
        json.mean("avg_to_peak_ratio", of: averageToPeak, unit: 1000, places: 3)
        json.tally(targetTally)
    }
}

extension JSONWriter {
    private static let powers = [1, 10, 100, 1000]

    /// Absent without values.
    ///
    /// - Parameter unit: how many of the spread's units make one of the field's.
    fileprivate mutating func mean(
        _ name: StaticString, of spread: Spread, unit: Int = 1, places: Int
    ) {
        let value = spread.mean(scaled: Self.powers[places], by: unit)
        field(name, value.map(Int64.init), places: places)
    }

    /// Absent for fewer than two values.
    fileprivate mutating func deviation(
        _ name: StaticString, of spread: Spread, unit: Int = 1, places: Int
    ) {
        let value = spread.deviation(scaled: Self.powers[places], by: unit)
        field(name, value.map(Int64.init), places: places)
    }
}
