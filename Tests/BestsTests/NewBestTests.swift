import TestSupport
import Testing
import Timeline

@testable import Bests

/// Results that beat all earlier ones.
@Suite struct NewBestTests {
    private static let day: Int64 = 86_400_000

    /// A 2000 m at a pace, some days after `SyntheticPiece.evening`.
    private static func piece(
        _ number: Int, pace: Double, day: Int64, speed: Double = 1
    ) -> PieceMetrics {
        SyntheticPiece.steady(metres: 2000, pace: pace).scaled(bySpeed: speed)
            .named(number, at: SyntheticPiece.evening + day * Self.day).metrics
    }

    /// Ten results of one event over two seasons, faster and slower.
    private static func pieces(speed: Double = 1, later: Int64 = 0) -> [PieceMetrics] {
        let paces: [Double] = [112, 115, 109, 109, 111, 113, 112.5, 108, 110, 107]
        return paces.enumerated().map { number, pace in
            piece(number, pace: pace, day: Int64(number) * 40 - 60 + later, speed: speed)
        }
    }

    private static func subjects(_ pieces: [PieceMetrics]) -> [String] {
        NewBest.all(in: pieces).map { "\($0.subject) \($0.isWorthAnnouncing)" }
    }

    @Test func computesKnownBests() throws {
        // Five ranked 2000 m, the last two in the next season.
        let days: [(Double, Int64)] = [(110, 0), (112, 1), (108, 2), (111, 200), (109, 201)]
        let pieces = days.enumerated().map { Self.piece($0, pace: $1.0, day: $1.1) }
        let bests = NewBest.all(in: pieces).filter { $0.result == .ranked }
        #expect(bests.map(\.piece) == [0, 2, 3, 4].map { pieces[$0].name })
        #expect(bests.map(\.isWorthAnnouncing) == [false, true, false, true])
        #expect(bests.map(\.scope) == [.allTime, .allTime, .season, .season])
        #expect(bests[1].before?.inputs == [pieces[0].name])
        #expect(bests[3].before?.inputs == [pieces[3].name])
        #expect(bests[3].figure.centiseconds == 43_600)
        // Of equal results the first is the best.
        let twice = [110, 110.0].enumerated().map { Self.piece($0, pace: $1, day: Int64($0)) }
        #expect(NewBest.all(in: twice).filter(\.isWorthAnnouncing).isEmpty)
    }

    @Test func announcesNoEffortsOfTheFirstEvening() {
        // Three pieces of 1500 m in an evening, each faster; then one per day.
        func efforts(_ paces: [Double], every milliseconds: Int64) -> [NewBest] {
            let pieces = paces.enumerated().map { number, pace in
                SyntheticPiece.steady(metres: 1500, pace: pace)
                    .named(number, at: SyntheticPiece.evening + Int64(number) * milliseconds).metrics
            }
            return NewBest.all(in: pieces).filter { $0.event == .metres(500) }
        }
        let evening = efforts([120, 115, 110], every: 1_800_000)
        #expect(evening.map(\.result) == [.effort, .effort, .effort])
        #expect(evening.map(\.isWorthAnnouncing) == [false, false, false])
        #expect(efforts([120, 115, 110], every: Self.day).map(\.isWorthAnnouncing) == [false, true, true])
        // With an effort of an earlier day, each improvement is announced.
        let later = [120, 119].map { SyntheticPiece.steady(metres: 1500, pace: $0) }.enumerated()
            .map { $1.named($0 + 7, at: SyntheticPiece.evening + 3 * Self.day).metrics }
        let earlier = SyntheticPiece.steady(metres: 1500, pace: 130).named(1, at: SyntheticPiece.evening)
        let all = NewBest.all(in: [earlier.metrics] + later)
            .filter { $0.event == .metres(500) }
        #expect(all.map(\.isWorthAnnouncing) == [false, true, true])
    }

    @Test func doesNotDependOnTheOrder() {
        let pieces = Self.pieces()
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<10 {
            #expect(Self.subjects(pieces.shuffled(using: &generator)) == Self.subjects(pieces))
        }
    }

    @Test func withdrawsOnlyBestsBeatenByALateSession() throws {
        let pieces = Self.pieces()
        let late = pieces[2]
        let without = Set(Self.subjects(pieces.filter { $0.name != late.name }))
        let with = Set(Self.subjects(pieces))
        #expect(with.subtracting(without).contains { $0.contains(late.name.session) })
        for lost in without.subtracting(with) {
            #expect(pieces[3...].contains { lost.contains($0.name.session) }, "\(lost)")
        }
    }

    @Test func removesOnlyBestsOfAnErasedSession() {
        let pieces = Self.pieces()
        let all = NewBest.all(in: pieces)
        for erased in pieces {
            let left = NewBest.all(in: pieces.filter { $0.name != erased.name })
            #expect(
                !left.contains { $0.piece == erased.name || $0.before?.inputs == [erased.name] })
            let subjects = Set(left.map(\.subject))
            for best in all where best.piece != erased.name && best.scope == .allTime {
                #expect(subjects.contains(best.subject), "\(best.subject)")
            }
        }
    }

    @Test func dependsOnlyOnTheOrderOfResults() {
        func names(_ pieces: [PieceMetrics]) -> [String] {
            NewBest.all(in: pieces).filter { $0.result == .ranked }
                .map { "\($0.piece.session) \($0.scope) \($0.isWorthAnnouncing)" }
        }
        let once = names(Self.pieces())
        #expect(names(Self.pieces(speed: 2)) == once)
        #expect(names(Self.pieces(later: 730)) == once)
        #expect(once.count > 4)
    }
}
