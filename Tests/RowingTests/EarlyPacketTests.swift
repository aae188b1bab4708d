import Testing

@testable import PM5Codec
@testable import Rowing

/// The rower rows while the link is being subscribed; the status is the last characteristic.
@Suite struct EarlyPacketTests {
    /// Lets all values through except statuses, as during subscription.
    private func setUp(_ pm5: inout ScriptedMonitor) {
        pm5.filter = { if case .generalStatus = $0 { nil } else { $0 } }
    }

    private func isReady(_ pm5: inout ScriptedMonitor) {
        pm5.filter = { $0 }
    }

    /// Returns a piece whose link opens at the fifth stroke, with `strokes` more before the first status.
    private func joined(after strokes: Int) -> ScriptedMonitor {
        var pm5 = ScriptedMonitor(.justRowWithoutSplits, harness: MachineHarness(connects: false))
        pm5.isReceiving = false
        pm5.arm()
        pm5.row(4)
        pm5.regainLink()
        setUp(&pm5)
        pm5.row(strokes)
        return pm5
    }

    @Test(arguments: [1, 5, 16])
    func publishesStrokesBeforeFirstStatus(strokes: Int) throws {
        // Rows for 2.5 to 40 s between the subscriptions and the first status.
        var pm5 = joined(after: strokes)
        let opened = pm5.harness.instant
        #expect(pm5.harness.events.allSatisfy { if case .state = $0 { true } else { false } })
        isReady(&pm5)
        pm5.row(2)
        let published = pm5.harness.strokes
        #expect(published.map(\.number) == Array(5...6 + strokes))
        #expect(published.allSatisfy { $0.powerWatts == 180 && $0.recoveryTime != nil })
        #expect(pm5.harness.curves.map(\.stroke) == Array(5...6 + strokes))
        #expect(pm5.harness.gaps.map(\.strokes) == [1...4])
        let early = published.prefix(strokes).map { $0.at.duration(to: opened).wholeMilliseconds }
        #expect(early == (0..<strokes).map { Int64(strokes - 1 - $0) * 2500 })
        #expect(pm5.harness.machine.counters.strayPackets == 0)
    }

    @Test func addsStrokesBeforeFirstStatusToContinuedPiece() throws {
        // Strokes before the first status of the new link belong to the same piece.
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
        #expect(pm5.harness.strokes.map(\.number) == Array(1...5) + Array(9...14))
        #expect(pm5.harness.gaps.map(\.strokes) == [6...8])
        #expect(pm5.harness.edges.map(\.kind) == [.started])
    }

    @Test func addsStrokesBeforeFirstStatusToNewPiece() throws {
        // The previous piece is published already.
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
        #expect(pm5.harness.edges.map(\.kind) == [.started, .ended, .started])
        let second = try #require(pm5.harness.edges.last?.session)
        let published = pm5.harness.strokes.filter { $0.session == second }.map(\.number)
        #expect(published == Array(2...6))
        #expect(pm5.harness.gaps.last?.strokes == 1...1)
    }

    @Test func givesEarlierStrokesTheirOwnSession() throws {
        // The strokes do not fit the piece of the first status, so they get their own session.
        var pm5 = joined(after: 3)
        pm5.arm()
        pm5.rowingState = .active
        isReady(&pm5)
        pm5.row(3)
        #expect(pm5.harness.strokes.map(\.session.text) == ["S1", "S1", "S1", "S2", "S2", "S2"])
        #expect(pm5.harness.strokes.map(\.number) == [5, 6, 7, 1, 2, 3])
        #expect(pm5.harness.gaps.map(\.strokes) == [1...4])
        #expect(pm5.harness.edges.map(\.kind) == [.started, .ended, .started])
        #expect(pm5.harness.machine.counters.strayPackets == 0)
    }

    @Test func publishesStrokesOfLinkWithoutStatus() {
        var pm5 = joined(after: 2)
        pm5.loseLink()
        pm5.arm()
        pm5.regainLink()
        isReady(&pm5)
        pm5.row(2)
        #expect(pm5.harness.strokes.map(\.session.text) == ["S1", "S1", "S2", "S2"])
        #expect(pm5.harness.strokes.map(\.number) == [5, 6, 1, 2])
        #expect(pm5.harness.gaps.map(\.session.text) == ["S1", "S1"])
        #expect(pm5.harness.gaps.map(\.strokes) == [1...4, nil])
    }

    @Test func boundsMemoryWithoutStatus() {
        // Two thousand strokes without a status.
        var early = EarlyPackets()
        for number in 1...2000 {
            let stroke = StrokeData(
                elapsedCentiseconds: UInt32(number) * 250, strokeCount: UInt16(number))
            let isBuffered = early.buffer(.strokeData(stroke), at: MachineHarness.instant(number))
            #expect(isBuffered)
        }
        #expect(early.drain().count == EarlyPackets.capacity)
        #expect(early.drain().isEmpty)
    }
}
