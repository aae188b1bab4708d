import Bytes
import Rowing

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
        json.field("verified_against_pm5", isVerifiedAgainstMonitor)
        json.tally(targetTally)
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
