import Testing

@testable import PM5Codec
@testable import Rowing

/// Just row and pieces with one goal.
@Suite struct SinglePieceTests {
    struct Kind: CustomTestStringConvertible {
        let type: WorkoutType
        let duration: UInt32
        let durationType: DurationType
        let target: Workout.Target
        var testDescription: String { "\(type)" }
    }

    /// Twelve strokes are 30 s and 120 m.
    static let programmed: [Kind] = [
        Kind(
            type: .fixedDistanceWithoutSplits, duration: 120, durationType: .distance,
            target: .distance(Meters(120))),
        Kind(
            type: .fixedDistanceWithSplits, duration: 120, durationType: .distance,
            target: .distance(Meters(120))),
        Kind(
            type: .fixedTimeWithoutSplits, duration: 3000, durationType: .time,
            target: .time(.seconds(30))),
        Kind(
            type: .fixedTimeWithSplits, duration: 3000, durationType: .time,
            target: .time(.seconds(30))),
        Kind(
            type: .fixedCaloriesWithSplits, duration: 12, durationType: .calories,
            target: .calories(12)),
        Kind(
            type: .fixedWattMinutesWithSplits, duration: 90, durationType: .wattMinutes,
            target: .wattMinutes(90)),
    ]

    @Test(arguments: programmed)
    func aProgrammedPieceRunsToItsEnd(_ kind: Kind) throws {
        // Goal: every single piece is a whole session. Method: armed, rowed, finished, logged.
        var pm5 = ScriptedMonitor(kind.type, kind.duration, kind.durationType)
        pm5.arm()
        pm5.row(12)
        pm5.end()
        #expect(pm5.fold.edges.map(\.kind) == [.started, .ended])
        #expect(pm5.fold.strokes.map(\.number) == Array(1...12))
        #expect(pm5.fold.curves.map(\.stroke) == Array(1...12))
        #expect(pm5.fold.splits.map(\.number) == [1])
        #expect(pm5.fold.gaps.isEmpty)
        let summary = try #require(pm5.fold.summaries.first)
        #expect(pm5.fold.summaries.count == 1)
        #expect(summary.workout == Workout(type: kind.type, target: kind.target))
        #expect(summary.result == .seconds(30))
        #expect(summary.distance == Meters(120))
        #expect(summary.isComplete)
        #expect(summary.isVerifiedAgainstMonitor == true)
        #expect(summary.averagePowerWatts == 178)
        #expect(summary.calories == 42)
        #expect(summary.strokes == 12)
        #expect(
            pm5.fold.states.map(\.activity) == [.idle, .ready, .rowing, .finished])
    }

    @Test(arguments: [WorkoutType.justRowWithoutSplits, .justRowWithSplits])
    func aJustRowEndsWithMenuAndOurOwnSummary(_ type: WorkoutType) throws {
        // Goal: no summary from the monitor, one of ours. Method: just row, terminated, 5 s pass.
        var pm5 = ScriptedMonitor(type)
        pm5.arm()
        pm5.row(8)
        pm5.end(.terminate, summary: false, lap: false)
        #expect(pm5.fold.summaries.isEmpty)
        pm5.state = .rearm
        pm5.pass(1000)
        pm5.arm()
        pm5.pass(3000)
        let summary = try #require(pm5.fold.summaries.first)
        #expect(pm5.fold.summaries.count == 1)
        #expect(summary.result == .seconds(20))
        #expect(summary.distance == Meters(80))
        #expect(summary.isVerifiedAgainstMonitor == nil)
        #expect(!summary.isComplete)
        #expect(summary.workout.target == .none)
        #expect(summary.averagePace == Pace(decisecondsPer500m: 1250))
        #expect(summary.averageStrokeRate == 24)
        #expect(summary.averagePowerWatts == 179)
        #expect(summary.maximumPowerWatts == 180)
        #expect(summary.averageHeartRate == 140)
        #expect(summary.averageDragFactor == 120)
        #expect(summary.calories == 8)
        #expect(summary.strokes == 8)
    }

    @Test(arguments: [1, 2, 3])
    func aLostSplitIsDeclared(_ lost: UInt8) {
        // Goal: a hole among the splits is told, also where it is the last one. Method: both packets
        // of one of three splits are lost, its strokes are not.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 120)
        pm5.filter = { notification in
            switch notification {
            case .splitData(let packet): packet.splitNumber == lost ? nil : notification
            case .additionalSplitData(let packet): packet.splitNumber == lost ? nil : notification
            default: notification
            }
        }
        pm5.arm()
        for _ in 0..<2 {
            pm5.row(4)
            pm5.sendLap()
        }
        pm5.row(4)
        pm5.end()
        #expect(pm5.fold.splits.map(\.number) == [1, 2, 3].filter { $0 != Int(lost) })
        #expect(pm5.fold.missingSplits == [Int(lost)])
        #expect(pm5.fold.splitGaps.first?.reason == .notificationsLost)
        #expect(pm5.fold.gaps.isEmpty && pm5.fold.strokes.count == 12)
    }

    @Test(arguments: [(500, 0), (0, 200), (-500, -200)])
    func aResultThatDisagreesIsSaidSo(centiseconds: Int, decimeters: Int) throws {
        // Goal: verified_against_pm5 can be false. Method: the monitor's summary tells another time,
        // another distance, or both; what it tells is published.
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
        let summary = try #require(pm5.fold.summaries.first)
        #expect(summary.isVerifiedAgainstMonitor == false)
        #expect(summary.result == .milliseconds(30_000 + centiseconds * 10))
        #expect(summary.distance == Meters(decimeters: Int64(1200 + decimeters)))
    }

    @Test func strokesBelongToTheSplitTheyEndIn() {
        // Goal: no stroke lags behind the boundary. Method: three splits of four strokes; 0x0033,
        // which counts them, comes up to half a second later.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 120)
        pm5.arm()
        for _ in 0..<2 {
            pm5.row(4)
            pm5.sendLap()
        }
        pm5.row(4)
        pm5.end()
        #expect(pm5.fold.strokes.map(\.interval) == [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3])
    }

    @Test func aBikesPaceIsFor500MetresToo() throws {
        // Goal: one unit of pace for every machine. Method: a BikeErg at 4 m/s whose packets say
        // 125 s: its pace times its speed are 500 m.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 120)
        pm5.machine = .bikeWithoutArms
        pm5.arm()
        pm5.row(6)
        let live = try #require(pm5.fold.live)
        #expect(live.machine?.family == .bike)
        #expect(live.pace == Pace(centisecondsPer500m: 12_500))
        #expect(live.speedMillimetersPerSecond == 4000)
        pm5.row(6)
        pm5.end()
        #expect(pm5.fold.strokes.last?.pace == Pace(centisecondsPer500m: 12_500))
        #expect(pm5.fold.splits.first?.averagePace == Pace(decisecondsPer500m: 1250))
        #expect(pm5.fold.summaries.first?.averagePace == Pace(decisecondsPer500m: 1250))
    }

    @Test func anEarlyEndIsNotComplete() throws {
        // Goal: terminate tells itself apart. Method: 60 of 120 m, state 11, the monitor logs it.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 120)
        pm5.arm()
        pm5.row(6)
        pm5.end(.terminate)
        let summary = try #require(pm5.fold.summaries.first)
        #expect(!summary.isComplete)
        #expect(summary.distance == Meters(60))
        #expect(summary.isVerifiedAgainstMonitor == true)
    }

    @Test func theMenuDuringAPieceEndsIt() throws {
        // Goal: workout type 13 ends a session. Method: menu after five strokes, no state 11 seen.
        var pm5 = ScriptedMonitor(.fixedTimeWithSplits, 30_000, .time)
        pm5.arm()
        pm5.row(5)
        pm5.fold.send(
            .generalStatus(
                GeneralStatus(workoutType: .unrecognized(13), intervalType: .none)))
        pm5.fold.wait(6000)
        #expect(pm5.fold.edges.map(\.kind) == [.started, .ended])
        #expect(pm5.fold.summaries.map(\.distance) == [Meters(50)])
        #expect(pm5.fold.states.last == StationState(activity: .idle))
    }

    @Test func aJustRowPausesAndResumes() {
        // Goal: a pause is told once each way. Method: ten seconds without a stroke in a just row.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.row(4)
        pm5.stand(10_000)
        #expect(pm5.fold.states.last?.activity == .paused)
        #expect(pm5.fold.live?.state == .paused)
        #expect(pm5.fold.live?.pace == nil)
        pm5.row(4)
        #expect(pm5.fold.edges.map(\.kind) == [.started, .paused, .resumed])
        #expect(Set(pm5.fold.edges.map(\.session)).count == 1)
        #expect(pm5.fold.strokes.map(\.number) == Array(1...7) + [8])
        #expect(pm5.fold.strokes.last?.elapsed == .seconds(20))
    }

    @Test func theClockOfAProgrammedPieceGoesOnInAPause() {
        // Goal: elapsed is the monitor's. Method: ten seconds without a stroke in a timed piece.
        var pm5 = ScriptedMonitor(.fixedTimeWithSplits, 30_000, .time)
        pm5.arm()
        pm5.row(4)
        pm5.stand(10_000)
        pm5.row(1)
        #expect(pm5.fold.edges.map(\.kind) == [.started, .paused, .resumed])
        #expect(pm5.fold.strokes.last?.elapsed == .milliseconds(22_500))
        #expect(pm5.fold.strokes.last?.distance == Meters(50))
    }

    @Test func theNextPieceOnTheSameLinkIsAnotherSession() {
        // Goal: rearm and row again. Method: two pieces, with and without the states between.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        for _ in 0..<2 {
            pm5.arm()
            pm5.row(5)
            pm5.end()
            pm5.state = .rearm
            pm5.pass(500)
        }
        #expect(pm5.fold.edges.map(\.session.text) == ["S1", "S1", "S2", "S2"])
        #expect(pm5.fold.strokes.map(\.number) == [1, 2, 3, 4, 5, 1, 2, 3, 4, 5])
        #expect(pm5.fold.summaries.map(\.revision) == [1, 1])
        #expect(pm5.fold.gaps.isEmpty)
    }

    @Test func aPieceWhoseEndWasNotSeenEndsWithTheNext() {
        // Goal: a reset within a single piece is another piece. Method: lose all states between.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        pm5.arm()
        pm5.row(4)
        pm5.isHeard = false
        pm5.row(1)
        pm5.arm()
        pm5.isHeard = true
        pm5.row(3)
        #expect(pm5.fold.edges.map(\.kind) == [.started, .ended, .started])
        #expect(pm5.fold.summaries.map(\.session.text) == ["S1"])
        #expect(pm5.fold.strokes.suffix(3).map(\.number) == [1, 2, 3])
    }

    @Test func recoveryHeartRateIsASecondRevision() throws {
        // Goal: the repeated summary revises. Method: 0x0039 again a minute later, with the rate.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        pm5.arm()
        pm5.row(5)
        pm5.end()
        pm5.pass(60_000)
        pm5.sendSummary(recovery: 95)
        pm5.pass(3000)
        pm5.sendSummary(recovery: 95)
        pm5.pass(3000)
        #expect(pm5.fold.summaries.map(\.revision) == [1, 2])
        #expect(pm5.fold.summaries.map(\.recoveryHeartRate) == [nil, 95])
        #expect(pm5.fold.summaries.map(\.session.text) == ["S1", "S1"])
        #expect(pm5.fold.edges.map(\.kind) == [.started, .ended])
    }

    @Test func theSecondSummaryPacketMakesNoRevision() {
        // Goal: 0x003C belongs to the first telling. Method: 0x0080 is on beside the others.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        pm5.arm()
        pm5.row(5)
        pm5.end(summary: false)
        pm5.sendSummary()
        pm5.fold.wait(100)
        let second = WorkoutSummary2(
            logged: LogTimestamp(
                date: LogDate(year: 2025, month: 3, day: 16), time: LogTime(hour: 18, minute: 18)),
            averagePaceDecisecondsPer500m: 1250, gameAndVerification: 0x10)
        pm5.fold.send(.multiplexed, second.notificationBytes(carrier: .multiplexed))
        pm5.pass(4000)
        #expect(pm5.fold.summaries.map(\.revision) == [1])
        #expect(pm5.fold.summaries.first?.isVerifiedByMonitor == true)
    }

    @Test func aLateSummaryReplacesOurs() throws {
        // Goal: the monitor has the last word. Method: 0x0039 eight seconds after the end.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        pm5.arm()
        pm5.row(5)
        pm5.end(summary: false)
        pm5.pass(6000)
        #expect(pm5.fold.summaries.map(\.isVerifiedAgainstMonitor) == [nil])
        pm5.sendSummary()
        pm5.pass(500)
        #expect(pm5.fold.summaries.map(\.revision) == [1, 2])
        #expect(pm5.fold.summaries.last?.isVerifiedAgainstMonitor == true)
    }

    @Test func junkSummariesAreNotResults() {
        // Goal: a spoiled log entry is no result. Method: distance 0 and pace FFFF after the end.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        pm5.arm()
        pm5.row(5)
        pm5.end(summary: false)
        let logged = LogTimestamp(
            date: LogDate(year: 2026, month: 7, day: 15), time: LogTime(hour: 9, minute: 0))
        pm5.send(.workoutSummary(WorkoutSummary(logged: logged, workoutType: .justRowWithSplits)))
        pm5.pass(6000)
        #expect(pm5.fold.summaries.map(\.distance) == [Meters(50)])
        #expect(pm5.fold.machine.counters.junkSummaries == 1)
    }

    @Test func theCompanionsOfAnotherEntryAreNotOurs() throws {
        // Goal: power and calories of a spoiled entry reach no summary. Method: 0x003A and 0x003C of
        // another minute before the monitor's 0x0039; its own companions are lost.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        pm5.arm()
        pm5.row(5)
        pm5.end(summary: false)
        let spoiled = LogTimestamp(
            date: LogDate(year: 2026, month: 7, day: 15), time: LogTime(hour: 9, minute: 0))
        pm5.send(
            .additionalWorkoutSummary(
                AdditionalWorkoutSummary(logged: spoiled, splitCount: 9, averagePowerWatts: 1)))
        pm5.send(
            .workoutSummary2(
                WorkoutSummary2(
                    logged: spoiled, gameAndVerification: 0x10, ergMachineType: .skiErg)))
        pm5.filter = { notification in
            if case .additionalWorkoutSummary = notification { return nil }
            return notification
        }
        pm5.sendSummary()
        pm5.pass(4000)
        let summary = try #require(pm5.fold.summaries.first)
        #expect(summary.averagePowerWatts == 179)
        #expect(summary.calories == 5)
        #expect(summary.isVerifiedByMonitor == nil)
        #expect(summary.machine == .modelD)
        #expect(pm5.fold.splitGaps.isEmpty)
    }

    @Test func aResultThatDiffersFromOursIsPublishedAndMarked() {
        // Goal: verified means compared. Method: a summary with 30 m more than was seen.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        pm5.filter = { notification in
            guard case .workoutSummary(var packet) = notification else { return notification }
            packet.distanceDecimeters += 300
            return .workoutSummary(packet)
        }
        pm5.arm()
        pm5.row(5)
        pm5.end()
        #expect(pm5.fold.summaries.map(\.distance) == [Meters(80)])
        #expect(pm5.fold.summaries.map(\.isVerifiedAgainstMonitor) == [false])
    }

    @Test func theMultiplexedCarrierGivesTheSame() throws {
        // Goal: 0x0080 yields the same metrics. Method: one piece both ways, all events compared.
        var dedicated = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        var multiplexed = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        multiplexed.carrier = .multiplexed
        dedicated.arm()
        dedicated.row(5)
        dedicated.end()
        multiplexed.arm()
        multiplexed.row(5)
        multiplexed.end()
        #expect(dedicated.fold.strokes.dropFirst() == multiplexed.fold.strokes.dropFirst())
        #expect(dedicated.fold.curves == multiplexed.fold.curves)
        #expect(dedicated.fold.splits == multiplexed.fold.splits)
        var other = try #require(multiplexed.fold.summaries.first)
        #expect(other.isVerifiedByMonitor == true)
        other.isVerifiedByMonitor = nil
        // Dedicated, it was waited whether 0x003C comes.
        other.at = try #require(dedicated.fold.summaries.first).at
        #expect(dedicated.fold.summaries == [other])
    }

    @Test(arguments: [ErgMachineType.modelE, .skiErg, .bikeWithoutArms, .multiErgSki])
    func theMachineIsCarried(_ machine: ErgMachineType) {
        // Goal: a SkiErg is told apart from a RowErg. Method: the type in 0x0032 and 0x0038.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        pm5.machine = machine
        pm5.arm()
        pm5.row(5)
        #expect(pm5.fold.live?.machine == machine)
        pm5.end()
        #expect(pm5.fold.summaries.first?.machine == machine)
        #expect(pm5.fold.splits.first?.machine == machine)
        #expect(pm5.fold.edges.last?.machine == machine)
    }

    @Test(arguments: [ScriptedMonitor.Loss.link, .gateway])
    func aMovedMonitorLeavesItsLastSessionAsItWas(_ loss: ScriptedMonitor.Loss) {
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        pm5.arm()
        pm5.row(5)
        pm5.end()
        pm5.sendSummary()
        pm5.pass(4000)
        pm5.away(loss) { pm5 in
            pm5.machine = .bikeWithoutArms
            pm5.pass(30_000)
        }
        pm5.pass(2000)
        pm5.sendSummary(recovery: 91)
        pm5.pass(4000)
        #expect(pm5.fold.summaries.map(\.revision) == [1, 2])
        #expect(pm5.fold.summaries.map(\.machine) == [.modelD, .modelD])
        #expect(pm5.fold.edges.allSatisfy { $0.machine == .modelD })
    }

    @Test func theSummaryOfAnotherLogEntryRevisesNothing() {
        // Goal: only the session's own entry. Method: a summary of another minute after the end.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        pm5.arm()
        pm5.row(5)
        pm5.end()
        let other = LogTimestamp(
            date: LogDate(year: 2025, month: 3, day: 16), time: LogTime(hour: 18, minute: 40))
        pm5.send(
            .workoutSummary(
                WorkoutSummary(
                    logged: other, elapsedCentiseconds: 9000, distanceDecimeters: 3000,
                    workoutType: .fixedDistanceWithSplits, averagePaceDecisecondsPer500m: 1500)))
        pm5.pass(4000)
        #expect(pm5.fold.summaries.map(\.revision) == [1])
        #expect(pm5.fold.machine.counters.strayPackets == 1)
    }

    @Test func theMonitorsOwnWordForAPauseIsTaken() {
        // Goal: no six seconds when the monitor knows sooner. Method: inactive after the last stroke.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.row(4)
        (pm5.rowingState, pm5.isMoving, pm5.isRunning) = (.inactive, false, false)
        pm5.pass(1500)
        #expect(pm5.fold.states.last?.activity == .rowing)
        pm5.pass(1000)
        #expect(pm5.fold.states.last?.activity == .paused)
    }

    @Test func flywheelMovementAloneIsNoSession() {
        // Goal: a session needs rowing. Method: state 1 without a stroke and inactive.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.state = .workoutRow
        pm5.decimeters = 5
        pm5.pass(3000)
        #expect(pm5.fold.edges.isEmpty)
    }

    @Test func thePresentNumbersFollowTheMonitor() throws {
        // Goal: the dashboard's sample. Method: read it while rowing, and when the link is gone.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        #expect(pm5.fold.live == nil)
        pm5.arm()
        #expect(pm5.fold.live?.state == .ready)
        pm5.row(4)
        let live = try #require(pm5.fold.live)
        #expect(live.state == .rowing)
        #expect(live.elapsed == .seconds(10))
        #expect(live.distance == Meters(40))
        #expect(live.strokeRate == 24)
        #expect(live.pace == Pace(decisecondsPer500m: 1250))
        #expect(live.powerWatts == 180)
        #expect(live.heartRate == 140)
        #expect(live.dragFactor == 120)
        #expect(live.speedMillimetersPerSecond == 4000)
        #expect(live.strokePhase == .recovery)
        pm5.loseLink(100)
        #expect(pm5.fold.live == nil)
    }
}
