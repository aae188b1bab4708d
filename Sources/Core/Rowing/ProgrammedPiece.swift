import PM5Codec
import Timeline

/// Targets for the next session of a workout. They apply to one session only.
struct PendingTargets: Equatable, Sendable {
    var targets: WorkoutTargets
    /// As shown by the monitor.
    var workout: Workout
}

/// What the gateway or a phone programmed on a monitor for its next piece: what the monitor does not report of
/// the workout, and targets.
struct ProgrammedPiece {
    /// How long statuses may still show the workout before the one that a phone has set: a monitor sends one each
    /// second, and applies a workout after its reply.
    static let phoneLimit = Duration.seconds(2)

    /// Targets for the next session, if it has their workout.
    private(set) var targets: PendingTargets?
    /// Equal intervals, or the workout of a phone, while the monitor shows them.
    private(set) var workout: Workout?
    /// While the monitor applies the workout that a phone has set: when that is over.
    private var phoneDeadline: BootInstant?

    /// Sets both. Empty targets mean none. Returns whether anything changed.
    mutating func set(_ targets: WorkoutTargets, for workout: Workout) -> Bool {
        let shown = Workout(type: workout.type, target: workout.target)
        let next = targets.isEmpty ? nil : PendingTargets(targets: targets, workout: shown)
        let nextWorkout = workout.repetition == nil ? nil : workout
        phoneDeadline = nil
        guard next != self.targets || nextWorkout != self.workout else { return false }
        (self.targets, self.workout) = (next, nextWorkout)
        return true
    }

    /// A phone has set a workout, which replaces what the gateway programmed. The next statuses show it.
    mutating func notePhone(at now: BootInstant) {
        (targets, workout) = (nil, nil)
        phoneDeadline = now.advanced(by: Self.phoneLimit)
    }

    /// Restores the state after a restart.
    mutating func resume(_ targets: PendingTargets?, workout: Workout?) {
        (self.targets, self.workout) = (targets, workout)
    }

    /// The workout in a status, with what is known of it.
    func workout(shownBy status: GeneralStatus) -> Workout {
        var shown = Workout(status)
        if let workout, workout.type == shown.type, workout.target == shown.target {
            (shown.repetition, shown.isSetByPhone) = (workout.repetition, workout.isSetByPhone)
        }
        return shown
    }

    /// Keeps the workout that a phone has set, and forgets a workout if the monitor shows another one. During a
    /// rest and at an end, the status may show the length of the rest or none.
    mutating func receive(_ status: GeneralStatus, at now: BootInstant) {
        guard workout != nil || phoneDeadline != nil, [.waiting, .working].contains(status.phase)
        else { return }
        let shown = Workout(status)
        if let phoneDeadline {
            workout = shown
            workout?.isSetByPhone = true
            if now >= phoneDeadline { self.phoneDeadline = nil }
        } else if let workout, shown.type != workout.type || shown.target != workout.target {
            self.workout = nil
        }
    }

    /// Forgets the workout: another device uses the monitor now.
    mutating func forgetWorkout() { (workout, phoneDeadline) = (nil, nil) }

    /// Removes the targets. Returns them if the session of the status has their workout.
    mutating func consumeTargets(for status: GeneralStatus) -> WorkoutTargets? {
        guard let targets else { return nil }
        self.targets = nil
        return targets.workout.admits(status) ? targets.targets : nil
    }
}
