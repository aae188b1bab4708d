import PM5Codec
import PM5Simulator
import Testing
import Timeline

@testable import Insights
@testable import Rowing

@Suite struct RollupTests {
    private static let session = SessionID("S1")

    private func edge(_ kind: SessionTransition.Kind, _ type: WorkoutType) -> SessionEvent {
        .session(
            SessionTransition(
                kind: kind, session: Self.session, startedAt: BootInstant(nanoseconds: 0),
                workout: Rowing.Workout(type: type, target: .none), at: BootInstant(nanoseconds: 0))
        )
    }

    private func stroke(_ number: Int, seconds: Double, interval: Int = 1) -> Stroke {
        Stroke(
            session: Self.session, at: BootInstant(nanoseconds: UInt64(seconds * 1e9)),
            number: number, elapsed: .milliseconds(Int(seconds * 1000)), distance: .zero
        ).with { $0.interval = interval }
    }

    private func rollups(
        _ strokes: [Stroke], _ type: WorkoutType = .justRowWithSplits, curves: [ForceCurve] = [],
        behind: Int = 0
    ) -> [Rollup] {
        var windows = RollupWindows()
        var rollups: [Rollup] = []
        windows.handle(edge(.started, type), into: &rollups)
        for stroke in strokes {
            for curve in curves where curve.stroke == stroke.number - behind {
                windows.handle(.force(curve), into: &rollups)
            }
            windows.handle(.stroke(stroke), into: &rollups)
        }
        windows.handle(edge(.ended, type), into: &rollups)
        return rollups
    }

    // MARK: - Known truth

    @Test func computesMeanAndDeviationOfMinute() throws {
        // Worked out by hand: watts 190, 200, 210, 240 have mean 210 and deviation sqrt(1400 / 3) = 21.602.
        let watts = [190, 200, 210, 240]
        let strokes = watts.enumerated().map { index, power in
            stroke(index + 1, seconds: 2.5 * Double(index + 1)).with {
                $0.powerWatts = power
                $0.strokeRate = 24 + index % 2
                $0.heartRate = index == 0 ? nil : 150
                $0.pace = Pace(millisecondsPer500m: 120_000 + Int64(index) * 1000)
                $0.driveTime = .milliseconds(800)
                $0.recoveryTime = index == 3 ? nil : .milliseconds(1600)
            }
        }
        let minute = try #require(rollups(strokes).first)
        #expect(rollups(strokes).count == 1)
        #expect(minute.span == .minute && minute.number == 1)
        #expect(minute.count == 4 && minute.strokes == 1...4 && minute.isWhole)
        #expect(
            minute.watts.mean(scaled: 10) == 2100 && minute.watts.deviation(scaled: 100) == 2160)
        #expect(minute.rate.mean(scaled: 10) == 245 && minute.rate.deviation(scaled: 100) == 58)
        #expect(minute.heartRate.count == 3 && minute.heartRate.mean(scaled: 1) == 150)
        #expect(minute.heartRate.deviation(scaled: 100) == 0)
        #expect(minute.pace.mean(scaled: 1) == 121_500 && minute.pace.deviation(scaled: 1) == 1291)
        #expect(
            minute.driveToRecovery.count == 3 && minute.driveToRecovery.mean(scaled: 1) == 5000)
        #expect(minute.at == BootInstant(nanoseconds: 10_000_000_000))
    }

    @Test func omitsDeviationBelowTwoValues() {
        // No stroke with a belt, one with a power.
        let minute = rollups([stroke(1, seconds: 2).with { $0.powerWatts = 200 }]).first
        #expect(minute?.heartRate.mean(scaled: 1) == nil)
        #expect(minute?.watts.mean(scaled: 1) == 200)
        #expect(minute?.watts.deviation(scaled: 1) == nil)
        #expect(rollups([]) == [])
    }

    @Test func groupsStrokesByMinuteOfWork() {
        // Strokes around the minute boundaries, and none in the third minute. A minute ends at 60.00 s of
        // work.
        let strokes = [59.0, 60.0, 60.01, 119, 120, 181].enumerated().map {
            stroke($0.offset + 1, seconds: $0.element)
        }
        let minutes = rollups(strokes)
        #expect(minutes.map(\.number) == [1, 2, 4])
        #expect(minutes.map(\.strokes) == [1...2, 3...5, 6...6])
        #expect(minutes.allSatisfy { $0.isWhole })
    }

    @Test func groupsStrokesByInterval() {
        // Two intervals in one minute, as intervals and as splits of a just row.
        let strokes = (1...10).map {
            stroke($0, seconds: Double($0) * 2.5, interval: $0 <= 4 ? 1 : 2)
        }
        let both = rollups(strokes, .fixedDistanceInterval)
        #expect(both.filter { $0.span == .interval }.map(\.strokes) == [1...4, 5...10])
        #expect(both.filter { $0.span == .interval }.map(\.number) == [1, 2])
        #expect(both.filter { $0.span == .minute }.map(\.strokes) == [1...10])
        #expect(rollups(strokes).map(\.span) == [.minute])
    }

    @Test(arguments: [-1, 0, 1, 2])
    func assignsLateCurvesToTheirMinute(behind: Int) throws {
        // Each curve arrives `behind` strokes after its own. Triangles have their peak in the middle.
        let strokes = (1...40).map { stroke($0, seconds: Double($0) * 2.5) }
        let curves = strokes.map {
            ForceCurve(
                session: Self.session, at: $0.at, stroke: $0.number, isComplete: $0.number != 7,
                poundsForce: [0, 50, 100, 50, 0])
        }
        let minutes = rollups(strokes, curves: curves, behind: behind)
        #expect(minutes.map(\.count) == [24, 16])
        // The seventh is incomplete; the first or last strokes have no curve.
        let late = max(0, behind)
        #expect(minutes.map(\.peakPosition.count) == [behind < 0 ? 22 : 23, 16 - late])
        #expect(minutes.map { $0.peakPosition.mean(scaled: 1) } == [500, 500])
        #expect(minutes.map { $0.averageToPeak.mean(scaled: 1) } == [400, 400])
    }

    @Test func marksIncompleteRollups() {
        // Strokes missing inside, at a boundary, and before a process that joins in the middle.
        func rollups(without missing: Set<Int>) -> [Bool] {
            let strokes = (1...72).filter { !missing.contains($0) }.map {
                stroke($0, seconds: Double($0) * 2.5)
            }
            return self.rollups(strokes).map(\.isWhole)
        }
        #expect(rollups(without: []) == [true, true, true])
        #expect(rollups(without: [10]) == [false, true, true])
        #expect(rollups(without: [25]) == [true, false, true])
        #expect(rollups(without: [1, 2, 3]) == [false, true, true])
    }

    // MARK: - Whole sessions

    @Test(arguments: [
        "just-row/3:30", "2000m", "4x250m/0:20r", "3x1:00/0:20r", "150m/r+0:40/r+100m",
    ])
    func includesEveryStrokeOnce(_ workout: String) throws {
        // Simulated pieces; the values are computed again in another way.
        for seed in UInt64(1)...3 {
            let session = try ReplayedSession(workout, seed: seed)
            let minutes = session.rollups.filter { $0.span == .minute }
            #expect(minutes.flatMap { Array($0.strokes) } == session.strokes.map(\.number))
            #expect(minutes.reduce(0) { $0 + $1.count } == session.strokes.count)
            let intervals = session.rollups.filter { $0.span == .interval }
            #expect(
                intervals.flatMap { Array($0.strokes) }
                    == (workout.contains("r") && !workout.hasPrefix("just")
                        ? session.strokes.map(\.number) : []))
            for rollup in session.rollups {
                let strokes = session.strokes.filter { rollup.strokes.contains($0.number) }
                #expect(rollup.isWhole, "\(workout), seed \(seed)")
                check(rollup.watts, strokes.compactMap(\.powerWatts))
                check(rollup.rate, strokes.compactMap(\.strokeRate))
                check(
                    rollup.pace,
                    strokes.compactMap { $0.pace.map { Int($0.millisecondsPer500m) } })
                #expect(rollup.peakPosition.count == rollup.count)
            }
        }
    }

    private func check(_ spread: Spread, _ values: [Int]) {
        #expect(spread.count == values.count)
        guard !values.isEmpty else { return }
        let mean = Double(values.reduce(0, +)) / Double(values.count)
        #expect(abs(Double(spread.mean(scaled: 100) ?? 0) / 100 - mean) < 0.0051)
        guard values.count > 1 else { return }
        let squares = values.reduce(0.0) { $0 + (Double($1) - mean) * (Double($1) - mean) }
        let deviation = (squares / Double(values.count - 1)).squareRoot()
        #expect(abs(Double(spread.deviation(scaled: 100) ?? 0) / 100 - deviation) < 0.0051)
    }
}

extension Stroke {
    func with(_ change: (inout Stroke) -> Void) -> Stroke {
        var stroke = self
        change(&stroke)
        return stroke
    }
}
