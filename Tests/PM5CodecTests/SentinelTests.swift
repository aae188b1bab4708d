import Testing

@testable import PM5Codec

@Suite struct SentinelTests {
    @Test func generalStatus() {
        // None, and a value.
        #expect(GeneralStatus().knownDragFactor == nil)
        #expect(GeneralStatus(dragFactor: 108).knownDragFactor == 108)
        #expect(GeneralStatus().knownWorkoutDuration == nil)
        #expect(GeneralStatus(workoutDuration: 2000).knownWorkoutDuration == 2000)
    }

    @Test(arguments: [(0, nil), (255, nil), (1, 1), (94, 94), (254, 254)] as [(UInt8, UInt8?)])
    func heartRates(wire: UInt8, known: UInt8?) {
        // All accessors, with limits.
        let status = AdditionalStatus1(heartRateBeatsPerMinute: wire)
        #expect(status.knownHeartRateBeatsPerMinute == known)
        let split = AdditionalSplitData(
            workHeartRateBeatsPerMinute: wire, restHeartRateBeatsPerMinute: wire)
        #expect(split.knownWorkHeartRateBeatsPerMinute == known)
        #expect(split.knownRestHeartRateBeatsPerMinute == known)
        let summary = WorkoutSummary(
            logged: noon, endingHeartRateBeatsPerMinute: wire, averageHeartRateBeatsPerMinute: wire,
            minimumHeartRateBeatsPerMinute: wire, maximumHeartRateBeatsPerMinute: wire,
            recoveryHeartRateBeatsPerMinute: wire)
        #expect(summary.knownEndingHeartRateBeatsPerMinute == known)
        #expect(summary.knownAverageHeartRateBeatsPerMinute == known)
        #expect(summary.knownMinimumHeartRateBeatsPerMinute == known)
        #expect(summary.knownMaximumHeartRateBeatsPerMinute == known)
        #expect(summary.knownRecoveryHeartRateBeatsPerMinute == known)
    }

    @Test(arguments: [(0, nil), (0xFFFF, nil), (12_000, 12_000)] as [(UInt16, UInt16?)])
    func paces(wire: UInt16, known: UInt16?) {
        // All accessors.
        let status = AdditionalStatus1(
            currentPaceCentisecondsPer500m: wire, averagePaceCentisecondsPer500m: wire)
        #expect(status.knownCurrentPaceCentisecondsPer500m == known)
        #expect(status.knownAveragePaceCentisecondsPer500m == known)
        let second = AdditionalStatus2(splitAveragePaceCentisecondsPer500m: wire)
        #expect(second.knownSplitAveragePaceCentisecondsPer500m == known)
        let split = AdditionalSplitData(averagePaceDecisecondsPer500m: wire)
        #expect(split.knownAveragePaceDecisecondsPer500m == known)
        let summary = WorkoutSummary(logged: noon, averagePaceDecisecondsPer500m: wire)
        #expect(summary.knownAveragePaceDecisecondsPer500m == known)
        let second2 = WorkoutSummary2(logged: noon, averagePaceDecisecondsPer500m: wire)
        #expect(second2.knownAveragePaceDecisecondsPer500m == known)
    }

    @Test func strokes() {
        // The defaults of a stroke, and a value.
        #expect(StrokeData().knownWorkPerStrokeDecijoules == nil)
        #expect(StrokeData(workPerStrokeDecijoules: nil).knownWorkPerStrokeDecijoules == nil)
        #expect(StrokeData(workPerStrokeDecijoules: 3815).knownWorkPerStrokeDecijoules == 3815)
        #expect(StrokeData().knownRecoveryCentiseconds == nil)
        #expect(StrokeData(recoveryCentiseconds: 180).knownRecoveryCentiseconds == 180)
        let first = AdditionalStrokeData(workPerStrokeDecijoules: 0xFFFF)
        #expect(first.knownWorkPerStrokeDecijoules == nil)
        #expect(first.knownProjectedWorkSeconds == nil)
        #expect(first.knownProjectedWorkDistanceMeters == nil)
        #expect(AdditionalStrokeData(projectedWorkSeconds: 27).knownProjectedWorkSeconds == 27)
        #expect(AdditionalStatus2().knownLastSplitCentiseconds == nil)
        #expect(AdditionalStatus2(lastSplitCentiseconds: 2505).knownLastSplitCentiseconds == 2505)
        #expect(WorkoutSummary(logged: noon).knownAverageDragFactor == nil)
    }

    @Test func separatesGameAndVerification() {
        // The captured 0x10, and a game.
        let verified = WorkoutSummary2(logged: noon, gameAndVerification: 0x10)
        #expect(verified.isVerified)
        #expect(verified.gameID == .none)
        let game = WorkoutSummary2(logged: noon, gameAndVerification: 0x02)
        #expect(game.isVerified == false)
        #expect(game.gameID == .dart)
    }

    private let noon = LogTimestamp(
        date: LogDate(year: 2026, month: 7, day: 15), time: LogTime(hour: 12, minute: 0))
}

@Suite struct LogTimestampTests {
    @Test(
        arguments: [
            (0x2063, "2016-03-06"), (0x3303, "2025-03-16"), (0x2B08, "2021-08-16"),
            (0x2A59, "2021-09-05"), (0x34F7, "2026-07-15"),
        ] as [(UInt16, String)])
    func decodesCapturedDates(rawValue: UInt16, text: String) {
        // Five captures of known days, in both directions.
        let date = LogDate(rawValue: rawValue)
        #expect(date.text == text)
        #expect(date.isValid)
        #expect(LogDate(year: date.year, month: date.month, day: date.day) == date)
    }

    @Test func rejectsImpossibleTimes() {
        // The captured 24 0B, then impossible times.
        #expect(LogTime(rawValue: 0x0B24).text == "11:36")
        #expect(LogTime(hour: 11, minute: 36).rawValue == 0x0B24)
        #expect(LogTime(rawValue: 0x5678).isValid == false)
        #expect(LogTime(rawValue: 0x183B).isValid == false)
        #expect(LogTime(rawValue: 0x0B3C).isValid == false)
        #expect(LogTime(rawValue: 0x173B).isValid)
        #expect(LogDate(rawValue: 0).isValid == false)
        #expect(LogDate(rawValue: 0x200F).isValid == false)
    }

    /// c2forum t=156585: a monitor whose calendar shows 30 February 2000.
    @Test(
        arguments: [
            (2000, 2, 30, false), (2000, 2, 29, true), (2001, 2, 29, false), (2024, 2, 29, true),
            (2100, 2, 29, false), (2100, 2, 28, true), (2026, 4, 31, false), (2026, 4, 30, true),
            (2026, 12, 31, true), (2026, 11, 31, false), (2026, 1, 0, false),
        ])
    func rejectsImpossibleDays(year: Int, month: Int, day: Int, exists: Bool) {
        let date = LogDate(
            rawValue: UInt16(year - 2000) << 9 | UInt16(day) << 4 | UInt16(month))
        #expect(date.isValid == exists)
        let noon = LogTime(hour: 12, minute: 0)
        #expect((LogTimestamp(date: date, time: noon).text != nil) == exists)
        #expect(LogTimestamp(date: date, time: LogTime(rawValue: 0x1800)).text == nil)
        let clock = MonitorClock(
            year: UInt16(year), month: UInt8(month), day: UInt8(day), hour: 12, minute: 0)
        #expect(clock.isValid == exists)
    }
}
