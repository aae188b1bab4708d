import Testing

@testable import PM5Codec
@testable import Rowing
@testable import Timeline

/// Single rules of the session machine, each with what would go wrong without it.
@Suite struct SessionRuleTests {
    @Test func statesAndWhatTheyMean() {
        // Goal: every workout state is told apart from work, rest and end. Method: the documented
        // table (CSAFE definition, appendix E), and a number of newer firmware.
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

    @Test func workoutsAndWhatTheyHave() {
        // Goal: intervals, ends and splits by workout type. Method: the documented table.
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

    @Test func aStatusOfAMomentAgoIsNoOtherPiece() {
        // Goal: sockets that are read in turn do not end a session. Method: a status 1.5 s behind
        // the last one.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.row(4)
        pm5.milliseconds -= 1500
        pm5.sendStatus()
        pm5.milliseconds += 1500
        pm5.row(2)
        #expect(pm5.fold.edges.map(\.kind) == [.started])
        #expect(pm5.fold.strokes.map(\.number) == Array(1...6))
    }

    @Test func theMomentOfTheSampleNeverGoesBack() {
        // Goal: what was read late is not taken for the newest. Method: a value 0.1 s older.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.row(1)
        let newest = pm5.fold.live?.at
        pm5.fold.now -= 100
        pm5.fold.send(.heartRateBelt(HeartRateBelt(manufacturerID: 1, deviceType: 1, beltID: 1)))
        #expect(pm5.fold.live?.at == newest)
    }

    @Test func heartBeatsOfPausesAndRestsAreNoWork() throws {
        // Goal: averages are of the work. Method: 150 in the work, 90 in a pause and in a rest.
        var single = ScriptedMonitor(.justRowWithoutSplits)
        single.heartRate = 150
        single.arm()
        single.row(4)
        single.stand(6100)
        single.heartRate = 90
        single.stand(8000)
        single.end(.terminate, summary: false, lap: false)
        single.pass(5000)
        #expect(single.fold.summaries.first?.averageHeartRate == 150)
        #expect(single.fold.summaries.first?.minimumHeartRate == 150)
        var intervals = ScriptedMonitor(.fixedDistanceInterval, 40)
        intervals.heartRate = 150
        intervals.arm()
        intervals.row(4)
        intervals.heartRate = 90
        intervals.rest(seconds: 6)
        intervals.heartRate = 150
        intervals.nextInterval(after: 6)
        intervals.row(1)
        #expect(intervals.fold.splits.map(\.averageHeartRate) == [150])
    }

    @Test func eachSplitHasItsOwnHeartRate() {
        // Goal: the tally begins anew. Method: 120 in the first split, 160 in the second.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 80)
        pm5.heartRate = 120
        pm5.arm()
        pm5.row(4)
        pm5.sendLap()
        pm5.heartRate = 160
        pm5.row(4)
        pm5.end()
        #expect(pm5.fold.splits.map(\.averageHeartRate) == [120, 160])
    }

    @Test func anArmedMonitorHasNoPace() throws {
        // Goal: what the last rower left on the screen is nobody's. Method: 0x0032 of an armed
        // monitor with paces, and of a rower before the first stroke counts.
        var fold = Fold()
        fold.send(.generalStatus(GeneralStatus()))
        fold.send(.additionalStatus1(AdditionalStatus1(averagePaceCentisecondsPer500m: 12_000)))
        #expect(try #require(fold.live).averagePace == nil)
        fold.send(.generalStatus(GeneralStatus(workoutState: .workoutRow, rowingState: .active)))
        fold.send(.additionalStatus1(AdditionalStatus1()))
        #expect(fold.live?.state == .rowing)
        #expect(fold.live?.strokeRate == nil)
    }

    @Test func nothingIsLiveBeforeTheFirstStatusOfALink() {
        // Goal: old numbers do not come back with the link. Method: an armed monitor goes and comes.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.loseLink(1000)
        pm5.regainLink()
        #expect(pm5.fold.live == nil)
        pm5.sendStatus()
        #expect(pm5.fold.live != nil)
    }

    @Test func theMachineIsKnownFromTheConnection() {
        // Goal: old firmware, whose 0x0032 has no machine type. Method: the type as 0x0016 told it.
        var fold = Fold(connects: false)
        fold.machine.linkOpened(at: fold.instant, machine: .skiErg, into: &fold.events)
        fold.send(.generalStatus(GeneralStatus(workoutState: .workoutRow, rowingState: .active)))
        fold.send(.additionalStatus1(AdditionalStatus1(ergMachineType: nil)))
        #expect(fold.edges.first?.machine == .skiErg)
        #expect(fold.live?.machine == .skiErg)
    }

    @Test func zeroedStrokesBeforeAPieceSayNothing() {
        // Goal: packets of no stroke are not duplicates of one. Method: both, count 0, when armed.
        var fold = Fold()
        fold.send(.strokeData(StrokeData()))
        fold.send(.additionalStrokeData(AdditionalStrokeData()))
        #expect(fold.machine.counters.duplicates == 0 && fold.strokes.isEmpty)
    }

    @Test func numbersOfAnArmedMonitorDoNotReachTheLastSummary() throws {
        // Goal: what is shown after the menu is another piece's. Method: 0x0033 with other figures
        // between the menu and our own summary.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.row(6)
        pm5.state = .waitToBegin
        pm5.fold.send(.generalStatus(GeneralStatus()))
        pm5.fold.send(
            .additionalStatus2(AdditionalStatus2(averagePowerWatts: 400, totalCalories: 900)))
        pm5.fold.wait(6000)
        let summary = try #require(pm5.fold.summaries.first)
        // The monitor did not show how this piece ended: what it came to is not known.
        #expect(summary.isPartial)
        #expect(summary.calories == nil && summary.averagePowerWatts == nil)
    }

    @Test func figuresOfAnotherWorkoutDoNotEndAPiece() {
        // Goal: a terminated monitor may show the next workout already. Method: state 11 of another
        // workout with a longer time.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 500)
        pm5.arm()
        pm5.row(6)
        pm5.fold.send(
            .generalStatus(
                GeneralStatus(
                    elapsedCentiseconds: 9999, distanceDecimeters: 9999,
                    workoutType: .justRowWithSplits, workoutState: .terminate)))
        pm5.fold.wait(6000)
        #expect(pm5.fold.summaries.map(\.result) == [.seconds(15)])
        #expect(pm5.fold.summaries.map(\.distance) == [Meters(60)])
    }

    @Test func aStoppedPieceLacksNoSplit() {
        // Goal: nobody knows whether the last split of a stopped piece was told. Method: terminated
        // in the first split, no 0x0037.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 500)
        pm5.arm()
        pm5.row(6)
        pm5.end(.terminate, summary: false, lap: false)
        pm5.pass(6000)
        #expect(pm5.fold.summaries.count == 1)
        #expect(pm5.fold.splitGaps.isEmpty)
    }

    @Test func aStaleStrokeIsNotOfTheNewSession() {
        // Goal: strokes seen shortly before the first status belong to the piece, others do not.
        // Method: one seen 2 s before, one 4 s before, and one of a time that is yet to come.
        func strokes(_ elapsed: UInt32, age: Int) -> [Int] {
            var fold = Fold()
            fold.send(.generalStatus(GeneralStatus()))
            fold.send(.strokeData(StrokeData(elapsedCentiseconds: elapsed, strokeCount: 1)))
            for _ in 0..<age {
                fold.wait(1000)
                fold.send(.generalStatus(GeneralStatus()))
            }
            fold.send(
                .generalStatus(
                    GeneralStatus(
                        elapsedCentiseconds: 300, workoutState: .workoutRow,
                        rowingState: .active)))
            fold.wait(10_000)
            #expect(fold.edges.map(\.kind) == [.started])
            return fold.strokes.map(\.number)
        }
        #expect(strokes(200, age: 2) == [1])
        #expect(strokes(200, age: 4) == [])
        #expect(strokes(9000, age: 1) == [])
    }

    @Test func aCurveIsOfTheDriveThatEndedNearIt() {
        // Goal: 0.7 s either way, no more. Method: distances around it.
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

/// When a summary of the monitor is taken, and what it changes.
@Suite struct SummaryRuleTests {
    @Test(
        arguments: [
            (20, 0, true), (21, 0, false), (-20, 0, true), (-21, 0, false), (0, 10, true),
            (0, 11, false), (0, -10, true), (0, -11, false),
        ])
    func verifiedMeansWithinTheWiresResolution(
        centiseconds: Int, decimeters: Int, isVerified: Bool
    ) throws {
        // Goal: truncation is no disagreement, more is. Method: results around the tolerance.
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
        #expect(pm5.fold.summaries.map(\.isVerifiedAgainstMonitor) == [isVerified])
    }

    @Test func aSummaryReadBeforeTheEndIsTaken() {
        // Goal: 0x0039 may be read before the status that ends the piece. Method: just that.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 120)
        pm5.arm()
        pm5.row(12)
        pm5.sendSummary()
        #expect(pm5.fold.summaries.isEmpty)
        pm5.end(summary: false)
        pm5.pass(6000)
        #expect(pm5.fold.summaries.map(\.revision) == [1])
        #expect(pm5.fold.summaries.first?.isVerifiedAgainstMonitor == true)
        #expect(pm5.fold.summaries.first?.restDistance == nil)
    }

    @Test(
        arguments: [
            (0, 1250, 1), (500, 0xFFFF, 1), (500, 1250, 0),
        ] as [(UInt32, UInt16, Int)])
    func eitherSignOfASpoiledEntryIsEnough(distance: UInt32, pace: UInt16, junk: Int) {
        // Goal: distance 0, or pace FFFF, is no result. Method: each alone, and neither.
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
        #expect(pm5.fold.machine.counters.junkSummaries == junk)
        #expect(pm5.fold.summaries.map(\.distance) == [Meters(50)])
    }

    @Test func aLateSummaryOfAnotherKindIsNotOurs() {
        // Goal: our own summary is revised by its own piece's alone. Method: a just row without a
        // summary; then one of a fixed distance.
        var pm5 = ScriptedMonitor(.justRowWithSplits)
        pm5.arm()
        pm5.row(5)
        pm5.end(.terminate, summary: false, lap: false)
        pm5.pass(6000)
        #expect(pm5.fold.summaries.count == 1)
        let logged = LogTimestamp(
            date: LogDate(year: 2026, month: 7, day: 15), time: LogTime(hour: 9, minute: 0))
        pm5.send(
            .workoutSummary(
                WorkoutSummary(
                    logged: logged, elapsedCentiseconds: 1250, distanceDecimeters: 500,
                    workoutType: .fixedDistanceWithSplits, averagePaceDecisecondsPer500m: 1250)))
        pm5.pass(4000)
        #expect(pm5.fold.summaries.count == 1)
        #expect(pm5.fold.machine.counters.strayPackets == 1)
    }

    @Test func aRepeatedSummaryThatSaysNothingNewIsNoRevision() {
        // Goal: revisions have a reason. Method: 0x0039 once more, its recovery heart rate 255, which
        // is none.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        pm5.arm()
        pm5.row(5)
        pm5.end()
        pm5.pass(60_000)
        pm5.sendSummary(recovery: 255)
        pm5.pass(4000)
        #expect(pm5.fold.summaries.map(\.revision) == [1])
    }

    @Test func powerOfIntervalsIsWeightedByTheirTime() {
        // Goal: our own average over intervals. Method: 10 s at 100 W and 30 s at 200 W, and strokes
        // of other powers.
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
