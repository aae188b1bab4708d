import PM5Codec
import PM5Simulator
import Testing

@testable import Rowing

/// The link comes back in another piece of the same intervals.
@Suite struct AnotherPieceTests {
    typealias Loss = ScriptedMonitor.Loss

    @Test(arguments: Loss.allCases)
    func theSameIntervalElsewhereIsAnotherSession(_ loss: Loss) {
        // Goal: the clock of an interval stops for nobody, so one that shows another time is
        // another's. Method: terminated and begun anew, and past where the first one was lost.
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
        #expect(pm5.fold.edges.map(\.kind) == [.started, .ended, .started])
        #expect(pm5.fold.summaries.map(\.distance) == [Meters(80)])
        #expect(pm5.fold.strokes.suffix(3).map(\.number) == [11, 12, 13])
        #expect(pm5.fold.gaps.map(\.isRecovered) == [false, true])
    }

    @Test(arguments: Loss.allCases)
    func fewerMetresThanWereRowedAreAnotherSession(_ loss: Loss) {
        // Goal: an interval that is over adds all of its metres. Method: lost 30 m into the second
        // one; in the next piece the first one had 10 m more.
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
        #expect(pm5.fold.edges.map(\.kind) == [.started, .ended, .started])
        #expect(Set(pm5.fold.strokes.suffix(3).map(\.session)).count == 1)
        #expect(pm5.fold.strokes.suffix(3).allSatisfy { $0.session.text != "S1" })
    }

    @Test(arguments: Loss.allCases)
    func whatMayBeAnotherPieceIsSaidToBeUncertain(_ loss: Loss) throws {
        // Goal: a second interval that may be that of another piece is not taken for certain.
        // Method: lost in the first rest; all is rowed again up to the second interval.
        var pm5 = ScriptedMonitor(.fixedDistanceInterval, 40)
        pm5.arm()
        pm5.row(4)
        pm5.rest(seconds: 3)
        pm5.away(loss) { pm5 in
            pm5.nextInterval(after: 3)
            pm5.row(4)
            Self.rowAgain(&pm5)
        }
        pm5.row(3)
        pm5.end(.terminate)
        let gap = try #require(pm5.fold.gaps.first)
        #expect(gap.isUncounted && !gap.isRecovered)
        #expect(pm5.fold.edges.last?.monitorStrokes == nil)
    }

    @Test(arguments: Loss.allCases)
    func equalTimesAreNoProof(_ loss: Loss) throws {
        // Goal: the number of an interval of equal time is not taken for its time where it may be
        // another piece's. Method: lost in the first one, back in the second one of the next piece.
        var pm5 = ScriptedMonitor(.fixedTimeInterval, 1000, .time)
        pm5.arm()
        pm5.row(2)
        pm5.away(loss) { pm5 in
            pm5.row(2)
            Self.rowAgain(&pm5)
        }
        pm5.row(3)
        let gap = try #require(pm5.fold.gaps.first)
        #expect(gap.isUncounted && !gap.isRecovered)
    }

    private static func rowAgain(_ pm5: inout ScriptedMonitor) {
        pm5.end(.terminate)
        pm5.arm()
        pm5.row(4)
        pm5.rest(seconds: 5)
        pm5.nextInterval(after: 5)
        pm5.row(1)
    }

    @Test(arguments: ["2x50m/0:10r", "3x0:15/0:10r", "40m/0:10r+0:15/0:10r+30m"])
    func noSessionHoldsTwoPiecesInSilence(_ workout: String) throws {
        // Goal: strokes of another piece are another session's, or a gap says that nothing is
        // certain. Method: pieces rowed one behind the other; the link lost for one minute to two
        // from moments all over.
        let air = try Airwaves(workout, seed: 5, repeatingFor: 420_000)
        #expect(air.beginnings.count >= 3)
        for length in [60_000, 90_000, 120_000] {
            for start in stride(from: 3_000, through: 200_000, by: 5_300) {
                let fold = air.folded(deaf: start..<start + length)
                for (session, strokes) in Dictionary(grouping: fold.strokes, by: \.session) {
                    let isSaid = fold.gaps.contains {
                        $0.session == session && $0.isUncounted && !$0.isRecovered
                    }
                    #expect(
                        Set(strokes.map { air.piece(at: $0.at) }).count == 1 || isSaid,
                        "\(workout), \(session), lost from \(start) ms for \(length)")
                }
            }
        }
    }
}
