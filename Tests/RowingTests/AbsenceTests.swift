import Testing

@testable import PM5Codec
@testable import Rowing

/// The link or the gateway is lost during a session.
@Suite struct AbsenceTests {
    typealias Loss = ScriptedMonitor.Loss

    static func reason(_ loss: Loss) -> Gap.Reason {
        loss == .link ? .linkLost : .gatewayRestart
    }

    @Test(arguments: Loss.allCases)
    func continuesPieceAfterAbsence(_ loss: Loss) throws {
        // Lost for three of twelve strokes.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 120)
        pm5.arm()
        pm5.row(4)
        pm5.away(loss) { $0.row(3) }
        pm5.row(5)
        pm5.end()
        #expect(Set(pm5.harness.edges.map(\.session.text)) == ["S1"])
        #expect(pm5.harness.edges.map(\.kind) == [.started, .ended])
        let gap = try #require(pm5.harness.gaps.first)
        #expect(pm5.harness.gaps.count == 1)
        #expect(gap.reason == Self.reason(loss))
        #expect(gap.strokes == 5...7)
        #expect(gap.isRecovered)
        #expect((Duration.milliseconds(7000)...(.milliseconds(8500))).contains(gap.duration))
        #expect(pm5.harness.strokes.map(\.number) == [1, 2, 3, 4, 8, 9, 10, 11, 12])
        let summary = try #require(pm5.harness.summaries.first)
        #expect(summary.result == .seconds(30))
        #expect(summary.distance == Meters(120))
        #expect(summary.isVerifiedAgainstMonitor == true)
        #expect(summary.isComplete)
        #expect(summary.strokes == 9)
        #expect(summary.averageStrokeRate == 24)
    }

    @Test func continuesPieceAfterLostStatusesAndAbsence() {
        // Strokes without a status for eight seconds, longer than the tolerance, then an absence.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.row(4)
        pm5.filter = { if case .generalStatus = $0 { nil } else { $0 } }
        pm5.row(4)
        pm5.filter = { $0 }
        pm5.away(.link) { $0.row(1) }
        pm5.row(3)
        #expect(Set(pm5.harness.edges.map(\.session.text)) == ["S1"])
        #expect(pm5.harness.gaps.flatMap { Array($0.strokes ?? 0...0) }.filter { $0 > 0 } == [9])
        #expect(pm5.harness.strokes.map(\.number) == [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12])
    }

    @Test(arguments: Loss.allCases)
    func declaresGapWithoutStrokesForAbsenceWithinStroke(_ loss: Loss) {
        // Lost for half of a recovery.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.row(4)
        pm5.away(loss) { $0.pass(300) }
        pm5.row(2)
        #expect(pm5.harness.gaps.map(\.strokes) == [nil])
        #expect(pm5.harness.gaps.map(\.reason) == [Self.reason(loss)])
        #expect(pm5.harness.strokes.map(\.number) == [1, 2, 3, 4, 5, 6])
    }

    @Test(arguments: Loss.allCases)
    func continuesIntervalsAfterAbsence(_ loss: Loss) throws {
        // Lost from the end of the first interval to the third interval.
        var pm5 = ScriptedMonitor(.fixedTimeInterval, 1000, .time)
        pm5.arm()
        pm5.row(3)
        pm5.away(loss) { pm5 in
            pm5.row(1)
            pm5.rest(seconds: 5)
            pm5.nextInterval(after: 5)
            pm5.row(4)
            pm5.rest(seconds: 5)
            pm5.nextInterval(after: 5)
            pm5.row(1)
        }
        pm5.row(3)
        pm5.end(.terminate)
        #expect(pm5.harness.edges.map(\.kind) == [.started, .ended])
        #expect(pm5.harness.gaps.count == 1)
        #expect(pm5.harness.gaps.first?.isRecovered == true)
        #expect(pm5.harness.splitGaps.map(\.splits) == [1...2])
        #expect(pm5.harness.splitGaps.first?.reason == (loss == .link ? .linkLost : .gatewayRestart))
        let numbers = pm5.harness.strokes.map(\.number)
        #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
        #expect(pm5.harness.strokes.last?.elapsed == .seconds(30))
        #expect(pm5.harness.strokes.last?.distance == Meters(120))
        #expect(pm5.harness.strokes.last?.interval == 3)
        let summary = try #require(pm5.harness.summaries.first)
        #expect(summary.result == .seconds(30))
        #expect(summary.isVerifiedAgainstMonitor == true)
    }

    @Test(arguments: Loss.allCases)
    func ignoresAbsenceWithinRest(_ loss: Loss) throws {
        // Lost in the middle of a rest.
        var pm5 = ScriptedMonitor(.fixedDistanceInterval, 40)
        pm5.arm()
        pm5.row(4)
        pm5.rest(seconds: 3)
        pm5.away(loss) { $0.pass(2000) }
        pm5.pass(1000)
        pm5.nextInterval(after: 6)
        pm5.row(4)
        pm5.end(.terminate)
        #expect(pm5.harness.strokes.map(\.number) == Array(1...8))
        #expect(pm5.harness.strokes.last?.interval == 2)
        #expect(pm5.harness.gaps.map(\.strokes) == [nil])
        #expect(pm5.harness.summaries.first?.distance == Meters(80))
        #expect(pm5.harness.summaries.first?.isVerifiedAgainstMonitor == true)
    }

    @Test(arguments: Loss.allCases)
    func publishesSummaryWhenEndIsLost(_ loss: Loss) throws {
        // Returns in state 12, which shows the values of the end.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 120)
        pm5.arm()
        pm5.row(10)
        pm5.away(loss) { pm5 in
            pm5.row(2)
            pm5.end()
        }
        pm5.pass(7000)
        let summary = try #require(pm5.harness.summaries.first)
        #expect(summary.distance == Meters(120))
        #expect(summary.result == .seconds(30))
        #expect(summary.isComplete)
        #expect(summary.isVerifiedAgainstMonitor == nil)
        #expect(pm5.harness.gaps.count == 1)
        #expect(pm5.harness.missingSplits == [1])
        #expect(pm5.harness.edges.map(\.kind) == [.started, .ended])
    }

    @Test(arguments: Loss.allCases)
    func beginsNewSessionForAnotherPieceAfterAbsence(_ loss: Loss) throws {
        // A new piece begins during the absence.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 120)
        pm5.arm()
        pm5.row(6)
        pm5.away(loss) { pm5 in
            pm5.row(6)
            pm5.end()
            pm5.arm()
            pm5.row(2)
        }
        pm5.row(3)
        #expect(pm5.harness.edges.map(\.kind) == [.started, .ended, .started])
        #expect(Set(pm5.harness.edges.map(\.session)).count == 2)
        #expect(pm5.harness.summaries.map(\.distance) == [Meters(60)])
        #expect(pm5.harness.gaps.first?.isRecovered == false)
        #expect(pm5.harness.strokes.suffix(3).map(\.number) == [3, 4, 5])
    }

    @Test(arguments: Loss.allCases)
    func beginsNewSessionForRestartedIntervals(_ loss: Loss) {
        // Terminated and restarted during the absence. A second interval would include the distance of the
        // first one.
        var pm5 = ScriptedMonitor(.fixedDistanceInterval, 500)
        pm5.arm()
        pm5.row(8)
        pm5.away(loss) { pm5 in
            pm5.end(.terminate)
            pm5.arm()
            pm5.row(2)
        }
        pm5.row(3)
        #expect(pm5.harness.edges.map(\.kind) == [.started, .ended, .started])
        #expect(pm5.harness.summaries.map(\.distance) == [Meters(80)])
        #expect(pm5.harness.strokes.suffix(3).map(\.interval) == [1, 1, 1])
    }

    @Test(arguments: Loss.allCases)
    func addsCaloriesOfIntervalBeforeAbsence(_ loss: Loss) throws {
        // Lost after 2 strokes of an interval, back after 3 of the next one; one calorie per stroke.
        var pm5 = ScriptedMonitor(.fixedDistanceInterval, 40)
        pm5.arm()
        pm5.row(2)
        pm5.away(loss) { pm5 in
            pm5.row(2)
            pm5.rest(seconds: 3)
            pm5.nextInterval(after: 3)
            pm5.row(3)
        }
        pm5.row(1)
        #expect(pm5.harness.strokes.last?.calories == 2 + 4)
    }

    @Test(arguments: Loss.allCases)
    func endsSessionWhenMonitorReturnsIdle(_ loss: Loss) throws {
        // The monitor is armed again when the link returns.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.row(6)
        pm5.away(loss) { $0.arm() }
        pm5.pass(6000)
        #expect(pm5.harness.edges.map(\.kind) == [.started, .ended])
        #expect(pm5.harness.summaries.map(\.distance) == [Meters(60)])
        #expect(pm5.harness.gaps.count == 1)
        #expect(pm5.harness.states.last?.activity == .ready)
    }

    @Test func endsSessionTenMinutesAfterLinkLoss() throws {
        // The link is lost and never returns.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.row(6)
        pm5.loseLink(590_000)
        #expect(pm5.harness.summaries.isEmpty)
        pm5.pass(20_000)
        #expect(pm5.harness.edges.map(\.kind) == [.started, .ended])
        #expect(pm5.harness.summaries.map(\.distance) == [Meters(60)])
        #expect(pm5.harness.states.last == StationState(activity: .idle))
        #expect(pm5.harness.gaps.map(\.isRecovered) == [false])
    }

    @Test func mergesAbsencesBeforeNextStrokeIntoOneGap() {
        // The link is lost again before a stroke arrives.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.row(4)
        pm5.away(.link) { $0.row(2) }
        pm5.pass(500)
        pm5.away(.link) { $0.row(2) }
        pm5.row(2)
        #expect(pm5.harness.gaps.map(\.strokes) == [5...8])
    }

    @Test func declaresGapWhenJoiningPieceInProgress() throws {
        // The first link opens at stroke 6.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits, harness: MachineHarness(connects: false))
        pm5.isReceiving = false
        pm5.arm()
        pm5.row(6)
        pm5.regainLink()
        pm5.row(2)
        #expect(pm5.harness.gaps.map(\.strokes) == [1...6])
        #expect(pm5.harness.strokes.map(\.number) == [7, 8])
        #expect(pm5.harness.strokes.last?.distance == Meters(80))
        let started = try #require(pm5.harness.edges.first?.startedAt)
        #expect(abs(started.signedMilliseconds - 1_001_000) <= 1000)
    }

    @Test func ignoresFinishedPieceAtConnect() {
        // The link opens in state 12.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 50, harness: MachineHarness(connects: false))
        pm5.isReceiving = false
        pm5.arm()
        pm5.row(5)
        pm5.end()
        pm5.regainLink()
        pm5.pass(2000)
        pm5.sendSummary(recovery: 90)
        pm5.pass(3000)
        #expect(pm5.harness.edges.isEmpty && pm5.harness.summaries.isEmpty)
        #expect(pm5.harness.states.last?.activity == .finished)
        #expect(pm5.harness.machine.counters.strayPackets == 1)
    }

    @Test(arguments: Loss.allCases)
    func beginsNewSessionAfterImpossibleProgress(_ loss: Loss) {
        // Returns after 3 s, 300 m further in a just row.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.row(8)
        pm5.away(loss) { pm5 in
            pm5.pass(3000)
            pm5.decimeters += 3000
        }
        pm5.row(1)
        #expect(pm5.harness.edges.map(\.kind) == [.started, .ended, .started])
        #expect(pm5.harness.summaries.map(\.distance) == [Meters(80)])
    }

    @Test func keepsValuesOfNextPieceOutOfSummary() throws {
        // 0x0033 of a long new piece arrives before its first 0x0031.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.row(6)
        pm5.loseLink(5000)
        pm5.regainLink()
        pm5.send(.additionalStatus2(AdditionalStatus2(averagePowerWatts: 400, totalCalories: 900)))
        pm5.arm()
        pm5.pass(6000)
        let summary = try #require(pm5.harness.summaries.first)
        // The monitor did not show the end of this piece, so its result is unknown.
        #expect(summary.isPartial)
        #expect(summary.calories == nil && summary.averagePowerWatts == nil)
    }
}
