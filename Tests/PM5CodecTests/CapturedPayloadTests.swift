import Testing

@testable import PM5Codec

/// Captures with literal values, so that names and units of the API are also checked.
///
/// Source unless noted: tijmenvangulik/ErgometerJS, recording row100meter.ts (a real PM5).
@Suite struct CapturedPayloadTests {
    @Test func decodesGeneralStatusWhileRowing() throws {
        // A capture at 3.84 s of a 100 m piece.
        let status = try payload(
            "8001008e00000301010104000000640000806c", GeneralStatus.self)
        #expect(
            status
                == GeneralStatus(
                    elapsedCentiseconds: 384, distanceDecimeters: 142,
                    workoutType: .fixedDistanceWithSplits, intervalType: .distance,
                    workoutState: .workoutRow, rowingState: .active, strokeState: .recovery,
                    totalWorkDistanceMeters: 0, workoutDuration: 100, durationType: .distance,
                    dragFactor: 108))
    }

    @Test func decodesAdditionalStatus1OfOldFirmware() throws {
        // A capture of firmware 020: sixteen bytes, without a machine type.
        let status = try payload("800100740e16fffa34bb350000000000", AdditionalStatus1.self)
        #expect(
            status
                == AdditionalStatus1(
                    elapsedCentiseconds: 384, speedMillimetersPerSecond: 3700,
                    strokeRatePerMinute: 22, heartRateBeatsPerMinute: 255,
                    currentPaceCentisecondsPer500m: 13562, averagePaceCentisecondsPer500m: 13755,
                    ergMachineType: nil))
    }

    @Test func decodesAdditionalStatus2AtTheEnd() throws {
        // The end of a 25.0 s piece: the last split is in 0.01 s, the calories are not a rate.
        let status = try payload(
            "c4090001b3000600da30b3000600c90900000000", AdditionalStatus2.self)
        #expect(
            status
                == AdditionalStatus2(
                    elapsedCentiseconds: 2500, intervalCount: 1, averagePowerWatts: 179,
                    totalCalories: 6, splitAveragePaceCentisecondsPer500m: 12506,
                    splitAveragePowerWatts: 179, splitAverageCalories: 6,
                    lastSplitCentiseconds: 2505))
    }

    @Test func decodesStrokeDataOfSecondDrive() throws {
        // The second drive of a piece: work at offset 16, count at 18.
        let stroke = try payload(
            "6001008100007c46b400e303f507dd04e70e0200", StrokeData.self)
        #expect(
            stroke
                == StrokeData(
                    elapsedCentiseconds: 352, distanceDecimeters: 129, driveLengthCentimeters: 124,
                    driveCentiseconds: 70, recoveryCentiseconds: 180,
                    strokeDistanceCentimeters: 995, peakDriveForceTenthsOfPound: 2037,
                    averageDriveForceTenthsOfPound: 1245, workPerStrokeDecijoules: 3815,
                    strokeCount: 2))
    }

    @Test func additionalStrokeData() throws {
        // A stroke of 142 W; the calorie rate per hour is 4 * 0.8604 * W + 300.
        let stroke = try payload("6001008e00140302001b0000000000", AdditionalStrokeData.self)
        #expect(
            stroke
                == AdditionalStrokeData(
                    elapsedCentiseconds: 352, strokePowerWatts: 142, strokeCaloriesPerHour: 788,
                    strokeCount: 2, projectedWorkSeconds: 27))
    }

    @Test func decodesSplitAfterRest() throws {
        // A capture after a rest (interface notes of a public app, session of 2026): the finished split,
        // and the current interval.
        let split = try payload("1e19009507005802 00b900001e0009000002", SplitData.self)
        #expect(
            split
                == SplitData(
                    elapsedCentiseconds: 6430, distanceDecimeters: 1941, splitDeciseconds: 600,
                    splitDistanceMeters: 185, restSeconds: 30, restDistanceMeters: 9,
                    splitType: .time, splitNumber: 2))
    }

    @Test func decodesAdditionalSplitOfBothGenerations() throws {
        // 18 bytes of firmware 020, then 19 bytes at a boundary without a rest, of 2026.
        let old = try payload("c40900180000e20406009403a00fb3006201", AdditionalSplitData.self)
        #expect(
            old
                == AdditionalSplitData(
                    elapsedCentiseconds: 2500, averageStrokeRatePerMinute: 24,
                    averagePaceDecisecondsPer500m: 1250, totalCalories: 6,
                    averageCaloriesPerHour: 916, speedMillimetersPerSecond: 4000, powerWatts: 179,
                    averageDragFactor: 98, splitNumber: 1, ergMachineType: nil))
        let new = try payload(
            "090000425e00d60f05003e01d104050058 0100", AdditionalSplitData.self)
        #expect(
            new
                == AdditionalSplitData(
                    elapsedCentiseconds: 9, averageStrokeRatePerMinute: 66,
                    workHeartRateBeatsPerMinute: 94, averagePaceDecisecondsPer500m: 4054,
                    totalCalories: 5, averageCaloriesPerHour: 318, speedMillimetersPerSecond: 1233,
                    powerWatts: 5, averageDragFactor: 88, splitNumber: 1, ergMachineType: .modelD))
    }

    @Test func decodesWorkoutSummaries() throws {
        // A 100 m piece of 2016-03-06 11:36.
        let logged = LogTimestamp(
            date: LogDate(year: 2016, month: 3, day: 6), time: LogTime(hour: 11, minute: 36))
        let summary = try payload(
            "6320240bc40900e803001800000000000003e204", WorkoutSummary.self)
        #expect(
            summary
                == WorkoutSummary(
                    logged: logged, elapsedCentiseconds: 2500, distanceDecimeters: 1000,
                    averageStrokeRatePerMinute: 24, workoutType: .fixedDistanceWithSplits,
                    averagePaceDecisecondsPer500m: 1250))
        let additional = try payload(
            "6320240b016400010600b30000000000009403", AdditionalWorkoutSummary.self)
        #expect(
            additional
                == AdditionalWorkoutSummary(
                    logged: logged, splitType: .distance, splitSize: 100, splitCount: 1,
                    totalCalories: 6, averagePowerWatts: 179, averageCaloriesPerHour: 916))
    }

    @Test func decodesIntervalSummaries() throws {
        // A trace of 5 x 200 m quoted in JaapvanEkris/openrowingmonitor.
        let logged = LogTimestamp(
            date: LogDate(year: 2025, month: 3, day: 16), time: LogTime(hour: 18, minute: 18))
        let summary = try payload(
            "03331212a0a5001027000c000000008d00074808", WorkoutSummary.self)
        #expect(summary.logged == logged)
        #expect(summary.elapsedCentiseconds == 42_400)
        #expect(summary.distanceDecimeters == 10_000)
        #expect(summary.workoutType == .fixedDistanceInterval)
        #expect(summary.averageDragFactor == 141)
        #expect(summary.averagePaceDecisecondsPer500m == 2120)
        let additional = try payload(
            "0333121202c800053b0025005500003c00aa01", AdditionalWorkoutSummary.self)
        #expect(
            additional
                == AdditionalWorkoutSummary(
                    logged: logged, splitType: .rest, splitSize: 200, splitCount: 5,
                    totalCalories: 59, averagePowerWatts: 37, totalRestDistanceMeters: 85,
                    intervalRestSeconds: 60, averageCaloriesPerHour: 426))
    }

    @Test func loggedWorkout() throws {
        // A packet quoted in JaapvanEkris/openrowingmonitor, four zero bytes longer than documented.
        let bytes = try #require(hexBytes("41a09a0c97a37088cae10801d4000000000000"))
        let decoded = try decode(.loggedWorkout, bytes).get()
        #expect(
            decoded.value
                == .loggedWorkout(
                    LoggedWorkout(
                        workoutHash: 0x8870_A397_0C9A_A041, logAddress: 0x0108_E1CA,
                        logSizeBytes: 212, ergModelType: .modelDOrE)))
        #expect(decoded.extraBytes == 4)
    }

    private func payload<Payload: CharacteristicPayload>(
        _ hex: String, _ type: Payload.Type
    ) throws -> Payload {
        let decoded = try decode(Payload.characteristic, try #require(hexBytes(hex))).get()
        #expect(decoded.extraBytes == 0)
        return try #require(decoded.value.payload as? Payload)
    }
}
