import PM5Codec

/// What the next session of a workout is held against: a target belongs to one session, and ends with
/// it.
struct TargetAim: Equatable, Sendable {
    var targets: WorkoutTargets
    /// As the monitor shows it.
    var workout: Workout
}

/// From a target to the session that is held against it. Changes `aim`, and of the session `targets`.
extension SessionMachine {
    /// A workout has been put on the monitor: its next piece is held against `targets`, or, without
    /// any, against nothing. A rower who has begun it already goes on with them.
    package mutating func aim(
        at targets: WorkoutTargets, in workout: Workout, into events: inout [SessionEvent]
    ) {
        let next = targets.isEmpty ? nil : TargetAim(targets: targets, workout: workout)
        guard next != aim else { return }
        aim = next
        if isOpen, let status = monitor.status, workout.admits(status) { takeAim(for: status) }
        // An event, however little it says, keeps the checkpoint that the target is in.
        events.append(.state(state))
    }

    /// The session that has just begun takes the target that waits, unless it is of another workout.
    mutating func takeAim(for packet: GeneralStatus) {
        guard let aim else { return }
        self.aim = nil
        if aim.workout.admits(packet) { session.targets = aim.targets }
    }
}
