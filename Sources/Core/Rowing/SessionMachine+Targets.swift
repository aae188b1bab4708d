import PM5Codec

/// Targets for the next session of a workout. They apply to one session only.
struct PendingTargets: Equatable, Sendable {
    var targets: WorkoutTargets
    /// As shown by the monitor.
    var workout: Workout
}

/// Carries targets from a programmed workout to its session. Changes `pendingTargets` and
/// `programmedWorkout`, and the targets and workout of the session.
extension SessionMachine {
    /// Sets the targets for the next piece of a workout that was programmed on the monitor. Empty targets
    /// mean none. They apply at once if the rower has already begun the workout.
    package mutating func setTargets(
        _ targets: WorkoutTargets, for workout: Workout, into events: inout [SessionEvent]
    ) {
        let shown = Workout(type: workout.type, target: workout.target)
        let next = targets.isEmpty ? nil : PendingTargets(targets: targets, workout: shown)
        let nextProgram = workout.repetition == nil ? nil : workout
        guard next != pendingTargets || nextProgram != programmedWorkout else { return }
        (pendingTargets, programmedWorkout) = (next, nextProgram)
        if isOpen, let status = monitor.status, workout.admits(status) {
            session.note(workout.repetition)
            if pendingTargets != nil { applyPendingTargets(for: status) }
        }
        let before = events.count
        publishState(into: &events)
        // An event stores the checkpoint with the targets, so one is needed even without a change of state.
        if events.count == before { events.append(.state(state)) }
    }

    /// The workout in a status, with the repetition if the gateway programmed it.
    func workout(shownBy status: GeneralStatus) -> Workout {
        var workout = Workout(status)
        if let programmed = programmedWorkout, programmed.type == workout.type,
            programmed.target == workout.target
        {
            workout.repetition = programmed.repetition
        }
        return workout
    }

    /// Forgets the programmed workout if the monitor shows another one. During a rest and at an end, the
    /// status may show the length of the rest or none.
    mutating func clearProgrammedWorkout(unlessShownBy status: GeneralStatus) {
        guard let programmed = programmedWorkout, [.waiting, .working].contains(status.phase) else { return }
        let shown = Workout(status)
        guard shown.type != programmed.type || shown.target != programmed.target else { return }
        programmedWorkout = nil
    }

    /// Applies the pending targets to a new session if it has their workout. Clears them in any case.
    mutating func applyPendingTargets(for packet: GeneralStatus) {
        guard let pendingTargets else { return }
        self.pendingTargets = nil
        if pendingTargets.workout.admits(packet) { session.targets = pendingTargets.targets }
    }
}
