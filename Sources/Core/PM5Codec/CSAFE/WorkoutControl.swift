extension Command {
    /// Works on running, armed, finished and logged workouts; the monitor arms the same one again.
    package static var terminateWorkout: Command { screen(.terminateWorkout) }
    /// Makes the same workout ready again.
    package static var rearmWorkout: Command { screen(.rearmWorkout) }
    /// As the Menu key from any screen.
    package static var goToMainScreen: Command { screen(.goToMainScreen) }
    /// Leaves an undefined rest, as ErgData and ErgZone do (openrowingmonitor).
    package static var pressVirtualKeyD: Command { screen(.virtualKeyD) }

    /// A value of the workout screen; queued by the monitor, see `Query.screenStatus`.
    package static func screen(_ value: ScreenValue) -> Command {
        .wrapped(.setConfiguration, [.screenState(.workout, value)])
    }
}
