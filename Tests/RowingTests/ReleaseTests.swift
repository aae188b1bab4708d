import PM5Codec
import Testing

@testable import Rowing

/// A monitor is released while its session is not closed.
@Suite struct ReleaseTests {
    private static func rowing() -> ScriptedMonitor {
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 500)
        pm5.arm()
        pm5.row(6)
        return pm5
    }

    @Test func endsTerminatedSessionWithRelease() throws {
        // The terminate is accepted, the link closes before a status shows it, and the monitor is released
        // at once.
        var pm5 = Self.rowing()
        pm5.harness.machine.terminationAccepted(at: pm5.harness.instant)
        pm5.loseLink()
        #expect(pm5.harness.edges.map(\.kind) == [.started], "the link alone ends nothing")
        pm5.harness.machine.monitorReleased(at: pm5.harness.instant, into: &pm5.harness.events)
        #expect(pm5.harness.edges.map(\.kind) == [.started, .ended])
        #expect(pm5.harness.edges.last?.at == pm5.harness.instant)
        let summary = try #require(pm5.harness.summaries.first)
        #expect(!summary.isComplete && summary.isVerifiedAgainstMonitor == nil)
        #expect(summary.strokes == pm5.harness.strokes.count && summary.endedAt == pm5.harness.instant)
        #expect(pm5.harness.gaps.map(\.isRecovered) == [false])
        #expect(pm5.harness.states.last?.activity == .idle)
        let published = pm5.harness.events.count
        pm5.harness.wait(700_000)
        #expect(pm5.harness.events.count == published)
    }

    @Test func continuesPieceAfterRelease() {
        // A release without a terminate, and one eleven seconds after a terminate without effect.
        for isTerminated in [false, true] {
            var pm5 = Self.rowing()
            if isTerminated { pm5.harness.machine.terminationAccepted(at: pm5.harness.instant) }
            pm5.row(5)
            pm5.loseLink()
            pm5.harness.machine.monitorReleased(at: pm5.harness.instant, into: &pm5.harness.events)
            #expect(pm5.harness.edges.map(\.kind) == [.started])
            pm5.regainLink()
            pm5.row(2)
            #expect(pm5.harness.edges.map(\.kind) == [.started])
        }
    }

    @Test func closesEndedSessionWithRelease() {
        // The piece ends without a summary, and the monitor is released half a second later. Then the link
        // opens, and a late summary is accepted.
        var pm5 = Self.rowing()
        pm5.end(.terminate, summary: false)
        #expect(pm5.harness.summaries.isEmpty)
        pm5.loseLink()
        pm5.harness.machine.monitorReleased(at: pm5.harness.instant, into: &pm5.harness.events)
        #expect(pm5.harness.edges.map(\.kind) == [.started, .ended])
        #expect(pm5.harness.summaries.map(\.isComplete) == [false])
        pm5.regainLink()
        pm5.sendSummary()
        pm5.pass(4000)
        #expect(pm5.harness.summaries.map(\.revision) == [1, 2])
    }

    @Test func ignoresReleaseWhileLinkIsOpen() {
        // Released while the link is open.
        var pm5 = Self.rowing()
        pm5.harness.machine.terminationAccepted(at: pm5.harness.instant)
        let published = pm5.harness.events.count
        pm5.harness.machine.monitorReleased(at: pm5.harness.instant, into: &pm5.harness.events)
        #expect(pm5.harness.events.count == published)
    }
}
