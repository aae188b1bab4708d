import PM5Codec

extension SimulatedErg {
    func sessionFields(edge: String) -> [Field] {
        [
            Field("event", .text(edge)),
            Field("session", piece?.number ?? pieceCount),
            Field("at_s", now / 10, decimals: 2),
            Field("workout_type", workout.type),
        ]
    }

    func strokeRecord(_ pending: PendingStroke) -> TruthRecord {
        let (data, more) = (pending.data, pending.additional)
        return TruthRecord(
            pending.isSent ? .stroke : .unsentStroke,
            [
                Field("session", piece?.number ?? pieceCount),
                Field("interval", (piece?.intervalIndex ?? 0) + 1),
                Field("stroke", data.strokeCount),
                Field("session_stroke", (piece?.finished.strokes ?? 0) + Int(data.strokeCount)),
                Field("elapsed_s", data.elapsedCentiseconds, decimals: 2),
                Field("distance_m", data.distanceDecimeters, decimals: 1),
                Field("drive_end_elapsed_s", more.elapsedCentiseconds, decimals: 2),
                Field("power_w", more.strokePowerWatts),
                Field("calories_kcal_per_h", more.strokeCaloriesPerHour),
                Field("stroke_rate_spm", Int(pending.ratePerMinute.rounded())),
                .known("heart_rate_bpm", pending.heartRate),
                Field("drive_length_m", data.driveLengthCentimeters, decimals: 2),
                Field("drive_time_s", data.driveCentiseconds, decimals: 2),
                .known("recovery_time_s", data.knownRecoveryCentiseconds, decimals: 2),
                Field("stroke_distance_m", data.strokeDistanceCentimeters, decimals: 2),
                .newtons("peak_force_n", tenthsOfPound: data.peakDriveForceTenthsOfPound),
                .newtons("avg_force_n", tenthsOfPound: data.averageDriveForceTenthsOfPound),
                .known("work_j", data.knownWorkPerStrokeDecijoules, decimals: 1),
                .known("projected_time_s", more.knownProjectedWorkSeconds),
                .known("projected_distance_m", more.knownProjectedWorkDistanceMeters),
            ])
    }

    func splitFields(_ data: SplitData, _ more: AdditionalSplitData) -> [Field?] {
        [
            Field("session", piece?.number ?? pieceCount),
            Field("split", data.splitNumber),
            Field("type", data.splitType),
            Field("duration_s", data.splitDeciseconds, decimals: 1),
            Field("distance_m", data.splitDistanceMeters),
            Field("avg_stroke_rate_spm", more.averageStrokeRatePerMinute),
            .known("work_heart_rate_bpm", more.knownWorkHeartRateBeatsPerMinute),
            .known("rest_heart_rate_bpm", more.knownRestHeartRateBeatsPerMinute),
            .known("avg_pace_s_per_500m", more.knownAveragePaceDecisecondsPer500m, decimals: 1),
            Field("avg_power_w", more.powerWatts),
            Field("calories_kcal", more.totalCalories),
            Field("avg_drag_factor", more.averageDragFactor),
            Field("rest_s", data.restSeconds),
            Field("rest_distance_m", data.restDistanceMeters),
        ]
    }

    func resultFields(_ ended: EndedPiece, revision: Int, recovery: UInt8?) -> [Field?] {
        let summary = summary(ended, recovery: recovery)
        let more = additionalSummary(ended)
        let log = identity.generation == .new ? loggedWorkout(ended) : nil
        return [
            Field("session", ended.piece.number),
            Field("revision", revision),
            Field("workout_type", summary.workoutType),
            Field("result_time_s", summary.elapsedCentiseconds, decimals: 2),
            Field("distance_m", summary.distanceDecimeters, decimals: 1),
            .known("avg_pace_s_per_500m", summary.knownAveragePaceDecisecondsPer500m, decimals: 1),
            Field("avg_power_w", more.averagePowerWatts),
            Field("avg_stroke_rate_spm", summary.averageStrokeRatePerMinute),
            .known("avg_heart_rate_bpm", summary.knownAverageHeartRateBeatsPerMinute),
            .known("min_heart_rate_bpm", summary.knownMinimumHeartRateBeatsPerMinute),
            .known("max_heart_rate_bpm", summary.knownMaximumHeartRateBeatsPerMinute),
            .known("ending_heart_rate_bpm", summary.knownEndingHeartRateBeatsPerMinute),
            .known("recovery_heart_rate_bpm", summary.knownRecoveryHeartRateBeatsPerMinute),
            .known("drag_factor_avg", summary.knownAverageDragFactor),
            Field("calories_kcal", more.totalCalories),
            Field("strokes", ended.total.strokes),
            Field("splits", more.splitCount),
            Field("pm5_log_date", .text(summary.logged.date.text + " " + summary.logged.time.text)),
            .known("pm5_log_address", log?.logAddress),
            log.map { Field("pm5_workout_hash", .text($0.workoutHashText)) },
        ]
    }
}
