import Testing

@testable import PM5Codec
@testable import Rowing

/// Just rows and pieces with one goal.
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
    func completesProgrammedPiece(_ kind: Kind) throws {
        var pm5 = ScriptedMonitor(kind.type, kind.duration, kind.durationType)
        pm5.arm()
        pm5.row(12)
        pm5.end()
        #expect(pm5.harness.edges.map(\.kind) == [.started, .ended])
        #expect(pm5.harness.strokes.map(\.number) == Array(1...12))
        #expect(pm5.harness.curves.map(\.stroke) == Array(1...12))
        #expect(pm5.harness.splits.map(\.number) == [1])
        #expect(pm5.harness.gaps.isEmpty)
        let summary = try #require(pm5.harness.summaries.first)
        #expect(pm5.harness.summaries.count == 1)
        #expect(summary.workout == Workout(type: kind.type, target: kind.target))
        #expect(summary.result == .seconds(30))
        #expect(summary.distance == Meters(120))
        #expect(summary.isComplete)
        #expect(summary.isVerifiedAgainstMonitor == true)
        #expect(summary.averagePowerWatts == 178)
        #expect(summary.calories == 42)
        #expect(summary.strokes == 12)
        #expect(
            pm5.harness.states.map(\.activity) == [.idle, .ready, .rowing, .finished])
    }

    @Test(arguments: [WorkoutType.justRowWithoutSplits, .justRowWithSplits])
    func publishesOwnSummaryForJustRow(_ type: WorkoutType) throws {
        // A just row, terminated; 5 s pass without a summary of the monitor.
        var pm5 = ScriptedMonitor(type)
        pm5.arm()
        pm5.row(8)
        pm5.end(.terminate, summary: false, lap: false)
        #expect(pm5.harness.summaries.isEmpty)
        pm5.state = .rearm
        pm5.pass(1000)
        pm5.arm()
        pm5.pass(3000)
        let summary = try #require(pm5.harness.summaries.first)
        #expect(pm5.harness.summaries.count == 1)
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
    func declaresLostSplit(_ lost: UInt8) {
        // Both packets of one of three splits are lost, but not its strokes.
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
            pm5.sendSplit()
        }
        pm5.row(4)
        pm5.end()
        #expect(pm5.harness.splits.map(\.number) == [1, 2, 3].filter { $0 != Int(lost) })
        #expect(pm5.harness.missingSplits == [Int(lost)])
        #expect(pm5.harness.splitGaps.first?.reason == .notificationsLost)
        #expect(pm5.harness.gaps.isEmpty && pm5.harness.strokes.count == 12)
    }

    @Test(arguments: [(500, 0), (0, 200), (-500, -200)])
    func marksResultThatDisagrees(centiseconds: Int, decimeters: Int) throws {
        // The monitor's summary has another time, another distance, or both.
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
        let summary = try #require(pm5.harness.summaries.first)
        #expect(summary.isVerifiedAgainstMonitor == false)
        #expect(summary.result == .milliseconds(30_000 + centiseconds * 10))
        #expect(summary.distance == Meters(decimeters: Int64(1200 + decimeters)))
    }

    @Test func assignsStrokesToSplitTheyEndIn() {
        // Three splits of four strokes. 0x0033, which counts them, arrives up to half a second later.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 120)
        pm5.arm()
        for _ in 0..<2 {
            pm5.row(4)
            pm5.sendSplit()
        }
        pm5.row(4)
        pm5.end()
        #expect(pm5.harness.strokes.map(\.interval) == [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3])
    }

    @Test func reportsPaceOfBikePer500Metres() throws {
        // A BikeErg at 4 m/s whose packets have 125 s: pace times speed is 500 m.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 120)
        pm5.machine = .bikeWithoutArms
        pm5.arm()
        pm5.row(6)
        let live = try #require(pm5.harness.live)
        #expect(live.machine?.family == .bike)
        #expect(live.pace == Pace(centisecondsPer500m: 12_500))
        #expect(live.speedMillimetersPerSecond == 4000)
        pm5.row(6)
        pm5.end()
        #expect(pm5.harness.strokes.last?.pace == Pace(centisecondsPer500m: 12_500))
        #expect(pm5.harness.splits.first?.averagePace == Pace(decisecondsPer500m: 1250))
        #expect(pm5.harness.summaries.first?.averagePace == Pace(decisecondsPer500m: 1250))
    }

    @Test func marksTerminatedPieceIncomplete() throws {
        // 60 of 120 m, state 11; the monitor logs it.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 120)
        pm5.arm()
        pm5.row(6)
        pm5.end(.terminate)
        let summary = try #require(pm5.harness.summaries.first)
        #expect(!summary.isComplete)
        #expect(summary.distance == Meters(60))
        #expect(summary.isVerifiedAgainstMonitor == true)
    }

    @Test func endsSessionWhenMenuIsShown() throws {
        // The menu after five strokes, without state 11.
        var pm5 = ScriptedMonitor(.fixedTimeWithSplits, 30_000, .time)
        pm5.arm()
        pm5.row(5)
        pm5.harness.send(
            .generalStatus(
                GeneralStatus(workoutType: .unrecognized(13), intervalType: .none)))
        pm5.harness.wait(6000)
        #expect(pm5.harness.edges.map(\.kind) == [.started, .ended])
        #expect(pm5.harness.summaries.map(\.distance) == [Meters(50)])
        #expect(pm5.harness.states.last == StationState(activity: .idle))
    }

    @Test func pausesAndResumesJustRow() {
        // Ten seconds without a stroke in a just row.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.row(4)
        pm5.stand(10_000)
        #expect(pm5.harness.states.last?.activity == .paused)
        #expect(pm5.harness.live?.state == .paused)
        #expect(pm5.harness.live?.pace == nil)
        pm5.row(4)
        #expect(pm5.harness.edges.map(\.kind) == [.started, .paused, .resumed])
        #expect(Set(pm5.harness.edges.map(\.session)).count == 1)
        #expect(pm5.harness.strokes.map(\.number) == Array(1...7) + [8])
        #expect(pm5.harness.strokes.last?.elapsed == .seconds(20))
    }

    @Test func countsPauseInProgrammedPiece() {
        // Ten seconds without a stroke in a timed piece.
        var pm5 = ScriptedMonitor(.fixedTimeWithSplits, 30_000, .time)
        pm5.arm()
        pm5.row(4)
        pm5.stand(10_000)
        pm5.row(1)
        #expect(pm5.harness.edges.map(\.kind) == [.started, .paused, .resumed])
        #expect(pm5.harness.strokes.last?.elapsed == .milliseconds(22_500))
        #expect(pm5.harness.strokes.last?.distance == Meters(50))
    }

    @Test func beginsNewSessionForNextPiece() {
        // Two pieces, with and without the states between.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        for _ in 0..<2 {
            pm5.arm()
            pm5.row(5)
            pm5.end()
            pm5.state = .rearm
            pm5.pass(500)
        }
        #expect(pm5.harness.edges.map(\.session.text) == ["S1", "S1", "S2", "S2"])
        #expect(pm5.harness.strokes.map(\.number) == [1, 2, 3, 4, 5, 1, 2, 3, 4, 5])
        #expect(pm5.harness.summaries.map(\.revision) == [1, 1])
        #expect(pm5.harness.gaps.isEmpty)
    }

    @Test func endsPieceWhenNextBegins() {
        // All states between two pieces are lost.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        pm5.arm()
        pm5.row(4)
        pm5.isReceiving = false
        pm5.row(1)
        pm5.arm()
        pm5.isReceiving = true
        pm5.row(3)
        #expect(pm5.harness.edges.map(\.kind) == [.started, .ended, .started])
        #expect(pm5.harness.summaries.map(\.session.text) == ["S1"])
        #expect(pm5.harness.strokes.suffix(3).map(\.number) == [1, 2, 3])
    }

    @Test func revisesSummaryWithRecoveryHeartRate() throws {
        // 0x0039 again a minute later, with the rate.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        pm5.arm()
        pm5.row(5)
        pm5.end()
        pm5.pass(60_000)
        pm5.sendSummary(recovery: 95)
        pm5.pass(3000)
        pm5.sendSummary(recovery: 95)
        pm5.pass(3000)
        #expect(pm5.harness.summaries.map(\.revision) == [1, 2])
        #expect(pm5.harness.summaries.map(\.recoveryHeartRate) == [nil, 95])
        #expect(pm5.harness.summaries.map(\.session.text) == ["S1", "S1"])
        #expect(pm5.harness.edges.map(\.kind) == [.started, .ended])
    }

    @Test func doesNotReviseForSecondSummaryPacket() {
        // 0x0080 is subscribed together with the others.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        pm5.arm()
        pm5.row(5)
        pm5.end(summary: false)
        pm5.sendSummary()
        pm5.harness.wait(100)
        let second = WorkoutSummary2(
            logged: LogTimestamp(
                date: LogDate(year: 2025, month: 3, day: 16), time: LogTime(hour: 18, minute: 18)),
            averagePaceDecisecondsPer500m: 1250, gameAndVerification: 0x10)
        pm5.harness.send(.multiplexed, second.notificationBytes(carrier: .multiplexed))
        pm5.pass(4000)
        #expect(pm5.harness.summaries.map(\.revision) == [1])
        #expect(pm5.harness.summaries.first?.isVerifiedByMonitor == true)
    }

    @Test func replacesOwnSummaryWithLateOne() throws {
        // 0x0039 eight seconds after the end.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        pm5.arm()
        pm5.row(5)
        pm5.end(summary: false)
        pm5.pass(6000)
        #expect(pm5.harness.summaries.map(\.isVerifiedAgainstMonitor) == [nil])
        pm5.sendSummary()
        pm5.pass(500)
        #expect(pm5.harness.summaries.map(\.revision) == [1, 2])
        #expect(pm5.harness.summaries.last?.isVerifiedAgainstMonitor == true)
    }

    @Test func ignoresJunkSummaries() {
        // Distance 0 and pace FFFF after the end.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        pm5.arm()
        pm5.row(5)
        pm5.end(summary: false)
        let logged = LogTimestamp(
            date: LogDate(year: 2026, month: 7, day: 15), time: LogTime(hour: 9, minute: 0))
        pm5.send(.workoutSummary(WorkoutSummary(logged: logged, workoutType: .justRowWithSplits)))
        pm5.pass(6000)
        #expect(pm5.harness.summaries.map(\.distance) == [Meters(50)])
        #expect(pm5.harness.machine.counters.junkSummaries == 1)
    }

    @Test func ignoresCompanionPacketsOfAnotherEntry() throws {
        // 0x003A and 0x003C of another minute before the monitor's 0x0039, whose own companion packets are
        // lost.
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
        let summary = try #require(pm5.harness.summaries.first)
        #expect(summary.averagePowerWatts == 179)
        #expect(summary.calories == 5)
        #expect(summary.isVerifiedByMonitor == nil)
        #expect(summary.machine == .modelD)
        #expect(pm5.harness.splitGaps.isEmpty)
    }

    @Test func publishesAndMarksDifferingResult() {
        // A summary with 30 m more than received.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        pm5.filter = { notification in
            guard case .workoutSummary(var packet) = notification else { return notification }
            packet.distanceDecimeters += 300
            return .workoutSummary(packet)
        }
        pm5.arm()
        pm5.row(5)
        pm5.end()
        #expect(pm5.harness.summaries.map(\.distance) == [Meters(80)])
        #expect(pm5.harness.summaries.map(\.isVerifiedAgainstMonitor) == [false])
    }

    @Test func yieldsSameEventsWithMultiplexedCarrier() throws {
        // One piece with both carriers; compares all events.
        var dedicated = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        var multiplexed = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        multiplexed.carrier = .multiplexed
        dedicated.arm()
        dedicated.row(5)
        dedicated.end()
        multiplexed.arm()
        multiplexed.row(5)
        multiplexed.end()
        #expect(dedicated.harness.strokes.dropFirst() == multiplexed.harness.strokes.dropFirst())
        #expect(dedicated.harness.curves == multiplexed.harness.curves)
        #expect(dedicated.harness.splits == multiplexed.harness.splits)
        var other = try #require(multiplexed.harness.summaries.first)
        #expect(other.isVerifiedByMonitor == true)
        other.isVerifiedByMonitor = nil
        // With dedicated packets the machine waited for 0x003C.
        other.at = try #require(dedicated.harness.summaries.first).at
        #expect(dedicated.harness.summaries == [other])
    }

    @Test(arguments: [ErgMachineType.modelE, .skiErg, .bikeWithoutArms, .multiErgSki])
    func reportsMachineType(_ machine: ErgMachineType) {
        // The type in 0x0032 and 0x0038.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        pm5.machine = machine
        pm5.arm()
        pm5.row(5)
        #expect(pm5.harness.live?.machine == machine)
        pm5.end()
        #expect(pm5.harness.summaries.first?.machine == machine)
        #expect(pm5.harness.splits.first?.machine == machine)
        #expect(pm5.harness.edges.last?.machine == machine)
    }

    @Test(arguments: [ScriptedMonitor.Loss.link, .gateway])
    func keepsMachineOfLastSessionWhenMonitorMoves(_ loss: ScriptedMonitor.Loss) {
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
        #expect(pm5.harness.summaries.map(\.revision) == [1, 2])
        #expect(pm5.harness.summaries.map(\.machine) == [.modelD, .modelD])
        #expect(pm5.harness.edges.allSatisfy { $0.machine == .modelD })
    }

    @Test func ignoresSummaryOfAnotherLogEntry() {
        // A summary of another minute after the end.
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
        #expect(pm5.harness.summaries.map(\.revision) == [1])
        #expect(pm5.harness.machine.counters.strayPackets == 1)
    }

    @Test func pausesWhenMonitorReportsInactive() {
        // Reported inactive after the last stroke.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.row(4)
        (pm5.rowingState, pm5.isMoving, pm5.isRunning) = (.inactive, false, false)
        pm5.pass(1500)
        #expect(pm5.harness.states.last?.activity == .rowing)
        pm5.pass(1000)
        #expect(pm5.harness.states.last?.activity == .paused)
    }

    @Test func beginsNoSessionForFlywheelMovement() {
        // State 1 without a stroke, inactive.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.state = .workoutRow
        pm5.decimeters = 5
        pm5.pass(3000)
        #expect(pm5.harness.edges.isEmpty)
    }

    @Test func updatesLiveSample() throws {
        // Reads the sample while rowing, and without a link.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        #expect(pm5.harness.live == nil)
        pm5.arm()
        #expect(pm5.harness.live?.state == .ready)
        pm5.row(4)
        let live = try #require(pm5.harness.live)
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
        #expect(pm5.harness.live == nil)
    }
}
