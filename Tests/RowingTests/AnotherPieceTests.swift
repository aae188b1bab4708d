import PM5Codec
import PM5Simulator
import Testing

@testable import Rowing

/// The link returns in another piece of the same intervals.
@Suite struct AnotherPieceTests {
    typealias Loss = ScriptedMonitor.Loss

    @Test(arguments: Loss.allCases)
    func beginsNewSessionWhenIntervalClockDiffers(_ loss: Loss) {
        // Terminated and restarted, and now further than where the first one was lost. The clock of an
        // interval never stops, so a different time means another piece.
        var pm5 = ScriptedMonitor(.fixedDistanceInterval, 500)
        pm5.arm()
        pm5.row(8)
        pm5.away(loss) { pm5 in
            pm5.row(2)
            pm5.end(.terminate)
            pm5.arm()
            pm5.row(10)
        }
        pm5.row(3)
        #expect(pm5.harness.edges.map(\.kind) == [.started, .ended, .started])
        #expect(pm5.harness.summaries.map(\.distance) == [Meters(80)])
        #expect(pm5.harness.strokes.suffix(3).map(\.number) == [11, 12, 13])
        #expect(pm5.harness.gaps.map(\.isRecovered) == [false, true])
    }

    @Test(arguments: Loss.allCases)
    func beginsNewSessionWhenFinishedMetresAreFewer(_ loss: Loss) {
        // Lost 30 m into the second interval; in the next piece the first interval had 10 m more.
        var pm5 = ScriptedMonitor(.fixedTimeInterval, 1000, .time)
        pm5.arm()
        pm5.row(4)
        pm5.rest(seconds: 5)
        pm5.nextInterval(after: 5)
        pm5.row(3)
        pm5.away(loss) { pm5 in
            pm5.end(.terminate)
            pm5.arm()
            pm5.row(4)
            pm5.decimeters += 100
            pm5.rest(seconds: 5)
            pm5.nextInterval(after: 5)
            pm5.row(1)
        }
        pm5.row(3)
        #expect(pm5.harness.edges.map(\.kind) == [.started, .ended, .started])
        #expect(Set(pm5.harness.strokes.suffix(3).map(\.session)).count == 1)
        #expect(pm5.harness.strokes.suffix(3).allSatisfy { $0.session.text != "S1" })
    }

    @Test(arguments: Loss.allCases)
    func marksGapUnrecoveredWhenPieceMayDiffer(_ loss: Loss) throws {
        // Lost in the first rest; then all is rowed again up to the second interval.
        var pm5 = ScriptedMonitor(.fixedDistanceInterval, 40)
        pm5.arm()
        pm5.row(4)
        pm5.rest(seconds: 3)
        pm5.away(loss) { pm5 in
            pm5.nextInterval(after: 3)
            pm5.row(4)
            Self.restartPiece(&pm5)
        }
        pm5.row(3)
        pm5.end(.terminate)
        let gap = try #require(pm5.harness.gaps.first)
        #expect(gap.isUncounted && !gap.isRecovered)
        #expect(pm5.harness.edges.last?.monitorStrokes == nil)
    }

    @Test(arguments: Loss.allCases)
    func doesNotTimeIntervalByNumberWhenPieceMayDiffer(_ loss: Loss) throws {
        // Lost in the first interval, back in the second one of the next piece. The number of the interval
        // must not be used as its time.
        var pm5 = ScriptedMonitor(.fixedTimeInterval, 1000, .time)
        pm5.arm()
        pm5.row(2)
        pm5.away(loss) { pm5 in
            pm5.row(2)
            Self.restartPiece(&pm5)
        }
        pm5.row(3)
        let gap = try #require(pm5.harness.gaps.first)
        #expect(gap.isUncounted && !gap.isRecovered)
    }

    private static func restartPiece(_ pm5: inout ScriptedMonitor) {
        pm5.end(.terminate)
        pm5.arm()
        pm5.row(4)
        pm5.rest(seconds: 5)
        pm5.nextInterval(after: 5)
        pm5.row(1)
    }

    @Test(arguments: ["2x50m/0:10r", "3x0:15/0:10r", "40m/0:10r+0:15/0:10r+30m"])
    func neverJoinsTwoPiecesWithoutUncertainGap(_ workout: String) throws {
        // Several pieces in sequence; the link is lost for one or two minutes at different moments.
        let air = try NotificationTrace(workout, seed: 5, repeatingFor: 420_000)
        #expect(air.beginnings.count >= 3)
        for length in [60_000, 90_000, 120_000] {
            for start in stride(from: 3_000, through: 200_000, by: 5_300) {
                let harness = air.replayed(outage: start..<start + length)
                for (session, strokes) in Dictionary(grouping: harness.strokes, by: \.session) {
                    let isDeclared = harness.gaps.contains {
                        $0.session == session && $0.isUncounted && !$0.isRecovered
                    }
                    #expect(
                        Set(strokes.map { air.piece(at: $0.at) }).count == 1 || isDeclared,
                        "\(workout), \(session), lost from \(start) ms for \(length)")
                }
            }
        }
    }
}
