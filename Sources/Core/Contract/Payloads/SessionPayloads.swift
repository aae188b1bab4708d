import Bytes
import Rowing
import Timeline

extension SessionTransition: RecordBody {
    package static let recordKind = StreamKind.session

    package func write(into json: inout JSONWriter, context: RecordContext) {
        json.field("event", kind.rawValue)
        json.field("session_id", session.text)
        json.field("athlete_id", context.athlete)
        json.field("started_ms", context.clock.unixMilliseconds(at: startedAt))
        json.workout(workout)
        json.field("machine_type", machine?.wireName)
    }
}

extension Split: RecordBody {
    package static let recordKind = StreamKind.split

    package func write(into json: inout JSONWriter, context: RecordContext) {
        json.field("session_id", session.text)
        json.field("athlete_id", context.athlete)
        json.field("split", number)
        json.field("type", type.wireName)
        json.meters("distance_m", distance)
        json.seconds("duration_s", duration)
        json.field("avg_power_w", averagePowerWatts)
        json.pace("avg_pace_s_per_500m", averagePace)
        json.field("avg_stroke_rate_spm", averageStrokeRate)
        json.field("avg_heart_rate_bpm", averageHeartRate)
        json.field("avg_drag_factor", averageDragFactor)
        json.seconds("rest_s", rest)
        json.meters("rest_distance_m", restDistance)
        json.field("work_heart_rate_bpm", workHeartRate)
        json.field("calories_kcal", calories)
        json.bands(targets)
        json.tally(targetTally)
    }
}

extension Summary: RecordBody {
    package static let recordKind = StreamKind.summary

    package func write(into json: inout JSONWriter, context: RecordContext) {
        json.field("revision", revision)
        json.field("session_id", session.text)
        json.field("athlete_id", context.athlete)
        json.workout(workout)
        json.field("machine_type", machine?.wireName)
        json.field("started_ms", context.clock.unixMilliseconds(at: startedAt))
        json.field("ended_ms", context.clock.unixMilliseconds(at: endedAt))
        json.seconds("result_time_s", isPartial ? nil : result)
        json.meters("distance_m", isPartial ? nil : distance)
        json.pace("avg_pace_s_per_500m", averagePace)
        json.field("avg_power_w", averagePowerWatts)
        json.field("max_power_w", maximumPowerWatts)
        json.field("avg_stroke_rate_spm", averageStrokeRate)
        json.field("avg_heart_rate_bpm", averageHeartRate)
        json.field("min_heart_rate_bpm", minimumHeartRate)
        json.field("max_heart_rate_bpm", maximumHeartRate)
        json.field("ending_heart_rate_bpm", endingHeartRate)
        json.field("recovery_heart_rate_bpm", recoveryHeartRate)
        json.field("drag_factor_avg", averageDragFactor)
        json.field("calories_kcal", calories)
        json.field("strokes", strokes)
        json.field("splits", splits)
        json.field("strokes_received_ratio", receivedThousandths.map(Int64.init), places: 3)
        json.field("partial_result", isPartial ? true : nil)
        json.seconds("received_time_s", isPartial ? result : nil)
        json.meters("received_distance_m", isPartial ? distance : nil)
        json.field("complete", isComplete)
        json.field("pm5_serial", context.monitorSerial)
        json.field("pm5_log_date", monitorLogDate)
        json.field("pm5_log_address", monitorLogEntry?.address)
        json.field("pm5_workout_hash", monitorLogEntry?.workoutHash)
        json.field("verified_against_pm5", isVerifiedAgainstMonitor)
        json.tally(targetTally)
    }
}

/// What a summary record says about the result of a piece: one rule for races, bests, plans and exports.
package struct RecordedResult: Sendable {
    /// Whether the monitor's result was not received and could not be computed: the record then has only the
    /// time and distance that were received.
    package let isPartial: Bool
    /// Whether the piece was rowed to the end of its workout, and its result is known. False if the record
    /// does not say so.
    package let isComplete: Bool
    /// Name of the field with the seconds of work: of the whole piece, or of its received part.
    package let timeField: String
    /// Name of the field with the metres of work: of the whole piece, or of its received part.
    package let distanceField: String

    package init(_ summary: JSONObject) {
        isPartial = summary["partial_result"] == .flag(true)
        isComplete = summary["complete"] == .flag(true) && !isPartial
        // Gateways before received_time_s published the received part as the result.
        let hasReceivedPart = isPartial && summary["result_time_s"] == nil
        timeField = hasReceivedPart ? "received_time_s" : "result_time_s"
        distanceField = hasReceivedPart ? "received_distance_m" : "distance_m"
    }
}

extension Gap: RecordBody {
    package static let recordKind = StreamKind.gap

    package func write(into json: inout JSONWriter, context: RecordContext) {
        json.field("session_id", session.text)
        json.field("reason", reason.rawValue)
        json.field("from_stroke", strokes?.lowerBound)
        json.field("to_stroke", strokes?.upperBound)
        json.field("uncounted_strokes", isUncounted ? true : nil)
        json.field("from_split", splits?.lowerBound)
        json.field("to_split", splits?.upperBound)
        json.seconds("duration_s", duration)
        json.field("recovered", isRecovered)
    }
}

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

/// Counts and digest of a session's records, with which a subscriber can prove that it has them all.
package struct Manifest: Equatable, Sendable, RecordBody {
    package static let recordKind = StreamKind.manifest

    /// The ended session.
    package var session: SessionID
    /// First and last `seq` of the session's strokes; nil if it has none.
    package var strokes: ClosedRange<UInt64>?
    /// SHA-256 over the stored forms of the session's stroke records, in order; 64 hex digits.
    package var strokeDigest: String
    /// Number of stroke records.
    package var strokeCount: Int
    /// Number of force records.
    package var forceCount: Int
    /// Number of split records.
    package var splitCount: Int
    /// Number of gap records.
    package var gapCount: Int
    /// Stroke count of the monitor; nil if it reported none.
    package var monitorStrokes: Int?

    package init(
        session: SessionID, strokes: ClosedRange<UInt64>?, strokeCount: Int, strokeDigest: String,
        forceCount: Int, splitCount: Int, gapCount: Int, monitorStrokes: Int? = nil
    ) {
        self.session = session
        self.strokes = strokes
        self.strokeCount = strokeCount
        self.strokeDigest = strokeDigest
        self.forceCount = forceCount
        self.splitCount = splitCount
        self.gapCount = gapCount
        self.monitorStrokes = monitorStrokes
    }

    package func write(into json: inout JSONWriter, context: RecordContext) {
        json.field("session_id", session.text)
        json.field("stroke_first_seq", strokes?.lowerBound)
        json.field("stroke_last_seq", strokes?.upperBound)
        json.field("stroke_count", strokeCount)
        json.field("stroke_sha256", strokeDigest)
        json.field("force_count", forceCount)
        json.field("split_count", splitCount)
        json.field("gap_count", gapCount)
        json.field("pm5_strokes", monitorStrokes)
    }
}
