import PM5Codec
import Testing

@testable import Rowing

/// A monitor is left to somebody else while a session of it is not closed.
@Suite struct ReleaseTests {
    private static func rowing() -> ScriptedMonitor {
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 500)
        pm5.arm()
        pm5.row(6)
        return pm5
    }

    @Test func anAcceptedTerminateEndsTheSessionWithTheRelease() throws {
        // Goal: nobody waits ten minutes for a piece that was ended on purpose. Method: the terminate
        // is accepted, the link ends before a status shows it, the monitor is released; no time
        // passes.
        var pm5 = Self.rowing()
        pm5.fold.machine.terminationAccepted(at: pm5.fold.instant)
        pm5.loseLink()
        #expect(pm5.fold.edges.map(\.kind) == [.started], "the link alone ends nothing")
        pm5.fold.machine.monitorReleased(at: pm5.fold.instant, into: &pm5.fold.events)
        #expect(pm5.fold.edges.map(\.kind) == [.started, .ended])
        #expect(pm5.fold.edges.last?.at == pm5.fold.instant)
        let summary = try #require(pm5.fold.summaries.first)
        #expect(!summary.isComplete && summary.isVerifiedAgainstMonitor == nil)
        #expect(summary.strokes == pm5.fold.strokes.count && summary.endedAt == pm5.fold.instant)
        #expect(pm5.fold.gaps.map(\.isRecovered) == [false])
        #expect(pm5.fold.states.last?.activity == .idle)
        let told = pm5.fold.events.count
        pm5.fold.wait(700_000)
        #expect(pm5.fold.events.count == told)
    }

    @Test func aPieceUnderWayOutlivesARelease() {
        // Goal: who did not end the piece may row on, and the session with it. Method: a release
        // without a terminate, and one eleven seconds after a terminate that had no effect.
        for isTerminated in [false, true] {
            var pm5 = Self.rowing()
            if isTerminated { pm5.fold.machine.terminationAccepted(at: pm5.fold.instant) }
            pm5.row(5)
            pm5.loseLink()
            pm5.fold.machine.monitorReleased(at: pm5.fold.instant, into: &pm5.fold.events)
            #expect(pm5.fold.edges.map(\.kind) == [.started])
            pm5.regainLink()
            pm5.row(2)
            #expect(pm5.fold.edges.map(\.kind) == [.started])
        }
    }

    @Test func aSessionThatIsOverIsClosedWithTheRelease() {
        // Goal: a summary that cannot come is not waited for, and one that comes later is taken.
        // Method: the end without a summary, a release half a second later, the link again.
        var pm5 = Self.rowing()
        pm5.end(.terminate, summary: false)
        #expect(pm5.fold.summaries.isEmpty)
        pm5.loseLink()
        pm5.fold.machine.monitorReleased(at: pm5.fold.instant, into: &pm5.fold.events)
        #expect(pm5.fold.edges.map(\.kind) == [.started, .ended])
        #expect(pm5.fold.summaries.map(\.isComplete) == [false])
        pm5.regainLink()
        pm5.sendSummary()
        pm5.pass(4000)
        #expect(pm5.fold.summaries.map(\.revision) == [1, 2])
    }

    @Test func anOpenLinkIsNoRelease() {
        // Goal: only a monitor without a link is left to somebody else. Method: told too early.
        var pm5 = Self.rowing()
        pm5.fold.machine.terminationAccepted(at: pm5.fold.instant)
        let told = pm5.fold.events.count
        pm5.fold.machine.monitorReleased(at: pm5.fold.instant, into: &pm5.fold.events)
        #expect(pm5.fold.events.count == told)
    }
}
