import PM5Codec

/// Targets for the next session of a workout. They apply to one session only.
struct PendingTargets: Equatable, Sendable {
    var targets: WorkoutTargets
    /// As shown by the monitor.
    var workout: Workout
}

/// What the gateway programmed on a monitor for its next piece: the workout with its repetition, which the
/// monitor does not report, and targets.
struct ProgrammedPiece {
    /// Targets for the next session, if it has their workout.
    private(set) var targets: PendingTargets?
    /// Equal intervals, while the monitor shows them.
    private(set) var workout: Workout?

    /// Sets both. Empty targets mean none. Returns whether anything changed.
    mutating func set(_ targets: WorkoutTargets, for workout: Workout) -> Bool {
        let shown = Workout(type: workout.type, target: workout.target)
        let next = targets.isEmpty ? nil : PendingTargets(targets: targets, workout: shown)
        let nextWorkout = workout.repetition == nil ? nil : workout
        guard next != self.targets || nextWorkout != self.workout else { return false }
        (self.targets, self.workout) = (next, nextWorkout)
        return true
    }

    /// Restores the state after a restart.
    mutating func resume(_ targets: PendingTargets?, workout: Workout?) {
        (self.targets, self.workout) = (targets, workout)
    }

    /// The workout in a status, with the repetition if the gateway programmed it.
    func workout(shownBy status: GeneralStatus) -> Workout {
        var shown = Workout(status)
        if let workout, workout.type == shown.type, workout.target == shown.target {
            shown.repetition = workout.repetition
        }
        return shown
    }

    /// Forgets the workout if the monitor shows another one. During a rest and at an end, the status may show
    /// the length of the rest or none.
    mutating func forgetWorkout(unlessShownBy status: GeneralStatus) {
        guard let workout, [.waiting, .working].contains(status.phase) else { return }
        let shown = Workout(status)
        if shown.type != workout.type || shown.target != workout.target { self.workout = nil }
    }

    /// Forgets the workout: another device uses the monitor now.
    mutating func forgetWorkout() { workout = nil }

    /// Removes the targets. Returns them if the session of the status has their workout.
    mutating func consumeTargets(for status: GeneralStatus) -> WorkoutTargets? {
        guard let targets else { return nil }
        self.targets = nil
        return targets.workout.admits(status) ? targets.targets : nil
    }
}
