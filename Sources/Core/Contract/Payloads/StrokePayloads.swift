import Bytes
import Rowing

extension Stroke: RecordBody {
    package static let recordKind = StreamKind.stroke

    package func write(into json: inout JSONWriter, context: RecordContext) {
        json.field("session_id", session.text)
        json.field("athlete_id", context.athlete)
        json.field("stroke", number)
        json.seconds("elapsed_s", elapsed)
        json.meters("distance_m", distance)
        json.field("stroke_rate_spm", strokeRate)
        json.field("power_w", powerWatts)
        json.pace("pace_s_per_500m", pace)
        json.field("heart_rate_bpm", heartRate)
        json.meters("drive_length_m", driveLength, places: 2)
        json.seconds("drive_time_s", driveTime)
        json.seconds("recovery_time_s", recoveryTime)
        json.meters("stroke_distance_m", strokeDistance, places: 2)
        json.newtons("peak_force_n", peakForce)
        json.newtons("avg_force_n", averageForce)
        json.field("work_j", work?.decijoules, places: 1)
        json.field("calories_kcal", calories)
        json.field("interval", interval)
        json.seconds("projected_time_s", projectedTime)
        json.meters("projected_distance_m", projectedDistance)
        json.targetPositions(target)
    }
}

extension ForceCurve: RecordBody {
    package static let recordKind = StreamKind.force

    package func write(into json: inout JSONWriter, context: RecordContext) {
        json.field("session_id", session.text)
        json.field("stroke", stroke)
        json.field("points", poundsForce.count)
        json.field("complete", isComplete)
        if let shape {
            json.newtons("peak_force_n", Newtons(poundsForce: Int64(shape.peak)))
            json.field("peak_position_ratio", shape.positionThousandths, places: 3)
            json.field("avg_to_peak_ratio", shape.averageThousandths, places: 3)
        }
        json.key("force_n")
        json.beginArray()
        for force in poundsForce {
            json.value(
                JSONWriter.decinewtons(Newtons(poundsForce: Int64(force))), places: 1)
        }
        json.endArray()
    }

    /// Peak, its position in the drive (0 at the first sample, 1 at the last), and the ratio of mean to
    /// peak. nil for an incomplete curve, because its values would be wrong.
    package var shape: (peak: UInt16, positionThousandths: Int64, averageThousandths: Int64)? {
        guard isComplete, poundsForce.count > 1, let peak = poundsForce.max(), peak > 0,
            let position = poundsForce.firstIndex(of: peak)
        else { return nil }
        let count = Int64(poundsForce.count)
        let sum = poundsForce.reduce(into: Int64(0)) { $0 += Int64($1) }
        return (
            peak,
            (Int64(position) * 2000 + count - 1) / (2 * (count - 1)),
            (sum * 2000 + Int64(peak) * count) / (2 * Int64(peak) * count)
        )
    }
}
