import Testing

@testable import PM5Codec
@testable import Rowing

/// The states of intervals, without a session.
@Suite struct IntervalHistoryTests {
    private static func status(
        _ state: WorkoutState = .intervalWorkTime, of type: WorkoutType = .fixedTimeInterval,
        at seconds: Double, meters: Int, finished: UInt32 = 0
    ) -> GeneralStatus {
        var status = GeneralStatus.blank
        (status.workoutType, status.workoutState) = (type, state)
        (status.durationType, status.workoutDuration) = (.time, 6000)
        status.elapsedCentiseconds = UInt32(seconds * 100)
        status.distanceDecimeters = UInt32(meters * 10)
        status.totalWorkDistanceMeters = finished
        return status
    }

    /// One minute of work over 250 m, and the first status of its rest.
    private static func rested() -> IntervalHistory {
        var history = IntervalHistory()
        history.begin(status(at: 0, meters: 0))
        _ = history.work(status(at: 59.5, meters: 248), mayBeLate: false)
        history.rest(status(.intervalRest, at: 60, meters: 250, finished: 250), mayBeLate: false)
        return history
    }

    @Test func closesIntervalOfEqualTimeAtItsGoal() {
        let history = Self.rested()
        #expect(history.leg.end == .timeGoal)
        #expect(history.leg.elapsed == 6000)
        #expect(history.isElapsedExact && !history.isDistanceExact)
    }

    @Test func opensNextIntervalAfterRest() {
        var history = Self.rested()
        let change = history.work(Self.status(at: 1, meters: 4, finished: 250), mayBeLate: false)
        #expect(change == .newLeg)
        #expect(history.leg.serial == 2 && history.leg.end == nil)
        #expect(history.totalElapsed == 6100)
        #expect(history.progress?.number == 2)
    }

    @Test func ignoresLateStatusAfterStrokesOpenedInterval() {
        var history = Self.rested()
        history.openByStroke(isVariable: false)
        let late = history.work(Self.status(at: 59.8, meters: 249), mayBeLate: true)
        #expect(late == .none && history.leg.elapsed == 0)
        _ = history.work(Self.status(at: 2, meters: 8, finished: 250), mayBeLate: true)
        #expect(history.leg.serial == 2 && history.leg.elapsed == 200)
    }

    @Test func givesTimeOfMissedIntervalsOnceTheyAreCounted() {
        var history = Self.rested()
        let status = Self.status(at: 30, meters: 120, finished: 500)
        let missed = history.rejoin(status, after: .seconds(100), lastStroke: 5900)
        let change = history.work(status, mayBeLate: false)
        #expect(change == .none)
        #expect(missed == .init(strokes: true, legs: true))
        #expect(!history.isTimeCertain && history.progress?.number == nil)
        let hasMissed = history.count(2, in: .working)
        #expect(hasMissed)
        #expect(history.isTimeCertain && history.progress?.number == 3)
        #expect(history.totalElapsed == 2 * 6000 + 3000)
    }

    @Test func doesNotTrustEndAfterAbsenceBeforeTheCount() {
        var history = IntervalHistory()
        history.begin(Self.status(at: 0, meters: 0))
        _ = history.work(Self.status(at: 30, meters: 120), mayBeLate: false)
        _ = history.rejoin(
            Self.status(.terminate, at: 40, meters: 160, finished: 160), after: .seconds(3), lastStroke: 3000)
        #expect(history.isTimeCertain && !history.isElapsedExact)
        let hasMissed = history.count(1, in: .over)
        #expect(!hasMissed && history.isElapsedExact)
    }

    @Test func movesNextIntervalWhenMonitorReportsPrevious() {
        var history = IntervalHistory()
        history.begin(Self.status(.intervalWorkDistance, of: .variableInterval, at: 0, meters: 0))
        _ = history.work(
            Self.status(.intervalWorkDistance, of: .variableInterval, at: 20, meters: 80), mayBeLate: false)
        history.openByStroke(isVariable: true)
        let before = history.leg.startDistance
        var split = SplitData.blank
        (split.splitDeciseconds, split.splitDistanceMeters) = (600, 251)
        history.settle(split, number: 1)
        #expect(history.leg.startDistance == 2510 && before != 2510)
    }

    @Test func findsSplitOfLateStrokeByItsTime() {
        var history = IntervalHistory()
        history.begin(Self.status(.workoutRow, of: .fixedDistanceWithSplits, at: 0, meters: 0))
        var split = SplitData.blank
        split.elapsedCentiseconds = 12_000
        history.settle(split, number: 1)
        #expect(history.interval(ofLeg: 1, elapsedCentiseconds: 11_900) == 1)
        #expect(history.interval(ofLeg: 1, elapsedCentiseconds: 12_100) == 2)
    }
}
