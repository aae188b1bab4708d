import Bests
import Bytes
import TestSupport
import Testing

@testable import Training

/// Metrics of the strokes of one session.
@Suite struct PieceTrainingTests {
    private static func steady(
        seconds: Double = 1800, watts: @escaping (Double) -> Int = { _ in 200 },
        heart: @escaping (Double) -> Int? = { $0 < 0.5 ? 140 : 147 }
    ) -> RecordedPiece {
        SyntheticRower.piece(
            1, .seconds(1800), metres: seconds * 4, seconds: seconds, watts: watts, heart: heart)
    }

    @Test func computesHeartDrift() throws {
        // Constant power; the heart rate rises from 140 to 147.
        let drift = try #require(HeartDrift.of(Self.steady()).value)
        #expect(abs(drift.percent - 100 * (1 - 140.0 / 147)) < 1e-9)
        #expect(drift.halves.map(\.heartRate) == [140, 147])
        #expect(drift.basis.kind == .computed && drift.basis.inputs == [SyntheticRower.name(1)])
        // Falling watts at constant heart rate are drift, too.
        let tired = Self.steady(watts: { $0 < 0.5 ? 200 : 190 }, heart: { _ in 150 })
        #expect(HeartDrift.of(tired).value.map { abs($0.percent - 5) < 1e-9 } == true)
        // Doubled watts change nothing.
        let strong = Self.steady(watts: { _ in 400 })
        #expect(HeartDrift.of(strong).value?.percent == drift.percent)
    }

    @Test func hasNoDriftWithoutASteadyPiece() {
        func reason(_ piece: RecordedPiece) -> MissingReason.Kind? { HeartDrift.of(piece).fault?.kind }
        #expect(reason(Self.steady(seconds: 1190)) == .tooShort)
        #expect(reason(Self.steady(heart: { $0 < 0.4 ? 140 : nil })) == .noHeartRate)
        #expect(reason(Self.steady(watts: { Int($0 * 10) % 2 == 0 ? 150 : 250 })) == .notSteady)
        var broken = Self.steady()
        broken.runs = [Array(broken.runs[0][..<300]), Array(broken.runs[0][310...])]
        #expect(reason(broken) == .broken)
        var intervals = Self.steady()
        for index in intervals.strokes.indices { intervals.strokes[index].interval = 1 }
        #expect(reason(intervals) == .intervals)
    }

    @Test func consistency() throws {
        // Alternating 190 and 210 W is a CV of 5 %. The first five strokes do not count. Then the same as
        // two intervals, one of them harder.
        var piece = Self.steady()
        for index in piece.strokes.indices {
            piece.strokes[index].watts = index < 5 ? 500 : index % 2 == 0 ? 190 : 210
            piece.strokes[index].driveCentiseconds = index % 2 == 0 ? 70 : 80
            piece.strokes[index].rate = 20
        }
        let found = try #require(Consistency.of(piece).value)
        #expect(abs(found.powerPercent - 5) < 0.01 && found.ratePercent == 0)
        #expect(found.driveSeconds.map { abs($0 - 0.05) < 1e-3 } == true)
        #expect(found.strokes == piece.strokes.count - 5)
        for index in piece.strokes.indices {
            piece.strokes[index].interval = index / 360 + 1
            if index >= 360 { piece.strokes[index].watts = index % 2 == 0 ? 290 : 310 }
        }
        let parts = try #require(Consistency.of(piece).value)
        #expect(abs(parts.powerPercent - 4) < 0.02, "10 W about 200 and 300 W")
        var few = piece
        few.strokes = Array(piece.strokes.prefix(20))
        #expect(Consistency.of(few).fault == MissingReason(.tooFewStrokes, has: 15, needs: 20))
    }

    @Test func splitIndex() throws {
        // A slow first half by distance; nearly equal halves; a timed piece.
        func halves(_ first: Int64, _ second: Int64) -> RecordedPiece {
            var piece = SyntheticRower.piece(1, metres: 2000, seconds: 420)
            piece.runs = [
                (0...100).map { index in
                    let at = Int64(index)
                    let time = at <= 50 ? first * at : first * 50 + second * (at - 50)
                    return WorkPoint(centiseconds: time, decimetres: at * 200)
                }
            ]
            piece.total = piece.runs[0][100]
            return piece
        }
        let split = try #require(SplitIndex.of(halves(440, 400)).value)
        #expect(split.paces == [110, 100] && abs(split.percent + 100 * 10 / 105) < 1e-9)
        #expect(!split.isEven && split.basis.formula.contains("by distance"))
        let even = try #require(SplitIndex.of(halves(420, 421)).value)
        #expect(even.isEven && even.percent > 0)
        let timed = try #require(SplitIndex.of(Self.steady()).value)
        #expect(timed.isEven && timed.basis.formula.contains("by time"))
        var broken = halves(400, 400)
        broken.runs[0].removeLast()
        #expect(SplitIndex.of(broken).fault?.kind == .broken)
    }

    @Test func hasReasonsWithoutStrokes() {
        var piece = SyntheticRower.piece(1, metres: 2000, seconds: 480)
        (piece.strokes, piece.runs, piece.strokeCount) = ([], [], 0)
        let training = PieceTraining(piece)
        let json = String(
            decoding: JSONWriter.object {
                training.write(into: &$0, zones: .failure(MissingReason(.noRanked2000)))
            }, as: UTF8.self)
        for reason in ["too_few_strokes", "too_short", "broken", "no_ranked_2000m"] {
            #expect(json.contains("\"reason\":\"\(reason)\""), "\(json)")
        }
    }
}
