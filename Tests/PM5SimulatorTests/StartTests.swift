import PM5Codec
import Testing

@testable import PM5Simulator

/// Rowers who wait for a word, as at the start of a race.
struct StartTests {
    private static let race = Workout(.fixedDistanceWithSplits, [WorkoutInterval(.meters(100))])

    /// Held before anything is on the screen.
    private func held() throws -> ErgRun {
        var run = try ErgRun("wait")
        run.erg.hold(true)
        run.erg.arm(Self.race)
        return run
    }

    @Test func heldRowerStartsAtTheStartSignal() throws {
        // After an hour of waiting, accurate to the millisecond.
        var run = try held()
        try run.run(forSeconds: 3600)
        #expect(run.erg.piece == nil && run.erg.state == .waitToBegin)
        let word = run.erg.now
        run.erg.begin(afterMilliseconds: 310)
        try run.run(forSeconds: 1)
        #expect(run.erg.piece?.intervalStart == word + 310)
    }

    @Test func eachPieceNeedsItsOwnStartSignal() throws {
        var run = try held()
        try run.run(forSeconds: 2)
        run.erg.begin(afterMilliseconds: 0)
        try run.run(forSeconds: 5)
        #expect(run.erg.pieceCount == 1)
        _ = try run.exchange(
            .wrapped(.setConfiguration, [.screenState(.workout, .terminateWorkout)]))
        try run.run(forSeconds: 60)
        run.erg.arm(Self.race)
        try run.run(forSeconds: 60)
        #expect(run.erg.pieceCount == 1)
        run.erg.begin(afterMilliseconds: 200)
        try run.run(forSeconds: 60)
        #expect(run.erg.pieceCount == 2 && run.summaries.last?.distanceDecimeters == 1000)
    }

    @Test func startSignalDoesNotDisturbARowingOrReleasedRower() throws {
        var run = try held()
        try run.run(forSeconds: 2)
        run.erg.begin(afterMilliseconds: 0)
        try run.run(forSeconds: 10)
        let before = try #require(run.erg.piece?.intervalStart)
        run.erg.begin(afterMilliseconds: 100)
        try run.run(forSeconds: 2)
        #expect(run.erg.piece?.intervalStart == before)
        try run.run(forSeconds: 60)
        run.erg.hold(false)
        run.erg.arm(Self.race)
        try run.run(forSeconds: 10)
        #expect(run.erg.pieceCount == 2)
    }
}
