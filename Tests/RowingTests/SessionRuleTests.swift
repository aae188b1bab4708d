import Testing

@testable import PM5Codec
@testable import Rowing
@testable import Timeline

/// Single rules of the session machine.
@Suite struct SessionRuleTests {
    @Test func mapsWorkoutStatesToPhases() {
        // The documented table (CSAFE definition, appendix E), and a number of newer firmware.
        let phases: [(WorkoutState, PiecePhase)] = [
            (.waitToBegin, .waiting), (.workoutRow, .working), (.countdownPause, .unchanged),
            (.intervalRest, .resting), (.intervalWorkTime, .working),
            (.intervalWorkDistance, .working), (.intervalRestEndToWorkTime, .unchanged),
            (.intervalRestEndToWorkDistance, .unchanged), (.intervalWorkTimeToRest, .resting),
            (.intervalWorkDistanceToRest, .resting), (.workoutEnd, .over), (.terminate, .over),
            (.workoutLogged, .over), (.rearm, .waiting), (.unrecognized(14), .unchanged),
        ]
        for (state, phase) in phases { #expect(state.phase == phase, "\(state)") }
    }

    @Test func mapsWorkoutTypesToIntervalsEndsAndSplits() {
        // The documented table.
        let types: [(WorkoutType, isInterval: Bool, hasEnd: Bool, hasSplits: Bool)] = [
            (.justRowWithoutSplits, false, false, false), (.justRowWithSplits, false, false, true),
            (.fixedDistanceWithoutSplits, false, true, false),
            (.fixedDistanceWithSplits, false, true, true),
            (.fixedTimeWithoutSplits, false, true, false),
            (.fixedTimeWithSplits, false, true, true), (.fixedTimeInterval, true, false, true),
            (.fixedDistanceInterval, true, false, true), (.variableInterval, true, true, true),
            (.variableIntervalUndefinedRest, true, true, true),
            (.fixedCaloriesWithSplits, false, true, true),
            (.fixedWattMinutesWithSplits, false, true, true),
            (.fixedCalorieInterval, true, false, true), (.unrecognized(13), false, false, false),
        ]
        for (type, isInterval, hasEnd, hasSplits) in types {
            #expect(type.isInterval == isInterval, "\(type)")
            #expect(type.hasEnd == hasEnd, "\(type)")
            #expect(type.hasSplits == hasSplits, "\(type)")
        }
    }

    @Test func continuesSessionAfterLateStatus() {
        // A status that is 1.5 s older than the last one, because sockets are read in turn.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.row(4)
        pm5.milliseconds -= 1500
        pm5.sendStatus()
        pm5.milliseconds += 1500
        pm5.row(2)
        #expect(pm5.harness.edges.map(\.kind) == [.started])
        #expect(pm5.harness.strokes.map(\.number) == Array(1...6))
    }

    @Test func neverMovesSampleTimeBack() {
        // A value that is 0.1 s older.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.row(1)
        let newest = pm5.harness.live?.at
        pm5.harness.now -= 100
        pm5.harness.send(.heartRateBelt(HeartRateBelt(manufacturerID: 1, deviceType: 1, beltID: 1)))
        #expect(pm5.harness.live?.at == newest)
    }

    @Test func excludesPausesAndRestsFromHeartRate() throws {
        // 150 in the work, 90 in a pause and in a rest.
        var single = ScriptedMonitor(.justRowWithoutSplits)
        single.heartRate = 150
        single.arm()
        single.row(4)
        single.stand(6100)
        single.heartRate = 90
        single.stand(8000)
        single.end(.terminate, summary: false, lap: false)
        single.pass(5000)
        #expect(single.harness.summaries.first?.averageHeartRate == 150)
        #expect(single.harness.summaries.first?.minimumHeartRate == 150)
        var intervals = ScriptedMonitor(.fixedDistanceInterval, 40)
        intervals.heartRate = 150
        intervals.arm()
        intervals.row(4)
        intervals.heartRate = 90
        intervals.rest(seconds: 6)
        intervals.heartRate = 150
        intervals.nextInterval(after: 6)
        intervals.row(1)
        #expect(intervals.harness.splits.map(\.averageHeartRate) == [150])
    }

    @Test func averagesHeartRatePerSplit() {
        // 120 in the first split, 160 in the second.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 80)
        pm5.heartRate = 120
        pm5.arm()
        pm5.row(4)
        pm5.sendSplit()
        pm5.heartRate = 160
        pm5.row(4)
        pm5.end()
        #expect(pm5.harness.splits.map(\.averageHeartRate) == [120, 160])
    }

    @Test func omitsPaceOfArmedMonitor() throws {
        // 0x0032 of an armed monitor with paces, and of a rower before the first counted stroke.
        var harness = MachineHarness()
        harness.send(.generalStatus(GeneralStatus()))
        harness.send(.additionalStatus1(AdditionalStatus1(averagePaceCentisecondsPer500m: 12_000)))
        #expect(try #require(harness.live).averagePace == nil)
        harness.send(.generalStatus(GeneralStatus(workoutState: .workoutRow, rowingState: .active)))
        harness.send(.additionalStatus1(AdditionalStatus1()))
        #expect(harness.live?.state == .rowing)
        #expect(harness.live?.strokeRate == nil)
    }

    @Test func hasNoLiveSampleBeforeFirstStatus() {
        // The link of an armed monitor closes and opens.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.loseLink(1000)
        pm5.regainLink()
        #expect(pm5.harness.live == nil)
        pm5.sendStatus()
        #expect(pm5.harness.live != nil)
    }

    @Test func usesMachineTypeOfConnection() {
        // The type from 0x0016, because 0x0032 of old firmware has no machine type.
        var harness = MachineHarness(connects: false)
        harness.machine.linkOpened(at: harness.instant, machine: .skiErg, into: &harness.events)
        harness.send(.generalStatus(GeneralStatus(workoutState: .workoutRow, rowingState: .active)))
        harness.send(.additionalStatus1(AdditionalStatus1(ergMachineType: nil)))
        #expect(harness.edges.first?.machine == .skiErg)
        #expect(harness.live?.machine == .skiErg)
    }

    @Test func ignoresStrokePacketsWithCountZero() {
        // Both packets with count 0 from an armed monitor.
        var harness = MachineHarness()
        harness.send(.strokeData(StrokeData()))
        harness.send(.additionalStrokeData(AdditionalStrokeData()))
        #expect(harness.machine.counters.duplicates == 0 && harness.strokes.isEmpty)
    }

    @Test func keepsValuesOfArmedMonitorOutOfSummary() throws {
        // 0x0033 with other values between the menu and our own summary.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.row(6)
        pm5.state = .waitToBegin
        pm5.harness.send(.generalStatus(GeneralStatus()))
        pm5.harness.send(
            .additionalStatus2(AdditionalStatus2(averagePowerWatts: 400, totalCalories: 900)))
        pm5.harness.wait(6000)
        let summary = try #require(pm5.harness.summaries.first)
        // The monitor did not show the end of this piece, so its result is unknown.
        #expect(summary.isPartial)
        #expect(summary.calories == nil && summary.averagePowerWatts == nil)
    }

    @Test func ignoresEndValuesOfAnotherWorkout() {
        // State 11 of another workout with a longer time.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 500)
        pm5.arm()
        pm5.row(6)
        pm5.harness.send(
            .generalStatus(
                GeneralStatus(
                    elapsedCentiseconds: 9999, distanceDecimeters: 9999,
                    workoutType: .justRowWithSplits, workoutState: .terminate)))
        pm5.harness.wait(6000)
        #expect(pm5.harness.summaries.map(\.result) == [.seconds(15)])
        #expect(pm5.harness.summaries.map(\.distance) == [Meters(60)])
    }

    @Test func declaresNoMissingSplitForStoppedPiece() {
        // Terminated in the first split, without 0x0037.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 500)
        pm5.arm()
        pm5.row(6)
        pm5.end(.terminate, summary: false, lap: false)
        pm5.pass(6000)
        #expect(pm5.harness.summaries.count == 1)
        #expect(pm5.harness.splitGaps.isEmpty)
    }

    @Test func excludesStaleStrokesFromNewSession() {
        // One stroke 2 s before the status, one 4 s before, and one with a time after the status.
        func strokes(_ elapsed: UInt32, age: Int) -> [Int] {
            var harness = MachineHarness()
            harness.send(.generalStatus(GeneralStatus()))
            harness.send(.strokeData(StrokeData(elapsedCentiseconds: elapsed, strokeCount: 1)))
            for _ in 0..<age {
                harness.wait(1000)
                harness.send(.generalStatus(GeneralStatus()))
            }
            harness.send(
                .generalStatus(
                    GeneralStatus(
                        elapsedCentiseconds: 300, workoutState: .workoutRow,
                        rowingState: .active)))
            harness.wait(10_000)
            #expect(harness.edges.map(\.kind) == [.started])
            return harness.strokes.map(\.number)
        }
        #expect(strokes(200, age: 2) == [1])
        #expect(strokes(200, age: 4) == [])
        #expect(strokes(9000, age: 1) == [])
    }

    @Test func joinsCurveToNearestDrive() {
        // Distances around 0.7 s, before and after.
        for (milliseconds, isJoined) in [(0, true), (650, true), (700, true), (701, false)] {
            for sign in [-1, 1] {
                var joiner = CurveJoiner()
                let ended = BootInstant(nanoseconds: 10_000_000_000)
                joiner.end(driveOf: 1, at: ended)
                joiner.add(
                    AssembledCurve(
                        begun: ended.advanced(by: .milliseconds(sign * milliseconds)),
                        isComplete: true, poundsForce: [1]))
                let joined = joiner.next()
                #expect((joined != nil) == isJoined, "\(sign * milliseconds) ms")
            }
        }
    }
}

/// Acceptance of the monitor's summaries, and their effects.
@Suite struct SummaryRuleTests {
    @Test(
        arguments: [
            (20, 0, true), (21, 0, false), (-20, 0, true), (-21, 0, false), (0, 10, true),
            (0, 11, false), (0, -10, true), (0, -11, false),
        ])
    func verifiesResultWithinProtocolResolution(
        centiseconds: Int, decimeters: Int, isVerified: Bool
    ) throws {
        // Results around the tolerance.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 120)
        pm5.filter = { notification in
            guard case .workoutSummary(var packet) = notification else { return notification }
            packet.elapsedCentiseconds = UInt32(Int(packet.elapsedCentiseconds) + centiseconds)
            packet.distanceDecimeters = UInt32(Int(packet.distanceDecimeters) + decimeters)
            return .workoutSummary(packet)
        }
        pm5.arm()
        pm5.row(12)
        pm5.end()
        #expect(pm5.harness.summaries.map(\.isVerifiedAgainstMonitor) == [isVerified])
    }

    @Test func acceptsSummaryBeforeEnd() {
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 120)
        pm5.arm()
        pm5.row(12)
        pm5.sendSummary()
        #expect(pm5.harness.summaries.isEmpty)
        pm5.end(summary: false)
        pm5.pass(6000)
        #expect(pm5.harness.summaries.map(\.revision) == [1])
        #expect(pm5.harness.summaries.first?.isVerifiedAgainstMonitor == true)
        #expect(pm5.harness.summaries.first?.restDistance == nil)
    }

    @Test(
        arguments: [
            (0, 1250, 1), (500, 0xFFFF, 1), (500, 1250, 0),
        ] as [(UInt32, UInt16, Int)])
    func rejectsSummaryOfSpoiledEntry(distance: UInt32, pace: UInt16, junk: Int) {
        // Distance 0, pace FFFF, and neither.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        pm5.filter = { notification in
            guard case .workoutSummary(var packet) = notification else { return notification }
            packet.distanceDecimeters = distance
            packet.averagePaceDecisecondsPer500m = pace
            return .workoutSummary(packet)
        }
        pm5.arm()
        pm5.row(5)
        pm5.end()
        pm5.pass(6000)
        #expect(pm5.harness.machine.counters.junkSummaries == junk)
        #expect(pm5.harness.summaries.map(\.distance) == [Meters(50)])
    }

    @Test func ignoresLateSummaryOfAnotherWorkout() {
        // A just row without a summary, then a summary of a fixed distance.
        var pm5 = ScriptedMonitor(.justRowWithSplits)
        pm5.arm()
        pm5.row(5)
        pm5.end(.terminate, summary: false, lap: false)
        pm5.pass(6000)
        #expect(pm5.harness.summaries.count == 1)
        let logged = LogTimestamp(
            date: LogDate(year: 2026, month: 7, day: 15), time: LogTime(hour: 9, minute: 0))
        pm5.send(
            .workoutSummary(
                WorkoutSummary(
                    logged: logged, elapsedCentiseconds: 1250, distanceDecimeters: 500,
                    workoutType: .fixedDistanceWithSplits, averagePaceDecisecondsPer500m: 1250)))
        pm5.pass(4000)
        #expect(pm5.harness.summaries.count == 1)
        #expect(pm5.harness.machine.counters.strayPackets == 1)
    }

    @Test func ignoresRepeatedSummaryWithoutNewContent() {
        // 0x0039 again; its recovery heart rate is 255, which means none.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        pm5.arm()
        pm5.row(5)
        pm5.end()
        pm5.pass(60_000)
        pm5.sendSummary(recovery: 255)
        pm5.pass(4000)
        #expect(pm5.harness.summaries.map(\.revision) == [1])
    }

    @Test func weightsIntervalPowerByTime() {
        // 10 s at 100 W and 30 s at 200 W; the strokes have other powers.
        var totals = SessionTotals()
        for (number, deciseconds, watts) in [(1, 100, 100), (2, 300, 200)] {
            totals.add(
                AssembledSplit(
                    number: number, data: SplitData(splitDeciseconds: UInt32(deciseconds)),
                    additional: AdditionalSplitData(powerWatts: UInt16(watts))),
                isInterval: true)
        }
        totals.add(strokeWatts: 400)
        totals.note(averageWatts: 300)
        #expect(totals.intervalPower.value == 175)
        #expect(totals.reportedWatts == 300)
        #expect(totals.strokePower.value == 400)
    }
}
