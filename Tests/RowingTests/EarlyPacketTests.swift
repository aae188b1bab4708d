import Testing

@testable import PM5Codec
@testable import Rowing

/// A link is ready when its last characteristic, the status, is subscribed; somebody rows meanwhile.
@Suite struct EarlyPacketTests {
    /// Lets the events through and the status not, as while a link is set up.
    private func setUp(_ pm5: inout ScriptedMonitor) {
        pm5.filter = { if case .generalStatus = $0 { nil } else { $0 } }
    }

    private func isReady(_ pm5: inout ScriptedMonitor) {
        pm5.filter = { $0 }
    }

    /// A piece in its fifth stroke when the link opens, and `strokes` more before the status.
    private func joined(after strokes: Int) -> ScriptedMonitor {
        var pm5 = ScriptedMonitor(.justRowWithoutSplits, fold: Fold(connects: false))
        pm5.isHeard = false
        pm5.arm()
        pm5.row(4)
        pm5.regainLink()
        setUp(&pm5)
        pm5.row(strokes)
        return pm5
    }

    @Test(arguments: [1, 5, 16])
    func strokesBeforeTheFirstStatusAreTold(strokes: Int) throws {
        // Goal: whoever rows while a link is set up loses no stroke that came, nor its curve, nor
        // when it came. Method: 2.5 to 40 s of rowing between the subscriptions and the status.
        var pm5 = joined(after: strokes)
        let opened = pm5.fold.instant
        #expect(pm5.fold.events.allSatisfy { if case .state = $0 { true } else { false } })
        isReady(&pm5)
        pm5.row(2)
        let told = pm5.fold.strokes
        #expect(told.map(\.number) == Array(5...6 + strokes))
        #expect(told.allSatisfy { $0.powerWatts == 180 && $0.recoveryTime != nil })
        #expect(pm5.fold.curves.map(\.stroke) == Array(5...6 + strokes))
        #expect(pm5.fold.gaps.map(\.strokes) == [1...4])
        let early = told.prefix(strokes).map { $0.at.duration(to: opened).wholeMilliseconds }
        #expect(early == (0..<strokes).map { Int64(strokes - 1 - $0) * 2500 })
        #expect(pm5.fold.machine.counters.strayPackets == 0)
    }

    @Test func aPieceThatGoesOnIsJoinedBehindItsGap() throws {
        // Goal: the link is lost and comes back; strokes before the status are of the same piece.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.row(5)
        pm5.loseLink()
        pm5.row(3)
        pm5.regainLink()
        setUp(&pm5)
        pm5.row(4)
        isReady(&pm5)
        pm5.row(2)
        #expect(pm5.fold.strokes.map(\.number) == Array(1...5) + Array(9...14))
        #expect(pm5.fold.gaps.map(\.strokes) == [6...8])
        #expect(pm5.fold.edges.map(\.kind) == [.started])
    }

    @Test func aPieceThatBeganMeanwhileHasItsStrokes() throws {
        // Goal: they are not taken for strokes of the piece before, which has been told already.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.row(6)
        pm5.loseLink()
        pm5.arm()
        pm5.row(1)
        pm5.regainLink()
        setUp(&pm5)
        pm5.row(3)
        isReady(&pm5)
        pm5.row(2)
        #expect(pm5.fold.edges.map(\.kind) == [.started, .ended, .started])
        let second = try #require(pm5.fold.edges.last?.session)
        let told = pm5.fold.strokes.filter { $0.session == second }.map(\.number)
        #expect(told == Array(2...6))
        #expect(pm5.fold.gaps.last?.strokes == 1...1)
    }

    @Test func aPieceThatEndedMeanwhileGivesNothingToTheNext() throws {
        // Goal: its strokes cannot be of a piece whose clock has not come so far: they have a session
        // of their own.
        var pm5 = joined(after: 3)
        pm5.arm()
        pm5.rowingState = .active
        isReady(&pm5)
        pm5.row(3)
        #expect(pm5.fold.strokes.map(\.session.text) == ["S1", "S1", "S1", "S2", "S2", "S2"])
        #expect(pm5.fold.strokes.map(\.number) == [5, 6, 7, 1, 2, 3])
        #expect(pm5.fold.gaps.map(\.strokes) == [1...4])
        #expect(pm5.fold.edges.map(\.kind) == [.started, .ended, .started])
        #expect(pm5.fold.machine.counters.strayPackets == 0)
    }

    @Test func aLinkThatEndsBeforeItsStatusLeavesNothingToTheNext() {
        // Goal: what no status explained is told, and not with the next link's.
        var pm5 = joined(after: 2)
        pm5.loseLink()
        pm5.arm()
        pm5.regainLink()
        isReady(&pm5)
        pm5.row(2)
        #expect(pm5.fold.strokes.map(\.session.text) == ["S1", "S1", "S2", "S2"])
        #expect(pm5.fold.strokes.map(\.number) == [5, 6, 1, 2])
        #expect(pm5.fold.gaps.map(\.session.text) == ["S1", "S1"])
        #expect(pm5.fold.gaps.map(\.strokes) == [1...4, nil])
    }

    @Test func aMonitorWithoutStatusFillsNoMemory() {
        // Goal: what is kept has an end. Method: two thousand strokes and no status.
        var early = EarlyPackets()
        for number in 1...2000 {
            let stroke = StrokeData(
                elapsedCentiseconds: UInt32(number) * 250, strokeCount: UInt16(number))
            let isHeld = early.hold(.strokeData(stroke), at: Fold.instant(number))
            #expect(isHeld)
        }
        #expect(early.take().count == EarlyPackets.capacity)
        #expect(early.take().isEmpty)
    }
}
