import Testing

@testable import PM5Codec
@testable import Rowing

/// What a gateway programmed on a monitor.
@Suite struct ProgrammedPieceTests {
    private static let workout = Workout(
        type: .fixedDistanceInterval, target: .distance(Meters(500)),
        repetition: Workout.Repetition(count: 4, rest: .seconds(60)))

    private static func status(_ meters: UInt32, _ state: WorkoutState = .waitToBegin) -> GeneralStatus {
        var status = GeneralStatus.blank
        (status.workoutType, status.workoutState) = (.fixedDistanceInterval, state)
        (status.durationType, status.workoutDuration) = (.distance, meters)
        return status
    }

    @Test func addsRepetitionThatMonitorDoesNotReport() {
        var programmed = ProgrammedPiece()
        let changed = programmed.set(WorkoutTargets(), for: Self.workout)
        #expect(changed)
        #expect(programmed.workout(shownBy: Self.status(500)) == Self.workout)
        #expect(programmed.workout(shownBy: Self.status(750)).repetition == nil)
    }

    @Test func reportsNoChangeForSameProgram() {
        var programmed = ProgrammedPiece()
        _ = programmed.set(WorkoutTargets(), for: Self.workout)
        let changed = programmed.set(WorkoutTargets(), for: Self.workout)
        #expect(!changed)
    }

    @Test func forgetsWorkoutOnlyWhenMonitorWaitsOrWorksInAnother() {
        var programmed = ProgrammedPiece()
        _ = programmed.set(WorkoutTargets(), for: Self.workout)
        programmed.forgetWorkout(unlessShownBy: Self.status(60, .intervalRest))
        #expect(programmed.workout != nil)
        programmed.forgetWorkout(unlessShownBy: Self.status(750))
        #expect(programmed.workout == nil)
    }
}
