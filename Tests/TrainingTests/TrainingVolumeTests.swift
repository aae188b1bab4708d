import Bests
import TestSupport
import Testing
import Timeline

@testable import Training

/// Distance, time and sessions of days, weeks and seasons.
@Suite struct TrainingVolumeTests {
    /// Pieces of 2,000 m that begin at these times.
    private static func pieces(_ starts: [Int64]) -> [PieceMetrics] {
        starts.enumerated().map { number, start in
            var piece = SyntheticRower.piece(number, metres: 2000, seconds: 480)
            piece.startedAt = start
            return PieceMetrics(piece, in: .utc)
        }
    }

    @Test func sumsVolumeByDayWeekAndSeason() {
        // Pieces around midnight, a Sunday and 1 May.
        let begin: Int64 = 1_777_593_600_000  // 2026-05-01T00:00:00Z, a Friday
        let pieces = Self.pieces([begin - 1, begin, begin + 3 * 86_400_000 - 1, begin + 3 * 86_400_000])
        func volumes(_ length: TrainingSpan.Length, _ year: Int64? = nil) -> [String] {
            TrainingVolume.all(of: pieces, by: length, in: year.map { Season(year: $0) })
                .map { "\($0.span.text) \($0.decimetres / 10) \($0.inputs.count)" }
        }
        #expect(
            volumes(.day)
                == [
                    "2026-04-30 2000 1", "2026-05-01 2000 1", "2026-05-03 2000 1",
                    "2026-05-04 2000 1",
                ])
        #expect(volumes(.week) == ["2026-04-27 6000 3", "2026-05-04 2000 1"])
        #expect(volumes(.season) == ["2025-05-01 2000 1", "2026-05-01 6000 3"])
        #expect(volumes(.week, 2027) == ["2026-04-27 4000 2", "2026-05-04 2000 1"])
        #expect(volumes(.day, 2020) == [])
        let new = ClubCalendar.utc.day(of: -1)
        #expect(TrainingSpan(.week, of: new).text == "1969-12-29")
    }

    @Test(arguments: TrainingSpan.Length.allCases)
    func doesNotDependOnTheOrder(length: TrainingSpan.Length) {
        let pieces = Self.pieces((0..<60).map { 1_777_593_600_000 - $0 * 388_800_000 })
        let volumes = TrainingVolume.all(of: pieces, by: length)
        #expect(volumes.map(\.inputs.count).reduce(0, +) == 60)
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<10 {
            #expect(TrainingVolume.all(of: pieces.shuffled(using: &generator), by: length) == volumes)
        }
    }
}
