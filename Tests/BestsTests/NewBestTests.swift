import TestSupport
import Testing
import Timeline

@testable import Bests

/// Results that were better than all before them.
@Suite struct NewBestTests {
    private static let day: Int64 = 86_400_000

    /// A 2000 m at a pace, so many days after an evening.
    private static func piece(
        _ number: Int, pace: Double, day: Int64, speed: Double = 1
    ) -> PieceFigures {
        MadePiece.steady(metres: 2000, pace: pace).rowed(timesAsFast: speed)
            .named(number, at: MadePiece.evening + day * Self.day).figures
    }

    /// Two seasons of one event, faster and slower, and pieces over another one.
    private static func pieces(speed: Double = 1, later: Int64 = 0) -> [PieceFigures] {
        let paces: [Double] = [112, 115, 109, 109, 111, 113, 112.5, 108, 110, 107]
        return paces.enumerated().map { number, pace in
            piece(number, pace: pace, day: Int64(number) * 40 - 60 + later, speed: speed)
        }
    }

    private static func told(_ pieces: [PieceFigures]) -> [String] {
        NewBest.all(in: pieces).map { "\($0.subject) \($0.isNews)" }
    }

    @Test func knownAnswers() throws {
        // Goal: who beats nobody is no news, who beats all is told once, and a season has bests of its
        // own. Method: five ranked 2000 m, the last two of the next season.
        let days: [(Double, Int64)] = [(110, 0), (112, 1), (108, 2), (111, 200), (109, 201)]
        let pieces = days.enumerated().map { Self.piece($0, pace: $1.0, day: $1.1) }
        let bests = NewBest.all(in: pieces).filter { $0.result == .ranked }
        #expect(bests.map(\.piece) == [0, 2, 3, 4].map { pieces[$0].name })
        #expect(bests.map(\.isNews) == [false, true, false, true])
        #expect(bests.map(\.scope) == [.allTime, .allTime, .season, .season])
        #expect(bests[1].before?.inputs == [pieces[0].name])
        #expect(bests[3].before?.inputs == [pieces[3].name])
        #expect(bests[3].figure.centiseconds == 43_600)
        // Of two that are alike the first was the best.
        let twice = [110, 110.0].enumerated().map { Self.piece($0, pace: $1, day: Int64($0)) }
        #expect(NewBest.all(in: twice).filter(\.isNews).isEmpty)
    }

    @Test func anEffortOfTheFirstEveningIsNoNews() {
        // Three pieces of 1500 m in an evening, each faster, then one the day after.
        func efforts(_ paces: [Double], every milliseconds: Int64) -> [NewBest] {
            let pieces = paces.enumerated().map { number, pace in
                MadePiece.steady(metres: 1500, pace: pace)
                    .named(number, at: MadePiece.evening + Int64(number) * milliseconds).figures
            }
            return NewBest.all(in: pieces).filter { $0.event == .metres(500) }
        }
        let evening = efforts([120, 115, 110], every: 1_800_000)
        #expect(evening.map(\.result) == [.effort, .effort, .effort])
        #expect(evening.map(\.isNews) == [false, false, false])
        #expect(efforts([120, 115, 110], every: Self.day).map(\.isNews) == [false, true, true])
        // Whoever has rowed before hears of each.
        let later = [120, 119].map { MadePiece.steady(metres: 1500, pace: $0) }.enumerated()
            .map { $1.named($0 + 7, at: MadePiece.evening + 3 * Self.day).figures }
        let earlier = MadePiece.steady(metres: 1500, pace: 130).named(1, at: MadePiece.evening)
        let all = NewBest.all(in: [earlier.figures] + later)
            .filter { $0.event == .metres(500) }
        #expect(all.map(\.isNews) == [false, true, true])
    }

    @Test func inAnyOrderTheSame() {
        // Goal: the same are bests in whichever order sessions arrive. Method: shuffled ones.
        let pieces = Self.pieces()
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<10 {
            #expect(Self.told(pieces.shuffled(using: &generator)) == Self.told(pieces))
        }
    }

    @Test func whatComesLateTakesBackAndNothingElse() throws {
        // Goal: an earlier session that arrives late was rowed before. Method: without one, then with
        // it: what it beats is a best no more, what came before it stays.
        let pieces = Self.pieces()
        let late = pieces[2]
        let without = Set(Self.told(pieces.filter { $0.name != late.name }))
        let with = Set(Self.told(pieces))
        #expect(with.subtracting(without).contains { $0.contains(late.name.session) })
        for lost in without.subtracting(with) {
            #expect(pieces[3...].contains { lost.contains($0.name.session) }, "\(lost)")
        }
    }

    @Test func anErasedSessionTakesItsOwnAway() {
        // Goal: nothing rests on what is not here, and nothing is lost that stands without it. Method:
        // each session is erased; the others' bests that it did not beat are bests still.
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

    @Test func strongerAndLaterChangeNothingElse() {
        // Goal: which are bests rests on their order alone. Method: everybody twice as fast, over
        // distances; everything two years later.
        func names(_ pieces: [PieceFigures]) -> [String] {
            NewBest.all(in: pieces).filter { $0.result == .ranked }
                .map { "\($0.piece.session) \($0.scope) \($0.isNews)" }
        }
        let once = names(Self.pieces())
        #expect(names(Self.pieces(speed: 2)) == once)
        #expect(names(Self.pieces(later: 730)) == once)
        #expect(once.count > 4)
    }
}
