import Testing

@testable import PM5Codec
@testable import Rowing

/// The link or the gateway goes away in the middle of a session.
@Suite struct AbsenceTests {
    typealias Loss = ScriptedMonitor.Loss

    static func reason(_ loss: Loss) -> Gap.Reason {
        loss == .link ? .linkLost : .gatewayRestart
    }

    @Test(arguments: Loss.allCases)
    func aPieceGoesOnAfterAnAbsence(_ loss: Loss) throws {
        // Goal: same session, one gap, right summary. Method: away for three of twelve strokes.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 120)
        pm5.arm()
        pm5.row(4)
        pm5.away(loss) { $0.row(3) }
        pm5.row(5)
        pm5.end()
        #expect(Set(pm5.fold.edges.map(\.session.text)) == ["S1"])
        #expect(pm5.fold.edges.map(\.kind) == [.started, .ended])
        let gap = try #require(pm5.fold.gaps.first)
        #expect(pm5.fold.gaps.count == 1)
        #expect(gap.reason == Self.reason(loss))
        #expect(gap.strokes == 5...7)
        #expect(gap.isRecovered)
        #expect((Duration.milliseconds(7000)...(.milliseconds(8500))).contains(gap.duration))
        #expect(pm5.fold.strokes.map(\.number) == [1, 2, 3, 4, 8, 9, 10, 11, 12])
        let summary = try #require(pm5.fold.summaries.first)
        #expect(summary.result == .seconds(30))
        #expect(summary.distance == Meters(120))
        #expect(summary.isVerifiedAgainstMonitor == true)
        #expect(summary.isComplete)
        #expect(summary.strokes == 9)
        #expect(summary.averageStrokeRate == 24)
    }

    @Test func aPieceGoesOnAfterLossesAndAnAbsence() {
        // Goal: a piece whose status was lost for longer than the slack before the link went is no
        // other piece for that. Method: strokes without status for eight seconds, then an absence.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.row(4)
        pm5.filter = { if case .generalStatus = $0 { nil } else { $0 } }
        pm5.row(4)
        pm5.filter = { $0 }
        pm5.away(.link) { $0.row(1) }
        pm5.row(3)
        #expect(Set(pm5.fold.edges.map(\.session.text)) == ["S1"])
        #expect(pm5.fold.gaps.flatMap { Array($0.strokes ?? 0...0) }.filter { $0 > 0 } == [9])
        #expect(pm5.fold.strokes.map(\.number) == [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12])
    }

    @Test(arguments: Loss.allCases)
    func anAbsenceWithinAStrokeIsAGapWithoutStrokes(_ loss: Loss) {
        // Goal: time without strokes is declared too. Method: away for half a recovery.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.row(4)
        pm5.away(loss) { $0.pass(300) }
        pm5.row(2)
        #expect(pm5.fold.gaps.map(\.strokes) == [nil])
        #expect(pm5.fold.gaps.map(\.reason) == [Self.reason(loss)])
        #expect(pm5.fold.strokes.map(\.number) == [1, 2, 3, 4, 5, 6])
    }

    @Test(arguments: Loss.allCases)
    func intervalsGoOnAfterAnAbsence(_ loss: Loss) throws {
        // Goal: legs that passed unseen are counted. Method: away from the first interval's end
        // to the third interval.
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
        #expect(pm5.fold.edges.map(\.kind) == [.started, .ended])
        #expect(pm5.fold.gaps.count == 1)
        #expect(pm5.fold.gaps.first?.isRecovered == true)
        #expect(pm5.fold.splitGaps.map(\.splits) == [1...2])
        #expect(pm5.fold.splitGaps.first?.reason == (loss == .link ? .linkLost : .gatewayRestart))
        let numbers = pm5.fold.strokes.map(\.number)
        #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
        #expect(pm5.fold.strokes.last?.elapsed == .seconds(30))
        #expect(pm5.fold.strokes.last?.distance == Meters(120))
        #expect(pm5.fold.strokes.last?.interval == 3)
        let summary = try #require(pm5.fold.summaries.first)
        #expect(summary.result == .seconds(30))
        #expect(summary.isVerifiedAgainstMonitor == true)
    }

    @Test(arguments: Loss.allCases)
    func anAbsenceWithinARestChangesNothing(_ loss: Loss) throws {
        // Goal: the rest's end is found again. Method: away in the middle of a rest.
        var pm5 = ScriptedMonitor(.fixedDistanceInterval, 40)
        pm5.arm()
        pm5.row(4)
        pm5.rest(seconds: 3)
        pm5.away(loss) { $0.pass(2000) }
        pm5.pass(1000)
        pm5.nextInterval(after: 6)
        pm5.row(4)
        pm5.end(.terminate)
        #expect(pm5.fold.strokes.map(\.number) == Array(1...8))
        #expect(pm5.fold.strokes.last?.interval == 2)
        #expect(pm5.fold.gaps.map(\.strokes) == [nil])
        #expect(pm5.fold.summaries.first?.distance == Meters(80))
        #expect(pm5.fold.summaries.first?.isVerifiedAgainstMonitor == true)
    }

    @Test(arguments: Loss.allCases)
    func lossOfTheEndStillGivesASummary(_ loss: Loss) throws {
        // Goal: the end was missed, its figures stand on the screen. Method: back in state 12.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 120)
        pm5.arm()
        pm5.row(10)
        pm5.away(loss) { pm5 in
            pm5.row(2)
            pm5.end()
        }
        pm5.pass(7000)
        let summary = try #require(pm5.fold.summaries.first)
        #expect(summary.distance == Meters(120))
        #expect(summary.result == .seconds(30))
        #expect(summary.isComplete)
        #expect(summary.isVerifiedAgainstMonitor == nil)
        #expect(pm5.fold.gaps.count == 1)
        #expect(pm5.fold.missingSplits == [1])
        #expect(pm5.fold.edges.map(\.kind) == [.started, .ended])
    }

    @Test(arguments: Loss.allCases)
    func anotherPieceAfterTheAbsenceIsAnotherSession(_ loss: Loss) throws {
        // Goal: the old session ends with what is known. Method: a new piece while nobody listens.
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
        #expect(pm5.fold.edges.map(\.kind) == [.started, .ended, .started])
        #expect(Set(pm5.fold.edges.map(\.session)).count == 2)
        #expect(pm5.fold.summaries.map(\.distance) == [Meters(60)])
        #expect(pm5.fold.gaps.first?.isRecovered == false)
        #expect(pm5.fold.strokes.suffix(3).map(\.number) == [3, 4, 5])
    }

    @Test(arguments: Loss.allCases)
    func theSameIntervalsBegunAnewAreAnotherSession(_ loss: Loss) {
        // Goal: a restart in the first interval is not taken for the second, for which the monitor
        // would count the first one's distance. Method: terminated and begun anew while away.
        var pm5 = ScriptedMonitor(.fixedDistanceInterval, 500)
        pm5.arm()
        pm5.row(8)
        pm5.away(loss) { pm5 in
            pm5.end(.terminate)
            pm5.arm()
            pm5.row(2)
        }
        pm5.row(3)
        #expect(pm5.fold.edges.map(\.kind) == [.started, .ended, .started])
        #expect(pm5.fold.summaries.map(\.distance) == [Meters(80)])
        #expect(pm5.fold.strokes.suffix(3).map(\.interval) == [1, 1, 1])
    }

    @Test(arguments: Loss.allCases)
    func caloriesOfTheIntervalBeforeAnAbsenceAreKept(_ loss: Loss) throws {
        // Goal: a count that restarted unseen, and is past where it stood, is not taken for the old
        // one. Method: away after 2 strokes of an interval, back after 3 of the next; a calorie each.
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
        #expect(pm5.fold.strokes.last?.calories == 2 + 4)
    }

    @Test(arguments: Loss.allCases)
    func anIdleMonitorAfterTheAbsenceEndsTheSession(_ loss: Loss) throws {
        // Goal: nothing goes on for ever. Method: the monitor is armed again when it is back.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.row(6)
        pm5.away(loss) { $0.arm() }
        pm5.pass(6000)
        #expect(pm5.fold.edges.map(\.kind) == [.started, .ended])
        #expect(pm5.fold.summaries.map(\.distance) == [Meters(60)])
        #expect(pm5.fold.gaps.count == 1)
        #expect(pm5.fold.states.last?.activity == .ready)
    }

    @Test func aMonitorSwitchedOffEndsItsSessionAfterTenMinutes() throws {
        // Goal: no session without a monitor. Method: the link goes and never comes back.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.row(6)
        pm5.loseLink(590_000)
        #expect(pm5.fold.summaries.isEmpty)
        pm5.pass(20_000)
        #expect(pm5.fold.edges.map(\.kind) == [.started, .ended])
        #expect(pm5.fold.summaries.map(\.distance) == [Meters(60)])
        #expect(pm5.fold.states.last == StationState(activity: .idle))
        #expect(pm5.fold.gaps.map(\.isRecovered) == [false])
    }

    @Test func twoAbsencesBeforeTheNextStrokeAreOneGap() {
        // Goal: exactly one gap. Method: the link drops again before a stroke was seen.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.row(4)
        pm5.away(.link) { $0.row(2) }
        pm5.pass(500)
        pm5.away(.link) { $0.row(2) }
        pm5.row(2)
        #expect(pm5.fold.gaps.map(\.strokes) == [5...8])
    }

    @Test func joiningAPieceInTheMiddleDeclaresWhatWentBefore() throws {
        // Goal: a gateway that starts late says so. Method: the first link opens at stroke 6.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits, fold: Fold(connects: false))
        pm5.isHeard = false
        pm5.arm()
        pm5.row(6)
        pm5.regainLink()
        pm5.row(2)
        #expect(pm5.fold.gaps.map(\.strokes) == [1...6])
        #expect(pm5.fold.strokes.map(\.number) == [7, 8])
        #expect(pm5.fold.strokes.last?.distance == Meters(80))
        let started = try #require(pm5.fold.edges.first?.startedAt)
        #expect(abs(started.signedMilliseconds - 1_001_000) <= 1000)
    }

    @Test func aFinishedPieceFoundAtConnectIsNoSession() {
        // Goal: frozen figures are nobody's rowing. Method: the link opens in state 12.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 50, fold: Fold(connects: false))
        pm5.isHeard = false
        pm5.arm()
        pm5.row(5)
        pm5.end()
        pm5.regainLink()
        pm5.pass(2000)
        pm5.sendSummary(recovery: 90)
        pm5.pass(3000)
        #expect(pm5.fold.edges.isEmpty && pm5.fold.summaries.isEmpty)
        #expect(pm5.fold.states.last?.activity == .finished)
        #expect(pm5.fold.machine.counters.strayPackets == 1)
    }

    @Test(arguments: Loss.allCases)
    func noRowerIsThatFast(_ loss: Loss) {
        // Goal: plausible progress only. Method: back after 3 s, 300 m further on in a just row.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.row(8)
        pm5.away(loss) { pm5 in
            pm5.pass(3000)
            pm5.decimeters += 3000
        }
        pm5.row(1)
        #expect(pm5.fold.edges.map(\.kind) == [.started, .ended, .started])
        #expect(pm5.fold.summaries.map(\.distance) == [Meters(80)])
    }

    @Test func numbersOfAnotherPieceDoNotReachTheOldSummary() throws {
        // Goal: nothing counts before the status has spoken. Method: 0x0033 of a long new piece is
        // read before its first 0x0031.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.row(6)
        pm5.loseLink(5000)
        pm5.regainLink()
        pm5.send(.additionalStatus2(AdditionalStatus2(averagePowerWatts: 400, totalCalories: 900)))
        pm5.arm()
        pm5.pass(6000)
        let summary = try #require(pm5.fold.summaries.first)
        // The monitor did not show how this piece ended: what it came to is not known.
        #expect(summary.isPartial)
        #expect(summary.calories == nil && summary.averagePowerWatts == nil)
    }
}
