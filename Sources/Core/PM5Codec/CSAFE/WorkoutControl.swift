extension Command {
    /// Ends running, armed, finished and logged workouts. The monitor then arms the same one again.
    package static var terminateWorkout: Command { screen(.terminateWorkout) }
    /// Arms the same workout again.
    package static var rearmWorkout: Command { screen(.rearmWorkout) }
    /// The Menu key, from any screen.
    package static var goToMainScreen: Command { screen(.goToMainScreen) }
    /// Ends an undefined rest, as ErgData and ErgZone do (openrowingmonitor).
    package static var pressVirtualKeyD: Command { screen(.virtualKeyD) }

    /// A command of the workout screen. The monitor queues it; see `Query.screenStatus`.
    package static func screen(_ value: ScreenValue) -> Command {
        .wrapped(.setConfiguration, [.screenState(.workout, value)])
    }

    /// Whether it belongs to the settings of a new workout, or applies them.
    package var setsWorkout: Bool {
        switch self {
        case .setWorkTime, .setHorizontal, .setProgram: true
        case .wrapped(_, let commands): commands.contains(where: \.setsWorkout)
        default: false
        }
    }
}

extension ProprietaryCommand {
    fileprivate var setsWorkout: Bool {
        switch self {
        case .workoutType, .workoutDuration, .configureWorkout, .screenState(_, .prepareToRowWorkout): true
        default: false
        }
    }
}
