import PM5Codec
import Testing

@testable import Rowing

/// Equal intervals that the gateway programmed; the monitor stores them as a variable workout.
@Suite struct EqualIntervalTests {
    private typealias Repetition = Rowing.Workout.Repetition

    private static func interval(
        _ work: WorkoutProgram.Extent, rest: WorkoutProgram.Rest = .seconds(60)
    ) -> WorkoutProgram.Interval { WorkoutProgram.Interval(work, rest: rest) }

    @Test func recognizesProgramsOfEqualIntervals() {
        let half = Self.interval(.meters(500))
        let last = Self.interval(.meters(500), rest: .seconds(0))
        let open = Self.interval(.meters(500), rest: .undefined)
        let cases: [(WorkoutProgram.Plan, Repetition?)] = [
            (.intervals([half, half, half]), Repetition(count: 3, rest: .seconds(60))),
            (.intervals([half, half, last]), Repetition(count: 3, rest: .seconds(60))),
            (.intervals([half]), Repetition(count: 1, rest: .seconds(60))),
            (.intervals([open, open]), Repetition(count: 2, rest: .undefined)),
            (.intervals([half, last, half]), nil),
            (.intervals([half, Self.interval(.meters(1000))]), nil),
            (.intervals([half, Self.interval(.centiseconds(50_000))]), nil),
            (.repeating(.meters(500), restSeconds: 30), Repetition(count: nil, rest: .seconds(30))),
            (.single(.meters(2000), split: .meters(500)), nil), (.justRow, nil),
        ]
        for (plan, repetition) in cases {
            #expect(WorkoutProgram(plan).repetition == repetition, "\(plan)")
        }
    }

    @Test func publishesVariableWorkoutAsEqualIntervals() {
        let repetition = Repetition(count: 8, rest: .seconds(60))
        func published(
            _ type: WorkoutType, _ target: Rowing.Workout.Target, _ repetition: Repetition?
        ) -> WorkoutType {
            Rowing.Workout(type: type, target: target, repetition: repetition).publishedType
        }
        let distance = Rowing.Workout.Target.distance(Meters(500))
        #expect(published(.variableInterval, distance, repetition) == .fixedDistanceInterval)
        #expect(
            published(.variableInterval, .time(.seconds(60)), repetition) == .fixedTimeInterval)
        #expect(published(.variableInterval, .calories(20), repetition) == .fixedCalorieInterval)
        #expect(published(.variableInterval, distance, nil) == .variableInterval)
        let open = WorkoutType.variableIntervalUndefinedRest
        #expect(published(open, distance, Repetition(count: 2, rest: .undefined)) == open)
        #expect(published(.fixedDistanceInterval, distance, nil) == .fixedDistanceInterval)
    }

    // MARK: - From the monitor to published values

    private static let repetition = Repetition(count: 3, rest: .seconds(20))
    private static let workout = Rowing.Workout(
        type: .variableInterval, target: .distance(Meters(40)), repetition: repetition)

    /// A monitor with three programmed intervals of 40 m.
    private static func armed() -> ScriptedMonitor {
        var pm5 = ScriptedMonitor(.variableInterval, 40)
        pm5.arm()
        put(workout, on: &pm5)
        return pm5
    }

    private static func put(_ workout: Rowing.Workout, on pm5: inout ScriptedMonitor) {
        pm5.harness.machine.setTargets(WorkoutTargets(), for: workout, into: &pm5.harness.events)
    }

    private static func row(_ count: Int, on pm5: inout ScriptedMonitor) {
        for number in 1...count {
            pm5.row(4)
            pm5.rest(seconds: 20)
            if number < count { pm5.nextInterval(after: 20) }
        }
    }

    @Test func addsRepetitionToEveryMessage() throws {
        var pm5 = Self.armed()
        #expect(pm5.harness.states.last?.activity == .ready)
        #expect(pm5.harness.states.last?.workout == Self.workout)
        Self.row(3, on: &pm5)
        pm5.end()
        #expect(pm5.harness.edges.map(\.workout) == [Self.workout, Self.workout])
        #expect(pm5.harness.summaries.map(\.workout) == [Self.workout])
        #expect(pm5.harness.summaries.last?.isComplete == true)
        let sessions = pm5.harness.states.filter { $0.session != nil }
        #expect(sessions.count > 3 && sessions.allSatisfy { $0.workout == Self.workout })
    }

    @Test func countsIntervalsInLiveSample() throws {
        var pm5 = Self.armed()
        pm5.row(2)
        var live = try #require(pm5.harness.live)
        #expect((live.interval?.number, live.intervalCount) == (1, 3))
        #expect(live.interval?.distance == live.distance)
        pm5.row(2)
        pm5.rest(seconds: 20)
        pm5.nextInterval(after: 20)
        pm5.row(1)
        live = try #require(pm5.harness.live)
        #expect((live.interval?.number, live.intervalCount) == (2, 3))
        #expect(live.interval?.elapsed == live.elapsed - .seconds(10))
        let here = try #require(live.interval?.distance)
        #expect(live.remainder == Remainder(distance: Meters(40) - here))
        #expect(live.interval?.averagePace == nil)
    }

    @Test func addsRepetitionToSessionInProgress() {
        var pm5 = ScriptedMonitor(.variableInterval, 40)
        pm5.arm()
        pm5.row(1)
        Self.put(Self.workout, on: &pm5)
        #expect(pm5.harness.states.last?.workout == Self.workout)
        #expect(pm5.harness.live?.intervalCount == 3)
    }

    @Test func addsRepetitionToReloadedWorkout() throws {
        var pm5 = Self.armed()
        Self.row(1, on: &pm5)
        pm5.end(.terminate)
        pm5.arm()
        #expect(pm5.harness.states.last?.activity == .ready)
        #expect(pm5.harness.states.last?.workout == Self.workout)
        pm5.row(2)
        #expect(pm5.harness.edges.last?.workout == Self.workout)
    }

    @Test func forgetsRepetitionOfAnotherWorkout() {
        var pm5 = Self.armed()
        pm5.duration = 100
        pm5.pass(1000)
        #expect(pm5.harness.states.last?.workout?.repetition == nil)
        // The first of the new intervals has the same length by chance.
        pm5.duration = 40
        pm5.row(2)
        #expect(pm5.harness.edges.last?.workout.repetition == nil)
        #expect(pm5.harness.live?.intervalCount == nil)
        #expect(pm5.harness.live?.interval?.number == 1)
    }

    @Test func forgetsRepetitionAfterRelease() {
        var pm5 = Self.armed()
        pm5.loseLink()
        pm5.harness.machine.monitorReleased(at: pm5.harness.instant, into: &pm5.harness.events)
        pm5.regainLink()
        pm5.pass(1000)
        #expect(pm5.harness.states.last?.workout?.repetition == nil)
    }

    @Test(arguments: ScriptedMonitor.Loss.allCases)
    func remembersRepetitionOverAbsence(_ loss: ScriptedMonitor.Loss) throws {
        var armed = Self.armed()
        armed.away(loss) { $0.pass(3000) }
        armed.row(2)
        #expect(armed.harness.edges.last?.workout == Self.workout)
        armed.away(loss) { $0.row(1) }
        armed.row(1)
        #expect(armed.harness.live?.intervalCount == 3)
        armed.end()
        #expect(armed.harness.summaries.last?.workout == Self.workout)
    }

    @Test func omitsCountBeyondLastInterval() throws {
        var pm5 = Self.armed()
        Self.row(3, on: &pm5)
        pm5.nextInterval(after: 20)
        pm5.row(1)
        let live = try #require(pm5.harness.live)
        #expect(live.interval?.number == 4)
        #expect(live.intervalCount == nil)
    }

    @Test func reportsRemainderOfSinglePiece() throws {
        var pm5 = ScriptedMonitor(.fixedTimeWithSplits, 6000, .time)
        pm5.arm()
        pm5.row(4)
        var live = try #require(pm5.harness.live)
        #expect(live.interval == nil)
        #expect(live.remainder == Remainder(time: .seconds(50)))
        var just = ScriptedMonitor(.justRowWithSplits)
        just.arm()
        just.row(4)
        live = try #require(just.harness.live)
        #expect(live.remainder == nil && live.interval == nil)
        var calories = ScriptedMonitor(.fixedCalorieInterval, 10, .calories)
        calories.arm()
        calories.row(4)
        calories.pass(600)
        #expect(calories.harness.live?.remainder == Remainder(calories: 6))
    }

    @Test func decodesCheckpointWithRepetition() throws {
        var pm5 = Self.armed()
        for _ in 0..<2 {
            let checkpoint = try #require(pm5.harness.machine.checkpoint(at: pm5.harness.instant))
            let bytes = checkpoint.encode()
            // Older gateways do not know this version and begin a new session.
            #expect(bytes.first == 4 && bytes.count < 170)
            #expect(SessionCheckpoint(decoding: bytes) == checkpoint)
            pm5.row(2)
        }
    }
}
