import PM5Codec

/// What the monitor was set to: its workout type, and the target of a single piece or interval.
package struct Workout: Hashable, Sendable {
    /// The length of the piece, or of an interval where intervals are equal; of the first where
    /// not.
    package enum Target: Hashable, Sendable {
        case none
        case distance(Meters)
        case time(Duration)
        case calories(Int)
        case wattMinutes(Int)
    }

    /// As the monitor tells it.
    package var type: WorkoutType
    /// `.none` for a just row.
    package var target: Target

    package init(type: WorkoutType, target: Target) {
        self.type = type
        self.target = target
    }
}
