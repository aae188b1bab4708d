import PM5Codec

/// What the next session of a workout is held against: a target belongs to one session, and ends with
/// it.
struct TargetAim: Equatable, Sendable {
    var targets: WorkoutTargets
    /// As the monitor shows it.
    var workout: Workout
}

/// From a workout that was put on the monitor to the session that is rowed of it. Changes `aim` and
/// `program`, and of the session `targets` and its workout.
extension SessionMachine {
    /// A workout has been put on the monitor: its next piece is held against `targets`, or, without
    /// any, against nothing. A rower who has begun it already goes on with them.
    package mutating func aim(
        at targets: WorkoutTargets, in workout: Workout, into events: inout [SessionEvent]
    ) {
        let shown = Workout(type: workout.type, target: workout.target)
        let next = targets.isEmpty ? nil : TargetAim(targets: targets, workout: shown)
        let nextProgram = workout.repetition == nil ? nil : workout
        guard next != aim || nextProgram != program else { return }
        (aim, program) = (next, nextProgram)
        if isOpen, let status = monitor.status, workout.admits(status) {
            session.note(workout.repetition)
            if aim != nil { takeAim(for: status) }
        }
        let before = events.count
        publishState(into: &events)
        // The checkpoint that has the target is stored with an event, also with one that is no news.
        if events.count == before { events.append(.state(state)) }
    }

    /// What a status shows, with what is known of a workout that was put on the monitor.
    func workout(shownBy status: GeneralStatus) -> Workout {
        var workout = Workout(status)
        if let program, program.type == workout.type, program.target == workout.target {
            workout.repetition = program.repetition
        }
        return workout
    }

    /// A monitor on which something else stands has lost the workout that was put there. In a rest
    /// and at an end its status may show the length of the rest, or none.
    mutating func forgetProgram(unlessShownBy status: GeneralStatus) {
        guard let program, [.waiting, .working].contains(status.phase) else { return }
        let shown = Workout(status)
        guard shown.type != program.type || shown.target != program.target else { return }
        self.program = nil
    }

    /// The session that has just begun takes the target that waits, unless it is of another workout.
    mutating func takeAim(for packet: GeneralStatus) {
        guard let aim else { return }
        self.aim = nil
        if aim.workout.admits(packet) { session.targets = aim.targets }
    }
}
