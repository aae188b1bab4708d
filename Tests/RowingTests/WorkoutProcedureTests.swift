import PM5Simulator
import Testing

@testable import PM5Codec
@testable import Rowing

@Suite struct WorkoutProcedureTests {
    struct Example: Sendable {
        var program: WorkoutProgram
        var armed: PM5Simulator.Workout
        var frames = 1
    }

    private static func set(_ count: Int) -> WorkoutProgram {
        WorkoutProgram(
            .intervals(
                (0..<count).map { .init(.meters(UInt32(500 + $0)), rest: .seconds(60)) }))
    }

    private static func armedSet(_ count: Int) -> PM5Simulator.Workout {
        PM5Simulator.Workout(
            .variableInterval,
            (0..<count).map { WorkoutInterval(.meters(500 + $0), rest: .seconds(60)) })
    }

    static let examples: [Example] = [
        Example(
            program: WorkoutProgram(.justRow),
            armed: .init(.justRowWithoutSplits, [WorkoutInterval(.none)])),
        Example(
            program: WorkoutProgram(
                .single(.meters(2000), split: .meters(400)), targetPaceCentisecondsPer500m: 12_000),
            armed: .init(
                .fixedDistanceWithSplits,
                [WorkoutInterval(.meters(2000), targetPaceCentisecondsPer500m: 12_000)],
                splitLength: 400)),
        Example(
            program: WorkoutProgram(.single(.centiseconds(180_000), split: nil)),
            armed: .init(.fixedTimeWithoutSplits, [WorkoutInterval(.centiseconds(180_000))])),
        Example(
            program: WorkoutProgram(.single(.calories(100), split: .calories(20))),
            armed: .init(
                .fixedCaloriesWithSplits, [WorkoutInterval(.calories(100))], splitLength: 20)),
        Example(
            program: WorkoutProgram(.repeating(.meters(500), restSeconds: 60)),
            armed: .init(
                .fixedDistanceInterval, [WorkoutInterval(.meters(500), rest: .seconds(60))])),
        Example(program: set(4), armed: armedSet(4)),
        Example(
            program: WorkoutProgram(
                .intervals([
                    .init(.meters(100), rest: .undefined, targetPaceCentisecondsPer500m: 9_000),
                    .init(.centiseconds(12_000), rest: .undefined),
                ])),
            armed: .init(
                .variableIntervalUndefinedRest,
                [
                    WorkoutInterval(
                        .meters(100), rest: .undefined, targetPaceCentisecondsPer500m: 9_000),
                    WorkoutInterval(.centiseconds(12_000), rest: .undefined),
                ])),
        Example(program: set(50), armed: armedSet(50), frames: 10),
    ]

    @Test(arguments: examples)
    func programsAndVerifiesWorkout(_ example: Example) throws {
        // A simulated erg without a rower, in stepped time.
        var bench = try MonitorBench("just-row", isIdle: true)
        let result = try bench.carryOut(.program(example.program, isForced: false))
        let shown = try #require(try result?.get())
        #expect(bench.erg.workout == example.armed)
        #expect(shown.type == example.armed.type)
        #expect(bench.orders.count == example.frames)
    }

    @Test func programsRunningPieceOnlyIfForced() throws {
        // 12 s into 5000 m, without force and with it. A forced order ends the piece like the Menu key.
        var bench = try MonitorBench("5000m")
        bench.run(milliseconds: 12_000)
        let program = WorkoutProgram(.single(.meters(2000), split: .meters(400)))
        #expect(
            try bench.carryOut(.program(program, isForced: false)) == .failure(.rowing))
        #expect(bench.written.isEmpty && bench.erg.state == .workoutRow)

        let shown = try #require(
            try bench.carryOut(.program(program, isForced: true))?.get())
        #expect(shown == Workout(type: .fixedDistanceWithSplits, target: .distance(Meters(2000))))
        #expect(bench.erg.workout.intervals == [WorkoutInterval(.meters(2000))])
        #expect(bench.orders.first == .terminateWorkout && bench.orders.count == 2)
        let ends = bench.truth.filter { $0.kind == .session }.map(\.words)
        #expect(ends.last?.contains("\"terminated\"") == true, "\(ends)")
    }

    @Test func terminatesInEveryState() throws {
        // Rowing, armed, and after a finished and logged piece.
        var rowing = try MonitorBench("5000m")
        rowing.run(milliseconds: 20_000)
        #expect(try rowing.carryOut(.terminate)?.get().type == .fixedDistanceWithSplits)
        #expect(rowing.erg.state == .waitToBegin)

        var armed = try MonitorBench("5000m", isIdle: true)
        #expect(try armed.carryOut(.terminate)?.get().type == .fixedDistanceWithSplits)
        #expect(armed.erg.state == .waitToBegin)
        var logged = try MonitorBench("100m")
        logged.run(milliseconds: 40_000)
        #expect(logged.erg.state == .workoutLogged)
        #expect(try logged.carryOut(.terminate)?.get() != nil)
        #expect(logged.erg.state == .waitToBegin)
    }

    @Test func waitsForLogEntryOfFinishedPiece() throws {
        // The order arrives within a second of the last stroke.
        var bench = try MonitorBench("100m")
        while bench.erg.state != .workoutEnd { bench.run(milliseconds: 20) }
        let program = WorkoutProgram(.single(.meters(1000), split: nil))
        let result = try bench.carryOut(.program(program, isForced: false))
        #expect(try result?.get().type == .fixedDistanceWithoutSplits)
        bench.run(milliseconds: 200)
        #expect(bench.truth.contains { $0.kind == .result })
    }

    @Test(arguments: 0..<8)
    func retriesLostAnswers(_ lost: Int) throws {
        // Seven intervals in two frames; the answer with this number is lost.
        var bench = try MonitorBench("just-row", isIdle: true, seed: UInt64(lost) + 3)
        let answers = Counter()
        bench.pass = { id, bytes in
            // An answer begins with its flag; noise between frames is not an answer.
            if id == .csafeOut, bytes.first == 0xF1 { answers.count += 1 }
            return id == .csafeOut && answers.count == lost + 1 ? nil : bytes
        }
        let result = try bench.carryOut(.program(Self.set(7), isForced: false))
        #expect(try result?.get().type == .variableInterval)
        #expect(bench.erg.workout == Self.armedSet(7))
    }

    @Test func reportsEachFailure() throws {
        // No answers, no status, every frame rejected, another workout shown.
        let program = WorkoutProgram(.single(.meters(1000), split: nil))
        let order = WorkoutProcedure.Order.program(program, isForced: false)
        var mute = try MonitorBench("just-row", isIdle: true)
        mute.pass = { id, bytes in id == .csafeOut ? nil : bytes }
        #expect(try mute.carryOut(order) == .failure(.noAnswer))
        #expect(mute.orders.count == WorkoutProcedure.frameLimit)

        var blind = try MonitorBench("just-row", subscribe: [.csafeOut])
        #expect(try blind.carryOut(order) == .failure(.noAnswer))
        #expect(blind.written.isEmpty)

        var refusing = try MonitorBench("just-row", isIdle: true)
        refusing.pass = { id, bytes in
            id == .csafeOut ? [0xF1, 0x91, 0x91, 0xF2] : bytes
        }
        #expect(try refusing.carryOut(order) == .failure(.rejected))

        var stubborn = try MonitorBench("just-row", isIdle: true)
        stubborn.pass = { id, bytes in
            id == .generalStatus ? GeneralStatus().notificationBytes(carrier: .dedicated) : bytes
        }
        #expect(
            try stubborn.carryOut(order)
                == .failure(
                    .notVerified(Workout(type: .justRowWithoutSplits, target: .none))))
    }

    @Test func rejectsInvalidWorkoutBeforeSending() throws {
        // 99 m.
        var bench = try MonitorBench("just-row")
        #expect(throws: WorkoutProgramError.self) {
            try bench.carryOut(
                .program(WorkoutProgram(.single(.meters(99), split: nil)), isForced: false))
        }
        #expect(bench.written.isEmpty)
    }
}

/// Counts inside an escaping closure.
private final class Counter {
    var count = 0
}

extension TruthRecord {
    /// The values of the fields as text.
    fileprivate var words: [String] { fields.map { $0.value.json } }
}
