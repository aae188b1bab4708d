import TestSupport
import Testing
import Timeline

@testable import Bests

/// Bests over all sessions of an athlete.
@Suite struct AthleteBestsTests {
    private static let day: Int64 = 86_400_000

    /// A year and a half of pieces over several events, on three kinds of machine.
    private static func athlete(speed: Double = 1, later: Int64 = 0) -> [PieceMetrics] {
        (0..<60).map { number in
            let metres = [500.0, 1000, 2000, 5000][number % 4]
            let pace = 100 + Double(number * 7 % 23) + metres / 500
            var piece = SyntheticPiece.steady(metres: metres, pace: pace).scaled(bySpeed: speed)
            if number % 5 == 4 { piece.lost = [20] }
            piece = piece.named(number, at: SyntheticPiece.evening - Int64(number) * 9 * day + later)
            var metrics = piece.metrics
            metrics.machine = MachineKind.allCases[number % 3]
            return metrics
        }
    }

    @Test func computesKnownBests() throws {
        // Two ranked 2000 m in two seasons, and a 5000 m that contains a faster 2000 m.
        let day = Self.day
        let old = SyntheticPiece.steady(metres: 2000, pace: 106)
            .named(1, at: SyntheticPiece.evening - 300 * day)
        let new = SyntheticPiece.steady(metres: 2000, pace: 104).named(2, at: SyntheticPiece.evening - day)
        let long = SyntheticPiece.steady(metres: 5000, pace: 103).named(3, at: SyntheticPiece.evening)
        let bests = AthleteBests([old, new, long].map(\.metrics))
        func best(_ event: RankedEvent, _ season: Int64?) -> AthleteBests.Best? {
            bests.bests.first { $0.event == event && $0.season?.year == season }
        }
        let all = try #require(best(.metres(2000), nil))
        #expect(all.ranked?.centiseconds == 41_600 && all.ranked?.inputs == [new.name])
        #expect(all.ranked?.kind == .measured && all.ranked?.date == SyntheticPiece.evening - day)
        // Strokes are published to 0.1 m, which is 2 hundredths of a second.
        #expect(all.effort.map { abs($0.centiseconds - 41_200) <= 2 } == true)
        #expect(all.effort?.kind == .computed && all.effort?.inputs == [long.name])
        #expect(best(.metres(2000), 2026)?.ranked?.centiseconds == 42_400)
        #expect(best(.metres(2000), 2026)?.effort == nil)
        #expect(best(.metres(5000), 2027)?.ranked?.centiseconds == 103_000)
        #expect(best(.metres(5000), 2027)?.effort == nil, "a ranked result is no effort as well")
        #expect(bests.seasons.map(\.year) == [2027, 2026])
        // 4:00 at 1:43.
        #expect(best(.seconds(240), nil)?.effort.map { abs($0.decimetres - 11_650) <= 1 } == true)
    }

    @Test func doesNotDependOnTheOrder() {
        let pieces =
            Self.athlete()
            + (60..<64).map {
                SyntheticPiece.steady(metres: 2000, pace: 99).named($0, at: SyntheticPiece.evening).metrics
            }
        let json = SyntheticPiece.json(pieces)
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<10 {
            let shuffled = pieces.shuffled(using: &generator)
            #expect(SyntheticPiece.json(shuffled) == json)
        }
    }

    @Test func scalesOnlyTimesWithSpeed() throws {
        let (one, other) = (AthleteBests(Self.athlete()), AthleteBests(Self.athlete(speed: 2)))
        #expect(one.unranked == other.unranked && one.seasons == other.seasons)
        for best in one.bests {
            let twin = try #require(
                other.bests.first {
                    ($0.machine, $0.event, $0.season) == (best.machine, best.event, best.season)
                })
            guard case .metres = best.event else { continue }
            #expect(best.ranked?.inputs == twin.ranked?.inputs)
            for (slow, fast) in [(best.ranked, twin.ranked), (best.effort, twin.effort)] {
                guard let slow, let fast else { continue }
                #expect(abs(slow.centiseconds - 2 * fast.centiseconds) <= 4, "\(best.event)")
            }
        }
    }

    @Test func changesOnlyTheSeasonAYearLater() {
        let (one, other) = (
            AthleteBests(Self.athlete()), AthleteBests(Self.athlete(later: 365 * Self.day))
        )
        #expect(one.seasons.map { $0.year + 1 } == other.seasons.map(\.year))
        #expect(one.bests.count == other.bests.count)
        for (best, twin) in zip(one.bests, other.bests) {
            #expect(best.season.map { $0.year + 1 } == twin.season?.year)
            #expect(best.ranked?.centiseconds == twin.ranked?.centiseconds)
            #expect(best.effort?.inputs == twin.effort?.inputs)
        }
    }

    @Test func removesErasedSessionsFromBests() throws {
        // Erases the session of each best, or adds a gap to it.
        let pieces = Self.athlete()
        for best in AthleteBests(pieces).bests where best.season == nil {
            let name = try #require((best.ranked ?? best.effort)?.inputs.first)
            let left = pieces.filter { $0.name != name }
            #expect(!SyntheticPiece.json(left).contains(name.session))
            let corrected = pieces.map { piece in
                var piece = piece
                if piece.name == name { piece.faults = [.gap] }
                return piece
            }
            let bests = AthleteBests(corrected).bests
            #expect(bests.allSatisfy { $0.ranked?.inputs != [name] })
        }
        #expect(AthleteBests([]).bests.isEmpty && AthleteBests([]).seasons.isEmpty)
    }

    @Test func separatesMachines() {
        let bests = AthleteBests(Self.athlete()).bests
        #expect(Set(bests.map(\.machine)) == Set(MachineKind.allCases))
        let pieces = Dictionary(uniqueKeysWithValues: Self.athlete().map { ($0.name, $0.machine) })
        for best in bests {
            for name in [best.ranked, best.effort].flatMap({ $0?.inputs ?? [] }) {
                #expect(pieces[name] == best.machine)
            }
        }
    }
}
