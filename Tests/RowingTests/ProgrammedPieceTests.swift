import Testing
import Timeline

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

    private static func at(_ milliseconds: UInt64) -> BootInstant {
        BootInstant(nanoseconds: milliseconds * 1_000_000)
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
        programmed.receive(Self.status(60, .intervalRest), at: Self.at(0))
        #expect(programmed.workout != nil)
        programmed.receive(Self.status(750), at: Self.at(0))
        #expect(programmed.workout == nil)
    }

    @Test func phoneReplacesWhatTheGatewayProgrammed() {
        var programmed = ProgrammedPiece()
        _ = programmed.set(WorkoutTargets(), for: Self.workout)
        programmed.notePhone(at: Self.at(0))
        // The monitor may still show the old workout once.
        programmed.receive(Self.status(500), at: Self.at(100))
        programmed.receive(Self.status(750), at: Self.at(1100))
        #expect(programmed.workout(shownBy: Self.status(750)).isSetByPhone)
        #expect(!programmed.workout(shownBy: Self.status(500)).isSetByPhone)
        #expect(programmed.workout(shownBy: Self.status(500)).repetition == nil)
        programmed.receive(Self.status(750), at: Self.at(2100))
        programmed.receive(Self.status(2000), at: Self.at(3000))
        #expect(!programmed.workout(shownBy: Self.status(2000)).isSetByPhone)
    }

    @Test func gatewayReplacesTheWorkoutOfAPhone() {
        var programmed = ProgrammedPiece()
        programmed.notePhone(at: Self.at(0))
        programmed.receive(Self.status(500), at: Self.at(500))
        _ = programmed.set(WorkoutTargets(), for: Self.workout)
        programmed.receive(Self.status(500), at: Self.at(1000))
        #expect(programmed.workout(shownBy: Self.status(500)) == Self.workout)
    }

    @Test func plainWorkoutOfTheGatewayIsNotSetByAPhoneJustBefore() {
        var programmed = ProgrammedPiece()
        programmed.notePhone(at: Self.at(0))
        _ = programmed.set(
            WorkoutTargets(), for: Workout(type: .fixedDistanceInterval, target: .distance(Meters(500))))
        programmed.receive(Self.status(500), at: Self.at(1000))
        #expect(!programmed.workout(shownBy: Self.status(500)).isSetByPhone)
    }
}
